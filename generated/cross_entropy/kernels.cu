// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
// Evidence: 1 output, 40 steps, 30 first lines, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// forward:
//     m = max(x)
//     exp_shifted = exp(x - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     logp = x - m - log_Z
//     sum_logp_target = sum(logp*target)
//     y = -sum_logp_target
// backward:
//     p = exp_shifted/Z
//     dx = dy*(p*sum(target) - target)
//     dtarget = -dy*logp
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Row* target, Row* out_y, Computed* save_m, Computed* save_Z, Computed*
//         save_log_Z, long long rows, int D)
//     backward_<type>(const Row* x, const Row* target, const Row* dy, const Computed* m, const Computed* Z_, const
//         Computed* log_Z, Row* out_dx, Row* out_dtarget, long long rows, int D)
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
constexpr bool READS_target = true;
constexpr int ROWS_READ = READS_x + READS_target, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 5, 0>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* target;
  T* out_y;
  A* save_m;
  A* save_Z;
  A* save_log_Z;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A log_Z;
  A sum_logp_target;
  A y;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_target> target;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(target);
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

// Stage 2 of 3: Z_ = sum(exp_shifted)
template <class A>
__device__ __forceinline__ void Z_(A x, const Scalars<A>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  sums[0] += exp_shifted;  // step 4: Z_
}

template <class A>
__device__ __forceinline__ void after_Z(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = sums[0];  // step 4: sum(exp_shifted)
  const A log_Z = math::log(Z_);  // step 5
  row.Z_ = Z_;
  row.log_Z = log_Z;
}

// Stage 3 of 3: sum_logp_target = sum(logp*target)
template <class A>
__device__ __forceinline__ void sum_logp_target(A x, A target, const Scalars<A>& row, A (&sums)[1]) {
  const A log_Z = row.log_Z, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A logp = x_shifted - log_Z;  // step 6
  sums[0] += logp*target;  // step 7: sum_logp_target
}

template <class A>
__device__ __forceinline__ void after_sum_logp_target(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_logp_target = sums[0];  // step 7: sum(logp*target)
  const A y = -sum_logp_target;  // step 8
  row.sum_logp_target = sum_logp_target;
  row.y = y;
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
  tile.target.array = to.target;
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
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto target = tile.target.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_logp_target(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_target ? widen<A>(target.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_sum_logp_target(row, sums);
      if (here.live && here.lane == 0) to.out_y[here.row] = narrow<T>(row.y);
    }
    if (SAVES && here.live && here.lane == 0) {
      to.save_m[here.row] = row.m;
      to.save_Z[here.row] = row.Z_;
      to.save_log_Z[here.row] = row.log_Z;
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
               (const T* __restrict__ x, const T* __restrict__ target, T* __restrict__ out_y, \
                lngen::Computed<T>* __restrict__ save_m, lngen::Computed<T>* __restrict__ save_Z, \
                lngen::Computed<T>* __restrict__ save_log_Z, long long rows, int D), \
               (x, target, out_y, save_m, save_Z, save_log_Z, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_target = true;
constexpr bool READS_dy = true;
constexpr int ROWS_READ = READS_x + READS_target, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 6, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* target;
  const T* dy;
  const A* m;
  const A* Z_;
  const A* log_Z;
  T* out_dx;
  T* out_dtarget;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A dy;
  A m;
  A Z_;
  A log_Z;
  A sum_target;
  A sum_target_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_target> target;
  RowValue<G, true, typename G::A> m;
  RowValue<G, true, typename G::A> Z_;
  RowValue<G, true, typename G::A> log_Z;
  RowValue<G, READS_dy, typename G::T> dy;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(target);
    visit(m);
    visit(Z_);
    visit(log_Z);
    visit(dy);
  }
};

// Stage 1 of 2: sum_target = sum(target)
template <class A>
__device__ __forceinline__ void sum_target(A x, A target, const Scalars<A>& row, A (&sums)[1], A& out_dtarget) {
  const A dy = row.dy, log_Z = row.log_Z, m = row.m;
  const A x_shifted = x - m;  // step 2
  const A logp = x_shifted - log_Z;  // step 6
  const A dtarget = -logp*dy;  // step 33
  sums[0] += target;  // step 31: sum_target
  out_dtarget = dtarget;
}

template <class A>
__device__ __forceinline__ void after_sum_target(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = row.Z_;
  const A sum_target = sums[0];  // step 31: sum(target)
  const A sum_target_scaled = sum_target / Z_;  // step 31
  row.sum_target = sum_target;
  row.sum_target_scaled = sum_target_scaled;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A target, const Scalars<A>& row, A& out_dx) {
  const A dy = row.dy, m = row.m, sum_target_scaled = row.sum_target_scaled;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A dx = (exp_shifted*sum_target_scaled - target)*dy;  // step 31
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
  tile.x.array = to.x;
  tile.target.array = to.target;
  tile.m.array = to.m;
  tile.Z_.array = to.Z_;
  tile.log_Z.array = to.log_Z;
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
    row.m = tile.m.now;
    row.Z_ = tile.Z_.now;
    row.log_Z = tile.log_Z.now;
    row.dy = READS_dy ? widen<A>(tile.dy.now) : A(0);
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto target = tile.target.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_dtarget;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dtarget;
          sum_target(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_target ? widen<A>(target.entries[i]) : A(0), row, sums, out_dtarget);
          stored_dtarget.entries[i] = narrow<T>(out_dtarget);
        }
        if (here.live) store_once(to.out_dtarget + here.offset + column, stored_dtarget);
      });
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_sum_target(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto target = tile.target.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_target ? widen<A>(target.entries[i]) : A(0), row, out_dx);
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
               (const T* __restrict__ x, const T* __restrict__ target, const T* __restrict__ dy, \
                const lngen::Computed<T>* __restrict__ m, const lngen::Computed<T>* __restrict__ Z_, \
                const lngen::Computed<T>* __restrict__ log_Z, T* __restrict__ out_dx, T* __restrict__ out_dtarget, \
                long long rows, int D), \
               (x, target, dy, m, Z_, log_Z, out_dx, out_dtarget, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
