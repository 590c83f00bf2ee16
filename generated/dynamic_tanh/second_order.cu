// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
// Evidence: exact 4 of 4, 50 digits 1 of 1, second derivation 4 of 4, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
// templates sha256:409ccaacb0a57cc850482a94c2f972fd6c7b713d453fef8c57de22295f3f6580
//
// jvp:
//     dy = dgamma*t + gamma*(1 - t)*(1 + t)*(dalpha*x + alpha*dx) + dbeta
// backward_backward:
//     g = gamma*dy*(1 - t)*(1 + t)
//     dg = ddalpha*x + alpha*ddx
//     g_4 = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*dg*t)
//     dx = alpha*g_4 + ddalpha*g
//     dalpha = sum_rows(D*(mean(g_4*x) + mean(ddx*g)))
//     dgamma = sum_rows(dg*dy*(1 - t)*(1 + t))
//     dbeta = 0
//     ddy = ddgamma*t + gamma*dg*(1 - t)*(1 + t) + ddbeta
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* dx, const Parameter* alpha, const Parameter* gamma, const Parameter*
//         dalpha, const Parameter* dgamma, const Parameter* dbeta, Row* out_dy, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Parameter* alpha, const
//         Parameter* gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta, Row*
//         out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* alpha, const Parameter*
//         gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta, Parameter*
//         out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 1).
// How they are launched, and macros that choose among them: rows.cuh.
//     LNGEN_WITHOUT_alpha    alpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dalpha   dalpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dbeta    dbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddalpha  ddalpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddbeta   ddbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dgamma   dgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dx       dx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away

#include "../_runtime/rows.cuh"
#include "../_runtime/geometry.cuh"
#include "../_runtime/reductions.cuh"
#include "../_runtime/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_alpha
constexpr bool HAS_alpha = false;
#else
constexpr bool HAS_alpha = true;
#endif
#ifdef LNGEN_WITHOUT_beta
constexpr bool HAS_beta = false;
#else
constexpr bool HAS_beta = true;
#endif
#ifdef LNGEN_WITHOUT_dalpha
constexpr bool HAS_dalpha = false;
#else
constexpr bool HAS_dalpha = true;
#endif
#ifdef LNGEN_WITHOUT_dbeta
constexpr bool HAS_dbeta = false;
#else
constexpr bool HAS_dbeta = true;
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
#ifdef LNGEN_WITHOUT_dgamma
constexpr bool HAS_dgamma = false;
#else
constexpr bool HAS_dgamma = true;
#endif
#ifdef LNGEN_WITHOUT_dx
constexpr bool HAS_dx = false;
#else
constexpr bool HAS_dx = true;
#endif
#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif

}  // namespace lngen

#ifdef LNGEN_JVP
// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_x = HAS_dalpha || HAS_dgamma || HAS_dx;
constexpr bool READS_dx = HAS_dx;
constexpr bool READS_gamma = (HAS_dalpha && HAS_gamma) || (HAS_dx && HAS_gamma);
constexpr bool READS_dgamma = HAS_dgamma;
constexpr bool READS_dbeta = HAS_dbeta;
constexpr bool READS_alpha = (HAS_alpha && HAS_dalpha) || (HAS_alpha && HAS_dgamma) || (HAS_alpha && HAS_dx);
constexpr bool READS_dalpha = HAS_dalpha;
constexpr int ROWS_READ = READS_x + READS_dx, FEATURES_READ = READS_gamma + READS_dgamma + READS_dbeta;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 0, 1, 2, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dx;
  const P* alpha;
  const P* gamma;
  const P* dalpha;
  const P* dgamma;
  const P* dbeta;
  T* out_dy;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A alpha;
  A dalpha;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> dx[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> dgamma[G::HELD];
  Pack<typename G::P, G::VECTOR> dbeta[G::HELD];
};

// Stage 1 of 1
template <class A>
__device__ __forceinline__ void stage_1(A x, A dx, A gamma, A dgamma, A dbeta, const Scalars<A>& row, A& out_dy) {
  const A alpha = row.alpha, dalpha = row.dalpha;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A dy = (HAS_dalpha || HAS_dbeta || HAS_dgamma || HAS_dx) ? (HAS_dgamma ? t*dgamma : A(0)) + ((HAS_dalpha || HAS_dx) ? (A(1) - t)*((HAS_dx ? dx*alpha : A(0)) + (HAS_dalpha ? x*dalpha : A(0)))*(t + A(1))*gamma : A(0)) + dbeta : A(0);  // step 17
  out_dy = dy;
}

// What the call gives: everything that no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.alpha = READS_alpha ? widen<A>(*to.alpha) : A(0.5);
  row.dalpha = READS_dalpha ? widen<A>(*to.dalpha) : A(0);
  return row;
}

template <class G, class T, class P, class A> __device__ __forceinline__ void work(const Arguments<T, P, A>& to) {
  A* slots = reinterpret_cast<A*>(shared_memory());
  int turn = 0;
  Here here;
  here.begin<G>(to.D);
  const Scalars<A> call = of_the_call<G>(to, here, slots, turn);
  Tile<G> tile;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_dgamma) tile.dgamma[chunk] = load<G::VECTOR>(to.dgamma + column);
        if constexpr (READS_dbeta) tile.dbeta[chunk] = load<G::VECTOR>(to.dbeta + column);
      }
    }
  }
  // Every thread of a block makes the same trips, for the barriers' sake; rows past the last have no columns.
  for (long long first = (long long)blockIdx.x * G::ROWS; first < to.rows; first += (long long)gridDim.x * G::ROWS) {
    const bool live = here.enter<G>(first, to.rows);
    if constexpr (G::KEEPS_ROW) {
#pragma unroll
      for (int chunk = 0; chunk < G::KEPT; ++chunk) {
        const int column = here.template column<G>(chunk);
        if (column < here.limit) {
          if constexpr (READS_x)
            tile.x[chunk] = load_once<G::VECTOR>(to.x + here.offset + column);
          if constexpr (READS_dx)
            tile.dx[chunk] = load_once<G::VECTOR>(to.dx + here.offset + column);
        }
      }
    }
    Scalars<A> row = call;
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dx = read<READS_dx, G::KEEPS_ROW>(tile.dx, chunk, to.dx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto dgamma = read<READS_dgamma, G::HOLDS_FEATURES>(tile.dgamma, chunk, to.dgamma, column);
        const auto dbeta = read<READS_dbeta, G::HOLDS_FEATURES>(tile.dbeta, chunk, to.dbeta, column);
        Pack<T, G::VECTOR> stored_dy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dy;
          stage_1(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dx ? widen<A>(dx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_dgamma ? widen<A>(dgamma.entries[i]) : A(0),
              READS_dbeta ? widen<A>(dbeta.entries[i]) : A(0), row, out_dy);
          stored_dy.entries[i] = narrow<T>(out_dy);
        }
        store_once(to.out_dy + here.offset + column, stored_dy);
      });
    }
  }
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
               (const T* __restrict__ x, const T* __restrict__ dx, const lngen::Parameter<T>* __restrict__ alpha, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ dalpha, \
                const lngen::Parameter<T>* __restrict__ dgamma, const lngen::Parameter<T>* __restrict__ dbeta, \
                T* __restrict__ out_dy, long long rows, int D), \
               (x, dx, alpha, gamma, dalpha, dgamma, dbeta, out_dy, rows, D))

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

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A alpha;
  A ddalpha;
  A mean_ddx_g;
  A mean_g_4_x;
  A mean_g_4_x_scaled;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> dy[G::KEPT];
  Pack<typename G::T, G::VECTOR> ddx[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddbeta[G::HELD];
};

// Stage 1 of 1: mean_ddx_g = mean(ddx*g); mean_g_4_x = mean(g_4*x)
template <class A>
__device__ __forceinline__ void mean_g_4_x(A x, A dy, A ddx, A gamma, A ddgamma, A ddbeta, const Scalars<A>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_dx, A& out_ddy) {
  const A alpha = row.alpha, ddalpha = row.ddalpha;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A g = (A(1) - t)*dy*(t + A(1))*gamma;  // step 18
  const A dg = (HAS_ddalpha || HAS_ddx) ? (HAS_ddx ? ddx*alpha : A(0)) + (HAS_ddalpha ? x*ddalpha : A(0)) : A(0);  // step 40
  const A g_4 = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? (A(1) - t)*(ddgamma - ((HAS_ddalpha || HAS_ddx) ? A(2)*dg*t*gamma : A(0)))*dy*(t + A(1)) : A(0);  // step 45
  const A dx = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? (HAS_ddalpha ? g*ddalpha : A(0)) + g_4*alpha : A(0);  // step 43
  const A ddy = (HAS_ddalpha || HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? t*ddgamma : A(0)) + ((HAS_ddalpha || HAS_ddx) ? (A(1) - t)*dg*(t + A(1))*gamma : A(0)) + ddbeta : A(0);  // step 47
  if (HAS_alpha && HAS_ddx) sums[0] += ddx*g;  // step 35: mean_ddx_g
  if ((HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)) sums[1] += g_4*x;  // step 35: mean_g_4_x
  if ((HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma)) over_rows[0] = (A(1) - t)*dg*dy*(t + A(1));  // step 46: dgamma
  out_dx = dx;
  out_ddy = ddy;
}

template <class A>
__device__ __forceinline__ void after_mean_g_4_x(Scalars<A>& row, const A (&sums)[2], A (&over_all)[1]) {
  const A D = row.D;
  const A mean_ddx_g = sums[0] / row.D;  // step 35: mean(ddx*g)
  const A mean_g_4_x = sums[1] / row.D;  // step 35: mean(g_4*x)
  const A mean_g_4_x_scaled = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? (mean_ddx_g + mean_g_4_x)*D : A(0);  // step 35
  over_all[0] = mean_g_4_x_scaled;  // step 35: dalpha
  row.mean_ddx_g = mean_ddx_g;
  row.mean_g_4_x = mean_g_4_x;
  row.mean_g_4_x_scaled = mean_g_4_x_scaled;
}

// What the call gives: everything that no row changes.
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
  // Every thread of a block makes the same trips, for the barriers' sake; rows past the last have no columns.
  for (long long first = (long long)blockIdx.x * G::ROWS; first < to.rows; first += (long long)gridDim.x * G::ROWS) {
    const bool live = here.enter<G>(first, to.rows);
    if constexpr (G::KEEPS_ROW) {
#pragma unroll
      for (int chunk = 0; chunk < G::KEPT; ++chunk) {
        const int column = here.template column<G>(chunk);
        if (column < here.limit) {
          if constexpr (READS_x)
            tile.x[chunk] = load_once<G::VECTOR>(to.x + here.offset + column);
          if constexpr (READS_dy)
            tile.dy[chunk] = load_once<G::VECTOR>(to.dy + here.offset + column);
          if constexpr (READS_ddx)
            tile.ddx[chunk] = load_once<G::VECTOR>(to.ddx + here.offset + column);
        }
      }
    }
    Scalars<A> row = call;
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        const auto ddbeta = read<READS_ddbeta, G::HOLDS_FEATURES>(tile.ddbeta, chunk, to.ddbeta, column);
        Pack<T, G::VECTOR> stored_dx;
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_dx;
          A out_ddy;
          mean_g_4_x(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0),
              READS_ddbeta ? widen<A>(ddbeta.entries[i]) : A(0), row, sums, over_rows, out_dx, out_ddy);
          columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_dx.entries[i] = narrow<T>(out_dx);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        store_once(to.out_dx + here.offset + column, stored_dx);
        store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
      reduce_row<G, bit(0, HAS_alpha && HAS_ddx) | bit(1, (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)), 0, 0>(sums, slots, turn);
      A over_all[SUMS_INTO_SCALARS] = {};
      after_mean_g_4_x(row, sums, over_all);
#pragma unroll
      for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
        if (SCALARS_WANTED >> k & 1) over_rows_and_columns[k] += live ? over_all[k] : A(0);
    }
  }
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

// What does not vary over the features.
template <class A> struct Scalars {
  A D;
  A alpha;
  A ddalpha;
  A dalpha;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A dgamma, const Scalars<A>& row, A& out_dgamma, A& out_dbeta) {
  const A dbeta = A(0);  // step 37
  out_dgamma = dgamma;
  out_dbeta = dbeta;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 32> {
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
    row.dalpha = A(0);
    if constexpr ((HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)) {
      const A* parts = to.workspace + blocks * (1 * (long long)D + 0);
      row.dalpha = add_parts<Launch>(parts, to.blocks, slots, turn);
    }
    constexpr unsigned long long WANTED = bit(0, (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma));
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[1]) {
      A out_dgamma;
      A out_dbeta;
      finish(totals[0], row, out_dgamma, out_dbeta);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_dgamma);
      if (HAS_beta) to.out_dbeta[column] = narrow<P>(out_dbeta);
    });
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      if (HAS_alpha) *to.out_dalpha = narrow<P>(row.dalpha);
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
