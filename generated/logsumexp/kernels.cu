// The logarithm of a row's sum of exponentials, one number a row.
// Made by lngen 0.1.0 from the definition of logsumexp.
// Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
// Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
// Evidence: 1 output, 15 steps, 13 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
// templates sha256:a6fa389b017093e698671db7b23dc4ae3379f5ce734d243ee674c17ce2b51213
//
// forward:
//     row_max = max(x)
//     exp_shifted = exp(x - row_max)
//     sum_exp = sum(exp_shifted)
//     log_sum_exp = log(sum_exp)
//     y = row_max + log_sum_exp
// backward:
//     p = exp_shifted/sum_exp
//     dx = dy*p
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, Row* out_y, Computed* save_row_max, Computed* save_sum_exp, long long rows, int
//         D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* row_max, const Computed* sum_exp, Row* out_dx,
//         long long rows, int D)
//
// How they are launched, and macros that choose among them: rows.cuh.

#include "../_runtime/rows.cuh"
#include "../_runtime/geometry.cuh"
#include "../_runtime/reductions.cuh"
#include "../_runtime/row_loop.cuh"
#include "../_runtime/moments.cuh"
#include "../_runtime/kernels.cuh"

#ifdef LNGEN_FORWARD
// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr int ROWS_READ = READS_x, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 4, 0>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  T* out_y;
  A* save_row_max;
  A* save_sum_exp;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A row_max;
  A sum_exp;
  A log_sum_exp;
  A y;
};

// What a thread has of a row, and of the Features.
template <class G> struct Tile {
  RowTile<G, READS_x> x;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
  }
};

// Stage 1 of 2: row_max = max(x)
template <class A>
__device__ __forceinline__ void row_max(A x, const Scalars<A>& row, A (&sums)[1]) {
  sums[0] = larger(sums[0], x);  // step 1: row_max
}

template <class A>
__device__ __forceinline__ void after_row_max(Scalars<A>& row, const A (&sums)[1]) {
  const A row_max = finite_or_zero(sums[0]);  // step 1: max(x)
  row.row_max = row_max;
}

// Stage 2 of 2: sum_exp = sum(exp_shifted)
template <class A>
__device__ __forceinline__ void sum_exp(A x, const Scalars<A>& row, A (&sums)[1]) {
  const A row_max = row.row_max;
  const A x_shifted = x - row_max;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  sums[0] += exp_shifted;  // step 4: sum_exp
}

template <class A>
__device__ __forceinline__ void after_sum_exp(Scalars<A>& row, const A (&sums)[1]) {
  const A row_max = row.row_max;
  const A sum_exp = sums[0];  // step 4: sum(exp_shifted)
  const A log_sum_exp = math::log(sum_exp);  // step 5
  const A y = log_sum_exp + row_max;  // step 6
  row.sum_exp = sum_exp;
  row.log_sum_exp = log_sum_exp;
  row.y = y;
}

// What the call gives: everything that no row changes.
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
          row_max(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 1, 0>(sums, slots, turn);
      after_row_max(row, sums);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_exp(READS_x ? widen<A>(x.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_sum_exp(row, sums);
      if (here.live && here.lane == 0) to.out_y[here.row] = narrow<T>(row.y);
    }
    if (SAVES && here.live && here.lane == 0) {
      to.save_row_max[here.row] = row.row_max;
      to.save_sum_exp[here.row] = row.sum_exp;
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
               (const T* __restrict__ x, T* __restrict__ out_y, lngen::Computed<T>* __restrict__ save_row_max, \
                lngen::Computed<T>* __restrict__ save_sum_exp, long long rows, int D), \
               (x, out_y, save_row_max, save_sum_exp, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_dy = true;
constexpr int ROWS_READ = READS_x, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 0, 1, 4, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* row_max;
  const A* sum_exp;
  T* out_dx;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A dy;
  A row_max;
  A sum_exp;
  A sum_exp_scaled;
};

// What a thread has of a row, and of the Features.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowValue<G, true, typename G::A> row_max;
  RowValue<G, true, typename G::A> sum_exp;
  RowValue<G, READS_dy, typename G::T> dy;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(row_max);
    visit(sum_exp);
    visit(dy);
  }
};

// Stage 1 of 2
template <class A>
__device__ __forceinline__ void after_stage_1(Scalars<A>& row) {
  const A dy = row.dy, sum_exp = row.sum_exp;
  const A sum_exp_scaled = dy / sum_exp;  // step 13
  row.sum_exp_scaled = sum_exp_scaled;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, const Scalars<A>& row, A& out_dx) {
  const A row_max = row.row_max, sum_exp_scaled = row.sum_exp_scaled;
  const A x_shifted = x - row_max;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A dx = exp_shifted*sum_exp_scaled;  // step 13
  out_dx = dx;
}

// What the call gives: everything that no row changes.
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
  tile.row_max.array = to.row_max;
  tile.sum_exp.array = to.sum_exp;
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
    row.row_max = tile.row_max.now;
    row.sum_exp = tile.sum_exp.now;
    row.dy = READS_dy ? widen<A>(tile.dy.now) : A(0);
    {
      after_stage_1(row);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0), row, out_dx);
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
               (const T* __restrict__ x, const T* __restrict__ dy, const lngen::Computed<T>* __restrict__ row_max, \
                const lngen::Computed<T>* __restrict__ sum_exp, T* __restrict__ out_dx, long long rows, int D), \
               (x, dy, row_max, sum_exp, out_dx, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
