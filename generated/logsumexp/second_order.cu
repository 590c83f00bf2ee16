// The logarithm of a row's sum of exponentials, one number a row.
// Made by lngen 0.1.0 from the definition of logsumexp.
// Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
// Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
// Evidence: 1 output, 21 steps, 15 first lines, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     p = exp_shifted/Z
//     y_dot = sum(p*x_dot)
// backward_backward:
//     p = exp_shifted/Z
//     dx = dy*p
//     d2x = dx*(ddx - sum(ddx*p))
//     ddy = sum(ddx*p)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* m, const Computed* Z_, Row* out_y_dot, long long
//         rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* m, const Computed* Z_,
//         Row* out_dx, Row* out_ddy, long long rows, int D)
//
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_x_dot
constexpr bool HAS_x_dot = false;
#else
constexpr bool HAS_x_dot = true;
#endif

}  // namespace lngen

#ifdef LNGEN_JVP
// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_x = HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr int ROWS_READ = READS_x + READS_x_dot, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 4, 0>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* m;
  const A* Z_;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A Z_;
  A sum_exp_shifted_x_dot;
  A y_dot;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_x_dot> x_dot;
  RowValue<G, true, typename G::A> m;
  RowValue<G, true, typename G::A> Z_;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(x_dot);
    visit(m);
    visit(Z_);
  }
};

// Stage 1 of 1: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
template <class A>
__device__ __forceinline__ void sum_exp_shifted_x_dot(A x, A x_dot, const Scalars<A>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  if (HAS_x_dot) sums[0] += exp_shifted*x_dot;  // step 28: sum_exp_shifted_x_dot
}

template <class A>
__device__ __forceinline__ void after_sum_exp_shifted_x_dot(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = row.Z_;
  const A sum_exp_shifted_x_dot = sums[0];  // step 28: sum(exp_shifted*x_dot)
  const A y_dot = HAS_x_dot ? sum_exp_shifted_x_dot / Z_ : A(0);  // step 28
  row.sum_exp_shifted_x_dot = sum_exp_shifted_x_dot;
  row.y_dot = y_dot;
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
  tile.x_dot.array = to.x_dot;
  tile.m.array = to.m;
  tile.Z_.array = to.Z_;
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
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_exp_shifted_x_dot(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_x_dot), 0, 0>(sums, slots, turn);
      after_sum_exp_shifted_x_dot(row, sums);
      if (here.live && here.lane == 0) to.out_y_dot[here.row] = narrow<T>(row.y_dot);
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace jvp
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(jvp_##TYPE, lngen::jvp::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ x_dot, const lngen::Computed<T>* __restrict__ m, \
                const lngen::Computed<T>* __restrict__ Z_, T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, m, Z_, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_dy = HAS_ddx;
constexpr int ROWS_READ = READS_x + READS_ddx, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 7, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* m;
  const A* Z_;
  T* out_dx;
  T* out_ddy;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A dy;
  A m;
  A Z_;
  A dy_scaled;
  A sum_ddx_exp_shifted;
  A sum_ddx_exp_shifted_scaled;
  A ddy;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_ddx> ddx;
  RowValue<G, true, typename G::A> m;
  RowValue<G, true, typename G::A> Z_;
  RowValue<G, READS_dy, typename G::T> dy;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(ddx);
    visit(m);
    visit(Z_);
    visit(dy);
  }
};

// Stage 1 of 3
template <class A>
__device__ __forceinline__ void after_stage_1(Scalars<A>& row) {
  const A Z_ = row.Z_, dy = row.dy;
  const A dy_scaled = dy / Z_;  // step 31
  row.dy_scaled = dy_scaled;
}

// Stage 2 of 3: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
template <class A>
__device__ __forceinline__ void sum_ddx_exp_shifted(A x, A ddx, const Scalars<A>& row, A (&sums)[1]) {
  const A m = row.m;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  if (HAS_ddx) sums[0] += ddx*exp_shifted;  // step 42: sum_ddx_exp_shifted
}

template <class A>
__device__ __forceinline__ void after_sum_ddx_exp_shifted(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = row.Z_;
  const A sum_ddx_exp_shifted = sums[0];  // step 42: sum(ddx*exp_shifted)
  const A sum_ddx_exp_shifted_scaled = HAS_ddx ? sum_ddx_exp_shifted / Z_ : A(0);  // step 42
  const A ddy = HAS_ddx ? sum_ddx_exp_shifted / Z_ : A(0);  // step 44
  row.sum_ddx_exp_shifted = sum_ddx_exp_shifted;
  row.sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted_scaled;
  row.ddy = ddy;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, A ddx, const Scalars<A>& row, A& out_d2x) {
  const A dy_scaled = row.dy_scaled, m = row.m, sum_ddx_exp_shifted_scaled = row.sum_ddx_exp_shifted_scaled;
  const A x_shifted = x - m;  // step 2
  const A exp_shifted = math::exp(x_shifted);  // step 3
  const A dx = exp_shifted*dy_scaled;  // step 31
  const A d2x = HAS_ddx ? (ddx - sum_ddx_exp_shifted_scaled)*dx : A(0);  // step 42
  out_d2x = d2x;
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
  tile.ddx.array = to.ddx;
  tile.m.array = to.m;
  tile.Z_.array = to.Z_;
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
    row.dy = READS_dy ? widen<A>(tile.dy.now) : A(0);
    {
      after_stage_1(row);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_ddx_exp_shifted(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx), 0, 0>(sums, slots, turn);
      after_sum_ddx_exp_shifted(row, sums);
      if (here.live && here.lane == 0) to.out_ddy[here.row] = narrow<T>(row.ddy);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_d2x;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2x;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0), row, out_d2x);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
      });
    }
  });
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const lngen::Computed<T>* __restrict__ m, const lngen::Computed<T>* __restrict__ Z_, \
                T* __restrict__ out_dx, T* __restrict__ out_ddy, long long rows, int D), \
               (x, dy, ddx, m, Z_, out_dx, out_ddy, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
