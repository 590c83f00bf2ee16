// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 4 flops per row element.
// Evidence: 1 output, 31 steps, 20 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     m = max(x)
//     e_shifted = exp(x - m)
//     Z = sum(e_shifted)
//     inv_Z = 1/Z
//     y = inv_Z*e_shifted
// backward:
//     dx = y*(dy - sum(dy*y))
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, Row* out_y, long long rows, int D)
//     backward_<type>(const Row* y, const Row* dy, Row* out_dx, long long rows, int D)
//
// Launches, and the macros that choose among kernels: rows.cuh.

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

#ifdef LNGEN_FORWARD
// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr int ROWS_READ = READS_x, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 3, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  T* out_y;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A inv_Z;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
  }
};

// Stage 1 of 3: m = max(x)
template <class A>
__device__ __forceinline__ void m(A x, const Scalars<A>& row, A (&sums)[1]) {
  sums[0] = larger(sums[0], x);  // step 1: m
}

template <class A>
__device__ __forceinline__ void after_m(Scalars<A>& row, const A (&sums)[1]) {
  const A m = finite_or_zero(sums[0]);  // step 1: max(x)
  row.m = m;
}

// Stage 2 of 3: Z_ = sum(e_shifted)
template <class A>
__device__ __forceinline__ void Z_(A x, const Scalars<A>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A e_shifted = math::exp(x_shifted);  // step 3
  sums[0] += e_shifted;  // step 4: Z_
}

template <class A>
__device__ __forceinline__ void after_Z(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = sums[0];  // step 4: sum(e_shifted)
  const A inv_Z = A(1) / Z_;  // step 5
  row.Z_ = Z_;
  row.inv_Z = inv_Z;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, const Scalars<A>& row, A& out_y) {
  const A inv_Z = row.inv_Z, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A e_shifted = math::exp(x_shifted);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  out_y = y;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  return row;
}

template <class G, class T, class P, class A> __device__ __forceinline__ void work(const Arguments<T, P, A>& to) {
  A* slots = reinterpret_cast<A*>(shared_memory());
  int turn = 0;
  Here here;
  here.begin<G>(to.D);
  const Scalars<A> call = of_the_call<G>(to, here, slots, turn);
  Tile<G> tile;
  tile.x.array = to.x;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    {
      A sums[1] = {-infinity<A>()};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          m(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 1, 0>(sums, slots, turn);
      after_m(row, sums);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          Z_(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_Z(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_y;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0), row, out_y);
          stored_y.entries[i] = narrow<T>(out_y);
        }
        if (here.live) store_once(to.out_y + here.offset + column, stored_y);
      });
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace forward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(forward_##TYPE, lngen::forward::Launch<T>, \
               (const T* __restrict__ x, T* __restrict__ out_y, long long rows, int D), \
               (x, out_y, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_y = true;
constexpr bool READS_dy = true;
constexpr int ROWS_READ = READS_y + READS_dy, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 0, 1, 1>;

template <class T, class P, class A> struct Arguments {
  const T* y;
  const T* dy;
  T* out_dx;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A sum_dy_y;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_y> y;
  RowTile<G, READS_dy> dy;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(y);
    visit(dy);
  }
};

// Stage 1 of 2: sum_dy_y = sum(dy*y)
template <class A>
__device__ __forceinline__ void sum_dy_y(A y, A dy, const Scalars<A>& row, A (&sums)[1]) {
  sums[0] += dy*y;  // step 22: sum_dy_y
}

template <class A>
__device__ __forceinline__ void after_sum_dy_y(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_dy_y = sums[0];  // step 22: sum(dy*y)
  row.sum_dy_y = sum_dy_y;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A y, A dy, const Scalars<A>& row, A& out_dx) {
  const A sum_dy_y = row.sum_dy_y;
  const A dx = (dy - sum_dy_y)*y;  // step 22
  out_dx = dx;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  return row;
}

template <class G, class T, class P, class A> __device__ __forceinline__ void work(const Arguments<T, P, A>& to) {
  A* slots = reinterpret_cast<A*>(shared_memory());
  int turn = 0;
  Here here;
  here.begin<G>(to.D);
  const Scalars<A> call = of_the_call<G>(to, here, slots, turn);
  Tile<G> tile;
  tile.y.array = to.y;
  tile.dy.array = to.dy;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto y = tile.y.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_dy_y(READS_y ? widen<A>(y.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_sum_dy_y(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto y = tile.y.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_2(READS_y ? widen<A>(y.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0), row, out_dx);
          stored_dx.entries[i] = narrow<T>(out_dx);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_dx);
      });
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_##TYPE, lngen::backward::Launch<T>, \
               (const T* __restrict__ y, const T* __restrict__ dy, T* __restrict__ out_dx, long long rows, int D), \
               (y, dy, out_dx, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
