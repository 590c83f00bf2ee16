// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
//
// forward:
//     sigmoid_z = sigmoid(z)
//     silu_z = sigmoid_z*z
//     h = silu_z*x
//     ms = mean(h**2)
//     rstd = 1/sqrt(ms + eps)
//     hhat = rstd*h
//     y = gamma*hhat
// backward:
//     g = gamma*dy
//     dh = rstd*(g - hhat*mean(g*hhat))
//     dx = dh*silu_z
//     dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
//     dgamma = sum_rows(dy*hhat)
// jvp:
//     h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
//     y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))
// backward_backward:
//     g = gamma*dy
//     mean_g_hhat = mean(g*hhat)
//     dh = rstd*(g - mean_g_hhat*hhat)
//     ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
//     dg = rstd*(ddh - hhat*mean(ddh*hhat))
//     d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) - mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
//     d2silu_z = d2h*x + ddx*dh
//     d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
//     d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
//     d2gamma = sum_rows(dg*dy)
//     ddy = gamma*dg + ddgamma*hhat

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
constexpr Name<KEPT, 0> KEPT_H;
using Given = decltype(names(X, Z, GAMMA, EPS, Y, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 3, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto z = at(Z);
      const auto sigmoid_z = math::sigmoid(z);  // step 1
      const auto silu_z = sigmoid_z*z;  // step 2
      const auto h = at.keep(KEPT_H, silu_z*x);  // step 3
      return terms(h*h);
    });
    const auto ms = get<0>(stage_1);  // step 4: mean(h**2)
    const auto rstd = math::rsqrt(ms + row(EPS));  // step 5
    row.each([&](auto at) {
      const auto x = at(X);
      const auto z = at(Z);
      const auto gamma = at(GAMMA);
      const auto sigmoid_z = math::sigmoid(z);  // step 1
      const auto silu_z = sigmoid_z*z;  // step 2
      const auto h = at.recall(KEPT_H, [&] { return silu_z*x; });  // step 3
      const auto hhat = h*rstd;  // step 6
      at.store(Y, hhat*gamma);  // step 7
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
constexpr Name<KEPT, 0> KEPT_SIGMOID_Z;
constexpr Name<KEPT, 1> KEPT_SILU_Z;
constexpr Name<KEPT, 2> KEPT_HHAT;
using Given = decltype(names(X, Z, DY, RSTD, GAMMA, DX, DZ, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA)), 1, 1, 2, 2, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto sigmoid_z = at.keep(KEPT_SIGMOID_Z, math::sigmoid(z));  // step 1
      const auto silu_z = at.keep(KEPT_SILU_Z, sigmoid_z*z);  // step 2
      const auto h = silu_z*x;  // step 3
      const auto hhat = at.keep(KEPT_HHAT, h*rstd);  // step 6
      const auto g = dy*gamma;  // step 8
      at.over_rows(DGAMMA, dy*hhat);  // step 22: dgamma
      return terms(g*hhat);
    });
    const auto mean_g_hhat = get<0>(stage_1);  // step 14: mean(g*hhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto sigmoid_z = at.recall(KEPT_SIGMOID_Z, [&] { return math::sigmoid(z); });  // step 1
      const auto silu_z = at.recall(KEPT_SILU_Z, [&] { return sigmoid_z*z; });  // step 2
      const auto h = silu_z*x;  // step 3
      const auto hhat = at.recall(KEPT_HHAT, [&] { return h*rstd; });  // step 6
      const auto g = dy*gamma;  // step 8
      const auto dh = (g - hhat*mean_g_hhat)*rstd;  // step 14
      at.store(DX, dh*silu_z);  // step 15
      at.store(DZ, dh*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)));  // step 21
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
constexpr Name<KEPT, 0> KEPT_HHAT;
constexpr Name<KEPT, 1> KEPT_H_DOT;
using Given = decltype(names(X, Z, X_DOT, Z_DOT, RSTD, GAMMA, GAMMA_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 2, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto x_dot = at(X_DOT);
      const auto z_dot = at(Z_DOT);
      const auto sigmoid_z = math::sigmoid(A(z));  // step 1
      const auto silu_z = sigmoid_z*z;  // step 2
      const auto h = silu_z*x;  // step 3
      const auto hhat = at.keep(KEPT_HHAT, h*rstd);  // step 6
      const auto h_dot = at.keep(KEPT_H_DOT, silu_z*x_dot + sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1))*z_dot);  // step 27
      return terms(h_dot*hhat);
    });
    const auto mean_h_dot_hhat = get<0>(stage_1);  // step 34: mean(h_dot*hhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto x_dot = at(X_DOT);
      const auto z_dot = at(Z_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto sigmoid_z = math::sigmoid(A(z));  // step 1
      const auto silu_z = sigmoid_z*z;  // step 2
      const auto h = silu_z*x;  // step 3
      const auto hhat = at.recall(KEPT_HHAT, [&] { return h*rstd; });  // step 6
      const auto h_dot = at.recall(KEPT_H_DOT, [&] { return silu_z*x_dot + sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1))*z_dot; });  // step 27
      at.store(Y_DOT, hhat*gamma_dot + (h_dot - hhat*mean_h_dot_hhat)*rstd*gamma);  // step 34
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
constexpr Name<KEPT, 2> KEPT_HHAT;
constexpr Name<KEPT, 3> KEPT_DDH;
using Given = decltype(names(X, Z, DY, DDX, DDZ, RSTD, GAMMA, DDGAMMA, DX, DZ, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2GAMMA)), 4, 1, 6, 3, 4> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddz = at(DDZ);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto sigmoid_z = at.keep(KEPT_SIGMOID_Z, math::sigmoid(A(z)));  // step 1
      const auto silu_z = at.keep(KEPT_SILU_Z, sigmoid_z*z);  // step 2
      const auto h = silu_z*x;  // step 3
      const auto hhat = at.keep(KEPT_HHAT, h*rstd);  // step 6
      const auto g = dy*gamma;  // step 35
      const auto ddh = at.keep(KEPT_DDH, ddx*silu_z + ddz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)));  // step 40
      return terms(wanted<HAS_ddx || HAS_ddz>(g*hhat), ddh*hhat, ddh*g, dy*hhat*ddgamma);
    });
    const auto mean_g_hhat = get<0>(stage_1);  // step 36: mean(g*hhat)
    const auto mean_ddh_hhat = get<1>(stage_1);  // step 63: mean(ddh*hhat)
    const auto mean_ddh_g = get<2>(stage_1);  // step 50: mean(ddh*g)
    const auto mean_ddgamma_dy_hhat = get<3>(stage_1);  // step 50: mean(ddgamma*dy*hhat)
    const auto mean_g_hhat_scaled = A(3)*mean_g_hhat;  // step 50, pass 5
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto z = at(Z);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddz = at(DDZ);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto sigmoid_z = at.recall(KEPT_SIGMOID_Z, [&] { return math::sigmoid(A(z)); });  // step 1
      const auto silu_z = at.recall(KEPT_SILU_Z, [&] { return sigmoid_z*z; });  // step 2
      const auto h = silu_z*x;  // step 3
      const auto hhat = at.recall(KEPT_HHAT, [&] { return h*rstd; });  // step 6
      const auto g = dy*gamma;  // step 35
      const auto ddh = at.recall(KEPT_DDH, [&] { return ddx*silu_z + ddz*sigmoid_z*x*((A(1) - sigmoid_z)*z + A(1)); });  // step 40
      const auto dh = (g - hhat*mean_g_hhat)*rstd;  // step 37
      const auto dg = (ddh - hhat*mean_ddh_hhat)*rstd;  // step 63
      const auto d2h = (dy*ddgamma + ((hhat*mean_g_hhat_scaled - g)*mean_ddh_hhat - hhat*mean_ddh_g - ddh*mean_g_hhat)*rstd - hhat*mean_ddgamma_dy_hhat)*rstd;  // step 50, pass 6
      const auto d2silu_z = d2h*x + ddx*dh;  // step 52
      at.over_rows(D2GAMMA, dg*dy);  // step 64: d2gamma
      at.store(DX, d2h*silu_z + ddz*dh*sigmoid_z*((A(1) - sigmoid_z)*z + A(1)));  // step 51
      at.store(DZ, (d2silu_z + (A(1) - sigmoid_z)*ddz*dh*x + (A(1) - sigmoid_z)*(d2silu_z*z + ((A(1) - sigmoid_z)*z + A(1) - silu_z)*ddz*dh*x))*sigmoid_z);  // step 58
      at.store(DDY, hhat*ddgamma + dg*gamma);  // step 67
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
