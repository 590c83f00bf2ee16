// Layer normalization, then the Gaussian error linear unit.
// Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
// Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
// definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
//
// forward:
//     mu = mean(x)
//     var = mean((x - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(x - mu)
//     u = gamma*xhat + beta
//     Phi_u = Phi(u)
//     y = Phi_u*u
// backward:
//     du = dy*(Phi_u + u*phi(u))
//     g = gamma*du
//     dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dgamma = sum_rows(du*xhat)
//     dbeta = sum_rows(du)
// jvp:
//     y_dot = (Phi_u + u*phi(u))*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
// backward_backward:
//     du = dy*(Phi_u + u*phi(u))
//     g = gamma*du
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
//     ddu = gamma*dg + ddgamma*xhat + ddbeta
//     d2u = ddu*dy*phi(u)*(2 - u**2)
//     d2xhat_part = gamma*d2u - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + ddgamma*du + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) - mean(d2xhat_part) - mean(ddgamma*du) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*du*xhat))
//     d2gamma = sum_rows(d2u*xhat + dg*du)
//     d2beta = sum_rows(d2u)
//     ddy = ddu*(Phi_u + u*phi(u))

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

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
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
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto u = xhat*gamma + beta;  // step 6
      const auto Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7, pass 4
      at.store(Y, Phi_u*u);  // step 9
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
constexpr Name<FEATURES, 1, HAS_beta, Zero> BETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ROWS, 0, HAS_gamma> DGAMMA;
constexpr Name<OVER_ROWS, 1, HAS_beta> DBETA;
constexpr Name<KEPT, 0> KEPT_G;
using Given = decltype(names(X, DY, MU, MU_RESIDUAL, RSTD, GAMMA, BETA, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA, DBETA)), 2, 2, 5, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto u = xhat*gamma + beta;  // step 6
      const auto Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7, pass 4
      const auto du = (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*dy;  // step 12, pass 9
      const auto g = at.keep(KEPT_G, du*gamma);  // step 13
      at.over_rows(DGAMMA, du*xhat);  // step 24: dgamma
      at.over_rows(DBETA, du);  // step 25: dbeta
      return terms(g, g*xhat);
    });
    const auto mean_g = get<0>(stage_1);  // step 23: mean(g)
    const auto mean_g_xhat = get<1>(stage_1);  // step 23: mean(g*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto u = xhat*gamma + beta;  // step 6
      const auto Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7, pass 4
      const auto du = (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*dy;  // step 12, pass 9
      const auto g = at.recall(KEPT_G, [&] { return du*gamma; });  // step 13
      at.store(DX, (g - mean_g - xhat*mean_g_xhat)*rstd);  // step 23
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

constexpr Name<ROWS, 0, HAS_beta_dot || HAS_gamma_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, (HAS_beta_dot && HAS_gamma) || (HAS_gamma && HAS_gamma_dot) || (HAS_gamma && HAS_x_dot), One> GAMMA;
constexpr Name<FEATURES, 1, (HAS_beta && HAS_beta_dot) || (HAS_beta && HAS_gamma_dot) || (HAS_beta && HAS_x_dot), Zero> BETA;
constexpr Name<FEATURES, 2, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<FEATURES, 3, HAS_beta_dot, Zero> BETA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, MU, MU_RESIDUAL, RSTD, GAMMA, BETA, GAMMA_DOT, BETA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 2, 5, 1> {
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
    const auto mean_x_dot = get<0>(stage_1);  // step 38, pass 11: mean(x_dot)
    const auto mean_x_dot_xhat = get<1>(stage_1);  // step 38, pass 12: mean(x_dot*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto beta_dot = at(BETA_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto u = xhat*gamma + beta;  // step 6
      const auto Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7, pass 4
      at.store(Y_DOT, (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*(xhat*gamma_dot + (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot));  // step 38, pass 13
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddbeta || HAS_ddgamma || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddbeta || HAS_ddgamma || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<FEATURES, 0, (HAS_ddbeta && HAS_gamma) || (HAS_ddgamma && HAS_gamma) || (HAS_ddx && HAS_gamma), One> GAMMA;
constexpr Name<FEATURES, 1, (HAS_beta && HAS_ddbeta) || (HAS_beta && HAS_ddgamma) || (HAS_beta && HAS_ddx), Zero> BETA;
constexpr Name<FEATURES, 2, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<FEATURES, 3, HAS_ddbeta, Zero> DDBETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ROWS, 0, (HAS_ddbeta && HAS_gamma) || (HAS_ddgamma && HAS_gamma) || (HAS_ddx && HAS_gamma)> D2GAMMA;
constexpr Name<OVER_ROWS, 1, (HAS_beta && HAS_ddbeta) || (HAS_beta && HAS_ddgamma) || (HAS_beta && HAS_ddx)> D2BETA;
constexpr Name<KEPT, 0> KEPT_PHI_U;
constexpr Name<KEPT, 1> KEPT_DU;
constexpr Name<KEPT, 2> KEPT_D2XHAT_PART;
constexpr Name<KEPT, 3> KEPT_G;
using Given = decltype(names(X, DY, DDX, MU, MU_RESIDUAL, RSTD, GAMMA, BETA, DDGAMMA, DDBETA, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA, D2BETA)), 7, 4, 15, 1, 4> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto ddgamma = at(DDGAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto u = xhat*gamma + beta;  // step 6
      const auto Phi_u = at.keep(KEPT_PHI_U, A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5));  // step 7, pass 4
      const auto du = at.keep(KEPT_DU, (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*dy);  // step 39, pass 14
      const auto g = at.keep(KEPT_G, du*gamma);  // step 40
      return terms(wanted<HAS_ddx>(g), wanted<HAS_ddx>(g*xhat), ddx, ddx*xhat, du*ddgamma, ddx*g, du*xhat*ddgamma);
    });
    const auto mean_g = get<0>(stage_1);  // step 41: mean(g)
    const auto mean_g_xhat = get<1>(stage_1);  // step 42: mean(g*xhat)
    const auto mean_ddx = get<2>(stage_1);  // step 52: mean(ddx)
    const auto mean_ddx_xhat = get<3>(stage_1);  // step 52: mean(ddx*xhat)
    const auto mean_ddgamma_du = get<4>(stage_1);  // step 69: mean(ddgamma*du)
    const auto mean_ddx_g = get<5>(stage_1);  // step 69: mean(ddx*g)
    const auto mean_ddgamma_du_xhat = get<6>(stage_1);  // step 69: mean(ddgamma*du*xhat)
    const auto mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 60, pass 15
    const auto mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 69, pass 16
    const auto mean_ddx_scaled = mean_ddx*mean_g;  // step 69, pass 17
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
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
      const auto u = xhat*gamma + beta;  // step 6
      const auto Phi_u = at.recall(KEPT_PHI_U, [&] { return A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5); });  // step 7, pass 4
      const auto du = at.recall(KEPT_DU, [&] { return (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*dy; });  // step 39, pass 14
      const auto dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd;  // step 52
      const auto ddu = xhat*ddgamma + dg*gamma + ddbeta;  // step 55
      const auto d2u = A(0.39894228040143267794)*(A(2) - u*u)*ddu*dy*math::exp(A(-0.5)*(u*u));  // step 59, pass 18
      const auto d2xhat_part = at.keep(KEPT_D2XHAT_PART, d2u*gamma - ddx*mean_g_xhat_scaled);  // step 60, pass 19
      at.over_rows(D2GAMMA, d2u*xhat + dg*du);  // step 71: d2gamma
      at.over_rows(D2BETA, d2u);  // step 72: d2beta
      at.store(DDY, (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*ddu);  // step 73, pass 20
      return terms(d2xhat_part, d2xhat_part*xhat);
    });
    const auto mean_d2xhat_part = get<0>(stage_2);  // step 69: mean(d2xhat_part)
    const auto mean_d2xhat_part_xhat = get<1>(stage_2);  // step 69: mean(d2xhat_part*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
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
      const auto u = xhat*gamma + beta;  // step 6
      const auto Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7, pass 4
      const auto du = at.recall(KEPT_DU, [&] { return (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*dy; });  // step 39, pass 14
      const auto g = at.recall(KEPT_G, [&] { return du*gamma; });  // step 40
      const auto dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd;  // step 52
      const auto ddu = xhat*ddgamma + dg*gamma + ddbeta;  // step 55
      const auto d2u = A(0.39894228040143267794)*(A(2) - u*u)*ddu*dy*math::exp(A(-0.5)*(u*u));  // step 59, pass 18
      const auto d2xhat_part = at.recall(KEPT_D2XHAT_PART, [&] { return d2u*gamma - ddx*mean_g_xhat_scaled; });  // step 60, pass 19
      at.store(DX, (d2xhat_part + du*ddgamma + (xhat*mean_ddx_scaled + (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - mean_d2xhat_part - mean_ddgamma_du - xhat*mean_d2xhat_part_xhat - xhat*mean_ddgamma_du_xhat)*rstd);  // step 69, pass 21
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
      at.store(OUT_DGAMMA, at(D2GAMMA));
      at.store(OUT_DBETA, at(D2BETA));
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
