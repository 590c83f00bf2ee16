// Each row divided by its Euclidean length.
// Made by lngen 0.1.0 from the definition of l2_norm.
// Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 3 flops per row element; backward 3 row tensors (2 read, 1 written), 6 flops per row element.
// Evidence: 1 output, 24 steps, 15 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     y_dot = rstd*(x_dot - y*sum(x_dot*y))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     d2x = D*rstd**2*(mean(ddx*y)*(3*D*mean_dy_y*y - dy) - mean_dy_y*ddx - y*mean(ddx*dy))
//     ddy = rstd*(ddx - y*sum(ddx*y))
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* rstd, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* rstd, Row* out_dx,
//         Row* out_ddy, long long rows, int D)
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
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 0, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* rstd;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A sum_x_dot_y;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_x_dot> x_dot;
  RowValue<G, true, typename G::A> rstd;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(x_dot);
    visit(rstd);
  }
};

// Stage 1 of 2: sum_x_dot_y = sum(x_dot*y)
template <class A>
__device__ __forceinline__ void sum_x_dot_y(A x, A x_dot, const Scalars<A>& row, A (&sums)[1]) {
  const A rstd = row.rstd;
  const A y = x*rstd;  // step 3
  if (HAS_x_dot) sums[0] += x_dot*y;  // step 18: sum_x_dot_y
}

template <class A>
__device__ __forceinline__ void after_sum_x_dot_y(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_x_dot_y = sums[0];  // step 18: sum(x_dot*y)
  row.sum_x_dot_y = sum_x_dot_y;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A x_dot, const Scalars<A>& row, A& out_y_dot) {
  const A rstd = row.rstd, sum_x_dot_y = row.sum_x_dot_y;
  const A y = x*rstd;  // step 3
  const A y_dot = HAS_x_dot ? (x_dot - y*sum_x_dot_y)*rstd : A(0);  // step 18
  out_y_dot = y_dot;
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
  tile.rstd.array = to.rstd;
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
    row.rstd = tile.rstd.now;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_x_dot_y(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_x_dot), 0, 0>(sums, slots, turn);
      after_sum_x_dot_y(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_y_dot;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y_dot;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0), row, out_y_dot);
          stored_y_dot.entries[i] = narrow<T>(out_y_dot);
        }
        if (here.live) store_once(to.out_y_dot + here.offset + column, stored_y_dot);
      });
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
               (const T* __restrict__ x, const T* __restrict__ x_dot, const lngen::Computed<T>* __restrict__ rstd, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, rstd, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddx;
constexpr bool READS_dy = HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr int ROWS_READ = READS_x + READS_dy + READS_ddx, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 4, 0, 7, 2>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* rstd;
  T* out_dx;
  T* out_ddy;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A rstd_scaled;
  A mean_dy_y;
  A mean_ddx_y;
  A mean_ddx_dy;
  A sum_ddx_y;
  A mean_dy_y_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_ddx> ddx;
  RowValue<G, true, typename G::A> rstd;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(ddx);
    visit(rstd);
  }
};

// Stage 1 of 3
template <class A>
__device__ __forceinline__ void after_stage_1(Scalars<A>& row) {
  const A D = row.D, rstd = row.rstd;
  const A rstd_scaled = (rstd*rstd)*D;  // step 36
  row.rstd_scaled = rstd_scaled;
}

// Stage 2 of 3: mean_dy_y = mean(dy*y); mean_ddx_y = mean(ddx*y); mean_ddx_dy = mean(ddx*dy); sum_ddx_y = sum(ddx*y)
template <class A>
__device__ __forceinline__ void sum_ddx_y(A x, A dy, A ddx, const Scalars<A>& row, A (&sums)[4]) {
  const A rstd = row.rstd;
  const A y = x*rstd;  // step 3
  if (HAS_ddx) sums[0] += dy*y;  // step 19: mean_dy_y
  if (HAS_ddx) sums[1] += ddx*y;  // step 36: mean_ddx_y
  if (HAS_ddx) sums[2] += ddx*dy;  // step 36: mean_ddx_dy
  if (HAS_ddx) sums[3] += ddx*y;  // step 42: sum_ddx_y
}

template <class A>
__device__ __forceinline__ void after_sum_ddx_y(Scalars<A>& row, const A (&sums)[4]) {
  const A D = row.D;
  const A mean_dy_y = math::quotient(sums[0], row.D);  // step 19: mean(dy*y)
  const A mean_ddx_y = math::quotient(sums[1], row.D);  // step 36: mean(ddx*y)
  const A mean_ddx_dy = math::quotient(sums[2], row.D);  // step 36: mean(ddx*dy)
  const A sum_ddx_y = sums[3];  // step 42: sum(ddx*y)
  const A mean_dy_y_scaled = A(3)*mean_dy_y*D;  // step 36
  row.mean_dy_y = mean_dy_y;
  row.mean_ddx_y = mean_ddx_y;
  row.mean_ddx_dy = mean_ddx_dy;
  row.sum_ddx_y = sum_ddx_y;
  row.mean_dy_y_scaled = mean_dy_y_scaled;
}

// Stage 3 of 3
template <class A>
__device__ __forceinline__ void stage_3(A x, A dy, A ddx, const Scalars<A>& row, A& out_d2x, A& out_ddy) {
  const A mean_ddx_dy = row.mean_ddx_dy, mean_ddx_y = row.mean_ddx_y, mean_dy_y = row.mean_dy_y, mean_dy_y_scaled = row.mean_dy_y_scaled, rstd = row.rstd, rstd_scaled = row.rstd_scaled, sum_ddx_y = row.sum_ddx_y;
  const A y = x*rstd;  // step 3
  const A d2x = HAS_ddx ? ((y*mean_dy_y_scaled - dy)*mean_ddx_y - y*mean_ddx_dy - ddx*mean_dy_y)*rstd_scaled : A(0);  // step 36
  const A ddy = HAS_ddx ? (ddx - y*sum_ddx_y)*rstd : A(0);  // step 42
  out_d2x = d2x;
  out_ddy = ddy;
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
  tile.dy.array = to.dy;
  tile.ddx.array = to.ddx;
  tile.rstd.array = to.rstd;
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
    row.rstd = tile.rstd.now;
    {
      after_stage_1(row);
    }
    {
      A sums[4] = {A(0), A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_ddx_y(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddx) | bit(2, HAS_ddx) | bit(3, HAS_ddx), 0, 0>(sums, slots, turn);
      after_sum_ddx_y(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_d2x;
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2x;
          A out_ddy;
          stage_3(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0), row, out_d2x, out_ddy);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
        if (here.live) store_once(to.out_ddy + here.offset + column, stored_ddy);
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
                const lngen::Computed<T>* __restrict__ rstd, T* __restrict__ out_dx, T* __restrict__ out_ddy, \
                long long rows, int D), \
               (x, dy, ddx, rstd, out_dx, out_ddy, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
