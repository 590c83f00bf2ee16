// Root-mean-square normalization over the feature axis.
// Made by lngen 0.1.0 from the definition of rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
// definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     y = gamma*xhat
// backward:
//     g = gamma*dy
//     dx = rstd*(g - xhat*mean(g*xhat))
//     dgamma = sum_rows(dy*xhat)
// jvp:
//     y_dot = gamma_dot*xhat + rstd*gamma*(x_dot - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = gamma*dy
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - xhat*mean(ddx*xhat))
//     d2x = rstd*(ddgamma*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddgamma*dy*xhat))
//     d2gamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*xhat

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
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
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(X, GAMMA, EPS, Y, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      return terms(x*x);
    });
    const auto ms = get<0>(stage_1);  // step 1: mean(x**2)
    const auto rstd = math::rsqrt(ms + row(EPS));  // step 2
    row.each([&](auto at) {
      const auto x = at(X);
      const auto gamma = at(GAMMA);
      const auto xhat = x*rstd;  // step 3
      at.store(Y, xhat*gamma);  // step 4
    });
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ROWS, 0, HAS_gamma> DGAMMA;
using Given = decltype(names(X, DY, RSTD, GAMMA, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA)), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*gamma;  // step 5
      at.over_rows(DGAMMA, dy*xhat);  // step 12: dgamma
      return terms(g*xhat);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 11: mean(g*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*gamma;  // step 5
      at.store(DX, (g - xhat*mean_g_xhat)*rstd);  // step 11
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

constexpr Name<ROWS, 0, HAS_gamma_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_gamma && HAS_x_dot, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, RSTD, GAMMA, GAMMA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto xhat = x*rstd;  // step 3
      return terms(x_dot*xhat);
    });
    const auto mean_x_dot_xhat = get<0>(stage_1);  // step 19: mean(x_dot*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto xhat = x*rstd;  // step 3
      at.store(Y_DOT, xhat*gamma_dot + (x_dot - xhat*mean_x_dot_xhat)*rstd*gamma);  // step 19
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddgamma || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddgamma || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_ddx && HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ROWS, 0, HAS_ddx && HAS_gamma> D2GAMMA;
using Given = decltype(names(X, DY, DDX, RSTD, GAMMA, DDGAMMA, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA)), 4, 0, 6, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*gamma;  // step 20
      return terms(wanted<HAS_ddx>(g*xhat), ddx*xhat, ddx*g, dy*xhat*ddgamma);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 21: mean(g*xhat)
    const auto mean_ddx_xhat = get<1>(stage_1);  // step 37: mean(ddx*xhat)
    const auto mean_ddx_g = get<2>(stage_1);  // step 32: mean(ddx*g)
    const auto mean_ddgamma_dy_xhat = get<3>(stage_1);  // step 32: mean(ddgamma*dy*xhat)
    const auto mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 32, pass 5
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*gamma;  // step 20
      const auto dg = (ddx - xhat*mean_ddx_xhat)*rstd;  // step 37
      at.over_rows(D2GAMMA, dg*dy);  // step 38: d2gamma
      at.store(DX, (dy*ddgamma + ((xhat*mean_g_xhat_scaled - g)*mean_ddx_xhat - xhat*mean_ddx_g - ddx*mean_g_xhat)*rstd - xhat*mean_ddgamma_dy_xhat)*rstd);  // step 32, pass 6
      at.store(DDY, xhat*ddgamma + dg*gamma);  // step 41
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
