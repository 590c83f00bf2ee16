// Residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
// definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
//
// forward:
//     h = x + residual
//     mu = mean(h)
//     var = mean((h - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(h - mu)
//     y = gamma*xhat + beta
// backward:
//     g = gamma*dy
//     dx = dh + rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dresidual = dx
//     dgamma = sum_rows(dy*xhat)
//     dbeta = sum_rows(dy)
// jvp:
//     h_dot = residual_dot + x_dot
//     y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(h_dot - mean(h_dot) - xhat*mean(h_dot*xhat))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     ddh = ddresidual + ddx
//     dg = rstd*(ddh - mean(ddh) - xhat*mean(ddh*xhat))
//     d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddh) + mean(ddh*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddh*g) - mean_g_xhat*(ddh - mean(ddh))) - mean(ddgamma*dy) - xhat*mean(ddgamma*dy*xhat))
//     d2residual = d2x
//     d2gamma = sum_rows(dg*dy)
//     d2beta = 0
//     ddy = gamma*dg + ddgamma*xhat + ddbeta

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_beta = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta);
constexpr bool HAS_beta_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta_dot);
constexpr bool HAS_ddbeta = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddbeta);
constexpr bool HAS_ddgamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgamma);
constexpr bool HAS_ddresidual = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddresidual);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_dh = LNGEN_UNDEFINED(LNGEN_WITHOUT_dh);
constexpr bool HAS_dy = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy);
constexpr bool HAS_gamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma);
constexpr bool HAS_gamma_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma_dot);
constexpr bool HAS_residual_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_residual_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> RESIDUAL;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_beta, Zero> BETA;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<ROWS_OUT, 1> H;
constexpr Name<SAVED_OUT, 0> MU;
constexpr Name<SAVED_OUT, 1> MU_RESIDUAL;
constexpr Name<SAVED_OUT, 2> RSTD;
using Given = decltype(names(X, RESIDUAL, GAMMA, BETA, EPS, Y, H, MU, MU_RESIDUAL, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto h = residual + x;  // step 1
      at.store(H, h);
      return terms(h);
    });
    const auto mu = get<0>(stage_1);  // step 2: mean(h)
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto h = residual + x;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      return terms(h_shifted, h_shifted*h_shifted);
    });
    const auto sum_h_shifted = get<0>(stage_2);  // step 3, pass 4: sum(h_shifted)
    const auto squares_h_shifted = get<1>(stage_2);  // step 4, pass 5: sum(h_shifted**2)
    const auto mu_residual = math::quotient(sum_h_shifted, row.D);  // step 3, pass 6
    const auto var = math::quotient(corrected_squares(squares_h_shifted, sum_h_shifted, mu_residual, row.D), row.D);  // step 4, pass 7
    const auto rstd = math::rsqrt(var + row(EPS));  // step 5
    row.each([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto h = residual + x;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto xhat = h_centred*rstd;  // step 6
      at.store(Y, xhat*gamma + beta);  // step 7
    });
    row.save(MU, mu);
    row.save(MU_RESIDUAL, mu_residual);
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0, HAS_dy, Zero> H;
constexpr Name<ROWS, 1, HAS_dy, Zero> DY;
constexpr Name<ROWS, 2, HAS_dh, Zero> DH;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, HAS_dy && HAS_gamma, One> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DRESIDUAL;
constexpr Name<OVER_ROWS, 0, HAS_dy && HAS_gamma> DGAMMA;
constexpr Name<OVER_ROWS, 1, HAS_beta && HAS_dy> DBETA;
using Given = decltype(names(H, DY, DH, MU, MU_RESIDUAL, RSTD, GAMMA, DX, DRESIDUAL, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA, DBETA)), 2, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto xhat = h_centred*rstd;  // step 6
      const auto g = dy*gamma;  // step 8
      at.over_rows(DGAMMA, dy*xhat);  // step 20: dgamma
      at.over_rows(DBETA, dy);  // step 21: dbeta
      return terms(g, g*xhat);
    });
    const auto mean_g = get<0>(stage_1);  // step 18: mean(g)
    const auto mean_g_xhat = get<1>(stage_1);  // step 18: mean(g*xhat)
    row.each([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto dh = at(DH);
      const auto gamma = at(GAMMA);
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto xhat = h_centred*rstd;  // step 6
      const auto g = dy*gamma;  // step 8
      const auto dx = dh + (g - mean_g - xhat*mean_g_xhat)*rstd;  // step 18
      at.store(DX, dx);
      at.store(DRESIDUAL, dx);
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

constexpr Name<ROWS, 0, HAS_gamma_dot || HAS_residual_dot || HAS_x_dot, Zero> H;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 2, HAS_residual_dot, Zero> RESIDUAL_DOT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, (HAS_gamma && HAS_residual_dot) || (HAS_gamma && HAS_x_dot), One> GAMMA;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<FEATURES, 2, HAS_beta_dot, Zero> BETA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<ROWS_OUT, 1> H_DOT;
using Given = decltype(names(H, X_DOT, RESIDUAL_DOT, MU, MU_RESIDUAL, RSTD, GAMMA, GAMMA_DOT, BETA_DOT, Y_DOT, H_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto h = at(H);
      const auto x_dot = at(X_DOT);
      const auto residual_dot = at(RESIDUAL_DOT);
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto xhat = h_centred*rstd;  // step 6
      const auto h_dot = residual_dot + x_dot;  // step 22
      at.store(H_DOT, h_dot);
      return terms(h_dot, h_dot*xhat);
    });
    const auto mean_h_dot = get<0>(stage_1);  // step 31: mean(h_dot)
    const auto mean_h_dot_xhat = get<1>(stage_1);  // step 31: mean(h_dot*xhat)
    row.each([&](auto at) {
      const auto h = at(H);
      const auto x_dot = at(X_DOT);
      const auto residual_dot = at(RESIDUAL_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto beta_dot = at(BETA_DOT);
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto xhat = h_centred*rstd;  // step 6
      const auto h_dot = residual_dot + x_dot;  // step 22
      at.store(Y_DOT, xhat*gamma_dot + (h_dot - mean_h_dot - xhat*mean_h_dot_xhat)*rstd*gamma + beta_dot);  // step 31
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, (HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy), Zero> H;
constexpr Name<ROWS, 1, (HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy), Zero> DY;
constexpr Name<ROWS, 2, false, Zero> DH;
constexpr Name<ROWS, 3, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 4, HAS_ddresidual, Zero> DDRESIDUAL;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma), One> GAMMA;
constexpr Name<FEATURES, 1, HAS_ddgamma && HAS_dy, Zero> DDGAMMA;
constexpr Name<FEATURES, 2, HAS_ddbeta && HAS_dy, Zero> DDBETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DRESIDUAL;
constexpr Name<ROWS_OUT, 2, HAS_dy> DDY;
constexpr Name<ROWS_OUT, 3, HAS_dh> DDH;
constexpr Name<OVER_ROWS, 0, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma)> D2GAMMA;
using Given = decltype(names(H, DY, DH, DDX, DDRESIDUAL, MU, MU_RESIDUAL, RSTD, GAMMA, DDGAMMA, DDBETA, DX, DRESIDUAL, DDY, DDH, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA)), 7, 0, 12, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto xhat = h_centred*rstd;  // step 6
      const auto g = dy*gamma;  // step 32
      const auto ddh = ddresidual + ddx;  // step 37
      at.store(DDH, ddh);
      return terms(wanted<(HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(g), wanted<(HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(g*xhat), wanted<(HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(ddh), wanted<(HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(ddh*xhat), dy*ddgamma, ddh*g, dy*xhat*ddgamma);
    });
    const auto mean_g = get<0>(stage_1);  // step 33: mean(g)
    const auto mean_g_xhat = get<1>(stage_1);  // step 34: mean(g*xhat)
    const auto mean_ddh = get<2>(stage_1);  // step 56: mean(ddh)
    const auto mean_ddh_xhat = get<3>(stage_1);  // step 56: mean(ddh*xhat)
    const auto mean_ddgamma_dy = get<4>(stage_1);  // step 49: mean(ddgamma*dy)
    const auto mean_ddh_g = get<5>(stage_1);  // step 49: mean(ddh*g)
    const auto mean_ddgamma_dy_xhat = get<6>(stage_1);  // step 49: mean(ddgamma*dy*xhat)
    const auto mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 49, pass 12
    const auto mean_ddh_scaled = mean_ddh*mean_g;  // step 49, pass 13
    row.each([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto ddbeta = at(DDBETA);
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto xhat = h_centred*rstd;  // step 6
      const auto g = dy*gamma;  // step 32
      const auto ddh = ddresidual + ddx;  // step 37
      const auto dg = (ddh - mean_ddh - xhat*mean_ddh_xhat)*rstd;  // step 56
      const auto d2x = (dy*ddgamma + (xhat*mean_ddh_scaled + (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddh_xhat - xhat*mean_ddh_g - (ddh - mean_ddh)*mean_g_xhat)*rstd - mean_ddgamma_dy - xhat*mean_ddgamma_dy_xhat)*rstd;  // step 49, pass 14
      at.over_rows(D2GAMMA, dg*dy);  // step 57: d2gamma
      at.store(DX, d2x);
      at.store(DRESIDUAL, d2x);
      at.store(DDY, xhat*ddgamma + dg*gamma + ddbeta);  // step 62
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
      at.store(OUT_DBETA, A(0));  // step 58
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
