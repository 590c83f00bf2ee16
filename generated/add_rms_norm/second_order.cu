// Residual addition, then root-mean-square normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_rms_norm.
// Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
// Cost: forward 4 row tensors (2 read, 2 written), 5 flops per row element; backward 5 row tensors (3 read, 2 written), 10 flops per row element.
// Evidence: 2 outputs, 26 steps, 31 first lines, 1 identity, 3 gradients, 2 tangents, 5 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     h_dot = residual_dot + x_dot
//     y_dot = gamma_dot*xhat + rstd*gamma*(h_dot - xhat*mean(h_dot*xhat))
// backward_backward:
//     g = gamma*dy
//     mean_g_xhat = mean(g*xhat)
//     ddh = ddresidual + ddx
//     dg = rstd*(ddh - xhat*mean(ddh*xhat))
//     d2x = rstd*(ddgamma*dy + rstd*(mean(ddh*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddh - xhat*mean(ddh*g)) - xhat*mean(ddgamma*dy*xhat))
//     d2residual = d2x
//     d2gamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*xhat
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* h, const Row* x_dot, const Row* residual_dot, const Computed* rstd, const Parameter*
//         gamma, const Parameter* gamma_dot, Row* out_y_dot, Row* out_h_dot, long long rows, int D)
//     backward_backward_<type>(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const Row* ddresidual,
//         const Computed* rstd, const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_dresidual,
//         Row* out_ddy, Row* out_ddh, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, Parameter* out_dgamma, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddresidual ddresidual is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dh       dh is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dy       dy is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_residual_dot residual_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddgamma
constexpr bool HAS_ddgamma = false;
#else
constexpr bool HAS_ddgamma = true;
#endif
#ifdef LNGEN_WITHOUT_ddresidual
constexpr bool HAS_ddresidual = false;
#else
constexpr bool HAS_ddresidual = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_dh
constexpr bool HAS_dh = false;
#else
constexpr bool HAS_dh = true;
#endif
#ifdef LNGEN_WITHOUT_dy
constexpr bool HAS_dy = false;
#else
constexpr bool HAS_dy = true;
#endif
#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif
#ifdef LNGEN_WITHOUT_gamma_dot
constexpr bool HAS_gamma_dot = false;
#else
constexpr bool HAS_gamma_dot = true;
#endif
#ifdef LNGEN_WITHOUT_residual_dot
constexpr bool HAS_residual_dot = false;
#else
constexpr bool HAS_residual_dot = true;
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

constexpr bool READS_h = HAS_gamma_dot || HAS_residual_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_residual_dot = HAS_residual_dot;
constexpr bool READS_gamma = (HAS_gamma && HAS_residual_dot) || (HAS_gamma && HAS_x_dot);
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr int ROWS_READ = READS_h + READS_x_dot + READS_residual_dot, FEATURES_READ = READS_gamma + READS_gamma_dot;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 0, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* h;
  const T* x_dot;
  const T* residual_dot;
  const A* rstd;
  const P* gamma;
  const P* gamma_dot;
  T* out_y_dot;
  T* out_h_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_h_dot_xhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_h> h;
  RowTile<G, READS_x_dot> x_dot;
  RowTile<G, READS_residual_dot> residual_dot;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> gamma_dot[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(h);
    visit(x_dot);
    visit(residual_dot);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_h_dot_xhat = mean(h_dot*xhat)
template <class A>
__device__ __forceinline__ void mean_h_dot_xhat(A h, A x_dot, A residual_dot, const Scalars<A>& row, A (&sums)[1], A& out_h_dot) {
  const A rstd = row.rstd;
  const A xhat = h*rstd;  // step 4
  const A h_dot = (HAS_residual_dot || HAS_x_dot) ? residual_dot + x_dot : A(0);  // step 16
  if (HAS_residual_dot || HAS_x_dot) sums[0] += h_dot*xhat;  // step 26: mean_h_dot_xhat
  out_h_dot = h_dot;
}

template <class A>
__device__ __forceinline__ void after_mean_h_dot_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_h_dot_xhat = math::quotient(sums[0], row.D);  // step 26: mean(h_dot*xhat)
  row.mean_h_dot_xhat = mean_h_dot_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A h, A x_dot, A residual_dot, A gamma, A gamma_dot, const Scalars<A>& row, A& out_y_dot) {
  const A mean_h_dot_xhat = row.mean_h_dot_xhat, rstd = row.rstd;
  const A xhat = h*rstd;  // step 4
  const A h_dot = (HAS_residual_dot || HAS_x_dot) ? residual_dot + x_dot : A(0);  // step 16
  const A y_dot = (HAS_gamma_dot || HAS_residual_dot || HAS_x_dot) ? (HAS_gamma_dot ? xhat*gamma_dot : A(0)) + ((HAS_residual_dot || HAS_x_dot) ? (h_dot - xhat*mean_h_dot_xhat)*rstd*gamma : A(0)) : A(0);  // step 26
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
  tile.h.array = to.h;
  tile.x_dot.array = to.x_dot;
  tile.residual_dot.array = to.residual_dot;
  tile.rstd.array = to.rstd;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_gamma_dot) tile.gamma_dot[chunk] = load<G::VECTOR>(to.gamma_dot + column);
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.rstd = tile.rstd.now;
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto h = tile.h.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        const auto residual_dot = tile.residual_dot.chunk(chunk, column);
        Pack<T, G::VECTOR> stored_h_dot;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_h_dot;
          mean_h_dot_xhat(READS_h ? widen<A>(h.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_residual_dot ? widen<A>(residual_dot.entries[i]) : A(0), row, sums, out_h_dot);
          stored_h_dot.entries[i] = narrow<T>(out_h_dot);
        }
        if (here.live) store_once(to.out_h_dot + here.offset + column, stored_h_dot);
      });
      reduce_row<G, bit(0, HAS_residual_dot || HAS_x_dot), 0, 0>(sums, slots, turn);
      after_mean_h_dot_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto h = tile.h.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        const auto residual_dot = tile.residual_dot.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto gamma_dot = read<READS_gamma_dot, G::HOLDS_FEATURES>(tile.gamma_dot, chunk, to.gamma_dot, column);
        Pack<T, G::VECTOR> stored_y_dot;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y_dot;
          stage_2(READS_h ? widen<A>(h.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_residual_dot ? widen<A>(residual_dot.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_gamma_dot ? widen<A>(gamma_dot.entries[i]) : A(0), row, out_y_dot);
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
               (const T* __restrict__ h, const T* __restrict__ x_dot, const T* __restrict__ residual_dot, \
                const lngen::Computed<T>* __restrict__ rstd, const lngen::Parameter<T>* __restrict__ gamma, \
                const lngen::Parameter<T>* __restrict__ gamma_dot, T* __restrict__ out_y_dot, \
                T* __restrict__ out_h_dot, long long rows, int D), \
               (h, x_dot, residual_dot, rstd, gamma, gamma_dot, out_y_dot, out_h_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_h = (HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy);
constexpr bool READS_dy = (HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy);
constexpr bool READS_dh = false;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_ddresidual = HAS_ddresidual;
constexpr bool READS_gamma = (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma);
constexpr bool READS_ddgamma = HAS_ddgamma && HAS_dy;
constexpr int ROWS_READ = READS_h + READS_dy + READS_dh + READS_ddx + READS_ddresidual, FEATURES_READ = READS_gamma + READS_ddgamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma));

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 4, 0, 6, 2>;

template <class T, class P, class A> struct Arguments {
  const T* h;
  const T* dy;
  const T* dh;
  const T* ddx;
  const T* ddresidual;
  const A* rstd;
  const P* gamma;
  const P* ddgamma;
  T* out_dx;
  T* out_dresidual;
  T* out_ddy;
  T* out_ddh;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g_xhat;
  A mean_ddh_xhat;
  A mean_ddh_g;
  A mean_ddgamma_dy_xhat;
  A mean_g_xhat_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_h> h;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_dh> dh;
  RowTile<G, READS_ddx> ddx;
  RowTile<G, READS_ddresidual> ddresidual;
  RowValue<G, true, typename G::A> rstd;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(h);
    visit(dy);
    visit(dh);
    visit(ddx);
    visit(ddresidual);
    visit(rstd);
  }
};

// Stage 1 of 2: mean_g_xhat = mean(g*xhat); mean_ddh_xhat = mean(ddh*xhat); mean_ddh_g = mean(ddh*g); mean_ddgamma_dy_xhat = mean(ddgamma*dy*xhat)
template <class A>
__device__ __forceinline__ void mean_ddgamma_dy_xhat(A h, A dy, A ddx, A ddresidual, A gamma, A ddgamma, const Scalars<A>& row, A (&sums)[4], A& out_ddh) {
  const A rstd = row.rstd;
  const A xhat = h*rstd;  // step 4
  const A g = HAS_dy ? dy*gamma : A(0);  // step 27
  const A ddh = (HAS_ddresidual || HAS_ddx) ? ddresidual + ddx : A(0);  // step 31
  if ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) sums[0] += g*xhat;  // step 28: mean_g_xhat
  if ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) sums[1] += ddh*xhat;  // step 55: mean_ddh_xhat
  if ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) sums[2] += ddh*g;  // step 48: mean_ddh_g
  if (HAS_ddgamma && HAS_dy) sums[3] += dy*xhat*ddgamma;  // step 48: mean_ddgamma_dy_xhat
  out_ddh = ddh;
}

template <class A>
__device__ __forceinline__ void after_mean_ddgamma_dy_xhat(Scalars<A>& row, const A (&sums)[4]) {
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 28: mean(g*xhat)
  const A mean_ddh_xhat = math::quotient(sums[1], row.D);  // step 55: mean(ddh*xhat)
  const A mean_ddh_g = math::quotient(sums[2], row.D);  // step 48: mean(ddh*g)
  const A mean_ddgamma_dy_xhat = math::quotient(sums[3], row.D);  // step 48: mean(ddgamma*dy*xhat)
  const A mean_g_xhat_scaled = HAS_dy ? A(3)*mean_g_xhat : A(0);  // step 48
  row.mean_g_xhat = mean_g_xhat;
  row.mean_ddh_xhat = mean_ddh_xhat;
  row.mean_ddh_g = mean_ddh_g;
  row.mean_ddgamma_dy_xhat = mean_ddgamma_dy_xhat;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A h, A dy, A ddx, A ddresidual, A gamma, A ddgamma, const Scalars<A>& row, A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2x, A& out_ddy) {
  const A mean_ddgamma_dy_xhat = row.mean_ddgamma_dy_xhat, mean_ddh_g = row.mean_ddh_g, mean_ddh_xhat = row.mean_ddh_xhat, mean_g_xhat = row.mean_g_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, rstd = row.rstd;
  const A xhat = h*rstd;  // step 4
  const A g = HAS_dy ? dy*gamma : A(0);  // step 27
  const A ddh = (HAS_ddresidual || HAS_ddx) ? ddresidual + ddx : A(0);  // step 31
  const A dg = (HAS_ddresidual || HAS_ddx) ? (ddh - xhat*mean_ddh_xhat)*rstd : A(0);  // step 55
  const A d2x = ((HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) ? (((HAS_ddgamma && HAS_dy) ? dy*ddgamma : A(0)) + (((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) ? ((xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat - xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd : A(0)) - ((HAS_ddgamma && HAS_dy) ? xhat*mean_ddgamma_dy_xhat : A(0)))*rstd : A(0);  // step 48
  const A ddy = (HAS_ddgamma || HAS_ddresidual || HAS_ddx) ? (HAS_ddgamma ? xhat*ddgamma : A(0)) + ((HAS_ddresidual || HAS_ddx) ? dg*gamma : A(0)) : A(0);  // step 59
  if ((HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma)) over_rows[0] = dg*dy;  // step 56: d2gamma
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
  tile.h.array = to.h;
  tile.dy.array = to.dy;
  tile.dh.array = to.dh;
  tile.ddx.array = to.ddx;
  tile.ddresidual.array = to.ddresidual;
  tile.rstd.array = to.rstd;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_ddgamma) tile.ddgamma[chunk] = load<G::VECTOR>(to.ddgamma + column);
      }
    }
  }
  ColumnSums<G, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(to.workspace, slots + G::SLOTS, here);
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.rstd = tile.rstd.now;
    {
      A sums[4] = {A(0), A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto h = tile.h.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto ddresidual = tile.ddresidual.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_ddh;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_ddh;
          mean_ddgamma_dy_xhat(READS_h ? widen<A>(h.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddresidual ? widen<A>(ddresidual.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, sums, out_ddh);
          stored_ddh.entries[i] = narrow<T>(out_ddh);
        }
        if (here.live && (HAS_dh)) store_once(to.out_ddh + here.offset + column, stored_ddh);
      });
      reduce_row<G, bit(0, (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) | bit(1, (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) | bit(2, (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) | bit(3, HAS_ddgamma && HAS_dy), 0, 0>(sums, slots, turn);
      after_mean_ddgamma_dy_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto h = tile.h.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto ddresidual = tile.ddresidual.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_d2x;
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_d2x;
          A out_ddy;
          stage_2(READS_h ? widen<A>(h.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_ddresidual ? widen<A>(ddresidual.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, over_rows, out_d2x, out_ddy);
          if (here.live) columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
        if (here.live) store_once(to.out_dresidual + here.offset + column, stored_d2x);
        if (here.live && (HAS_dy)) store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
    }
  });
  columns.finish(slots + G::SLOTS, here);
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

// ---- backward_backward_columns: the end of the sums over rows

namespace columns {

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* gamma;
  const P* ddgamma;
  P* out_dgamma;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A d2gamma, const Scalars<A>& row, A& out_d2gamma) {
  out_d2gamma = d2gamma;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    Scalars<A> row;
    row.D = A(D);
    constexpr unsigned long long WANTED = bit(0, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma));
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[1]) {
      A out_d2gamma;
      finish(totals[0], row, out_d2gamma);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_d2gamma);
    });
  }
};

}  // namespace columns

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ h, const T* __restrict__ dy, const T* __restrict__ dh, \
                const T* __restrict__ ddx, const T* __restrict__ ddresidual, \
                const lngen::Computed<T>* __restrict__ rstd, const lngen::Parameter<T>* __restrict__ gamma, \
                const lngen::Parameter<T>* __restrict__ ddgamma, T* __restrict__ out_dx, \
                T* __restrict__ out_dresidual, T* __restrict__ out_ddy, T* __restrict__ out_ddh, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (h, dy, dh, ddx, ddresidual, rstd, gamma, ddgamma, out_dx, out_dresidual, out_ddy, out_ddh, \
                workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, lngen::backward_backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ ddgamma, \
                lngen::Parameter<T>* __restrict__ out_dgamma, int D), \
               (workspace, blocks, gamma, ddgamma, out_dgamma, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
