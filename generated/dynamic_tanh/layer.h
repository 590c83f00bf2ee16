// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
//
// forward:
//     u = alpha*x
//     t = tanh(u)
//     y = gamma*t + beta
// backward:
//     du = gamma*dy*(1 - t)*(1 + t)
//     dx = alpha*du
//     dalpha = sum_rows(sum(du*x))
//     dgamma = sum_rows(dy*t)
//     dbeta = sum_rows(dy)
// jvp:
//     y_dot = gamma_dot*t + gamma*(1 - t)*(1 + t)*(alpha_dot*x + alpha*x_dot) + beta_dot
// backward_backward:
//     du = gamma*dy*(1 - t)*(1 + t)
//     ddu = ddalpha*x + alpha*ddx
//     d2u = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*ddu*t)
//     d2x = alpha*d2u + ddalpha*du
//     d2alpha = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
//     d2gamma = sum_rows(ddu*dy*(1 - t)*(1 + t))
//     d2beta = 0
//     ddy = ddgamma*t + gamma*ddu*(1 - t)*(1 + t) + ddbeta

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_alpha = LNGEN_UNDEFINED(LNGEN_WITHOUT_alpha);
constexpr bool HAS_alpha_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_alpha_dot);
constexpr bool HAS_beta = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta);
constexpr bool HAS_beta_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta_dot);
constexpr bool HAS_ddalpha = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddalpha);
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
struct Absent_ALPHA { static constexpr double VALUE = 0.5; };
constexpr Name<SCALAR, 0, HAS_alpha, Absent_ALPHA> ALPHA;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_beta, Zero> BETA;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(X, ALPHA, GAMMA, BETA, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto alpha = row(ALPHA);
    row.each([&](auto at) {
      const auto x = at(X);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto u = x*alpha;  // step 1
      const auto t = math::tanh(u);  // step 2
      at.store(Y, t*gamma + beta);  // step 3
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
struct Absent_ALPHA { static constexpr double VALUE = 0.5; };
constexpr Name<SCALAR, 0, HAS_alpha, Absent_ALPHA> ALPHA;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ROWS, 0, HAS_gamma> DGAMMA;
constexpr Name<OVER_ROWS, 1, HAS_beta> DBETA;
constexpr Name<OVER_ALL, 0, HAS_alpha> DALPHA;
using Given = decltype(names(X, DY, ALPHA, GAMMA, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA, DBETA, DALPHA)), 1, 1, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto alpha = row(ALPHA);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto u = x*alpha;  // step 1
      const auto t = math::tanh(u);  // step 2
      const auto du = (A(1) - t)*dy*(t + A(1))*gamma;  // step 7
      at.over_rows(DGAMMA, dy*t);  // step 10: dgamma
      at.over_rows(DBETA, dy);  // step 11: dbeta
      at.store(DX, du*alpha);  // step 8
      return terms(wanted<HAS_alpha>(du*x));
    });
    const auto sum_du_x = get<0>(stage_1);  // step 9: sum(du*x)
    row.over_rows(DALPHA, sum_du_x);  // step 9: dalpha
  }
};

namespace columns {

struct Absent_ALPHA { static constexpr double VALUE = 0.5; };
constexpr Name<SCALAR, 0, false, Absent_ALPHA> ALPHA;
constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<SCALARS_OUT, 0, HAS_alpha> OUT_DALPHA;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
constexpr Name<FEATURES_OUT, 1, HAS_beta> OUT_DBETA;
using Given = decltype(names(WORKSPACE, BLOCKS, ALPHA, GAMMA, OUT_DALPHA, OUT_DGAMMA, OUT_DBETA, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      at.store(OUT_DGAMMA, at(DGAMMA));
      at.store(OUT_DBETA, at(DBETA));
    });
    call.store(OUT_DALPHA, call(DALPHA));
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_alpha_dot || HAS_gamma_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
struct Absent_ALPHA { static constexpr double VALUE = 0.5; };
constexpr Name<SCALAR, 0, (HAS_alpha && HAS_alpha_dot) || (HAS_alpha && HAS_gamma_dot) || (HAS_alpha && HAS_x_dot), Absent_ALPHA> ALPHA;
constexpr Name<FEATURES, 0, (HAS_alpha_dot && HAS_gamma) || (HAS_gamma && HAS_x_dot), One> GAMMA;
constexpr Name<SCALAR, 1, HAS_alpha_dot, Zero> ALPHA_DOT;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<FEATURES, 2, HAS_beta_dot, Zero> BETA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, ALPHA, GAMMA, ALPHA_DOT, GAMMA_DOT, BETA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto alpha = row(ALPHA);
    const auto alpha_dot = row(ALPHA_DOT);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto beta_dot = at(BETA_DOT);
      const auto u = x*alpha;  // step 1
      const auto t = math::tanh(u);  // step 2
      at.store(Y_DOT, t*gamma_dot + (A(1) - t)*(t + A(1))*(x*alpha_dot + x_dot*alpha)*gamma + beta_dot);  // step 17
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddalpha || HAS_ddgamma || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddalpha || HAS_ddgamma || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
struct Absent_ALPHA { static constexpr double VALUE = 0.5; };
constexpr Name<SCALAR, 0, (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx), Absent_ALPHA> ALPHA;
constexpr Name<FEATURES, 0, (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma), One> GAMMA;
constexpr Name<SCALAR, 1, HAS_ddalpha, Zero> DDALPHA;
constexpr Name<FEATURES, 1, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<FEATURES, 2, HAS_ddbeta, Zero> DDBETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ROWS, 0, (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma)> D2GAMMA;
constexpr Name<OVER_ALL, 0, (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)> D2ALPHA;
using Given = decltype(names(X, DY, DDX, ALPHA, GAMMA, DDALPHA, DDGAMMA, DDBETA, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA, D2ALPHA)), 2, 1, 5, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto alpha = row(ALPHA);
    const auto ddalpha = row(DDALPHA);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto ddbeta = at(DDBETA);
      const auto u = x*alpha;  // step 1
      const auto t = math::tanh(u);  // step 2
      const auto du = (A(1) - t)*dy*(t + A(1))*gamma;  // step 18
      const auto ddu = ddx*alpha + x*ddalpha;  // step 26
      const auto d2u = (A(1) - t)*(ddgamma - A(2)*ddu*t*gamma)*dy*(t + A(1));  // step 33
      at.over_rows(D2GAMMA, (A(1) - t)*ddu*dy*(t + A(1)));  // step 41: d2gamma
      at.store(DX, d2u*alpha + du*ddalpha);  // step 37
      at.store(DDY, t*ddgamma + (A(1) - t)*ddu*(t + A(1))*gamma + ddbeta);  // step 47
      return terms(wanted<(HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)>(d2u*x), wanted<(HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)>(ddx*du));
    });
    const auto mean_d2u_x = get<0>(stage_1);  // step 39: mean(d2u*x)
    const auto mean_ddx_du = get<1>(stage_1);  // step 39: mean(ddx*du)
    const auto mean_ddx_du_scaled = (mean_d2u_x + mean_ddx_du)*row.D;  // step 39, pass 1
    row.over_rows(D2ALPHA, mean_ddx_du_scaled);  // step 39, pass 2: d2alpha
  }
};

namespace columns {

struct Absent_ALPHA { static constexpr double VALUE = 0.5; };
constexpr Name<SCALAR, 0, false, Absent_ALPHA> ALPHA;
constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<SCALAR, 1, false, Zero> DDALPHA;
constexpr Name<FEATURES, 1, false, Zero> DDGAMMA;
constexpr Name<FEATURES, 2, false, Zero> DDBETA;
constexpr Name<SCALARS_OUT, 0, HAS_alpha> OUT_DALPHA;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
constexpr Name<FEATURES_OUT, 1, HAS_beta> OUT_DBETA;
using Given = decltype(names(WORKSPACE, BLOCKS, ALPHA, GAMMA, DDALPHA, DDGAMMA, DDBETA, OUT_DALPHA, OUT_DGAMMA, OUT_DBETA, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      using A = typename decltype(at)::A;
      at.store(OUT_DGAMMA, at(D2GAMMA));
      at.store(OUT_DBETA, A(0));  // step 42
    });
    call.store(OUT_DALPHA, call(D2ALPHA));
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
