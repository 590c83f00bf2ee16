// Each row divided by its mean fourth power, to the power 1/4.
// Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit power_norm.py and run: lngen derive power_norm.py
// definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
//
// forward:
//     mean_x4 = mean(x**4)
//     scale = 1/(mean_x4 + eps)**(1/4)
//     xhat = scale*x
//     y = gamma*xhat
// backward:
//     g = gamma*dy
//     dx = scale*(g - xhat**3*mean(g*xhat))
//     dgamma = sum_rows(dy*xhat)
// jvp:
//     y_dot = gamma_dot*xhat + scale*gamma*(x_dot - xhat*mean(x_dot*xhat**3))
// backward_backward:
//     g = gamma*dy
//     mean_g_xhat = mean(g*xhat)
//     dmean_g_xhat = sum(-scale*ddx*xhat**3)
//     dg = scale*ddx + dmean_g_xhat*xhat/D
//     d2xhat = ddgamma*dy + dmean_g_xhat*g/D - 3*mean_g_xhat*scale*ddx*xhat**2
//     d2scale = sum(d2xhat*x) + sum(ddx*(g - mean_g_xhat*xhat**3))
//     d2mean_x4 = -d2scale*scale**5/4
//     d2x = scale*d2xhat + 4*d2mean_x4*x**3/D
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
constexpr Name<SAVED_OUT, 0> SCALE;
using Given = decltype(names(X, GAMMA, EPS, Y, SCALE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto stage_1 = row.means([&](auto at) { return terms(math::power<4>(at(X))); });
    const auto mean_x4 = get<0>(stage_1);  // step 1: mean(x**4)
    const auto scale = A(1) / math::pow(mean_x4 + row(EPS), A(0.25));  // step 2
    row.each([&](auto at) {
      const auto x = at(X);
      const auto gamma = at(GAMMA);
      const auto xhat = x*scale;  // step 3
      at.store(Y, xhat*gamma);  // step 4
    });
    row.save(SCALE, scale);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> SCALE;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ROWS, 0, HAS_gamma> DGAMMA;
using Given = decltype(names(X, DY, SCALE, GAMMA, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA)), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto scale = row(SCALE);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto xhat = x*scale;  // step 3
      const auto g = dy*gamma;  // step 5
      at.over_rows(DGAMMA, dy*xhat);  // step 12: dgamma
      return terms(g*xhat);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 11: mean(g*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto xhat = x*scale;  // step 3
      const auto g = dy*gamma;  // step 5
      at.store(DX, (g - math::power<3>(xhat)*mean_g_xhat)*scale);  // step 11
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
constexpr Name<SAVED, 0> SCALE;
constexpr Name<FEATURES, 0, HAS_gamma && HAS_x_dot, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, SCALE, GAMMA, GAMMA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto scale = row(SCALE);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto xhat = x*scale;  // step 3
      return terms(x_dot*math::power<3>(xhat));
    });
    const auto mean_x_dot_xhat = get<0>(stage_1);  // step 19: mean(x_dot*xhat**3)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto xhat = x*scale;  // step 3
      at.store(Y_DOT, xhat*gamma_dot + (x_dot - xhat*mean_x_dot_xhat)*scale*gamma);  // step 19
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddgamma || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddgamma || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> SCALE;
constexpr Name<FEATURES, 0, HAS_ddx && HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ROWS, 0, HAS_ddx && HAS_gamma> D2GAMMA;
using Given = decltype(names(X, DY, DDX, SCALE, GAMMA, DDGAMMA, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA)), 2, 0, 10, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto scale = row(SCALE);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto xhat = x*scale;  // step 3
      const auto g = dy*gamma;  // step 20
      return terms(wanted<HAS_ddx>(g*xhat), -ddx*math::power<3>(xhat)*scale);
    });
    const auto mean_g_xhat = math::quotient(get<0>(stage_1), row.D);  // step 21: mean(g*xhat)
    const auto dmean_g_xhat = get<1>(stage_1);  // step 24: sum(-scale*ddx*xhat**3)
    const auto dmean_g_xhat_scaled = math::quotient(dmean_g_xhat, row.D);  // step 30, pass 9
    const auto mean_g_xhat_scaled = A(-3)*mean_g_xhat*scale;  // step 25, pass 10
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = x*scale;  // step 3
      const auto g = dy*gamma;  // step 20
      const auto dg = xhat*dmean_g_xhat_scaled + ddx*scale;  // step 30, pass 17
      const auto d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled + ddx*(xhat*xhat)*mean_g_xhat_scaled;  // step 25, pass 18
      at.over_rows(D2GAMMA, dg*dy);  // step 31: d2gamma
      at.store(DDY, xhat*ddgamma + dg*gamma);  // step 32
      return terms((g - math::power<3>(xhat)*mean_g_xhat)*ddx, d2xhat*x);
    });
    const auto sum_ddx_g_xhat = get<0>(stage_2);  // step 26: sum(ddx*(-mean_g_xhat*xhat**3 + g))
    const auto sum_d2xhat_x = get<1>(stage_2);  // step 26: sum(d2xhat*x)
    const auto d2scale = sum_d2xhat_x + sum_ddx_g_xhat;  // step 26
    const auto d2mean_x4 = A(-0.25)*d2scale*math::power<5>(scale);  // step 28
    const auto d2mean_x4_scaled = math::quotient(A(4)*d2mean_x4, row.D);  // step 29, pass 15
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = x*scale;  // step 3
      const auto g = dy*gamma;  // step 20
      const auto d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled + ddx*(xhat*xhat)*mean_g_xhat_scaled;  // step 25, pass 18
      at.store(DX, d2xhat*scale + math::power<3>(x)*d2mean_x4_scaled);  // step 29, pass 16
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
