// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
// Evidence: 1 output, 18 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     y_dot = gamma_dot*t + gamma*(1 - t)*(1 + t)*(alpha_dot*x + alpha*x_dot) + beta_dot
// backward_backward:
//     du = gamma*dy*(1 - t)*(1 + t)
//     ddu = ddalpha*x + alpha*ddx
//     d2u = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*ddu*t)
//     d2x = alpha*d2u + ddalpha*du
//     d2alpha = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
//     d2gamma = sum_rows(ddu*dy*(1 - t)*(1 + t))
//     d2beta = 0
//     ddy = ddgamma*t + gamma*ddu*(1 - t)*(1 + t) + ddbeta
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Parameter* alpha, const Parameter* gamma, const Parameter*
//         alpha_dot, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Parameter* alpha, const
//         Parameter* gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta, Row*
//         out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* alpha, const Parameter*
//         gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta, Parameter*
//         out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_alpha    alpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_alpha_dot alpha_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta_dot beta_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddalpha  ddalpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddbeta   ddbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/rows.cuh"
#include "../_runtime/cuda/geometry.cuh"
#include "../_runtime/cuda/reductions.cuh"
#include "../_runtime/cuda/row_loop.cuh"
#include "../_runtime/cuda/moments.cuh"
#include "../_runtime/cuda/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_alpha
constexpr bool HAS_alpha = false;
#else
constexpr bool HAS_alpha = true;
#endif
#ifdef LNGEN_WITHOUT_alpha_dot
constexpr bool HAS_alpha_dot = false;
#else
constexpr bool HAS_alpha_dot = true;
#endif
#ifdef LNGEN_WITHOUT_beta
constexpr bool HAS_beta = false;
#else
constexpr bool HAS_beta = true;
#endif
#ifdef LNGEN_WITHOUT_beta_dot
constexpr bool HAS_beta_dot = false;
#else
constexpr bool HAS_beta_dot = true;
#endif
#ifdef LNGEN_WITHOUT_ddalpha
constexpr bool HAS_ddalpha = false;
#else
constexpr bool HAS_ddalpha = true;
#endif
#ifdef LNGEN_WITHOUT_ddbeta
constexpr bool HAS_ddbeta = false;
#else
constexpr bool HAS_ddbeta = true;
#endif
#ifdef LNGEN_WITHOUT_ddgamma
constexpr bool HAS_ddgamma = false;
#else
constexpr bool HAS_ddgamma = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
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

constexpr bool READS_x = HAS_alpha_dot || HAS_gamma_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_gamma = (HAS_alpha_dot && HAS_gamma) || (HAS_gamma && HAS_x_dot);
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr bool READS_beta_dot = HAS_beta_dot;
constexpr bool READS_alpha = (HAS_alpha && HAS_alpha_dot) || (HAS_alpha && HAS_gamma_dot) || (HAS_alpha && HAS_x_dot);
constexpr bool READS_alpha_dot = HAS_alpha_dot;
constexpr int ROWS_READ = READS_x + READS_x_dot, FEATURES_READ = READS_gamma + READS_gamma_dot + READS_beta_dot;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 0, 1, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const P* alpha;
  const P* gamma;
  const P* alpha_dot;
  const P* gamma_dot;
  const P* beta_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A alpha;
  A alpha_dot;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_x_dot> x_dot;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> gamma_dot[G::HELD];
  Pack<typename G::P, G::VECTOR> beta_dot[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(x_dot);
  }
};

// Stage 1 of 1
template <class A>
__device__ __forceinline__ void stage_1(A x, A x_dot, A gamma, A gamma_dot, A beta_dot, const Scalars<A>& row, A& out_y_dot) {
  const A alpha = row.alpha, alpha_dot = row.alpha_dot;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A y_dot = (HAS_alpha_dot || HAS_beta_dot || HAS_gamma_dot || HAS_x_dot) ? (HAS_gamma_dot ? t*gamma_dot : A(0)) + ((HAS_alpha_dot || HAS_x_dot) ? (A(1) - t)*(t + A(1))*((HAS_alpha_dot ? x*alpha_dot : A(0)) + (HAS_x_dot ? x_dot*alpha : A(0)))*gamma : A(0)) + beta_dot : A(0);  // step 17
  out_y_dot = y_dot;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.alpha = READS_alpha ? widen<A>(*to.alpha) : A(0.5);
  row.alpha_dot = READS_alpha_dot ? widen<A>(*to.alpha_dot) : A(0);
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
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_gamma_dot) tile.gamma_dot[chunk] = load<G::VECTOR>(to.gamma_dot + column);
        if constexpr (READS_beta_dot) tile.beta_dot[chunk] = load<G::VECTOR>(to.beta_dot + column);
      }
    }
  }
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto gamma_dot = read<READS_gamma_dot, G::HOLDS_FEATURES>(tile.gamma_dot, chunk, to.gamma_dot, column);
        const auto beta_dot = read<READS_beta_dot, G::HOLDS_FEATURES>(tile.beta_dot, chunk, to.beta_dot, column);
        Pack<T, G::VECTOR> stored_y_dot;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_y_dot;
          stage_1(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_gamma_dot ? widen<A>(gamma_dot.entries[i]) : A(0),
              READS_beta_dot ? widen<A>(beta_dot.entries[i]) : A(0), row, out_y_dot);
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
               (const T* __restrict__ x, const T* __restrict__ x_dot, const lngen::Parameter<T>* __restrict__ alpha, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ alpha_dot, \
                const lngen::Parameter<T>* __restrict__ gamma_dot, const lngen::Parameter<T>* __restrict__ beta_dot, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, alpha, gamma, alpha_dot, gamma_dot, beta_dot, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddalpha || HAS_ddgamma || HAS_ddx;
constexpr bool READS_dy = HAS_ddalpha || HAS_ddgamma || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gamma = (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma);
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr bool READS_ddbeta = HAS_ddbeta;
constexpr bool READS_alpha = (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx);
constexpr bool READS_ddalpha = HAS_ddalpha;
constexpr int ROWS_READ = READS_x + READS_dy + READS_ddx, FEATURES_READ = READS_gamma + READS_ddgamma + READS_ddbeta;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma));
constexpr int SUMS_INTO_SCALARS = 1;
constexpr unsigned long long SCALARS_WANTED = bit(0, (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx));

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 1, 2, 1, 5, 2>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const P* alpha;
  const P* gamma;
  const P* ddalpha;
  const P* ddgamma;
  const P* ddbeta;
  T* out_dx;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A alpha;
  A ddalpha;
  A mean_d2u_x;
  A mean_ddx_du;
  A mean_ddx_du_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_ddx> ddx;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddbeta[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(ddx);
  }
};

// Stage 1 of 1: mean_d2u_x = mean(d2u*x); mean_ddx_du = mean(ddx*du)
template <class A>
__device__ __forceinline__ void mean_ddx_du(A x, A dy, A ddx, A gamma, A ddgamma, A ddbeta, const Scalars<A>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2x, A& out_ddy) {
  const A alpha = row.alpha, ddalpha = row.ddalpha;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A du = (A(1) - t)*dy*(t + A(1))*gamma;  // step 18
  const A ddu = (HAS_ddalpha || HAS_ddx) ? (HAS_ddx ? ddx*alpha : A(0)) + (HAS_ddalpha ? x*ddalpha : A(0)) : A(0);  // step 26
  const A d2u = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? (A(1) - t)*(ddgamma - ((HAS_ddalpha || HAS_ddx) ? A(2)*ddu*t*gamma : A(0)))*dy*(t + A(1)) : A(0);  // step 34
  const A d2x = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? d2u*alpha + (HAS_ddalpha ? du*ddalpha : A(0)) : A(0);  // step 38
  const A ddy = (HAS_ddalpha || HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? t*ddgamma : A(0)) + ((HAS_ddalpha || HAS_ddx) ? (A(1) - t)*ddu*(t + A(1))*gamma : A(0)) + ddbeta : A(0);  // step 48
  if ((HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)) sums[0] += d2u*x;  // step 40: mean_d2u_x
  if (HAS_alpha && HAS_ddx) sums[1] += ddx*du;  // step 40: mean_ddx_du
  if ((HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma)) over_rows[0] = (A(1) - t)*ddu*dy*(t + A(1));  // step 42: d2gamma
  out_d2x = d2x;
  out_ddy = ddy;
}

template <class A>
__device__ __forceinline__ void after_mean_ddx_du(Scalars<A>& row, const A (&sums)[2], A (&over_all)[1]) {
  const A D = row.D;
  const A mean_d2u_x = math::quotient(sums[0], row.D);  // step 40: mean(d2u*x)
  const A mean_ddx_du = math::quotient(sums[1], row.D);  // step 40: mean(ddx*du)
  const A mean_ddx_du_scaled = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? (mean_d2u_x + mean_ddx_du)*D : A(0);  // step 40
  over_all[0] = mean_ddx_du_scaled;  // step 40: d2alpha
  row.mean_d2u_x = mean_d2u_x;
  row.mean_ddx_du = mean_ddx_du;
  row.mean_ddx_du_scaled = mean_ddx_du_scaled;
}

// Returns the values of the call, which no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.alpha = READS_alpha ? widen<A>(*to.alpha) : A(0.5);
  row.ddalpha = READS_ddalpha ? widen<A>(*to.ddalpha) : A(0);
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
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_ddgamma) tile.ddgamma[chunk] = load<G::VECTOR>(to.ddgamma + column);
        if constexpr (READS_ddbeta) tile.ddbeta[chunk] = load<G::VECTOR>(to.ddbeta + column);
      }
    }
  }
  ColumnSums<G, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(to.workspace, slots + G::SLOTS, here);
  A over_rows_and_columns[SUMS_INTO_SCALARS] = {};
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        const auto ddbeta = read<READS_ddbeta, G::HOLDS_FEATURES>(tile.ddbeta, chunk, to.ddbeta, column);
        Pack<T, G::VECTOR> stored_d2x;
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_d2x;
          A out_ddy;
          mean_ddx_du(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0),
              READS_ddbeta ? widen<A>(ddbeta.entries[i]) : A(0), row, sums, over_rows, out_d2x, out_ddy);
          if (here.live) columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
        if (here.live) store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
      reduce_row<G, bit(0, (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)) | bit(1, HAS_alpha && HAS_ddx), 0, 0>(sums, slots, turn);
      A over_all[SUMS_INTO_SCALARS] = {};
      after_mean_ddx_du(row, sums, over_all);
#pragma unroll
      for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
        if (SCALARS_WANTED >> k & 1) over_rows_and_columns[k] += here.live ? over_all[k] : A(0);
    }
  });
  columns.finish(slots + G::SLOTS, here);
  finish_scalars<G, SCALARS_WANTED>(over_rows_and_columns, slots, to.workspace, 1, here);
}

template <class T> struct Launch : Chosen<Needs<T>> {
  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    in_geometry<Needs<T>>(to.D, [&](auto geometry) { work<decltype(geometry)>(to); });
  }
};

// ---- backward_backward_columns: the end of the sums over rows

namespace columns {

constexpr bool READS_alpha = (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx);
constexpr bool READS_ddalpha = HAS_ddalpha;

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* alpha;
  const P* gamma;
  const P* ddalpha;
  const P* ddgamma;
  const P* ddbeta;
  P* out_dalpha;
  P* out_dgamma;
  P* out_dbeta;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
  A alpha;
  A ddalpha;
  A d2alpha;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A d2gamma, const Scalars<A>& row, A& out_d2gamma, A& out_d2beta) {
  const A d2beta = A(0);  // step 43
  out_d2gamma = d2gamma;
  out_d2beta = d2beta;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    const long long blocks = to.blocks;
    Scalars<A> row;
    row.D = A(D);
    row.alpha = READS_alpha ? widen<A>(*to.alpha) : A(0.5);
    row.ddalpha = READS_ddalpha ? widen<A>(*to.ddalpha) : A(0);
    int turn = 0;
    row.d2alpha = A(0);
    if constexpr ((HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)) {
      const A* parts = to.workspace + blocks * (1 * (long long)D + 0);
      row.d2alpha = add_parts<Launch>(parts, to.blocks, slots, turn);
    }
    constexpr unsigned long long WANTED = bit(0, (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma));
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[1]) {
      A out_d2gamma;
      A out_d2beta;
      finish(totals[0], row, out_d2gamma, out_d2beta);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_d2gamma);
      if (HAS_beta) to.out_dbeta[column] = narrow<P>(out_d2beta);
    });
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      if (HAS_alpha) *to.out_dalpha = narrow<P>(row.d2alpha);
    }
  }
};

}  // namespace columns

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const lngen::Parameter<T>* __restrict__ alpha, const lngen::Parameter<T>* __restrict__ gamma, \
                const lngen::Parameter<T>* __restrict__ ddalpha, const lngen::Parameter<T>* __restrict__ ddgamma, \
                const lngen::Parameter<T>* __restrict__ ddbeta, T* __restrict__ out_dx, T* __restrict__ out_ddy, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, dy, ddx, alpha, gamma, ddalpha, ddgamma, ddbeta, out_dx, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, lngen::backward_backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ alpha, const lngen::Parameter<T>* __restrict__ gamma, \
                const lngen::Parameter<T>* __restrict__ ddalpha, const lngen::Parameter<T>* __restrict__ ddgamma, \
                const lngen::Parameter<T>* __restrict__ ddbeta, lngen::Parameter<T>* __restrict__ out_dalpha, \
                lngen::Parameter<T>* __restrict__ out_dgamma, lngen::Parameter<T>* __restrict__ out_dbeta, int D), \
               (workspace, blocks, alpha, gamma, ddalpha, ddgamma, ddbeta, out_dalpha, out_dgamma, out_dbeta, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
