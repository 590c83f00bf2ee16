// Layer normalization whose output is gated by one number a row.
// Made by lngen 0.1.0 from the definition of modulated_layer_norm.
// Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 10 flops per row element; backward 3 row tensors (2 read, 1 written), 21 flops per row element.
// Evidence: exact 4 of 4, 50 digits 1 of 1, second derivation 4 of 4, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
// definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
// templates sha256:409ccaacb0a57cc850482a94c2f972fd6c7b713d453fef8c57de22295f3f6580
//
// jvp:
//     dy = dgate*(gamma*xhat + beta) + gate*(dgamma*xhat + dbeta + rstd*gamma*(dx - mean(dx) - xhat*mean(dx*xhat)))
// backward_backward:
//     g = gate*gamma*dy
//     mean_g = mean(g)
//     mean_g_2 = mean(g*xhat)
//     dmean_beta = D*ddgate
//     dmean_g_2 = sum(-rstd*ddx*xhat)
//     dmean_g = sum(-rstd*ddx)
//     dg = rstd*ddx + dmean_g_2*xhat/D + dmean_g/D
//     dxhat = gate*ddgamma*dy + dmean_g_2*g/D + dmean_beta*gamma*dy/D - mean_g_2*rstd*ddx
//     drstd = sum(dxhat*x_centred) + sum(ddx*(g - mean_g - mean_g_2*xhat))
//     dvar = -drstd*rstd**3/2
//     dx_centred = rstd*dxhat + 2*dvar*x_centred/D
//     dmu = sum(-dx_centred)
//     dx = dx_centred + dmu/D
//     dgate = sum(ddbeta*dy) + sum(gamma*dg*dy) + sum(ddgamma*dy*xhat)
//     dgamma = sum_rows(dy*(gate*dg + dmean_beta*xhat/D))
//     dbeta = sum_rows(dmean_beta*dy)/D
//     ddy = gate*ddbeta + gate*gamma*dg + gate*ddgamma*xhat + dmean_beta*(gamma*xhat + beta)/D
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* gate, const Row* dx, const Row* dgate, const Computed* mu, const
//         Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const Parameter* beta, const
//         Parameter* dgamma, const Parameter* dbeta, Row* out_dy, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* gate, const Row* dy, const Row* ddx, const Row* ddgate,
//         const Computed* mu, const Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const
//         Parameter* beta, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_dgate, Row*
//         out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         beta, const Parameter* ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter* out_dbeta,
//         int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (2*D + 0).
// How they are launched, and macros that choose among them: rows.cuh.
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dbeta    dbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddbeta   ddbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgate   ddgate is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dgamma   dgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dgate    dgate is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dx       dx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gate     gate is left out; it and its gradient are compiled away

#include "../_runtime/rows.cuh"
#include "../_runtime/geometry.cuh"
#include "../_runtime/reductions.cuh"
#include "../_runtime/kernels.cuh"

namespace lngen {

#ifdef LNGEN_WITHOUT_beta
constexpr bool HAS_beta = false;
#else
constexpr bool HAS_beta = true;
#endif
#ifdef LNGEN_WITHOUT_dbeta
constexpr bool HAS_dbeta = false;
#else
constexpr bool HAS_dbeta = true;
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
#ifdef LNGEN_WITHOUT_ddgate
constexpr bool HAS_ddgate = false;
#else
constexpr bool HAS_ddgate = true;
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
#ifdef LNGEN_WITHOUT_dgate
constexpr bool HAS_dgate = false;
#else
constexpr bool HAS_dgate = true;
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
#ifdef LNGEN_WITHOUT_gate
constexpr bool HAS_gate = false;
#else
constexpr bool HAS_gate = true;
#endif

}  // namespace lngen

#ifdef LNGEN_JVP
// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_x = HAS_dgamma || HAS_dgate || HAS_dx;
constexpr bool READS_dx = HAS_dx;
constexpr bool READS_gate = (HAS_dbeta && HAS_gate) || (HAS_dgamma && HAS_gate) || (HAS_dx && HAS_gate);
constexpr bool READS_dgate = HAS_dgate;
constexpr bool READS_gamma = (HAS_dgate && HAS_gamma) || (HAS_dx && HAS_gamma);
constexpr bool READS_beta = HAS_beta && HAS_dgate;
constexpr bool READS_dgamma = HAS_dgamma;
constexpr bool READS_dbeta = HAS_dbeta;
constexpr int ROWS_READ = READS_x + READS_dx, FEATURES_READ = READS_gamma + READS_beta + READS_dgamma + READS_dbeta;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 2, 0, 7, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* gate;
  const T* dx;
  const T* dgate;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  const P* beta;
  const P* dgamma;
  const P* dbeta;
  T* out_dy;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A gate;
  A dgate;
  A mu;
  A mu_residual;
  A rstd;
  A mean_dx;
  A mean_dx_xhat;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> dx[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> beta[G::HELD];
  Pack<typename G::P, G::VECTOR> dgamma[G::HELD];
  Pack<typename G::P, G::VECTOR> dbeta[G::HELD];
};

// Stage 1 of 2: mean_dx = mean(dx); mean_dx_xhat = mean(dx*xhat)
template <class A>
__device__ __forceinline__ void mean_dx_xhat(A x, A dx, const Scalars<A>& row, A (&sums)[2]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  if (HAS_dx) sums[0] += dx;  // step 31: mean_dx
  if (HAS_dx) sums[1] += dx*xhat;  // step 31: mean_dx_xhat
}

template <class A>
__device__ __forceinline__ void after_mean_dx_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_dx = sums[0] / row.D;  // step 31: mean(dx)
  const A mean_dx_xhat = sums[1] / row.D;  // step 31: mean(dx*xhat)
  row.mean_dx = mean_dx;
  row.mean_dx_xhat = mean_dx_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A dx, A gamma, A beta, A dgamma, A dbeta, const Scalars<A>& row, A& out_dy) {
  const A dgate = row.dgate, gate = row.gate, mean_dx = row.mean_dx, mean_dx_xhat = row.mean_dx_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A dy = (HAS_dbeta || HAS_dgamma || HAS_dgate || HAS_dx) ? (HAS_dgate ? (xhat*gamma + beta)*dgate : A(0)) + ((HAS_dbeta || HAS_dgamma || HAS_dx) ? ((HAS_dgamma ? xhat*dgamma : A(0)) + (HAS_dx ? (dx - mean_dx - xhat*mean_dx_xhat)*rstd*gamma : A(0)) + dbeta)*gate : A(0)) : A(0);  // step 31
  out_dy = dy;
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
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_beta) tile.beta[chunk] = load<G::VECTOR>(to.beta + column);
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
    row.mu = live ? to.mu[here.row] : A(0);
    row.mu_residual = live ? to.mu_residual[here.row] : A(0);
    row.rstd = live ? to.rstd[here.row] : A(0);
    row.gate = A(1);
    if (READS_gate && live) row.gate = widen<A>(to.gate[here.row]);
    row.dgate = A(0);
    if (READS_dgate && live) row.dgate = widen<A>(to.dgate[here.row]);
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dx = read<READS_dx, G::KEEPS_ROW>(tile.dx, chunk, to.dx, here.offset + column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_dx_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dx ? widen<A>(dx.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_dx) | bit(1, HAS_dx), 0, 0>(sums, slots, turn);
      after_mean_dx_xhat(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dx = read<READS_dx, G::KEEPS_ROW>(tile.dx, chunk, to.dx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto beta = read<READS_beta, G::HOLDS_FEATURES>(tile.beta, chunk, to.beta, column);
        const auto dgamma = read<READS_dgamma, G::HOLDS_FEATURES>(tile.dgamma, chunk, to.dgamma, column);
        const auto dbeta = read<READS_dbeta, G::HOLDS_FEATURES>(tile.dbeta, chunk, to.dbeta, column);
        Pack<T, G::VECTOR> stored_dy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dy;
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dx ? widen<A>(dx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_beta ? widen<A>(beta.entries[i]) : A(0),
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
               (const T* __restrict__ x, const T* __restrict__ gate, const T* __restrict__ dx, \
                const T* __restrict__ dgate, const lngen::Computed<T>* __restrict__ mu, \
                const lngen::Computed<T>* __restrict__ mu_residual, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ beta, \
                const lngen::Parameter<T>* __restrict__ dgamma, const lngen::Parameter<T>* __restrict__ dbeta, \
                T* __restrict__ out_dy, long long rows, int D), \
               (x, gate, dx, dgate, mu, mu_residual, rstd, gamma, beta, dgamma, dbeta, out_dy, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddgamma || HAS_ddgate || HAS_ddx;
constexpr bool READS_dy = (HAS_ddbeta && HAS_gate) || HAS_ddgamma || HAS_ddgate || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gate = (HAS_ddbeta && HAS_gate) || (HAS_ddgamma && HAS_gate) || (HAS_ddx && HAS_gate);
constexpr bool READS_ddgate = HAS_ddgate;
constexpr bool READS_gamma = (HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma);
constexpr bool READS_beta = HAS_beta && HAS_ddgate;
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr bool READS_ddbeta = HAS_ddbeta;
constexpr int ROWS_READ = READS_x + READS_dy + READS_ddx, FEATURES_READ = READS_gamma + READS_beta + READS_ddgamma + READS_ddbeta;
constexpr int SUMS_INTO_COLUMNS = 2;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_beta && HAS_ddgate) | bit(1, (HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma));

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 6, 0, 26, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* gate;
  const T* dy;
  const T* ddx;
  const T* ddgate;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  const P* beta;
  const P* ddgamma;
  const P* ddbeta;
  T* out_dx;
  T* out_dgate;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A gate;
  A ddgate;
  A mu;
  A mu_residual;
  A rstd;
  A dmean_beta;
  A dmean_beta_scaled;
  A mean_g;
  A mean_g_2;
  A dmean_g_2;
  A dmean_g;
  A sum_ddbeta_dy;
  A sum_ddgamma_dy_xhat;
  A dmean_g_scaled;
  A dmean_g_2_scaled;
  A mean_g_2_scaled;
  A sum_ddx_g_xhat;
  A sum_dxhat_x_centred;
  A sum_dg_dy_gamma;
  A drstd;
  A drstd_scaled;
  A dvar;
  A dvar_scaled;
  A dgate;
  A dmu;
  A dmu_scaled;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> dy[G::KEPT];
  Pack<typename G::T, G::VECTOR> ddx[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> beta[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddbeta[G::HELD];
};

// Stage 1 of 5
template <class A>
__device__ __forceinline__ void after_stage_1(Scalars<A>& row) {
  const A D = row.D, ddgate = row.ddgate;
  const A dmean_beta = HAS_ddgate ? ddgate*D : A(0);  // step 40
  const A dmean_beta_scaled = HAS_ddgate ? dmean_beta / D : A(0);  // step 44
  row.dmean_beta = dmean_beta;
  row.dmean_beta_scaled = dmean_beta_scaled;
}

// Stage 2 of 5: mean_g = mean(g); mean_g_2 = mean(g*xhat); dmean_g_2 = sum(-rstd*ddx*xhat); dmean_g = sum(-rstd*ddx); sum_ddbeta_dy = sum(ddbeta*dy); sum_ddgamma_dy_xhat = sum(ddgamma*dy*xhat)
template <class A>
__device__ __forceinline__ void sum_ddgamma_dy_xhat(A x, A dy, A ddx, A gamma, A ddgamma, A ddbeta, const Scalars<A>& row, A (&sums)[6], A (&over_rows)[SUMS_INTO_COLUMNS]) {
  const A dmean_beta = row.dmean_beta, gate = row.gate, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*gate*gamma;  // step 32
  if (HAS_ddx) sums[0] += g;  // step 33: mean_g
  if (HAS_ddx) sums[1] += g*xhat;  // step 34: mean_g_2
  if (HAS_ddx) sums[2] += -ddx*xhat*rstd;  // step 41: dmean_g_2
  if (HAS_ddx) sums[3] += -ddx*rstd;  // step 42: dmean_g
  if (HAS_ddbeta && HAS_gate) sums[4] += dy*ddbeta;  // step 50: sum_ddbeta_dy
  if (HAS_ddgamma && HAS_gate) sums[5] += dy*xhat*ddgamma;  // step 50: sum_ddgamma_dy_xhat
  if (HAS_beta && HAS_ddgate) over_rows[0] = dy*dmean_beta;  // step 56: dbeta_rows
}

template <class A>
__device__ __forceinline__ void after_sum_ddgamma_dy_xhat(Scalars<A>& row, const A (&sums)[6]) {
  const A D = row.D, rstd = row.rstd;
  const A mean_g = sums[0] / row.D;  // step 33: mean(g)
  const A mean_g_2 = sums[1] / row.D;  // step 34: mean(g*xhat)
  const A dmean_g_2 = sums[2];  // step 41: sum(-rstd*ddx*xhat)
  const A dmean_g = sums[3];  // step 42: sum(-rstd*ddx)
  const A sum_ddbeta_dy = sums[4];  // step 50: sum(ddbeta*dy)
  const A sum_ddgamma_dy_xhat = sums[5];  // step 50: sum(ddgamma*dy*xhat)
  const A dmean_g_scaled = HAS_ddx ? dmean_g / D : A(0);  // step 43
  const A dmean_g_2_scaled = HAS_ddx ? dmean_g_2 / D : A(0);  // step 43
  const A mean_g_2_scaled = mean_g_2*rstd;  // step 44
  row.mean_g = mean_g;
  row.mean_g_2 = mean_g_2;
  row.dmean_g_2 = dmean_g_2;
  row.dmean_g = dmean_g;
  row.sum_ddbeta_dy = sum_ddbeta_dy;
  row.sum_ddgamma_dy_xhat = sum_ddgamma_dy_xhat;
  row.dmean_g_scaled = dmean_g_scaled;
  row.dmean_g_2_scaled = dmean_g_2_scaled;
  row.mean_g_2_scaled = mean_g_2_scaled;
}

// Stage 3 of 5: sum_ddx_g_xhat = sum(ddx*(-mean_g - mean_g_2*xhat + g)); sum_dxhat_x_centred = sum(dxhat*x_centred); sum_dg_dy_gamma = sum(gamma*dg*dy)
template <class A>
__device__ __forceinline__ void sum_dg_dy_gamma(A x, A dy, A ddx, A gamma, A beta, A ddgamma, A ddbeta, const Scalars<A>& row, A (&sums)[3], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_ddy) {
  const A dmean_beta_scaled = row.dmean_beta_scaled, dmean_g_2_scaled = row.dmean_g_2_scaled, dmean_g_scaled = row.dmean_g_scaled, gate = row.gate, mean_g = row.mean_g, mean_g_2 = row.mean_g_2, mean_g_2_scaled = row.mean_g_2_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*gate*gamma;  // step 32
  const A dg = HAS_ddx ? xhat*dmean_g_2_scaled + ddx*rstd + dmean_g_scaled : A(0);  // step 43
  const A dxhat = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? (HAS_ddx ? g*dmean_g_2_scaled : A(0)) + (HAS_ddgamma ? dy*gate*ddgamma : A(0)) + (HAS_ddgate ? dy*dmean_beta_scaled*gamma : A(0)) - (HAS_ddx ? ddx*mean_g_2_scaled : A(0)) : A(0);  // step 44
  const A ddy = (HAS_ddbeta || HAS_ddgamma || HAS_ddgate || HAS_ddx) ? (HAS_ddbeta ? gate*ddbeta : A(0)) + (HAS_ddgamma ? xhat*gate*ddgamma : A(0)) + (HAS_ddx ? dg*gate*gamma : A(0)) + (HAS_ddgate ? (xhat*gamma + beta)*dmean_beta_scaled : A(0)) : A(0);  // step 53
  if (HAS_ddx) sums[0] += (g - mean_g - xhat*mean_g_2)*ddx;  // step 45: sum_ddx_g_xhat
  if (HAS_ddgamma || HAS_ddgate || HAS_ddx) sums[1] += dxhat*x_centred;  // step 45: sum_dxhat_x_centred
  if (HAS_ddx && HAS_gate) sums[2] += dg*dy*gamma;  // step 50: sum_dg_dy_gamma
  if ((HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma)) over_rows[1] = ((HAS_ddgate ? xhat*dmean_beta_scaled : A(0)) + (HAS_ddx ? dg*gate : A(0)))*dy;  // step 55: dgamma
  out_ddy = ddy;
}

template <class A>
__device__ __forceinline__ void after_sum_dg_dy_gamma(Scalars<A>& row, const A (&sums)[3]) {
  const A D = row.D, rstd = row.rstd, sum_ddbeta_dy = row.sum_ddbeta_dy, sum_ddgamma_dy_xhat = row.sum_ddgamma_dy_xhat;
  const A sum_ddx_g_xhat = sums[0];  // step 45: sum(ddx*(-mean_g - mean_g_2*xhat + g))
  const A sum_dxhat_x_centred = sums[1];  // step 45: sum(dxhat*x_centred)
  const A sum_dg_dy_gamma = sums[2];  // step 50: sum(gamma*dg*dy)
  const A drstd = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? sum_ddx_g_xhat + sum_dxhat_x_centred : A(0);  // step 45
  const A drstd_scaled = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? drstd*rstd : A(0);  // step 54
  const A dvar = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? A(-0.5)*drstd_scaled*(rstd*rstd) : A(0);  // step 54
  const A dvar_scaled = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? A(2)*dvar / D : A(0);  // step 47
  const A dgate = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? sum_ddbeta_dy + sum_ddgamma_dy_xhat + sum_dg_dy_gamma : A(0);  // step 50
  row.sum_ddx_g_xhat = sum_ddx_g_xhat;
  row.sum_dxhat_x_centred = sum_dxhat_x_centred;
  row.sum_dg_dy_gamma = sum_dg_dy_gamma;
  row.drstd = drstd;
  row.drstd_scaled = drstd_scaled;
  row.dvar = dvar;
  row.dvar_scaled = dvar_scaled;
  row.dgate = dgate;
}

// Stage 4 of 5: dmu = sum(-dx_centred)
template <class A>
__device__ __forceinline__ void dmu(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<A>& row, A (&sums)[1]) {
  const A dmean_beta_scaled = row.dmean_beta_scaled, dmean_g_2_scaled = row.dmean_g_2_scaled, dvar_scaled = row.dvar_scaled, gate = row.gate, mean_g_2_scaled = row.mean_g_2_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A g = dy*gate*gamma;  // step 32
  const A dxhat = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? (HAS_ddx ? g*dmean_g_2_scaled : A(0)) + (HAS_ddgamma ? dy*gate*ddgamma : A(0)) + (HAS_ddgate ? dy*dmean_beta_scaled*gamma : A(0)) - (HAS_ddx ? ddx*mean_g_2_scaled : A(0)) : A(0);  // step 44
  const A dx_centred = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? x_centred*dvar_scaled + dxhat*rstd : A(0);  // step 47
  if (HAS_ddgamma || HAS_ddgate || HAS_ddx) sums[0] += -dx_centred;  // step 48: dmu
}

template <class A>
__device__ __forceinline__ void after_dmu(Scalars<A>& row, const A (&sums)[1]) {
  const A D = row.D;
  const A dmu = sums[0];  // step 48: sum(-dx_centred)
  const A dmu_scaled = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? dmu / D : A(0);  // step 49
  row.dmu = dmu;
  row.dmu_scaled = dmu_scaled;
}

// Stage 5 of 5
template <class A>
__device__ __forceinline__ void stage_5(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<A>& row, A& out_dx) {
  const A dmean_beta_scaled = row.dmean_beta_scaled, dmean_g_2_scaled = row.dmean_g_2_scaled, dmu_scaled = row.dmu_scaled, dvar_scaled = row.dvar_scaled, gate = row.gate, mean_g_2_scaled = row.mean_g_2_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A g = dy*gate*gamma;  // step 32
  const A dxhat = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? (HAS_ddx ? g*dmean_g_2_scaled : A(0)) + (HAS_ddgamma ? dy*gate*ddgamma : A(0)) + (HAS_ddgate ? dy*dmean_beta_scaled*gamma : A(0)) - (HAS_ddx ? ddx*mean_g_2_scaled : A(0)) : A(0);  // step 44
  const A dx_centred = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? x_centred*dvar_scaled + dxhat*rstd : A(0);  // step 47
  const A dx = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? dx_centred + dmu_scaled : A(0);  // step 49
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
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
        if constexpr (READS_beta) tile.beta[chunk] = load<G::VECTOR>(to.beta + column);
        if constexpr (READS_ddgamma) tile.ddgamma[chunk] = load<G::VECTOR>(to.ddgamma + column);
        if constexpr (READS_ddbeta) tile.ddbeta[chunk] = load<G::VECTOR>(to.ddbeta + column);
      }
    }
  }
  ColumnSums<G, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(to.workspace, slots + G::SLOTS, here);
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
    row.mu = live ? to.mu[here.row] : A(0);
    row.mu_residual = live ? to.mu_residual[here.row] : A(0);
    row.rstd = live ? to.rstd[here.row] : A(0);
    row.gate = A(1);
    if (READS_gate && live) row.gate = widen<A>(to.gate[here.row]);
    row.ddgate = A(0);
    if (READS_ddgate && live) row.ddgate = widen<A>(to.ddgate[here.row]);
    {
      after_stage_1(row);
    }
    {
      A sums[6] = {A(0), A(0), A(0), A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        const auto ddbeta = read<READS_ddbeta, G::HOLDS_FEATURES>(tile.ddbeta, chunk, to.ddbeta, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          sum_ddgamma_dy_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0),
              READS_ddbeta ? widen<A>(ddbeta.entries[i]) : A(0), row, sums, over_rows);
          columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
        }
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddx) | bit(2, HAS_ddx) | bit(3, HAS_ddx) | bit(4, HAS_ddbeta && HAS_gate) | bit(5, HAS_ddgamma && HAS_gate), 0, 0>(sums, slots, turn);
      after_sum_ddgamma_dy_xhat(row, sums);
    }
    {
      A sums[3] = {A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto beta = read<READS_beta, G::HOLDS_FEATURES>(tile.beta, chunk, to.beta, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        const auto ddbeta = read<READS_ddbeta, G::HOLDS_FEATURES>(tile.ddbeta, chunk, to.ddbeta, column);
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_ddy;
          sum_dg_dy_gamma(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_beta ? widen<A>(beta.entries[i]) : A(0),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0),
              READS_ddbeta ? widen<A>(ddbeta.entries[i]) : A(0), row, sums, over_rows, out_ddy);
          columns.template add<0x2>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddgamma || HAS_ddgate || HAS_ddx) | bit(2, HAS_ddx && HAS_gate), 0, 0>(sums, slots, turn);
      after_sum_dg_dy_gamma(row, sums);
      if (live && here.lane == 0 && (HAS_gate)) to.out_dgate[here.row] = narrow<T>(row.dgate);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          dmu(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddgamma || HAS_ddgate || HAS_ddx), 0, 0>(sums, slots, turn);
      after_dmu(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
        const auto dy = read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
        const auto ddx = read<READS_ddx, G::KEEPS_ROW>(tile.ddx, chunk, to.ddx, here.offset + column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_dx;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_dx;
          stage_5(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, out_dx);
          stored_dx.entries[i] = narrow<T>(out_dx);
        }
        store_once(to.out_dx + here.offset + column, stored_dx);
      });
    }
  }
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
  const P* beta;
  const P* ddgamma;
  const P* ddbeta;
  P* out_dgamma;
  P* out_dbeta;
  int D;
};

// What does not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A dbeta_rows, A dgamma, const Scalars<A>& row, A& out_dgamma, A& out_dbeta) {
  const A D = row.D;
  const A dbeta = HAS_ddgate ? dbeta_rows / D : A(0);  // step 56
  out_dgamma = dgamma;
  out_dbeta = dbeta;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 2, 1, 32> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    Scalars<A> row;
    row.D = A(D);
    constexpr unsigned long long WANTED = bit(0, HAS_beta && HAS_ddgate) | bit(1, (HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma));
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[2]) {
      A out_dgamma;
      A out_dbeta;
      finish(totals[0], totals[1], row, out_dgamma, out_dbeta);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_dgamma);
      if (HAS_beta) to.out_dbeta[column] = narrow<P>(out_dbeta);
    });
  }
};

}  // namespace columns

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ gate, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const T* __restrict__ ddgate, const lngen::Computed<T>* __restrict__ mu, \
                const lngen::Computed<T>* __restrict__ mu_residual, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ beta, \
                const lngen::Parameter<T>* __restrict__ ddgamma, const lngen::Parameter<T>* __restrict__ ddbeta, \
                T* __restrict__ out_dx, T* __restrict__ out_dgate, T* __restrict__ out_ddy, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, gate, dy, ddx, ddgate, mu, mu_residual, rstd, gamma, beta, ddgamma, ddbeta, out_dx, out_dgate, \
                out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, lngen::backward_backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ beta, \
                const lngen::Parameter<T>* __restrict__ ddgamma, const lngen::Parameter<T>* __restrict__ ddbeta, \
                lngen::Parameter<T>* __restrict__ out_dgamma, lngen::Parameter<T>* __restrict__ out_dbeta, int D), \
               (workspace, blocks, gamma, beta, ddgamma, ddbeta, out_dgamma, out_dbeta, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
