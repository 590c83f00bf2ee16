// Centred rows divided by their mean absolute deviation.
// Made by lngen 0.1.0 from the definition of mean_abs_norm.
// Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 9 flops per row element; backward 3 row tensors (2 read, 1 written), 18 flops per row element.
// Evidence: 1 output, 17 steps, 32 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
// templates sha256:d8d4fb877a13e93f32118df8293429dbe8fa4802c878f1e0ac055dc7aba8e81b
//
// jvp:
//     y_dot = gamma_dot*xhat + beta_dot + scale*gamma*(x_dot + mean(x_dot)*(xhat*mean(sign(xhat)) - 1) - xhat*mean(x_dot*sign(xhat)))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g)
//     mean_sign_xhat = mean(sign(xhat))
//     mean_g_xhat = mean(g*xhat)
//     dmean_g_xhat = sum(scale*ddx*(mean_sign_xhat - sign(xhat)))
//     dmean_g = sum(-scale*ddx)
//     dg = scale*ddx + dmean_g_xhat*xhat/D + dmean_g/D
//     d2xhat = ddgamma*dy + dmean_g_xhat*g/D
//     d2scale = sum(d2xhat*x_centred) + sum(ddx*(g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) - mean_g))
//     d2spread = -d2scale*scale**2
//     d2x_centred = scale*d2xhat + d2spread*sign(x_centred)/D
//     d2mu = sum(-d2x_centred)
//     d2x = d2x_centred + d2mu/D
//     d2gamma = sum_rows(dg*dy)
//     d2beta = 0
//     ddy = gamma*dg + ddgamma*xhat + ddbeta
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* mu, const Computed* mu_residual, const Computed*
//         scale, const Parameter* gamma, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot,
//         long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* mu, const Computed*
//         mu_residual, const Computed* scale, const Parameter* gamma, const Parameter* ddgamma, const Parameter*
//         ddbeta, Row* out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta_dot beta_dot is left out; it and its gradient are compiled away
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

constexpr bool READS_x = HAS_gamma_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_gamma = HAS_gamma && HAS_x_dot;
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr bool READS_beta_dot = HAS_beta_dot;
constexpr int ROWS_READ = READS_x + READS_x_dot, FEATURES_READ = READS_gamma + READS_gamma_dot + READS_beta_dot;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 3, 0, 6, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* mu;
  const A* mu_residual;
  const A* scale;
  const P* gamma;
  const P* gamma_dot;
  const P* beta_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A scale;
  A mean_xhat;
  A mean_x_dot;
  A mean_x_dot_xhat;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_x_dot> x_dot;
  RowValue<G, true, typename G::A> mu;
  RowValue<G, true, typename G::A> mu_residual;
  RowValue<G, true, typename G::A> scale;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> gamma_dot[G::HELD];
  Pack<typename G::P, G::VECTOR> beta_dot[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(x_dot);
    visit(mu);
    visit(mu_residual);
    visit(scale);
  }
};

// Stage 1 of 2: mean_xhat = mean(sign(xhat)); mean_x_dot = mean(x_dot); mean_x_dot_xhat = mean(x_dot*sign(xhat))
template <class A>
__device__ __forceinline__ void mean_x_dot_xhat(A x, A x_dot, const Scalars<A>& row, A (&sums)[3]) {
  const A mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  if (HAS_x_dot) sums[0] += math::sign(xhat);  // step 34: mean_xhat
  if (HAS_x_dot) sums[1] += x_dot;  // step 34: mean_x_dot
  if (HAS_x_dot) sums[2] += math::sign(xhat)*x_dot;  // step 34: mean_x_dot_xhat
}

template <class A>
__device__ __forceinline__ void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[3]) {
  const A mean_xhat = math::quotient(sums[0], row.D);  // step 34: mean(sign(xhat))
  const A mean_x_dot = math::quotient(sums[1], row.D);  // step 34: mean(x_dot)
  const A mean_x_dot_xhat = math::quotient(sums[2], row.D);  // step 34: mean(x_dot*sign(xhat))
  row.mean_xhat = mean_xhat;
  row.mean_x_dot = mean_x_dot;
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A x_dot, A gamma, A gamma_dot, A beta_dot, const Scalars<A>& row, A& out_y_dot) {
  const A mean_x_dot = row.mean_x_dot, mean_x_dot_xhat = row.mean_x_dot_xhat, mean_xhat = row.mean_xhat, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  const A y_dot = (HAS_beta_dot || HAS_gamma_dot || HAS_x_dot) ? (HAS_gamma_dot ? xhat*gamma_dot : A(0)) + (HAS_x_dot ? (x_dot + (xhat*mean_xhat - A(1))*mean_x_dot - xhat*mean_x_dot_xhat)*scale*gamma : A(0)) + beta_dot : A(0);  // step 34
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
  tile.mu.array = to.mu;
  tile.mu_residual.array = to.mu_residual;
  tile.scale.array = to.scale;
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
    row.mu = tile.mu.now;
    row.mu_residual = tile.mu_residual.now;
    row.scale = tile.scale.now;
    {
      A sums[3] = {A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto x_dot = tile.x_dot.chunk(chunk, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          mean_x_dot_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_x_dot ? widen<A>(x_dot.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_x_dot) | bit(1, HAS_x_dot) | bit(2, HAS_x_dot), 0, 0>(sums, slots, turn);
      after_mean_x_dot_xhat(row, sums);
    }
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
          stage_2(READS_x ? widen<A>(x.entries[i]) : A(0),
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
               (const T* __restrict__ x, const T* __restrict__ x_dot, const lngen::Computed<T>* __restrict__ mu, \
                const lngen::Computed<T>* __restrict__ mu_residual, const lngen::Computed<T>* __restrict__ scale, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ gamma_dot, \
                const lngen::Parameter<T>* __restrict__ beta_dot, T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, mu, mu_residual, scale, gamma, gamma_dot, beta_dot, out_y_dot, rows, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddgamma || HAS_ddx;
constexpr bool READS_dy = HAS_ddgamma || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gamma = HAS_ddx && HAS_gamma;
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr bool READS_ddbeta = HAS_ddbeta;
constexpr int ROWS_READ = READS_x + READS_dy + READS_ddx, FEATURES_READ = READS_gamma + READS_ddgamma + READS_ddbeta;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_ddx && HAS_gamma);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 4, 0, 18, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* mu;
  const A* mu_residual;
  const A* scale;
  const P* gamma;
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
  A mu;
  A mu_residual;
  A scale;
  A mean_g;
  A mean_sign_xhat;
  A mean_g_xhat;
  A dmean_g;
  A dmean_g_scaled;
  A dmean_g_xhat;
  A sum_ddx_g_xhat;
  A dmean_g_xhat_scaled;
  A sum_d2xhat_x_centred;
  A d2scale;
  A d2scale_scaled;
  A d2spread;
  A d2spread_scaled;
  A d2mu;
  A d2mu_scaled;
};

// Entries of a row and of the Features that a thread holds.
template <class G> struct Tile {
  RowTile<G, READS_x> x;
  RowTile<G, READS_dy> dy;
  RowTile<G, READS_ddx> ddx;
  RowValue<G, true, typename G::A> mu;
  RowValue<G, true, typename G::A> mu_residual;
  RowValue<G, true, typename G::A> scale;
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddgamma[G::HELD];
  Pack<typename G::P, G::VECTOR> ddbeta[G::HELD];

  template <class F> __device__ __forceinline__ void each(F visit) {
    visit(x);
    visit(dy);
    visit(ddx);
    visit(mu);
    visit(mu_residual);
    visit(scale);
  }
};

// Stage 1 of 5: mean_g = mean(g); mean_sign_xhat = mean(sign(xhat)); mean_g_xhat = mean(g*xhat); dmean_g = sum(-scale*ddx)
template <class A>
__device__ __forceinline__ void dmean_g(A x, A dy, A ddx, A gamma, const Scalars<A>& row, A (&sums)[4]) {
  const A mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  const A g = dy*gamma;  // step 35
  if (HAS_ddx) sums[0] += g;  // step 39: mean_g
  if (HAS_ddx) sums[1] += math::sign(xhat);  // step 38: mean_sign_xhat
  if (HAS_ddx) sums[2] += g*xhat;  // step 36: mean_g_xhat
  if (HAS_ddx) sums[3] += -ddx*scale;  // step 49: dmean_g
}

template <class A>
__device__ __forceinline__ void after_dmean_g(Scalars<A>& row, const A (&sums)[4]) {
  const A D = row.D;
  const A mean_g = math::quotient(sums[0], row.D);  // step 39: mean(g)
  const A mean_sign_xhat = math::quotient(sums[1], row.D);  // step 38: mean(sign(xhat))
  const A mean_g_xhat = math::quotient(sums[2], row.D);  // step 36: mean(g*xhat)
  const A dmean_g = sums[3];  // step 49: sum(-scale*ddx)
  const A dmean_g_scaled = HAS_ddx ? math::quotient(dmean_g, D) : A(0);  // step 50
  row.mean_g = mean_g;
  row.mean_sign_xhat = mean_sign_xhat;
  row.mean_g_xhat = mean_g_xhat;
  row.dmean_g = dmean_g;
  row.dmean_g_scaled = dmean_g_scaled;
}

// Stage 2 of 5: dmean_g_xhat = sum(scale*ddx*(mean_sign_xhat - sign(xhat))); sum_ddx_g_xhat = sum(ddx*(-mean_g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) + g))
template <class A>
__device__ __forceinline__ void sum_ddx_g_xhat(A x, A dy, A ddx, A gamma, const Scalars<A>& row, A (&sums)[2]) {
  const A mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mean_sign_xhat = row.mean_sign_xhat, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  const A g = dy*gamma;  // step 35
  if (HAS_ddx) sums[0] += ddx*(mean_sign_xhat - math::sign(xhat))*scale;  // step 41: dmean_g_xhat
  if (HAS_ddx) sums[1] += (g + (mean_sign_xhat - math::sign(xhat))*mean_g_xhat - mean_g)*ddx;  // step 43: sum_ddx_g_xhat
}

template <class A>
__device__ __forceinline__ void after_sum_ddx_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D;
  const A dmean_g_xhat = sums[0];  // step 41: sum(scale*ddx*(mean_sign_xhat - sign(xhat)))
  const A sum_ddx_g_xhat = sums[1];  // step 43: sum(ddx*(-mean_g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) + g))
  const A dmean_g_xhat_scaled = HAS_ddx ? math::quotient(dmean_g_xhat, D) : A(0);  // step 50
  row.dmean_g_xhat = dmean_g_xhat;
  row.sum_ddx_g_xhat = sum_ddx_g_xhat;
  row.dmean_g_xhat_scaled = dmean_g_xhat_scaled;
}

// Stage 3 of 5: sum_d2xhat_x_centred = sum(d2xhat*x_centred)
template <class A>
__device__ __forceinline__ void sum_d2xhat_x_centred(A x, A dy, A ddx, A gamma, A ddgamma, A ddbeta, const Scalars<A>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_ddy) {
  const A dmean_g_scaled = row.dmean_g_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  const A g = dy*gamma;  // step 35
  const A dg = HAS_ddx ? xhat*dmean_g_xhat_scaled + ddx*scale + dmean_g_scaled : A(0);  // step 50
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) : A(0);  // step 42
  const A ddy = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? xhat*ddgamma : A(0)) + (HAS_ddx ? dg*gamma : A(0)) + ddbeta : A(0);  // step 54
  if (HAS_ddgamma || HAS_ddx) sums[0] += d2xhat*x_centred;  // step 43: sum_d2xhat_x_centred
  if (HAS_ddx && HAS_gamma) over_rows[0] = dg*dy;  // step 51: d2gamma
  out_ddy = ddy;
}

template <class A>
__device__ __forceinline__ void after_sum_d2xhat_x_centred(Scalars<A>& row, const A (&sums)[1]) {
  const A D = row.D, scale = row.scale, sum_ddx_g_xhat = row.sum_ddx_g_xhat;
  const A sum_d2xhat_x_centred = sums[0];  // step 43: sum(d2xhat*x_centred)
  const A d2scale = (HAS_ddgamma || HAS_ddx) ? sum_d2xhat_x_centred + sum_ddx_g_xhat : A(0);  // step 43
  const A d2scale_scaled = (HAS_ddgamma || HAS_ddx) ? d2scale*scale : A(0);  // step 45
  const A d2spread = (HAS_ddgamma || HAS_ddx) ? -d2scale_scaled*scale : A(0);  // step 45
  const A d2spread_scaled = (HAS_ddgamma || HAS_ddx) ? math::quotient(d2spread, D) : A(0);  // step 46
  row.sum_d2xhat_x_centred = sum_d2xhat_x_centred;
  row.d2scale = d2scale;
  row.d2scale_scaled = d2scale_scaled;
  row.d2spread = d2spread;
  row.d2spread_scaled = d2spread_scaled;
}

// Stage 4 of 5: d2mu = sum(-d2x_centred)
template <class A>
__device__ __forceinline__ void d2mu(A x, A dy, A gamma, A ddgamma, const Scalars<A>& row, A (&sums)[1]) {
  const A d2spread_scaled = row.d2spread_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A g = dy*gamma;  // step 35
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) : A(0);  // step 42
  const A d2x_centred = (HAS_ddgamma || HAS_ddx) ? d2xhat*scale + math::sign(x_centred)*d2spread_scaled : A(0);  // step 46
  if (HAS_ddgamma || HAS_ddx) sums[0] += -d2x_centred;  // step 47: d2mu
}

template <class A>
__device__ __forceinline__ void after_d2mu(Scalars<A>& row, const A (&sums)[1]) {
  const A D = row.D;
  const A d2mu = sums[0];  // step 47: sum(-d2x_centred)
  const A d2mu_scaled = (HAS_ddgamma || HAS_ddx) ? math::quotient(d2mu, D) : A(0);  // step 48
  row.d2mu = d2mu;
  row.d2mu_scaled = d2mu_scaled;
}

// Stage 5 of 5
template <class A>
__device__ __forceinline__ void stage_5(A x, A dy, A gamma, A ddgamma, const Scalars<A>& row, A& out_d2x) {
  const A d2mu_scaled = row.d2mu_scaled, d2spread_scaled = row.d2spread_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A g = dy*gamma;  // step 35
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) : A(0);  // step 42
  const A d2x_centred = (HAS_ddgamma || HAS_ddx) ? d2xhat*scale + math::sign(x_centred)*d2spread_scaled : A(0);  // step 46
  const A d2x = (HAS_ddgamma || HAS_ddx) ? d2x_centred + d2mu_scaled : A(0);  // step 48
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
  tile.dy.array = to.dy;
  tile.ddx.array = to.ddx;
  tile.mu.array = to.mu;
  tile.mu_residual.array = to.mu_residual;
  tile.scale.array = to.scale;
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
  each_row<G>(here, to.rows, tile, shared_memory() + G::COPIES_AT, [&] {
    Scalars<A> row = call;
    row.mu = tile.mu.now;
    row.mu_residual = tile.mu_residual.now;
    row.scale = tile.scale.now;
    {
      A sums[4] = {A(0), A(0), A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          dmean_g(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddx) | bit(2, HAS_ddx) | bit(3, HAS_ddx), 0, 0>(sums, slots, turn);
      after_dmean_g(row, sums);
    }
    {
      A sums[2] = {A(0), A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          sum_ddx_g_xhat(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddx) | bit(1, HAS_ddx), 0, 0>(sums, slots, turn);
      after_sum_ddx_g_xhat(row, sums);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto ddx = tile.ddx.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        const auto ddbeta = read<READS_ddbeta, G::HOLDS_FEATURES>(tile.ddbeta, chunk, to.ddbeta, column);
        Pack<T, G::VECTOR> stored_ddy;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A over_rows[SUMS_INTO_COLUMNS] = {};
          A out_ddy;
          sum_d2xhat_x_centred(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_ddx ? widen<A>(ddx.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0),
              READS_ddbeta ? widen<A>(ddbeta.entries[i]) : A(0), row, sums, over_rows, out_ddy);
          if (here.live) columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
          stored_ddy.entries[i] = narrow<T>(out_ddy);
        }
        if (here.live) store_once(to.out_ddy + here.offset + column, stored_ddy);
      });
      reduce_row<G, bit(0, HAS_ddgamma || HAS_ddx), 0, 0>(sums, slots, turn);
      after_sum_d2xhat_x_centred(row, sums);
    }
    {
      A sums[1] = {A(0)};
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          d2mu(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, sums);
        }
      });
      reduce_row<G, bit(0, HAS_ddgamma || HAS_ddx), 0, 0>(sums, slots, turn);
      after_d2mu(row, sums);
    }
    {
      each_chunk<G>(here, [&](int chunk, int column) {
        const auto x = tile.x.chunk(chunk, column);
        const auto dy = tile.dy.chunk(chunk, column);
        const auto gamma = read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
        const auto ddgamma = read<READS_ddgamma, G::HOLDS_FEATURES>(tile.ddgamma, chunk, to.ddgamma, column);
        Pack<T, G::VECTOR> stored_d2x;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) {
          A out_d2x;
          stage_5(READS_x ? widen<A>(x.entries[i]) : A(0),
              READS_dy ? widen<A>(dy.entries[i]) : A(0),
              READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
              READS_ddgamma ? widen<A>(ddgamma.entries[i]) : A(0), row, out_d2x);
          stored_d2x.entries[i] = narrow<T>(out_d2x);
        }
        if (here.live) store_once(to.out_dx + here.offset + column, stored_d2x);
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
  const P* ddbeta;
  P* out_dgamma;
  P* out_dbeta;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A d2gamma, const Scalars<A>& row, A& out_d2gamma, A& out_d2beta) {
  const A d2beta = A(0);  // step 52
  out_d2gamma = d2gamma;
  out_d2beta = d2beta;
}

template <class T> struct Launch : ColumnsGeometry<Computed<T>, 1, 1, 8> {
  using P = Parameter<T>;
  using A = Computed<T>;

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    Scalars<A> row;
    row.D = A(D);
    constexpr unsigned long long WANTED = bit(0, HAS_ddx && HAS_gamma);
    add_columns<Launch, WANTED>(
        to.workspace, to.blocks, D, slots + Launch::SLOTS, [&](int column, const A (&totals)[1]) {
      A out_d2gamma;
      A out_d2beta;
      finish(totals[0], row, out_d2gamma, out_d2beta);
      if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_d2gamma);
      if (HAS_beta) to.out_dbeta[column] = narrow<P>(out_d2beta);
    });
  }
};

}  // namespace columns

}  // namespace backward_backward
}  // namespace lngen

#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, lngen::backward_backward::Launch<T>, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const lngen::Computed<T>* __restrict__ mu, const lngen::Computed<T>* __restrict__ mu_residual, \
                const lngen::Computed<T>* __restrict__ scale, const lngen::Parameter<T>* __restrict__ gamma, \
                const lngen::Parameter<T>* __restrict__ ddgamma, const lngen::Parameter<T>* __restrict__ ddbeta, \
                T* __restrict__ out_dx, T* __restrict__ out_ddy, lngen::Computed<T>* __restrict__ workspace, \
                long long rows, int D), \
               (x, dy, ddx, mu, mu_residual, scale, gamma, ddgamma, ddbeta, out_dx, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, lngen::backward_backward::columns::Launch<T>, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ ddgamma, \
                const lngen::Parameter<T>* __restrict__ ddbeta, lngen::Parameter<T>* __restrict__ out_dgamma, \
                lngen::Parameter<T>* __restrict__ out_dbeta, int D), \
               (workspace, blocks, gamma, ddgamma, ddbeta, out_dgamma, out_dbeta, D))

LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS

#endif
