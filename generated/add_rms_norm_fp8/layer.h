// Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.
// Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
// definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
//
// forward:
//     h = x + residual
//     ms = mean(h**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*h
//     y = gamma*xhat/scale
// backward:
//     g = gamma*dy/scale
//     dx = dh + rstd*(g - xhat*mean(g*xhat))
//     dresidual = dx
//     dgamma = sum_rows(dy*xhat)/scale
//     dscale = -sum_rows(sum(gamma*dy*xhat))/scale**2
// jvp:
//     h_dot = residual_dot + x_dot
//     y_dot = (gamma_dot*xhat + rstd*gamma*(h_dot - xhat*mean(h_dot*xhat)) - scale_dot*gamma*xhat/scale)/scale
// backward_backward:
//     g = gamma*dy/scale
//     mean_g_xhat = mean(g*xhat)
//     sum_rows_dy_xhat = sum_rows(dy*xhat)
//     mean_dy_gamma_xhat = mean(gamma*dy*xhat)
//     sum_rows_product = sum_rows(D*mean_dy_gamma_xhat)
//     ddh = ddresidual + ddx
//     dg = rstd*(ddh - xhat*mean(ddh*xhat))
//     d2x = rstd*(ddgamma*dy/scale + ddscale*mean_dy_gamma_xhat*xhat/scale**2 + rstd*(mean(ddh*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddh - xhat*mean(ddh*g)) - ddscale*gamma*dy/scale**2 - xhat*mean(ddgamma*dy*xhat)/scale)
//     d2residual = d2x
//     d2gamma = sum_rows(dy*(dg - ddscale*xhat/scale))/scale
//     d2scale = (2*ddscale*sum_rows_product/scale - sum(ddgamma*sum_rows_dy_xhat) - sum_rows(sum(gamma*dg*dy)))/scale**2
//     ddy = (gamma*dg + ddgamma*xhat - ddscale*gamma*xhat/scale)/scale

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddgamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgamma);
constexpr bool HAS_ddresidual = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddresidual);
constexpr bool HAS_ddscale = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddscale);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_dh = LNGEN_UNDEFINED(LNGEN_WITHOUT_dh);
constexpr bool HAS_dy = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy);
constexpr bool HAS_gamma = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma);
constexpr bool HAS_gamma_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_gamma_dot);
constexpr bool HAS_residual_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_residual_dot);
constexpr bool HAS_scale = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale);
constexpr bool HAS_scale_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> RESIDUAL;
constexpr Name<FEATURES, 0, HAS_gamma, One> GAMMA;
constexpr Name<SCALAR, 0, HAS_scale, One> SCALE;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0, true, Zero, cast::float8_e4m3fn> Y;
constexpr Name<ROWS_OUT, 1> H;
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(X, RESIDUAL, GAMMA, SCALE, EPS, Y, H, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 5, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto scale_shifted = A(1) / call(SCALE);  // step 5, pass 1
    return terms(scale_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto scale_shifted = get<0>(row.call);
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
      at.store(Y, xhat*gamma*scale_shifted);  // step 5, pass 2
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
constexpr Name<SCALAR, 0, HAS_dy && HAS_scale, One> SCALE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DRESIDUAL;
constexpr Name<OVER_ROWS, 0, HAS_dy && HAS_gamma> DGAMMA_ROWS;
constexpr Name<OVER_ALL, 0, HAS_dy && HAS_scale> DSCALE_ROWS;
using Given = decltype(names(H, DY, DH, RSTD, GAMMA, SCALE, DX, DRESIDUAL, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DGAMMA_ROWS, DSCALE_ROWS)), 2, 0, 5, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto scale_shifted_2 = A(1) / call(SCALE);  // step 6, pass 3
    return terms(scale_shifted_2);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto scale_shifted_2 = get<0>(row.call);
    const auto stage_1 = row.sums([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto gamma = at(GAMMA);
      const auto xhat = h*rstd;  // step 4
      const auto g = dy*gamma*scale_shifted_2;  // step 6, pass 4
      at.over_rows(DGAMMA_ROWS, dy*xhat);  // step 15, pass 14: dgamma_rows
      return terms(g*xhat, wanted<HAS_dy && HAS_scale>(dy*xhat*gamma));
    });
    const auto mean_g_xhat = math::quotient(get<0>(stage_1), row.D);  // step 12: mean(g*xhat)
    const auto sum_dy_gamma_xhat = get<1>(stage_1);  // step 17: sum(gamma*dy*xhat)
    row.over_rows(DSCALE_ROWS, sum_dy_gamma_xhat);  // step 17, pass 10: dscale_rows
    row.each([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto dh = at(DH);
      const auto gamma = at(GAMMA);
      const auto xhat = h*rstd;  // step 4
      const auto g = dy*gamma*scale_shifted_2;  // step 6, pass 4
      const auto dx = dh + (g - xhat*mean_g_xhat)*rstd;  // step 12
      at.store(DX, dx);
      at.store(DRESIDUAL, dx);
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<SCALAR, 0, HAS_dy && HAS_scale, One> SCALE;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
constexpr Name<SCALARS_OUT, 0, HAS_scale> OUT_DSCALE;
using Given = decltype(names(WORKSPACE, BLOCKS, GAMMA, SCALE, OUT_DGAMMA, OUT_DSCALE, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    const auto dscale = -call(DSCALE_ROWS) / (call(SCALE)*call(SCALE));  // step 17, pass 13
    call.each([&](auto at) {
      at.store(OUT_DGAMMA, at(DGAMMA_ROWS) / call(SCALE));  // step 15, pass 12
    });
    call.store(OUT_DSCALE, dscale);
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_gamma_dot || HAS_residual_dot || HAS_scale_dot || HAS_x_dot, Zero> H;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 2, HAS_residual_dot, Zero> RESIDUAL_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, (HAS_gamma && HAS_residual_dot) || (HAS_gamma && HAS_scale_dot) || (HAS_gamma && HAS_x_dot), One> GAMMA;
constexpr Name<SCALAR, 0, (HAS_gamma_dot && HAS_scale) || (HAS_residual_dot && HAS_scale) || (HAS_scale && HAS_scale_dot) || (HAS_scale && HAS_x_dot), One> SCALE;
constexpr Name<FEATURES, 1, HAS_gamma_dot, Zero> GAMMA_DOT;
constexpr Name<SCALAR, 1, HAS_scale_dot, Zero> SCALE_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<ROWS_OUT, 1> H_DOT;
using Given = decltype(names(H, X_DOT, RESIDUAL_DOT, RSTD, GAMMA, SCALE, GAMMA_DOT, SCALE_DOT, Y_DOT, H_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 6, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto scale_shifted_2 = A(1) / call(SCALE);  // step 26, pass 15
    const auto scale_dot_scaled = call(SCALE_DOT) / call(SCALE);  // step 26, pass 16
    return terms(scale_shifted_2, scale_dot_scaled);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto scale_shifted_2 = get<0>(row.call);
    const auto scale_dot_scaled = get<1>(row.call);
    const auto stage_1 = row.means([&](auto at) {
      const auto h = at(H);
      const auto x_dot = at(X_DOT);
      const auto residual_dot = at(RESIDUAL_DOT);
      const auto xhat = h*rstd;  // step 4
      const auto h_dot = residual_dot + x_dot;  // step 18
      at.store(H_DOT, h_dot);
      return terms(h_dot*xhat);
    });
    const auto mean_h_dot_xhat = get<0>(stage_1);  // step 26: mean(h_dot*xhat)
    row.each([&](auto at) {
      const auto h = at(H);
      const auto x_dot = at(X_DOT);
      const auto residual_dot = at(RESIDUAL_DOT);
      const auto gamma = at(GAMMA);
      const auto gamma_dot = at(GAMMA_DOT);
      const auto xhat = h*rstd;  // step 4
      const auto h_dot = residual_dot + x_dot;  // step 18
      at.store(Y_DOT, (xhat*gamma_dot + (h_dot - xhat*mean_h_dot_xhat)*rstd*gamma - xhat*gamma*scale_dot_scaled)*scale_shifted_2);  // step 26, pass 17
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, (HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddscale && HAS_dy) || (HAS_ddx && HAS_dy), Zero> H;
constexpr Name<ROWS, 1, (HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddscale && HAS_dy) || (HAS_ddx && HAS_dy), Zero> DY;
constexpr Name<ROWS, 2, false, Zero> DH;
constexpr Name<ROWS, 3, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 4, HAS_ddresidual, Zero> DDRESIDUAL;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddscale && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma), One> GAMMA;
constexpr Name<SCALAR, 0, (HAS_ddgamma && HAS_dy && HAS_scale) || (HAS_ddresidual && HAS_dy && HAS_scale) || (HAS_ddscale && HAS_dy && HAS_scale) || (HAS_ddx && HAS_dy && HAS_scale), One> SCALE;
constexpr Name<FEATURES, 1, HAS_ddgamma && HAS_dy, Zero> DDGAMMA;
constexpr Name<SCALAR, 1, HAS_ddscale && HAS_dy, Zero> DDSCALE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DRESIDUAL;
constexpr Name<ROWS_OUT, 2, HAS_dy> DDY;
constexpr Name<ROWS_OUT, 3, HAS_dh> DDH;
constexpr Name<OVER_ROWS, 0, HAS_ddgamma && HAS_dy && HAS_scale> SUM_ROWS_DY_XHAT;
constexpr Name<OVER_ROWS, 1, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddscale && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma)> D2GAMMA_ROWS;
constexpr Name<OVER_ALL, 0, HAS_ddscale && HAS_dy && HAS_scale> SUM_ROWS_PRODUCT;
constexpr Name<OVER_ALL, 1, (HAS_ddresidual && HAS_dy && HAS_scale) || (HAS_ddx && HAS_dy && HAS_scale)> D2SCALE_ROWS;
using Given = decltype(names(H, DY, DH, DDX, DDRESIDUAL, RSTD, GAMMA, SCALE, DDGAMMA, DDSCALE, DX, DRESIDUAL, DDY, DDH, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(SUM_ROWS_DY_XHAT, D2GAMMA_ROWS, SUM_ROWS_PRODUCT, D2SCALE_ROWS)), 5, 0, 16, 2> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto scale_shifted_2 = A(1) / call(SCALE);  // step 27, pass 18
    const auto ddscale_scaled = call(DDSCALE) / (call(SCALE)*call(SCALE));  // step 48, pass 19
    const auto ddscale_scaled_2 = call(DDSCALE) / call(SCALE);  // step 64, pass 20
    return terms(scale_shifted_2, ddscale_scaled, ddscale_scaled_2);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto scale = row(SCALE);
    const auto ddscale = row(DDSCALE);
    const auto scale_shifted_2 = get<0>(row.call);
    const auto ddscale_scaled = get<1>(row.call);
    const auto ddscale_scaled_2 = get<2>(row.call);
    const auto stage_1 = row.means([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = h*rstd;  // step 4
      const auto g = dy*gamma*scale_shifted_2;  // step 27, pass 21
      const auto ddh = ddresidual + ddx;  // step 32
      at.over_rows(SUM_ROWS_DY_XHAT, dy*xhat);  // step 34: sum_rows_dy_xhat
      at.store(DDH, ddh);
      return terms(wanted<(HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(g*xhat), wanted<HAS_ddscale && HAS_dy>(dy*xhat*gamma), wanted<(HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(ddh*xhat), ddh*g, dy*xhat*ddgamma);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 28: mean(g*xhat)
    const auto mean_dy_gamma_xhat = get<1>(stage_1);  // step 29: mean(gamma*dy*xhat)
    const auto mean_ddh_xhat = get<2>(stage_1);  // step 54: mean(ddh*xhat)
    const auto mean_ddh_g = get<3>(stage_1);  // step 48: mean(ddh*g)
    const auto mean_ddgamma_dy_xhat = get<4>(stage_1);  // step 48: mean(ddgamma*dy*xhat)
    const auto mean_dy_gamma_xhat_scaled = mean_dy_gamma_xhat*row.D;  // step 35, pass 22
    const auto mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 48, pass 23
    const auto mean_ddgamma_dy_xhat_scaled = mean_ddgamma_dy_xhat / scale;  // step 48, pass 24
    const auto mean_dy_gamma_xhat_scaled_2 = mean_dy_gamma_xhat*ddscale / (scale*scale);  // step 48, pass 25
    row.over_rows(SUM_ROWS_PRODUCT, mean_dy_gamma_xhat_scaled);  // step 35, pass 26: sum_rows_product
    const auto stage_2 = row.sums([&](auto at) {
      const auto h = at(H);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto gamma = at(GAMMA);
      const auto ddgamma = at(DDGAMMA);
      const auto xhat = h*rstd;  // step 4
      const auto g = dy*gamma*scale_shifted_2;  // step 27, pass 21
      const auto ddh = ddresidual + ddx;  // step 32
      const auto dg = (ddh - xhat*mean_ddh_xhat)*rstd;  // step 54
      const auto d2x = (xhat*mean_dy_gamma_xhat_scaled_2 + dy*ddgamma*scale_shifted_2 + ((xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat - xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd - xhat*mean_ddgamma_dy_xhat_scaled - dy*gamma*ddscale_scaled)*rstd;  // step 48, pass 27
      at.over_rows(D2GAMMA_ROWS, (dg - xhat*ddscale / scale)*dy);  // step 57, pass 29: d2gamma_rows
      at.store(DX, d2x);
      at.store(DRESIDUAL, d2x);
      at.store(DDY, (xhat*ddgamma + dg*gamma - xhat*gamma*ddscale_scaled_2)*scale_shifted_2);  // step 64, pass 28
      return terms(wanted<(HAS_ddresidual && HAS_dy && HAS_scale) || (HAS_ddx && HAS_dy && HAS_scale)>(dg*dy*gamma));
    });
    const auto sum_dg_dy_gamma = get<0>(stage_2);  // step 60: sum(gamma*dg*dy)
    row.over_rows(D2SCALE_ROWS, sum_dg_dy_gamma);  // step 60, pass 30: d2scale_rows
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> GAMMA;
constexpr Name<SCALAR, 0, (HAS_ddgamma && HAS_dy && HAS_scale) || (HAS_ddresidual && HAS_dy && HAS_scale) || (HAS_ddscale && HAS_dy && HAS_scale) || (HAS_ddx && HAS_dy && HAS_scale), One> SCALE;
constexpr Name<FEATURES, 1, HAS_ddgamma && HAS_dy, Zero> DDGAMMA;
constexpr Name<SCALAR, 1, HAS_ddscale && HAS_dy, Zero> DDSCALE;
constexpr Name<FEATURES_OUT, 0, HAS_gamma> OUT_DGAMMA;
constexpr Name<SCALARS_OUT, 0, HAS_scale> OUT_DSCALE;
using Given = decltype(names(WORKSPACE, BLOCKS, GAMMA, SCALE, DDGAMMA, DDSCALE, OUT_DGAMMA, OUT_DSCALE, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 0> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    using A = typename Call::A;
    const auto columns_1 = call.sums([&](auto at) { return terms(wanted<HAS_ddgamma && HAS_dy && HAS_scale>(at(DDGAMMA)*at(SUM_ROWS_DY_XHAT))); });
    const auto sum_ddgamma_sum_rows_dy_xhat = get<0>(columns_1);  // step 60: sum(ddgamma*sum_rows_dy_xhat)
    const auto d2scale = (A(2)*call(DDSCALE)*call(SUM_ROWS_PRODUCT) / call(SCALE) - call(D2SCALE_ROWS) - sum_ddgamma_sum_rows_dy_xhat) / (call(SCALE)*call(SCALE));  // step 60, pass 32
    call.each([&](auto at) {
      at.store(OUT_DGAMMA, at(D2GAMMA_ROWS) / call(SCALE));  // step 57, pass 31
    });
    call.store(OUT_DSCALE, d2scale);
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
