// Residual addition, then root-mean-square normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
// definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
//
// forward:
//     h = x + residual
//     ms = mean(h**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*h
//     y = gamma*xhat
// backward:
//     g = gamma*dy
//     dx = dh + rstd*(g - xhat*mean(g*xhat))
//     dresidual = dx
//     dgamma = sum_rows(dy*xhat)
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

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
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
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<ROWS_OUT, 1> H;
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(X, RESIDUAL, GAMMA, EPS, Y, H, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto h = residual + x;  // step 1
      at.store(H, h);
      return terms(h*h);
    });
    const auto ms = get<0>(stage_1);  // step 2: mean(h**2)
    const auto rstd = math::rsqrt(ms + row(EPS));  // step 3
    row.each([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto gamma = at(GAMMA);
      const auto h = residual + x;  // step 1
      const auto xhat = h*rstd;  // step 4
      at.store(Y, xhat*gamma);  // step 5
    });
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0, HAS_dy, Zero> H;
constexpr Name<ROWS, 1, HAS_dy, Zero> DY;
constexpr Name<ROWS, 2, HAS_dh, Zero> DH;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_dy && HAS_gamma, One> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DRESIDUAL;
constexpr Name<OVER_ROWS, 0, HAS_dy && HAS_gamma> DGAMMA;
using Given = decltype(names(H, DY, DH, RSTD, GAMMA, DX, DRESIDUAL, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA)), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto xhat = h*rstd;  // step 4
      const auto g = dy*gamma;  // step 6
      at.over_rows(DGAMMA, dy*xhat);  // step 14: dgamma
      return terms(g*xhat);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 12: mean(g*xhat)
    row.each([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto dh = at(DH);
      const auto gamma = at(GAMMA);
      const auto xhat = h*rstd;  // step 4
      const auto g = dy*gamma;  // step 6
      const auto dx = dh + (g - xhat*mean_g_xhat)*rstd;  // step 12
      at.store(DX, dx);
      at.store(DRESIDUAL, dx);
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
using Given = decltype(names(WORKSPACE, BLOCKS, GAMMA, OUT_DGAMMA, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) { at.store(OUT_DGAMMA, at(DGAMMA)); });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_gamma_dot || HAS_residual_dot || HAS_x_dot, Zero> H;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 2, HAS_residual_dot, Zero> RESIDUAL_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, (HAS_gamma && HAS_residual_dot) || (HAS_gamma && HAS_x_dot), One> GAMMA;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<ROWS_OUT, 1> H_DOT;
using Given = decltype(names(H, X_DOT, RESIDUAL_DOT, RSTD, GAMMA, GAMMA_DOT, Y_DOT, H_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto h = at(H);
      const auto x_dot = at(X_DOT);
      const auto residual_dot = at(RESIDUAL_DOT);
      const auto xhat = h*rstd;  // step 4
      const auto h_dot = residual_dot + x_dot;  // step 15
      at.store(H_DOT, h_dot);
      return terms(h_dot*xhat);
    });
    const auto mean_h_dot_xhat = get<0>(stage_1);  // step 22: mean(h_dot*xhat)
    row.each([&](auto at) {
      const auto h = at(H);
      const auto x_dot = at(X_DOT);
      const auto residual_dot = at(RESIDUAL_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto xhat = h*rstd;  // step 4
      const auto h_dot = residual_dot + x_dot;  // step 15
      at.store(Y_DOT, xhat*gamma_dot + (h_dot - xhat*mean_h_dot_xhat)*rstd*gamma);  // step 22
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
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma), One> GAMMA;
constexpr Name<FEATURES, 1, HAS_ddgamma && HAS_dy, Zero> DDGAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DRESIDUAL;
constexpr Name<ROWS_OUT, 2, HAS_dy> DDY;
constexpr Name<ROWS_OUT, 3, HAS_dh> DDH;
constexpr Name<OVER_ROWS, 0, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma)> D2GAMMA;
using Given = decltype(names(H, DY, DH, DDX, DDRESIDUAL, RSTD, GAMMA, DDGAMMA, DX, DRESIDUAL, DDY, DDH, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA)), 4, 0, 6, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = h*rstd;  // step 4
      const auto g = dy*gamma;  // step 23
      const auto ddh = ddresidual + ddx;  // step 27
      at.store(DDH, ddh);
      return terms(wanted<(HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(g*xhat), wanted<(HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(ddh*xhat), ddh*g, dy*xhat*ddgamma);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 24: mean(g*xhat)
    const auto mean_ddh_xhat = get<1>(stage_1);  // step 43: mean(ddh*xhat)
    const auto mean_ddh_g = get<2>(stage_1);  // step 37: mean(ddh*g)
    const auto mean_ddgamma_dy_xhat = get<3>(stage_1);  // step 37: mean(ddgamma*dy*xhat)
    const auto mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 37, pass 5
    row.each([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = h*rstd;  // step 4
      const auto g = dy*gamma;  // step 23
      const auto ddh = ddresidual + ddx;  // step 27
      const auto dg = (ddh - xhat*mean_ddh_xhat)*rstd;  // step 43
      const auto d2x = (dy*ddgamma + ((xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat - xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd - xhat*mean_ddgamma_dy_xhat)*rstd;  // step 37, pass 6
      at.over_rows(D2GAMMA, dg*dy);  // step 44: d2gamma
      at.store(DX, d2x);
      at.store(DRESIDUAL, d2x);
      at.store(DDY, xhat*ddgamma + dg*gamma);  // step 47
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<FEATURES, 1, false, Zero> DDGAMMA;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
using Given = decltype(names(WORKSPACE, BLOCKS, GAMMA, DDGAMMA, OUT_DGAMMA, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) { at.store(OUT_DGAMMA, at(D2GAMMA)); });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
