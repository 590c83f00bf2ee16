// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     sigmoid_z = sigmoid(z)
//     silu_z = sigmoid_z*z
//     y = gamma*silu_z*xhat
// backward:
//     g = gamma*dy*silu_z
//     dx = rstd*(g - xhat*mean(g*xhat))
//     dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
//     dgamma = sum_rows(dy*silu_z*xhat)
// jvp:
//     y_dot = gamma_dot*silu_z*xhat + gamma*sigmoid_z*xhat*z_dot*(1 + z*(1 - sigmoid_z)) + rstd*gamma*silu_z*(x_dot - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = gamma*dy*silu_z
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - xhat*mean(ddx*xhat))
//     d2silu_z = dy*(gamma*dg + ddgamma*xhat)
//     d2xhat_part = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + ddgamma*dy*silu_z + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
//     d2z = sigmoid_z*(d2silu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) - silu_z)))
//     d2gamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
//     ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z)))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddgamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgamma);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_ddz = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddz);
constexpr bool HAS_gamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma);
constexpr bool HAS_gamma_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
constexpr bool HAS_z_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_z_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> Z;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(X, Z, GAMMA, EPS, Y, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      return terms(x*x);
    });
    const auto ms = get<0>(stage_1);  // step 1: mean(x**2)
    const auto rstd = math::rsqrt(ms + row(EPS));  // step 2
    row.each([&](auto at) {
      const auto x = at(X);
      const auto z = at(Z);
      const auto gamma = at(GAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto sigmoid_z = math::sigmoid(z);  // step 4
      const auto silu_z = sigmoid_z*z;  // step 5
      at.store(Y, silu_z*xhat*gamma);  // step 6
    });
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> Z;
constexpr Name<ROWS, 2> DY;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DZ;
constexpr Name<OVER_ROWS, 0, HAS_gamma> DGAMMA;
constexpr Name<KEPT, 0> KEPT_G;
using Given = decltype(names(X, Z, DY, RSTD, GAMMA, DX, DZ, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA)), 1, 1, 2, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto sigmoid_z = math::sigmoid(z);  // step 4
      const auto silu_z = sigmoid_z*z;  // step 5
      const auto g = at.keep(KEPT_G, dy*silu_z*gamma);  // step 7
      at.over_rows(DGAMMA, dy*silu_z*xhat);  // step 20: dgamma
      at.store(DZ, dy*sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1))*gamma);  // step 19
      return terms(g*xhat);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 13: mean(g*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto sigmoid_z = math::sigmoid(z);  // step 4
      const auto silu_z = sigmoid_z*z;  // step 5
      const auto g = at.recall(KEPT_G, [&] { return dy*silu_z*gamma; });  // step 7
      at.store(DX, (g - xhat*mean_g_xhat)*rstd);  // step 13
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

constexpr Name<ROWS, 0, HAS_gamma_dot || HAS_x_dot || HAS_z_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_gamma_dot || HAS_x_dot || HAS_z_dot, Zero> Z;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 3, HAS_z_dot, Zero> Z_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, (HAS_gamma && HAS_x_dot) || (HAS_gamma && HAS_z_dot), One> GAMMA;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, Z, X_DOT, Z_DOT, RSTD, GAMMA, GAMMA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto xhat = x*rstd;  // step 3
      return terms(x_dot*xhat);
    });
    const auto mean_x_dot_xhat = get<0>(stage_1);  // step 31: mean(x_dot*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto x_dot = at(X_DOT);
      const auto z_dot = at(Z_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto xhat = x*rstd;  // step 3
      const auto sigmoid_z = math::sigmoid(A(z));  // step 4
      const auto silu_z = sigmoid_z*z;  // step 5
      at.store(Y_DOT, silu_z*xhat*gamma_dot + (x_dot - xhat*mean_x_dot_xhat)*silu_z*rstd*gamma + sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1))*z_dot*gamma);  // step 31
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddgamma || HAS_ddx || HAS_ddz, Zero> X;
constexpr Name<ROWS, 1, HAS_ddgamma || HAS_ddx || HAS_ddz, Zero> Z;
constexpr Name<ROWS, 2, HAS_ddgamma || HAS_ddx || HAS_ddz, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 4, HAS_ddz, Zero> DDZ;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma), One> GAMMA;
constexpr Name<FEATURES, 1, HAS_ddgamma, Zero> DDGAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DZ;
constexpr Name<ROWS_OUT, 2> DDY;
constexpr Name<OVER_ROWS, 0, (HAS_ddx && HAS_gamma) || (HAS_ddz && HAS_gamma)> D2GAMMA;
constexpr Name<KEPT, 0> KEPT_SIGMOID_Z;
constexpr Name<KEPT, 1> KEPT_SILU_Z;
constexpr Name<KEPT, 2> KEPT_D2XHAT_PART;
constexpr Name<KEPT, 3> KEPT_G;
using Given = decltype(names(X, Z, DY, DDX, DDZ, RSTD, GAMMA, DDGAMMA, DX, DZ, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA)), 4, 1, 8, 2, 4> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto sigmoid_z = at.keep(KEPT_SIGMOID_Z, math::sigmoid(A(z)));  // step 4
      const auto silu_z = at.keep(KEPT_SILU_Z, sigmoid_z*z);  // step 5
      const auto g = at.keep(KEPT_G, dy*silu_z*gamma);  // step 32
      return terms(wanted<HAS_ddx>(g*xhat), ddx*xhat, ddx*g, dy*silu_z*xhat*ddgamma);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 33: mean(g*xhat)
    const auto mean_ddx_xhat = get<1>(stage_1);  // step 49: mean(ddx*xhat)
    const auto mean_ddx_g = get<2>(stage_1);  // step 44: mean(ddx*g)
    const auto mean_ddgamma_dy_silu_z = get<3>(stage_1);  // step 44: mean(ddgamma*dy*silu_z*xhat)
    const auto mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 36, pass 1
    const auto mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 44, pass 2
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddz = at(DDZ);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto sigmoid_z = at.recall(KEPT_SIGMOID_Z, [&] { return math::sigmoid(A(z)); });  // step 4
      const auto silu_z = at.recall(KEPT_SILU_Z, [&] { return sigmoid_z*z; });  // step 5
      const auto dg = (ddx - xhat*mean_ddx_xhat)*rstd;  // step 49
      const auto d2silu_z = (xhat*ddgamma + dg*gamma)*dy;  // step 52
      const auto d2xhat_part = at.keep(KEPT_D2XHAT_PART, ddz*dy*sigmoid_z*((A(1) - sigmoid_z)*z + A(1))*gamma - ddx*mean_g_xhat_scaled);  // step 36, pass 3
      at.over_rows(D2GAMMA, (dg*silu_z + ddz*sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1)))*dy);  // step 60: d2gamma
      at.store(DZ, (d2silu_z + (A(1) - sigmoid_z)*ddz*dy*xhat*gamma + (A(1) - sigmoid_z)*(d2silu_z*z + ((A(1) - sigmoid_z)*z + A(1) - silu_z)*ddz*dy*xhat*gamma))*sigmoid_z);  // step 58
      at.store(DDY, silu_z*xhat*ddgamma + (dg*silu_z + ddz*sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1)))*gamma);  // step 64
      return terms(d2xhat_part*xhat);
    });
    const auto mean_d2xhat_part_xhat = get<0>(stage_2);  // step 44: mean(d2xhat_part*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddz = at(DDZ);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = x*rstd;  // step 3
      const auto sigmoid_z = math::sigmoid(A(z));  // step 4
      const auto silu_z = at.recall(KEPT_SILU_Z, [&] { return sigmoid_z*z; });  // step 5
      const auto g = at.recall(KEPT_G, [&] { return dy*silu_z*gamma; });  // step 32
      const auto d2xhat_part = at.recall(KEPT_D2XHAT_PART, [&] { return ddz*dy*sigmoid_z*((A(1) - sigmoid_z)*z + A(1))*gamma - ddx*mean_g_xhat_scaled; });  // step 36, pass 3
      at.store(DX, (d2xhat_part + dy*silu_z*ddgamma + ((xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - xhat*mean_d2xhat_part_xhat - xhat*mean_ddgamma_dy_silu_z)*rstd);  // step 44, pass 4
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
