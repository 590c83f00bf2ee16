// Layer normalization over two axes, with a scale and a shift for every place.
// Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has its steps, cost and evidence.
// Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
// definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
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
//     dgamma = sum_rows(dy*xhat)
//     dbeta = sum_rows(dy)
// jvp:
//     y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
//     d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g) - mean_g_xhat*(ddx - mean(ddx))) - mean(ddgamma*dy) - xhat*mean(ddgamma*dy*xhat))
//     d2gamma = sum_rows(dg*dy)
//     d2beta = 0
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
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_beta, Zero> BETA;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> MU;
constexpr Name<SAVED_OUT, 1> MU_RESIDUAL;
constexpr Name<SAVED_OUT, 2> RSTD;
using Given = decltype(names(X, GAMMA, BETA, EPS, Y, MU, MU_RESIDUAL, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) { return terms(at(X)); });
    const auto mu = get<0>(stage_1);  // step 1: mean(x)
    const auto stage_2 = row.sums([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 1
      return terms(x_shifted, x_shifted*x_shifted);
    });
    const auto sum_x_shifted = get<0>(stage_2);  // step 2, pass 4: sum(x_shifted)
    const auto squares_x_shifted = get<1>(stage_2);  // step 3, pass 5: sum(x_shifted**2)
    const auto mu_residual = math::quotient(sum_x_shifted, row.D);  // step 2, pass 6
    const auto var = math::quotient(corrected_squares(squares_x_shifted, sum_x_shifted, mu_residual, row.D), row.D);  // step 3, pass 7
    const auto rstd = math::rsqrt(var + row(EPS));  // step 4
    row.each([&](auto at) {
      const auto x = at(X);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
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
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ROWS, 0, HAS_gamma> DGAMMA;
constexpr Name<OVER_ROWS, 1, HAS_beta> DBETA;
using Given = decltype(names(X, DY, MU, MU_RESIDUAL, RSTD, GAMMA, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA, DBETA)), 2, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gamma;  // step 7
      at.over_rows(DGAMMA, dy*xhat);  // step 18: dgamma
      at.over_rows(DBETA, dy);  // step 19: dbeta
      return terms(g, g*xhat);
    });
    const auto mean_g = get<0>(stage_1);  // step 17: mean(g)
    const auto mean_g_xhat = get<1>(stage_1);  // step 17: mean(g*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gamma;  // step 7
      at.store(DX, (g - mean_g - xhat*mean_g_xhat)*rstd);  // step 17
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
constexpr Name<FEATURES_OUT, 1, HAS_beta> OUT_DBETA;
using Given = decltype(names(WORKSPACE, BLOCKS, GAMMA, OUT_DGAMMA, OUT_DBETA, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      at.store(OUT_DGAMMA, at(DGAMMA));
      at.store(OUT_DBETA, at(DBETA));
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_gamma_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, HAS_gamma && HAS_x_dot, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<FEATURES, 2, HAS_beta_dot, Zero> BETA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, MU, MU_RESIDUAL, RSTD, GAMMA, GAMMA_DOT, BETA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      return terms(x_dot, x_dot*xhat);
    });
    const auto mean_x_dot = get<0>(stage_1);  // step 28: mean(x_dot)
    const auto mean_x_dot_xhat = get<1>(stage_1);  // step 28: mean(x_dot*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto beta_dot = at(BETA_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      at.store(Y_DOT, xhat*gamma_dot + (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot);  // step 28
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddgamma || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddgamma || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, HAS_ddx && HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<FEATURES, 2, HAS_ddbeta, Zero> DDBETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ROWS, 0, HAS_ddx && HAS_gamma> D2GAMMA;
using Given = decltype(names(X, DY, DDX, MU, MU_RESIDUAL, RSTD, GAMMA, DDGAMMA, DDBETA, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA)), 7, 0, 12, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gamma;  // step 29
      return terms(wanted<HAS_ddx>(g), wanted<HAS_ddx>(g*xhat), ddx, ddx*xhat, dy*ddgamma, ddx*g, dy*xhat*ddgamma);
    });
    const auto mean_g = get<0>(stage_1);  // step 30: mean(g)
    const auto mean_g_xhat = get<1>(stage_1);  // step 31: mean(g*xhat)
    const auto mean_ddx = get<2>(stage_1);  // step 50: mean(ddx)
    const auto mean_ddx_xhat = get<3>(stage_1);  // step 50: mean(ddx*xhat)
    const auto mean_ddgamma_dy = get<4>(stage_1);  // step 44: mean(ddgamma*dy)
    const auto mean_ddx_g = get<5>(stage_1);  // step 44: mean(ddx*g)
    const auto mean_ddgamma_dy_xhat = get<6>(stage_1);  // step 44: mean(ddgamma*dy*xhat)
    const auto mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 44, pass 12
    const auto mean_ddx_scaled = mean_ddx*mean_g;  // step 44, pass 13
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto ddbeta = at(DDBETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gamma;  // step 29
      const auto dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd;  // step 50
      at.over_rows(D2GAMMA, dg*dy);  // step 51: d2gamma
      at.store(DX, (dy*ddgamma + (xhat*mean_ddx_scaled + (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g - (ddx - mean_ddx)*mean_g_xhat)*rstd - mean_ddgamma_dy - xhat*mean_ddgamma_dy_xhat)*rstd);  // step 44, pass 14
      at.store(DDY, xhat*ddgamma + dg*gamma + ddbeta);  // step 56
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<FEATURES, 1, false, Zero> DDGAMMA;
constexpr Name<FEATURES, 2, false, Zero> DDBETA;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
constexpr Name<FEATURES_OUT, 1, HAS_beta> OUT_DBETA;
using Given = decltype(names(WORKSPACE, BLOCKS, GAMMA, DDGAMMA, DDBETA, OUT_DGAMMA, OUT_DBETA, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      using A = typename decltype(at)::A;
      at.store(OUT_DGAMMA, at(D2GAMMA));
      at.store(OUT_DBETA, A(0));  // step 52
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
