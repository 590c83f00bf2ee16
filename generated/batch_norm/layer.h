// Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.
// Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
// definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
//
// forward:
//     mu = mean(x)
//     x_centred = x - mu
//     var = mean(x_centred**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*x_centred
//     y = gamma*xhat + beta
// backward:
//     g = gamma*dy
//     dx = 2*dvar*x_centred/D + dmu/D + rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dgamma = sum(dy*xhat)
//     dbeta = sum(dy)
// jvp:
//     mu_dot = mean(x_dot)
//     x_centred_dot = x_dot - mu_dot
//     var_dot = mean(2*x_centred*x_centred_dot)
//     rstd_dot = -rstd**3*var_dot/2
//     xhat_dot = rstd_dot*x_centred + rstd*x_centred_dot
//     y_dot = gamma*xhat_dot + gamma_dot*xhat + beta_dot
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     mean_dy_xhat = mean(dy*xhat)
//     mean_dy = mean(dy)
//     dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
//     d2x = ddgamma*rstd*dy + mean_g*rstd**2*xhat*mean(ddx) + (2*dvar/D - mean_g_xhat*rstd**2)*(ddx - mean(ddx)) + rstd**2*mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - ddgamma*mean_dy*rstd - ddgamma*mean_dy_xhat*rstd*xhat - rstd**2*xhat*mean(ddx*g)
//     d2gamma = sum(dg*dy)
//     d2beta = 0
//     ddy = gamma*dg + ddgamma*xhat + ddbeta
//     ddmu = mean(ddx)
//     ddvar = 2*mean(ddx*xhat)/rstd

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_beta = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta);
constexpr bool HAS_beta_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta_dot);
constexpr bool HAS_ddbeta = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddbeta);
constexpr bool HAS_ddgamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgamma);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_dmu = LNGEN_UNDEFINED(LNGEN_WITHOUT_dmu);
constexpr bool HAS_dvar = LNGEN_UNDEFINED(LNGEN_WITHOUT_dvar);
constexpr bool HAS_dy = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy);
constexpr bool HAS_gamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma);
constexpr bool HAS_gamma_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS, 0, HAS_gamma, One> GAMMA;
constexpr Name<ROW_NUMBERS, 1, HAS_beta, Zero> BETA;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<ROW_NUMBERS_OUT, 0> MU;
constexpr Name<ROW_NUMBERS_OUT, 1> VAR;
constexpr Name<SAVED_OUT, 0> MU_SAVED;
constexpr Name<SAVED_OUT, 1> MU_RESIDUAL;
constexpr Name<SAVED_OUT, 2> RSTD;
using Given = decltype(names(X, GAMMA, BETA, EPS, Y, MU, VAR, MU_SAVED, MU_RESIDUAL, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 10, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto gamma = row(GAMMA);
    const auto beta = row(BETA);
    const auto stage_1 = row.means([&](auto at) { return terms(at(X)); });
    const auto mu = get<0>(stage_1);  // step 1: mean(x)
    const auto mu_saved = mu;  // step 1, pass 1
    row.store(MU, mu);
    const auto stage_2 = row.sums([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 2
      return terms(x_shifted, x_shifted*x_shifted);
    });
    const auto sum_x_shifted = get<0>(stage_2);  // step 2, pass 6: sum(x_shifted)
    const auto squares_x_shifted = get<1>(stage_2);  // step 3, pass 7: sum(x_shifted**2)
    const auto mu_residual = math::quotient(sum_x_shifted, row.D);  // step 2, pass 8
    const auto var = math::quotient(corrected_squares(squares_x_shifted, sum_x_shifted, mu_residual, row.D), row.D);  // step 3, pass 9
    const auto rstd = math::rsqrt(var + row(EPS));  // step 4
    row.store(VAR, var);
    row.each([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 2
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 4
      const auto xhat = x_centred*rstd;  // step 5
      at.store(Y, xhat*gamma + beta);  // step 6
    });
    row.save(MU_SAVED, mu_saved);
    row.save(MU_RESIDUAL, mu_residual);
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0, HAS_dvar || HAS_dy, Zero> X;
constexpr Name<ROW_NUMBERS, 0, HAS_dy && HAS_gamma, One> GAMMA;
constexpr Name<ROWS, 1, HAS_dy, Zero> DY;
constexpr Name<ROW_NUMBERS, 1, HAS_dmu, Zero> DMU;
constexpr Name<ROW_NUMBERS, 2, HAS_dvar, Zero> DVAR;
constexpr Name<SAVED, 0> MU_SAVED;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_gamma> DGAMMA;
constexpr Name<ROW_NUMBERS_OUT, 1, HAS_beta> DBETA;
using Given = decltype(names(X, GAMMA, DY, DMU, DVAR, MU_SAVED, MU_RESIDUAL, RSTD, DX, DGAMMA, DBETA, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 14, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu_saved = row(MU_SAVED), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gamma = row(GAMMA);
    const auto dmu_scaled = math::quotient(row(DMU), row.D);  // step 18, pass 10
    const auto dvar_scaled = math::quotient(A(2)*row(DVAR), row.D);  // step 18, pass 11
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto x_shifted = x - mu_saved;  // step 2, pass 12
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 4
      const auto xhat = x_centred*rstd;  // step 5
      return terms(dy, dy*xhat);
    });
    const auto mean_g_unscaled = get<0>(stage_2);  // step 18, pass 13: mean(dy)
    const auto mean_g_xhat_unscaled = get<1>(stage_2);  // step 18, pass 21: mean(dy*xhat)
    const auto mean_g = gamma*mean_g_unscaled;  // step 18, pass 16
    const auto mean_g_xhat = gamma*mean_g_xhat_unscaled;  // step 18, pass 17
    const auto dgamma = mean_g_xhat_unscaled*row.D;  // step 19, pass 18
    const auto dbeta = mean_g_unscaled*row.D;  // step 20, pass 19
    row.store(DGAMMA, dgamma);
    row.store(DBETA, dbeta);
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto x_shifted = x - mu_saved;  // step 2, pass 12
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 4
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gamma;  // step 7
      at.store(DX, x_centred*dvar_scaled + (g - mean_g - xhat*mean_g_xhat)*rstd + dmu_scaled);  // step 18, pass 22
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_gamma_dot || HAS_x_dot, Zero> X;
constexpr Name<ROW_NUMBERS, 0, HAS_gamma && HAS_x_dot, One> GAMMA;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROW_NUMBERS, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<ROW_NUMBERS, 2, HAS_beta_dot, Zero> BETA_DOT;
constexpr Name<SAVED, 0> MU_RESIDUAL;
constexpr Name<SAVED, 1> RSTD;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<ROW_NUMBERS_OUT, 0> MU_DOT;
constexpr Name<ROW_NUMBERS_OUT, 1> VAR_DOT;
using Given = decltype(names(X, GAMMA, X_DOT, GAMMA_DOT, BETA_DOT, MU_RESIDUAL, RSTD, Y_DOT, MU_DOT, VAR_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 9, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gamma = row(GAMMA);
    const auto gamma_dot = row(GAMMA_DOT);
    const auto beta_dot = row(BETA_DOT);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      return terms(wanted<HAS_gamma_dot || HAS_x_dot>(x), x_dot);
    });
    const auto mu = get<0>(stage_1);  // step 1: mean(x)
    const auto mu_dot = get<1>(stage_1);  // step 21: mean(x_dot)
    row.store(MU_DOT, mu_dot);
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 2
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 4
      const auto x_centred_dot = x_dot - mu_dot;  // step 22
      return terms(A(2)*x_centred*x_centred_dot);
    });
    const auto var_dot = get<0>(stage_2);  // step 23: mean(2*x_centred*x_centred_dot)
    const auto rstd_dot = A(-0.5)*math::power<3>(rstd)*var_dot;  // step 25
    row.store(VAR_DOT, var_dot);
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 2
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 4
      const auto x_centred_dot = x_dot - mu_dot;  // step 22
      const auto xhat = x_centred*rstd;  // step 5
      const auto xhat_dot = x_centred_dot*rstd + x_centred*rstd_dot;  // step 26
      at.store(Y_DOT, xhat_dot*gamma + xhat*gamma_dot + beta_dot);  // step 27
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, (HAS_ddgamma && HAS_dy) || (HAS_ddx && HAS_dvar) || (HAS_ddx && HAS_dy), Zero> X;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx && HAS_dy && HAS_gamma, One> GAMMA;
constexpr Name<ROWS, 1, (HAS_ddgamma && HAS_dy) || (HAS_ddx && HAS_dy), Zero> DY;
constexpr Name<ROW_NUMBERS, 1, false, Zero> DMU;
constexpr Name<ROW_NUMBERS, 2, HAS_ddx && HAS_dvar, Zero> DVAR;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<ROW_NUMBERS, 3, HAS_ddgamma && HAS_dy, Zero> DDGAMMA;
constexpr Name<ROW_NUMBERS, 4, HAS_ddbeta && HAS_dy, Zero> DDBETA;
constexpr Name<SAVED, 0> MU_RESIDUAL;
constexpr Name<SAVED, 1> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_gamma> DGAMMA;
constexpr Name<ROW_NUMBERS_OUT, 1, HAS_beta> DBETA;
constexpr Name<ROWS_OUT, 1, HAS_dy> DDY;
constexpr Name<ROW_NUMBERS_OUT, 2, HAS_dmu> DDMU;
constexpr Name<ROW_NUMBERS_OUT, 3, HAS_dvar> DDVAR;
using Given = decltype(names(X, GAMMA, DY, DMU, DVAR, DDX, DDGAMMA, DDBETA, MU_RESIDUAL, RSTD, DX, DGAMMA, DBETA, DDY, DDMU, DDVAR, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 4, 0, 27, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gamma = row(GAMMA);
    const auto ddgamma = row(DDGAMMA);
    const auto ddbeta = row(DDBETA);
    const auto ddgamma_scaled = ddgamma*rstd;  // step 48, pass 24
    const auto d2beta = A(0);  // step 56
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto g = dy*gamma;  // step 28
      return terms(wanted<(HAS_ddgamma && HAS_dy) || (HAS_ddx && HAS_dvar) || (HAS_ddx && HAS_dy)>(x), wanted<(HAS_ddgamma && HAS_dy) || (HAS_ddx && HAS_dy)>(dy), ddx, ddx*g);
    });
    const auto mu = get<0>(stage_2);  // step 1: mean(x)
    const auto mean_dy = get<1>(stage_2);  // step 32: mean(dy)
    const auto mean_ddx = get<2>(stage_2);  // step 54: mean(ddx)
    const auto mean_ddx_g = get<3>(stage_2);  // step 48: mean(ddx*g)
    const auto mean_g = gamma*mean_dy;  // step 29, pass 25
    const auto mean_ddx_g_scaled = mean_ddx_g*(rstd*rstd);  // step 48, pass 26
    const auto mean_dy_scaled = ddgamma*mean_dy*rstd;  // step 48, pass 27
    const auto mean_ddx_scaled = mean_ddx*mean_g*(rstd*rstd);  // step 48, pass 28
    const auto ddmu = mean_ddx;  // step 64, pass 29
    row.store(DBETA, d2beta);
    row.store(DDMU, ddmu);
    const auto stage_3 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - mu;  // step 2, pass 2
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 4
      const auto xhat = x_centred*rstd;  // step 5
      return terms(wanted<(HAS_ddgamma && HAS_dy) || (HAS_ddx && HAS_dy)>(dy*xhat), wanted<(HAS_ddx && HAS_dvar) || (HAS_ddx && HAS_dy)>(ddx*xhat));
    });
    const auto mean_dy_xhat = get<0>(stage_3);  // step 31: mean(dy*xhat)
    const auto mean_ddx_xhat = get<1>(stage_3);  // step 54: mean(ddx*xhat)
    const auto mean_g_xhat = gamma*mean_dy_xhat;  // step 30, pass 34
    const auto mean_g_xhat_shifted = math::quotient(A(2)*row(DVAR), row.D) - mean_g_xhat*(rstd*rstd);  // step 48, pass 35
    const auto mean_ddx_xhat_scaled = mean_ddx_xhat*(rstd*rstd);  // step 48, pass 36
    const auto mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 48, pass 37
    const auto mean_dy_xhat_scaled = ddgamma*mean_dy_xhat*rstd;  // step 48, pass 38
    const auto ddvar = A(2)*mean_ddx_xhat / rstd;  // step 66
    row.store(DDVAR, ddvar);
    const auto stage_4 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto g = dy*gamma;  // step 28
      const auto x_shifted = x - mu;  // step 2, pass 2
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 4
      const auto xhat = x_centred*rstd;  // step 5
      const auto dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd;  // step 54
      at.store(DX, dy*ddgamma_scaled + xhat*mean_ddx_scaled + (ddx - mean_ddx)*mean_g_xhat_shifted + (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddx_xhat_scaled - mean_dy_scaled - xhat*mean_ddx_g_scaled - xhat*mean_dy_xhat_scaled);  // step 48, pass 43
      at.store(DDY, xhat*ddgamma + dg*gamma + ddbeta);  // step 62
      return terms(wanted<HAS_gamma>(dg*dy));
    });
    const auto d2gamma = get<0>(stage_4);  // step 55: sum(dg*dy)
    row.store(DGAMMA, d2gamma);
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
