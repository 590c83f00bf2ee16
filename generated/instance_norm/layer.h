// Instance normalization: each row is one channel of one sample.
// Made by lngen 0.1.0 from the definition of instance_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
// definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
//
// forward:
//     mu = mean(x)
//     var = mean((x - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(x - mu)
//     y = gamma*xhat + beta
// backward:
//     g = gamma*dy
//     dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dgamma = sum(sum(dy*xhat), "n")
//     dbeta = sum(sum(dy), "n")
// jvp:
//     y_dot = gamma_dot*xhat + beta_dot + gamma*rstd*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     mean_dy_xhat = mean(dy*xhat)
//     mean_dy = mean(dy)
//     dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
//     d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g) - mean_g_xhat*(ddx - mean(ddx))) - ddgamma*mean_dy - ddgamma*mean_dy_xhat*xhat)
//     d2gamma = sum(sum(dg*dy), "n")
//     d2beta = sum(0, "n")
//     ddy = gamma*dg + ddgamma*xhat + ddbeta

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_beta = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta);
constexpr bool HAS_beta_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta_dot);
constexpr bool HAS_ddbeta = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddbeta);
constexpr bool HAS_ddgamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgamma);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
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
constexpr Name<SAVED_OUT, 0> MU;
constexpr Name<SAVED_OUT, 1> MU_RESIDUAL;
constexpr Name<SAVED_OUT, 2> RSTD;
using Given = decltype(names(X, GAMMA, BETA, EPS, Y, MU, MU_RESIDUAL, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 9, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto gamma = row(GAMMA);
    const auto beta = row(BETA);
    const auto stage_1 = row.means([&](auto at) { return terms(at(X)); });
    const auto mu = get<0>(stage_1);  // step 1: mean(x)
    const auto stage_2 = row.sums([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 1
      return terms(x_shifted, x_shifted*x_shifted);
    });
    const auto sum_x_shifted = get<0>(stage_2);  // step 2, pass 5: sum(x_shifted)
    const auto squares_x_shifted = get<1>(stage_2);  // step 3, pass 6: sum(x_shifted**2)
    const auto mu_residual = math::quotient(sum_x_shifted, row.D);  // step 2, pass 7
    const auto var = math::quotient(corrected_squares(squares_x_shifted, sum_x_shifted, mu_residual, row.D), row.D);  // step 3, pass 8
    const auto rstd = math::rsqrt(var + row(EPS));  // step 4
    row.each([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      at.store(Y, xhat*gamma + beta);  // step 6
    });
    row.save(MU, mu);
    row.save(MU_RESIDUAL, mu_residual);
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS, 0, HAS_gamma, One> GAMMA;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_gamma> DGAMMA;
constexpr Name<ROW_NUMBERS_OUT, 1, HAS_beta> DBETA;
using Given = decltype(names(X, GAMMA, DY, MU, MU_RESIDUAL, RSTD, DX, DGAMMA, DBETA, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 10, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gamma = row(GAMMA);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      return terms(dy, dy*xhat);
    });
    const auto mean_g_unscaled = get<0>(stage_1);  // step 17, pass 9: mean(dy)
    const auto mean_g_xhat_unscaled = get<1>(stage_1);  // step 17, pass 17: mean(dy*xhat)
    const auto mean_g = gamma*mean_g_unscaled;  // step 17, pass 12
    const auto mean_g_xhat = gamma*mean_g_xhat_unscaled;  // step 17, pass 13
    const auto dgamma = mean_g_xhat_unscaled*row.D;  // step 18, pass 14
    const auto dbeta = mean_g_unscaled*row.D;  // step 19, pass 15
    row.store(DGAMMA, dgamma);
    row.store(DBETA, dbeta);
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gamma;  // step 7
      at.store(DX, (g - mean_g - xhat*mean_g_xhat)*rstd);  // step 17
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
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, GAMMA, X_DOT, GAMMA_DOT, BETA_DOT, MU, MU_RESIDUAL, RSTD, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 9, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gamma_dot = row(GAMMA_DOT);
    const auto beta_dot = row(BETA_DOT);
    const auto gamma_scaled = row(GAMMA)*rstd;  // step 28, pass 18
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      return terms(x_dot, x_dot*xhat);
    });
    const auto mean_x_dot = get<0>(stage_2);  // step 28: mean(x_dot)
    const auto mean_x_dot_xhat = get<1>(stage_2);  // step 28: mean(x_dot*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      at.store(Y_DOT, xhat*gamma_dot + (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*gamma_scaled + beta_dot);  // step 28, pass 22
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddgamma || HAS_ddx, Zero> X;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx && HAS_gamma, One> GAMMA;
constexpr Name<ROWS, 1, HAS_ddgamma || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<ROW_NUMBERS, 1, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<ROW_NUMBERS, 2, HAS_ddbeta, Zero> DDBETA;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_gamma> DGAMMA;
constexpr Name<ROW_NUMBERS_OUT, 1, HAS_beta> DBETA;
constexpr Name<ROWS_OUT, 1> DDY;
using Given = decltype(names(X, GAMMA, DY, DDX, DDGAMMA, DDBETA, MU, MU_RESIDUAL, RSTD, DX, DGAMMA, DBETA, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 5, 0, 19, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gamma = row(GAMMA);
    const auto ddgamma = row(DDGAMMA);
    const auto ddbeta = row(DDBETA);
    const auto d2beta = A(0);  // step 56
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gamma;  // step 29
      return terms(wanted<HAS_ddgamma || HAS_ddx>(dy), wanted<HAS_ddgamma || HAS_ddx>(dy*xhat), ddx, ddx*xhat, ddx*g);
    });
    const auto mean_dy = get<0>(stage_2);  // step 33: mean(dy)
    const auto mean_dy_xhat = get<1>(stage_2);  // step 32: mean(dy*xhat)
    const auto mean_ddx = get<2>(stage_2);  // step 54: mean(ddx)
    const auto mean_ddx_xhat = get<3>(stage_2);  // step 54: mean(ddx*xhat)
    const auto mean_ddx_g = get<4>(stage_2);  // step 48: mean(ddx*g)
    const auto mean_g = gamma*mean_dy;  // step 30, pass 27
    const auto mean_g_xhat = gamma*mean_dy_xhat;  // step 31, pass 28
    const auto mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 48, pass 29
    const auto mean_ddx_scaled = mean_ddx*mean_g;  // step 48, pass 30
    const auto mean_dy_scaled = ddgamma*mean_dy;  // step 48, pass 31
    const auto mean_dy_xhat_scaled = ddgamma*mean_dy_xhat;  // step 48, pass 32
    row.store(DBETA, d2beta);
    const auto stage_3 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gamma;  // step 29
      const auto dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd;  // step 54
      at.store(DX, (dy*ddgamma + (xhat*mean_ddx_scaled + (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g - (ddx - mean_ddx)*mean_g_xhat)*rstd - mean_dy_scaled - xhat*mean_dy_xhat_scaled)*rstd);  // step 48, pass 37
      at.store(DDY, xhat*ddgamma + dg*gamma + ddbeta);  // step 62
      return terms(wanted<HAS_gamma>(dg*dy));
    });
    const auto d2gamma = get<0>(stage_3);  // step 55: sum(dg*dy)
    row.store(DGAMMA, d2gamma);
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
