// Layer normalization whose output is gated by one number a row.
// Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
// definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
//
// forward:
//     mu = mean(x)
//     var = mean((x - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(x - mu)
//     y = gate*(gamma*xhat + beta)
// backward:
//     g = gate*gamma*dy
//     dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dgate = sum(dy*(gamma*xhat + beta))
//     dgamma = sum_rows(gate*dy*xhat)
//     dbeta = sum_rows(gate*dy)
// jvp:
//     y_dot = gate_dot*(gamma*xhat + beta) + gate*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
// backward_backward:
//     g = gate*gamma*dy
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dmean_product = D*ddgate
//     dmean_g_xhat = sum(-rstd*ddx*xhat)
//     dmean_g = sum(-rstd*ddx)
//     dg = rstd*ddx + dmean_g_xhat*xhat/D + dmean_g/D
//     d2xhat = gate*ddgamma*dy + dmean_g_xhat*g/D + dmean_product*gamma*dy/D - mean_g_xhat*rstd*ddx
//     d2rstd = sum(d2xhat*x_centred) + sum(ddx*(g - mean_g - mean_g_xhat*xhat))
//     d2var = -d2rstd*rstd**3/2
//     d2x_centred = rstd*d2xhat + 2*d2var*x_centred/D
//     d2mu = sum(-d2x_centred)
//     d2x = d2x_centred + d2mu/D
//     d2gate = sum(ddbeta*dy) + sum(gamma*dg*dy) + sum(ddgamma*dy*xhat)
//     d2gamma = sum_rows(dy*(gate*dg + dmean_product*xhat/D))
//     d2beta = sum_rows(dmean_product*dy)/D
//     ddy = gate*ddbeta + gate*gamma*dg + gate*ddgamma*xhat + dmean_product*(gamma*xhat + beta)/D

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_beta = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta);
constexpr bool HAS_beta_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_beta_dot);
constexpr bool HAS_ddbeta = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddbeta);
constexpr bool HAS_ddgamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgamma);
constexpr bool HAS_ddgate = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgate);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_gamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma);
constexpr bool HAS_gamma_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma_dot);
constexpr bool HAS_gate = LNGEN_UNDEFINED(LNGEN_WITHOUT_gate);
constexpr bool HAS_gate_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_gate_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS, 0, HAS_gate, One> GATE;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_beta, Zero> BETA;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> MU;
constexpr Name<SAVED_OUT, 1> MU_RESIDUAL;
constexpr Name<SAVED_OUT, 2> RSTD;
using Given = decltype(names(X, GATE, GAMMA, BETA, EPS, Y, MU, MU_RESIDUAL, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 8, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto gate = row(GATE);
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
      at.store(Y, (xhat*gamma + beta)*gate);  // step 6
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
constexpr Name<ROW_NUMBERS, 0, HAS_gate, One> GATE;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_beta && HAS_gate, Zero> BETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_gate> DGATE;
constexpr Name<OVER_ROWS, 0, HAS_gamma> DGAMMA;
constexpr Name<OVER_ROWS, 1, HAS_beta> DBETA;
using Given = decltype(names(X, GATE, DY, MU, MU_RESIDUAL, RSTD, GAMMA, BETA, DX, DGATE, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA, DBETA)), 3, 0, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gate = row(GATE);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gate*gamma;  // step 7
      at.over_rows(DGAMMA, dy*xhat*gate);  // step 19: dgamma
      at.over_rows(DBETA, dy*gate);  // step 20: dbeta
      return terms(g, g*xhat, wanted<HAS_gate>((xhat*gamma + beta)*dy));
    });
    const auto mean_g = math::quotient(get<0>(stage_1), row.D);  // step 17: mean(g)
    const auto mean_g_xhat = math::quotient(get<1>(stage_1), row.D);  // step 17: mean(g*xhat)
    const auto dgate = get<2>(stage_1);  // step 18: sum(dy*(beta + gamma*xhat))
    row.store(DGATE, dgate);
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gate*gamma;  // step 7
      at.store(DX, (g - mean_g - xhat*mean_g_xhat)*rstd);  // step 17
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<FEATURES, 1, false, Zero> BETA;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
constexpr Name<FEATURES_OUT, 1, HAS_beta> OUT_DBETA;
using Given = decltype(names(WORKSPACE, BLOCKS, GAMMA, BETA, OUT_DGAMMA, OUT_DBETA, D));

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

constexpr Name<ROWS, 0, HAS_gamma_dot || HAS_gate_dot || HAS_x_dot, Zero> X;
constexpr Name<ROW_NUMBERS, 0, (HAS_beta_dot && HAS_gate) || (HAS_gamma_dot && HAS_gate) || (HAS_gate && HAS_x_dot), One> GATE;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROW_NUMBERS, 1, HAS_gate_dot, Zero> GATE_DOT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, (HAS_gamma && HAS_gate_dot) || (HAS_gamma && HAS_x_dot), One> GAMMA;
constexpr Name<FEATURES, 1, HAS_beta && HAS_gate_dot, Zero> BETA;
constexpr Name<FEATURES, 2, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<FEATURES, 3, HAS_beta_dot, Zero> BETA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, GATE, X_DOT, GATE_DOT, MU, MU_RESIDUAL, RSTD, GAMMA, BETA, GAMMA_DOT, BETA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gate = row(GATE);
    const auto gate_dot = row(GATE_DOT);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      return terms(x_dot, x_dot*xhat);
    });
    const auto mean_x_dot = get<0>(stage_1);  // step 30: mean(x_dot)
    const auto mean_x_dot_xhat = get<1>(stage_1);  // step 30: mean(x_dot*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto beta_dot = at(BETA_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      at.store(Y_DOT, (xhat*gamma + beta)*gate_dot + (xhat*gamma_dot + (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot)*gate);  // step 30
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddgamma || HAS_ddgate || HAS_ddx, Zero> X;
constexpr Name<ROW_NUMBERS, 0, (HAS_ddbeta && HAS_gate) || (HAS_ddgamma && HAS_gate) || (HAS_ddx && HAS_gate), One> GATE;
constexpr Name<ROWS, 1, (HAS_ddbeta && HAS_gate) || HAS_ddgamma || HAS_ddgate || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<ROW_NUMBERS, 1, HAS_ddgate, Zero> DDGATE;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, (HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma), One> GAMMA;
constexpr Name<FEATURES, 1, HAS_beta && HAS_ddgate, Zero> BETA;
constexpr Name<FEATURES, 2, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<FEATURES, 3, HAS_ddbeta, Zero> DDBETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_gate> DGATE;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ROWS, 0, HAS_beta && HAS_ddgate> D2BETA_ROWS;
constexpr Name<OVER_ROWS, 1, (HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma)> D2GAMMA;
using Given = decltype(names(X, GATE, DY, DDX, DDGATE, MU, MU_RESIDUAL, RSTD, GAMMA, BETA, DDGAMMA, DDBETA, DX, DGATE, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2BETA_ROWS, D2GAMMA)), 6, 0, 25, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto gate = row(GATE);
    const auto dmean_product = row(DDGATE)*row.D;  // step 38
    const auto dmean_product_scaled = math::quotient(dmean_product, row.D);  // step 40, pass 8
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto ddbeta = at(DDBETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gate*gamma;  // step 31
      at.over_rows(D2BETA_ROWS, dy*dmean_product);  // step 54, pass 12: d2beta_rows
      return terms(wanted<HAS_ddx>(g), wanted<HAS_ddx>(g*xhat), -ddx*xhat*rstd, -ddx*rstd, wanted<(HAS_ddbeta && HAS_gate) || (HAS_ddgamma && HAS_gate) || (HAS_ddx && HAS_gate)>(dy*ddbeta), wanted<(HAS_ddbeta && HAS_gate) || (HAS_ddgamma && HAS_gate) || (HAS_ddx && HAS_gate)>(dy*xhat*ddgamma));
    });
    const auto mean_g = math::quotient(get<0>(stage_2), row.D);  // step 33: mean(g)
    const auto mean_g_xhat = math::quotient(get<1>(stage_2), row.D);  // step 32: mean(g*xhat)
    const auto dmean_g_xhat = get<2>(stage_2);  // step 39: sum(-rstd*ddx*xhat)
    const auto dmean_g = get<3>(stage_2);  // step 48: sum(-rstd*ddx)
    const auto sum_ddbeta_dy = get<4>(stage_2);  // step 50: sum(ddbeta*dy)
    const auto sum_ddgamma_dy_xhat = get<5>(stage_2);  // step 50: sum(ddgamma*dy*xhat)
    const auto dmean_g_scaled = math::quotient(dmean_g, row.D);  // step 49, pass 9
    const auto dmean_g_xhat_scaled = math::quotient(dmean_g_xhat, row.D);  // step 49, pass 10
    const auto mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 40, pass 11
    const auto stage_3 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto ddgamma = at(DDGAMMA);
      const auto ddbeta = at(DDBETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*gate*gamma;  // step 31
      const auto dg = xhat*dmean_g_xhat_scaled + ddx*rstd + dmean_g_scaled;  // step 49, pass 13
      const auto d2xhat = g*dmean_g_xhat_scaled + dy*gate*ddgamma + dy*dmean_product_scaled*gamma - ddx*mean_g_xhat_scaled;  // step 40, pass 14
      at.over_rows(D2GAMMA, (xhat*dmean_product_scaled + dg*gate)*dy);  // step 52, pass 17: d2gamma
      at.store(DDY, gate*ddbeta + xhat*gate*ddgamma + dg*gate*gamma + (xhat*gamma + beta)*dmean_product_scaled);  // step 55, pass 15
      return terms((g - mean_g - xhat*mean_g_xhat)*ddx, d2xhat*x_centred, wanted<(HAS_ddbeta && HAS_gate) || (HAS_ddgamma && HAS_gate) || (HAS_ddx && HAS_gate)>(dg*dy*gamma));
    });
    const auto sum_ddx_g_xhat = get<0>(stage_3);  // step 41: sum(ddx*(-mean_g - mean_g_xhat*xhat + g))
    const auto sum_d2xhat_x_centred = get<1>(stage_3);  // step 41: sum(d2xhat*x_centred)
    const auto sum_dg_dy_gamma = get<2>(stage_3);  // step 50: sum(gamma*dg*dy)
    const auto d2rstd = sum_d2xhat_x_centred + sum_ddx_g_xhat;  // step 41
    const auto d2var = A(-0.5)*d2rstd*math::power<3>(rstd);  // step 43
    const auto d2var_scaled = math::quotient(A(2)*d2var, row.D);  // step 44, pass 16
    const auto d2gate = sum_ddbeta_dy + sum_ddgamma_dy_xhat + sum_dg_dy_gamma;  // step 50
    row.store(DGATE, d2gate);
    const auto stage_4 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto g = dy*gate*gamma;  // step 31
      const auto d2xhat = g*dmean_g_xhat_scaled + dy*gate*ddgamma + dy*dmean_product_scaled*gamma - ddx*mean_g_xhat_scaled;  // step 40, pass 14
      const auto d2x_centred = x_centred*d2var_scaled + d2xhat*rstd;  // step 44, pass 18
      return terms(-d2x_centred);
    });
    const auto d2mu = get<0>(stage_4);  // step 45: sum(-d2x_centred)
    const auto d2mu_scaled = math::quotient(d2mu, row.D);  // step 46, pass 19
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto g = dy*gate*gamma;  // step 31
      const auto d2xhat = g*dmean_g_xhat_scaled + dy*gate*ddgamma + dy*dmean_product_scaled*gamma - ddx*mean_g_xhat_scaled;  // step 40, pass 14
      const auto d2x_centred = x_centred*d2var_scaled + d2xhat*rstd;  // step 44, pass 18
      at.store(DX, d2x_centred + d2mu_scaled);  // step 46, pass 20
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<FEATURES, 1, false, Zero> BETA;
constexpr Name<FEATURES, 2, false, Zero> DDGAMMA;
constexpr Name<FEATURES, 3, false, Zero> DDBETA;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
constexpr Name<FEATURES_OUT, 1, HAS_beta> OUT_DBETA;
using Given = decltype(names(WORKSPACE, BLOCKS, GAMMA, BETA, DDGAMMA, DDBETA, OUT_DGAMMA, OUT_DBETA, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      using A = typename decltype(at)::A;
      at.store(OUT_DGAMMA, at(D2GAMMA));
      at.store(OUT_DBETA, math::quotient(at(D2BETA_ROWS), A(call.D)));  // step 54, pass 21
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
