// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 35 steps, 30 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     u_dot = scale_dot*x + scale*x_dot
//     y_dot = y*(u_dot - sum(u_dot*y))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     du = y*(dy - D*mean_dy_y)
//     ddu = ddscale*x + scale*ddx
//     d2y_part = ddu*(dy - D*mean_dy_y)
//     d2u = y*(d2y_part + D*(mean(ddu*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
//     d2x = scale*d2u + ddscale*du
//     d2scale = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
//     ddy = y*(ddu - sum(ddu*y))
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* m, const Computed* inv_Z, const Parameter* scale,
//         const Parameter* scale_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* m, const Computed*
//         inv_Z, const Parameter* scale, const Parameter* ddscale, Row* out_dx, Row* out_ddy, Computed* workspace,
//         long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, const Parameter*
//         ddscale, Parameter* out_dscale, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (0*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_ddscale  ddscale is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_scale    scale is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_scale_dot scale_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddscale
constexpr bool HAS_ddscale = false;
#else
constexpr bool HAS_ddscale = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_scale
constexpr bool HAS_scale = false;
#else
constexpr bool HAS_scale = true;
#endif
#ifdef LNGEN_WITHOUT_scale_dot
constexpr bool HAS_scale_dot = false;
#else
constexpr bool HAS_scale_dot = true;
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

constexpr bool READS_x = HAS_scale_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_scale = (HAS_scale && HAS_scale_dot) || (HAS_scale && HAS_x_dot);
constexpr bool READS_scale_dot = HAS_scale_dot;
constexpr int ROWS_READ = READS_x + READS_x_dot, FEATURES_READ = 0;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1, 5, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* m;
  const A* inv_Z;
  const P* scale;
  const P* scale_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A inv_Z;
  A scale;
  A scale_dot;
  A sum_u_dot_y;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_x_dot> x_dot;
  RowValue<G, true, typename G::A> m;
  RowValue<G, true, typename G::A> inv_Z;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(x_dot);
    visit(m);
    visit(inv_Z);
  }
};

// Stage 1 of 2: sum_u_dot_y = sum(u_dot*y)
template <class A>
__device__ __forceinline__ void sum_u_dot_y(A x, A x_dot, const Scalars<A>& row, A (&sums)[1]) {
  const A inv_Z = row.inv_Z, m = row.m, scale = row.scale, scale_dot = row.scale_dot;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  const A u_dot = (HAS_scale_dot || HAS_x_dot) ? (HAS_scale_dot ? x*scale_dot : A(0)) + (HAS_x_dot ? x_dot*scale : A(0)) : A(0);  // step 23
  if (HAS_scale_dot || HAS_x_dot) sums[0] += u_dot*y;  // step 32: sum_u_dot_y
}

template <class A>
__device__ __forceinline__ void after_sum_u_dot_y(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_u_dot_y = sums[0];  // step 32: sum(u_dot*y)
  row.sum_u_dot_y = sum_u_dot_y;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A x_dot, const Scalars<A>& row, A& out_y_dot) {
  const A inv_Z = row.inv_Z, m = row.m, scale = row.scale, scale_dot = row.scale_dot, sum_u_dot_y = row.sum_u_dot_y;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  const A u_dot = (HAS_scale_dot || HAS_x_dot) ? (HAS_scale_dot ? x*scale_dot : A(0)) + (HAS_x_dot ? x_dot*scale : A(0)) : A(0);  // step 23
  const A y_dot = (HAS_scale_dot || HAS_x_dot) ? (u_dot - sum_u_dot_y)*y : A(0);  // step 32
  out_y_dot = y_dot;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.scale = READS_scale ? widen<A>(*to.scale) : A(1);
  row.scale_dot = READS_scale_dot ? widen<A>(*to.scale_dot) : A(0);
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
  tile.inv_Z.array = to.inv_Z;
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
    row.inv_Z = tile.inv_Z.now;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_u_dot_y(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_scale_dot || HAS_x_dot), 0, 0>(sums, slots, turn);
      after_sum_u_dot_y(row, sums);
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
               (const T* __restrict__ x, const T* __restrict__ x_dot, const lngen::Computed<T>* __restrict__ m, \
                const lngen::Computed<T>* __restrict__ inv_Z, const lngen::Parameter<T>* __restrict__ scale, \
                const lngen::Parameter<T>* __restrict__ scale_dot, T* __restrict__ out_y_dot, long long rows, \
                int D), \
               (x, x_dot, m, inv_Z, scale, scale_dot, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddscale || HAS_ddx;
constexpr bool READS_dy = HAS_ddscale || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_scale = (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale);
constexpr bool READS_ddscale = HAS_ddscale;
constexpr int ROWS_READ = READS_x + READS_dy + READS_ddx, FEATURES_READ = 0;
constexpr int SUMS_INTO_SCALARS = 1;
constexpr unsigned long long SCALARS_WANTED = bit(0, (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale));

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 1, 3, 1, 12, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* m;
  const A* inv_Z;
  const P* scale;
  const P* ddscale;
  T* out_dx;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A inv_Z;
  A scale;
  A ddscale;
  A mean_dy_y;
  A mean_ddu_y;
  A sum_ddu_y;
  A mean_dy_y_scaled;
  A mean_d2y_part_y;
  A mean_ddx_du;
  A mean_d2u_x;
  A mean_ddx_du_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_ddx> ddx;
  RowValue<G, true, typename G::A> m;
  RowValue<G, true, typename G::A> inv_Z;

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(ddx);
    visit(m);
    visit(inv_Z);
  }
};

// Stage 1 of 3: mean_dy_y = mean(dy*y); mean_ddu_y = mean(ddu*y); sum_ddu_y = sum(ddu*y)
template <class A>
__device__ __forceinline__ void sum_ddu_y(A x, A dy, A ddx, const Scalars<A>& row, A (&sums)[3]) {
  const A ddscale = row.ddscale, inv_Z = row.inv_Z, m = row.m, scale = row.scale;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  const A ddu = (HAS_ddscale || HAS_ddx) ? (HAS_ddx ? ddx*scale : A(0)) + (HAS_ddscale ? x*ddscale : A(0)) : A(0);  // step 42
  if (HAS_ddscale || HAS_ddx) sums[0] += dy*y;  // step 33: mean_dy_y
  if (HAS_ddscale || HAS_ddx) sums[1] += ddu*y;  // step 60: mean_ddu_y
  if (HAS_ddscale || HAS_ddx) sums[2] += ddu*y;  // step 72: sum_ddu_y
}

template <class A>
__device__ __forceinline__ void after_sum_ddu_y(Scalars<A>& row, const A (&sums)[3], A (&over_all)[1]) {
  const A D = row.D;
  const A mean_dy_y = math::quotient(sums[0], row.D);  // step 33: mean(dy*y)
  const A mean_ddu_y = math::quotient(sums[1], row.D);  // step 60: mean(ddu*y)
  const A sum_ddu_y = sums[2];  // step 72: sum(ddu*y)
  const A mean_dy_y_scaled = mean_dy_y*D;  // step 34
  row.mean_dy_y = mean_dy_y;
  row.mean_ddu_y = mean_ddu_y;
  row.sum_ddu_y = sum_ddu_y;
  row.mean_dy_y_scaled = mean_dy_y_scaled;
}

// Stage 2 of 3: mean_d2y_part_y = mean(d2y_part*y); mean_ddx_du = mean(ddx*du)
template <class A>
__device__ __forceinline__ void mean_ddx_du(A x, A dy, A ddx, const Scalars<A>& row, A (&sums)[2], A& out_ddy) {
  const A ddscale = row.ddscale, inv_Z = row.inv_Z, m = row.m, mean_dy_y_scaled = row.mean_dy_y_scaled, scale = row.scale, sum_ddu_y = row.sum_ddu_y;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  const A ddu = (HAS_ddscale || HAS_ddx) ? (HAS_ddx ? ddx*scale : A(0)) + (HAS_ddscale ? x*ddscale : A(0)) : A(0);  // step 42
  const A du = (dy - mean_dy_y_scaled)*y;  // step 34
  const A d2y_part = (HAS_ddscale || HAS_ddx) ? (dy - mean_dy_y_scaled)*ddu : A(0);  // step 43
  const A ddy = (HAS_ddscale || HAS_ddx) ? (ddu - sum_ddu_y)*y : A(0);  // step 72
  if (HAS_ddscale || HAS_ddx) sums[0] += d2y_part*y;  // step 60: mean_d2y_part_y
  if (HAS_ddx && HAS_scale) sums[1] += ddx*du;  // step 66: mean_ddx_du
  out_ddy = ddy;
}

template <class A>
__device__ __forceinline__ void after_mean_ddx_du(Scalars<A>& row, const A (&sums)[2], A (&over_all)[1]) {
  const A mean_d2y_part_y = math::quotient(sums[0], row.D);  // step 60: mean(d2y_part*y)
  const A mean_ddx_du = math::quotient(sums[1], row.D);  // step 66: mean(ddx*du)
  row.mean_d2y_part_y = mean_d2y_part_y;
  row.mean_ddx_du = mean_ddx_du;
}

// Stage 3 of 3: mean_d2u_x = mean(d2u*x)
template <class A>
__device__ __forceinline__ void mean_d2u_x(A x, A dy, A ddx, const Scalars<A>& row, A (&sums)[1], A& out_d2x) {
  const A D = row.D, ddscale = row.ddscale, inv_Z = row.inv_Z, m = row.m, mean_d2y_part_y = row.mean_d2y_part_y, mean_ddu_y = row.mean_ddu_y, mean_dy_y_scaled = row.mean_dy_y_scaled, scale = row.scale;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  const A ddu = (HAS_ddscale || HAS_ddx) ? (HAS_ddx ? ddx*scale : A(0)) + (HAS_ddscale ? x*ddscale : A(0)) : A(0);  // step 42
  const A du = (dy - mean_dy_y_scaled)*y;  // step 34
  const A d2y_part = (HAS_ddscale || HAS_ddx) ? (dy - mean_dy_y_scaled)*ddu : A(0);  // step 43
  const A d2u = (HAS_ddscale || HAS_ddx) ? (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddu_y - mean_d2y_part_y)*D)*y : A(0);  // step 60
  const A d2x = (HAS_ddscale || HAS_ddx) ? d2u*scale + (HAS_ddscale ? du*ddscale : A(0)) : A(0);  // step 64
  if ((HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)) sums[0] += d2u*x;  // step 66: mean_d2u_x
  out_d2x = d2x;
}

template <class A>
__device__ __forceinline__ void after_mean_d2u_x(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A D = row.D, mean_ddx_du = row.mean_ddx_du;
  const A mean_d2u_x = math::quotient(sums[0], row.D);  // step 66: mean(d2u*x)
  const A mean_ddx_du_scaled = (HAS_ddscale || HAS_ddx) ? (mean_d2u_x + mean_ddx_du)*D : A(0);  // step 66
  over_all[0] = mean_ddx_du_scaled;  // step 66: d2scale
  row.mean_d2u_x = mean_d2u_x;
  row.mean_ddx_du_scaled = mean_ddx_du_scaled;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.scale = READS_scale ? widen<A>(*to.scale) : A(1);
  row.ddscale = READS_ddscale ? widen<A>(*to.ddscale) : A(0);
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
  tile.m.array = to.m;
  tile.inv_Z.array = to.inv_Z;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
      }
    }
  }
  A over_rows_and_columns[SUMS_INTO_SCALARS] = {};
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.m = tile.m.now;
    row.inv_Z = tile.inv_Z.now;
    {
      A sums[3] = {A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_ddu_y(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddscale || HAS_ddx) | bit(1, HAS_ddscale || HAS_ddx) | bit(2, HAS_ddscale || HAS_ddx), 0, 0>(sums, slots, turn);
      A over_all[SUMS_INTO_SCALARS] = {};
      after_sum_ddu_y(row, sums, over_all);
#pragma unroll
      for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
        if (SCALARS_WANTED >> k & 1) over_rows_and_columns[k] += here.live ? over_all[k] : A(0);
    }
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_ddy;
          mean_ddx_du(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0), row, sums, out_ddy);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
      reduce_row<G, bit(0, HAS_ddscale || HAS_ddx) | bit(1, HAS_ddx && HAS_scale), 0, 0>(sums, slots, turn);
      A over_all[SUMS_INTO_SCALARS] = {};
      after_mean_ddx_du(row, sums, over_all);
#pragma unroll
      for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
        if (SCALARS_WANTED >> k & 1) over_rows_and_columns[k] += here.live ? over_all[k] : A(0);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_d2x;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2x;
          mean_d2u_x(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0), row, sums, out_d2x);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
      });
      reduce_row<G, bit(0, (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)), 0, 0>(sums, slots, turn);
      A over_all[SUMS_INTO_SCALARS] = {};
      after_mean_d2u_x(row, sums, over_all);
#pragma unroll
      for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
        if (SCALARS_WANTED >> k & 1) over_rows_and_columns[k] += here.live ? over_all[k] : A(0);
    }
  });
  finish_scalars<G, SCALARS_WANTED>(over_rows_and_columns, slots, to.workspace, 0, here);
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

// ---- backward_backward_columns: the end of the sums over rows

namespace columns {

constexpr bool READS_scale = (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale);
constexpr bool READS_ddscale = HAS_ddscale;

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* scale;
  const P* ddscale;
  P* out_dscale;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
  A scale;
  A ddscale;
  A d2scale;
};

// One column of the gradients

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 0, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    const long long blocks = to.blocks;
    Scalars<A> row;
    row.D = A(D);
    row.scale = READS_scale ? widen<A>(*to.scale) : A(1);
    row.ddscale = READS_ddscale ? widen<A>(*to.ddscale) : A(0);
    int turn = 0;
    row.d2scale = A(0);
    if constexpr ((HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)) {
      const A* parts = to.workspace + blocks * (0 * (long long)D + 0);
      row.d2scale = add_parts<Launch>(parts, to.blocks, slots, turn);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      if (HAS_scale) *to.out_dscale = narrow<P>(row.d2scale);
    }
  }
};

}  // namespace columns

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const lngen::Computed<T>* __restrict__ m, const lngen::Computed<T>* __restrict__ inv_Z, \
                const lngen::Parameter<T>* __restrict__ scale, const lngen::Parameter<T>* __restrict__ ddscale, \
                T* __restrict__ out_dx, T* __restrict__ out_ddy, lngen::Computed<T>* __restrict__ workspace, \
                long long rows, int D), \
               (x, dy, ddx, m, inv_Z, scale, ddscale, out_dx, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, lngen::backward_backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ scale, const lngen::Parameter<T>* __restrict__ ddscale, \
                lngen::Parameter<T>* __restrict__ out_dscale, int D), \
               (workspace, blocks, scale, ddscale, out_dscale, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
