// Centred rows divided by their mean absolute deviation.
// Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
// definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
//
// forward:
//     mu = mean(x)
//     spread = mean(abs(mu - x))
//     scale = 1/(spread + eps)
//     xhat = scale*(x - mu)
//     y = gamma*xhat + beta
// backward:
//     g = gamma*dy
//     dx = scale*(g + mean(g*xhat)*(mean(sign(xhat)) - sign(xhat)) - mean(g))
//     dgamma = sum_rows(dy*xhat)
//     dbeta = sum_rows(dy)
// jvp:
//     y_dot = gamma_dot*xhat + beta_dot + scale*gamma*(x_dot + mean(x_dot)*(xhat*mean(sign(xhat)) - 1) - xhat*mean(x_dot*sign(xhat)))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g)
//     mean_sign_xhat = mean(sign(xhat))
//     mean_g_xhat = mean(g*xhat)
//     dmean_g_xhat = sum(scale*ddx*(mean_sign_xhat - sign(xhat)))
//     dmean_g = sum(-scale*ddx)
//     dg = scale*ddx + dmean_g_xhat*xhat/D + dmean_g/D
//     d2xhat = ddgamma*dy + dmean_g_xhat*g/D
//     d2scale = sum(d2xhat*x_centred) + sum(ddx*(g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) - mean_g))
//     d2spread = -d2scale*scale**2
//     d2x_centred = scale*d2xhat + d2spread*sign(x_centred)/D
//     d2mu = sum(-d2x_centred)
//     d2x = d2x_centred + d2mu/D
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
constexpr Name<SAVED_OUT, 2> SCALE;
using Given = decltype(names(X, GAMMA, BETA, EPS, Y, MU, MU_RESIDUAL, SCALE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto stage_1 = row.means([&](auto at) { return terms(at(X)); });
    const auto mu = get<0>(stage_1);  // step 1: mean(x)
    const auto stage_2 = row.means([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 1
      return terms(x_shifted);
    });
    const auto mu_residual = get<0>(stage_2);  // step 2, pass 2: mean(x_shifted)
    const auto stage_3 = row.means([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      return terms(math::abs(x_centred));
    });
    const auto spread = get<0>(stage_3);  // step 3: mean(Abs(x_centred))
    const auto scale = A(1) / (spread + row(EPS));  // step 4
    row.each([&](auto at) {
      const auto x = at(X);
      const auto gamma = at(GAMMA);
      const auto beta = at(BETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*scale;  // step 5
      at.store(Y, xhat*gamma + beta);  // step 6
    });
    row.save(MU, mu);
    row.save(MU_RESIDUAL, mu_residual);
    row.save(SCALE, scale);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> SCALE;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ROWS, 0, HAS_gamma> DGAMMA;
constexpr Name<OVER_ROWS, 1, HAS_beta> DBETA;
using Given = decltype(names(X, DY, MU, MU_RESIDUAL, SCALE, GAMMA, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA, DBETA)), 3, 0, 6, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), scale = row(SCALE);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*scale;  // step 5
      const auto g = dy*gamma;  // step 7
      at.over_rows(DGAMMA, dy*xhat);  // step 17: dgamma
      at.over_rows(DBETA, dy);  // step 18: dbeta
      return terms(g, math::sign(xhat), g*xhat);
    });
    const auto mean_g = get<0>(stage_1);  // step 16: mean(g)
    const auto mean_xhat = get<1>(stage_1);  // step 16: mean(sign(xhat))
    const auto mean_g_xhat = get<2>(stage_1);  // step 16: mean(g*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*scale;  // step 5
      const auto g = dy*gamma;  // step 7
      at.store(DX, (g + (mean_xhat - math::sign(xhat))*mean_g_xhat - mean_g)*scale);  // step 16
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
constexpr Name<SAVED, 2> SCALE;
constexpr Name<FEATURES, 0, HAS_gamma && HAS_x_dot, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<FEATURES, 2, HAS_beta_dot, Zero> BETA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, MU, MU_RESIDUAL, SCALE, GAMMA, GAMMA_DOT, BETA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 0, 6, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), scale = row(SCALE);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*scale;  // step 5
      return terms(wanted<HAS_x_dot>(math::sign(xhat)), x_dot, math::sign(xhat)*x_dot);
    });
    const auto mean_xhat = get<0>(stage_1);  // step 27: mean(sign(xhat))
    const auto mean_x_dot = get<1>(stage_1);  // step 27: mean(x_dot)
    const auto mean_x_dot_xhat = get<2>(stage_1);  // step 27: mean(x_dot*sign(xhat))
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto beta_dot = at(BETA_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*scale;  // step 5
      at.store(Y_DOT, xhat*gamma_dot + (x_dot + (xhat*mean_xhat - A(1))*mean_x_dot - xhat*mean_x_dot_xhat)*scale*gamma + beta_dot);  // step 27
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
constexpr Name<SAVED, 2> SCALE;
constexpr Name<FEATURES, 0, HAS_ddx && HAS_gamma, One> GAMMA;
constexpr Name<FEATURES, 1, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<FEATURES, 2, HAS_ddbeta, Zero> DDBETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ROWS, 0, HAS_ddx && HAS_gamma> D2GAMMA;
using Given = decltype(names(X, DY, DDX, MU, MU_RESIDUAL, SCALE, GAMMA, DDGAMMA, DDBETA, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA)), 4, 0, 17, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), scale = row(SCALE);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*scale;  // step 5
      const auto g = dy*gamma;  // step 28
      return terms(wanted<HAS_ddx>(g), wanted<HAS_ddx>(math::sign(xhat)), wanted<HAS_ddx>(g*xhat), -ddx*scale);
    });
    const auto mean_g = math::quotient(get<0>(stage_1), row.D);  // step 32: mean(g)
    const auto mean_sign_xhat = math::quotient(get<1>(stage_1), row.D);  // step 31: mean(sign(xhat))
    const auto mean_g_xhat = math::quotient(get<2>(stage_1), row.D);  // step 29: mean(g*xhat)
    const auto dmean_g = get<3>(stage_1);  // step 42: sum(-scale*ddx)
    const auto dmean_g_scaled = math::quotient(dmean_g, row.D);  // step 43, pass 12
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*scale;  // step 5
      const auto g = dy*gamma;  // step 28
      return terms(ddx*(mean_sign_xhat - math::sign(xhat))*scale, (g + (mean_sign_xhat - math::sign(xhat))*mean_g_xhat - mean_g)*ddx);
    });
    const auto dmean_g_xhat = get<0>(stage_2);  // step 34: sum(scale*ddx*(mean_sign_xhat - sign(xhat)))
    const auto sum_ddx_g_xhat = get<1>(stage_2);  // step 36: sum(ddx*(-mean_g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) + g))
    const auto dmean_g_xhat_scaled = math::quotient(dmean_g_xhat, row.D);  // step 43, pass 16
    const auto stage_3 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto ddbeta = at(DDBETA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*scale;  // step 5
      const auto g = dy*gamma;  // step 28
      const auto dg = xhat*dmean_g_xhat_scaled + ddx*scale + dmean_g_scaled;  // step 43, pass 24
      const auto d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled;  // step 35, pass 18
      at.over_rows(D2GAMMA, dg*dy);  // step 44: d2gamma
      at.store(DDY, xhat*ddgamma + dg*gamma + ddbeta);  // step 47
      return terms(d2xhat*x_centred);
    });
    const auto sum_d2xhat_x_centred = get<0>(stage_3);  // step 36: sum(d2xhat*x_centred)
    const auto d2scale = sum_d2xhat_x_centred + sum_ddx_g_xhat;  // step 36
    const auto d2spread = -d2scale*(scale*scale);  // step 38
    const auto d2spread_scaled = math::quotient(d2spread, row.D);  // step 39, pass 20
    const auto stage_4 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto g = dy*gamma;  // step 28
      const auto d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled;  // step 35, pass 18
      const auto d2x_centred = d2xhat*scale + math::sign(x_centred)*d2spread_scaled;  // step 39, pass 21
      return terms(-d2x_centred);
    });
    const auto d2mu = get<0>(stage_4);  // step 40: sum(-d2x_centred)
    const auto d2mu_scaled = math::quotient(d2mu, row.D);  // step 41, pass 22
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto g = dy*gamma;  // step 28
      const auto d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled;  // step 35, pass 18
      const auto d2x_centred = d2xhat*scale + math::sign(x_centred)*d2spread_scaled;  // step 39, pass 21
      at.store(DX, d2x_centred + d2mu_scaled);  // step 41, pass 23
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
      at.store(OUT_DBETA, A(0));  // step 45
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
