// Layer normalization with a scale and a shift for every entry, from elsewhere.
// Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
// definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
//
// forward:
//     mu = mean(x)
//     var = mean((x - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     xhat = rstd*(x - mu)
//     y = shift + xhat*(1 + scale)
// backward:
//     g = dy*(1 + scale)
//     dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
//     dscale = dy*xhat
//     dshift = dy
// jvp:
//     y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = dy*(1 + scale)
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
//     d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) - mean(d2xhat_part) - xhat*mean(d2xhat_part*xhat))
//     d2scale = dg*dy
//     d2shift = 0
//     ddy = ddshift + ddscale*xhat + dg*(1 + scale)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddscale = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddscale);
constexpr bool HAS_ddshift = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddshift);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_scale_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale_dot);
constexpr bool HAS_shift_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_shift_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> SCALE;
constexpr Name<ROWS, 2> SHIFT;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> MU;
constexpr Name<SAVED_OUT, 1> MU_RESIDUAL;
constexpr Name<SAVED_OUT, 2> RSTD;
using Given = decltype(names(X, SCALE, SHIFT, EPS, Y, MU, MU_RESIDUAL, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
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
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto shift = at(SHIFT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      at.store(Y, shift + (scale + A(1))*xhat);  // step 6
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
constexpr Name<ROWS, 1> SCALE;
constexpr Name<ROWS, 2> DY;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DSCALE;
constexpr Name<ROWS_OUT, 2> DSHIFT;
using Given = decltype(names(X, SCALE, DY, MU, MU_RESIDUAL, RSTD, DX, DSCALE, DSHIFT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 5, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*(scale + A(1));  // step 7
      at.store(DSCALE, dy*xhat);  // step 18
      at.store(DSHIFT, dy);  // step 19
      return terms(g, g*xhat);
    });
    const auto mean_g = get<0>(stage_1);  // step 17: mean(g)
    const auto mean_g_xhat = get<1>(stage_1);  // step 17: mean(g*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*(scale + A(1));  // step 7
      at.store(DX, (g - mean_g - xhat*mean_g_xhat)*rstd);  // step 17
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_scale_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> SCALE;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 3, HAS_scale_dot, Zero> SCALE_DOT;
constexpr Name<ROWS, 4, HAS_shift_dot, Zero> SHIFT_DOT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, SCALE, X_DOT, SCALE_DOT, SHIFT_DOT, MU, MU_RESIDUAL, RSTD, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 5, 1> {
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
    const auto mean_x_dot = get<0>(stage_1);  // step 28: mean(x_dot)
    const auto mean_x_dot_xhat = get<1>(stage_1);  // step 28: mean(x_dot*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto x_dot = at(X_DOT);
      const auto scale_dot = at(SCALE_DOT);
      const auto shift_dot = at(SHIFT_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      at.store(Y_DOT, shift_dot + scale_dot*xhat + (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*(scale + A(1))*rstd);  // step 28
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddscale || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx, Zero> SCALE;
constexpr Name<ROWS, 2, HAS_ddscale || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 4, HAS_ddscale, Zero> DDSCALE;
constexpr Name<ROWS, 5, HAS_ddshift, Zero> DDSHIFT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DSCALE;
constexpr Name<ROWS_OUT, 2> DSHIFT;
constexpr Name<ROWS_OUT, 3> DDY;
using Given = decltype(names(X, SCALE, DY, DDX, DDSCALE, DDSHIFT, MU, MU_RESIDUAL, RSTD, DX, DSCALE, DSHIFT, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 5, 0, 13, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*(scale + A(1));  // step 29
      at.store(DSHIFT, A(0));  // step 52
      return terms(wanted<HAS_ddx>(g), wanted<HAS_ddx>(g*xhat), ddx, ddx*xhat, ddx*g);
    });
    const auto mean_g = get<0>(stage_1);  // step 30: mean(g)
    const auto mean_g_xhat = get<1>(stage_1);  // step 31: mean(g*xhat)
    const auto mean_ddx = get<2>(stage_1);  // step 50: mean(ddx)
    const auto mean_ddx_xhat = get<3>(stage_1);  // step 50: mean(ddx*xhat)
    const auto mean_ddx_g = get<4>(stage_1);  // step 44: mean(ddx*g)
    const auto mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 34, pass 8
    const auto mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 44, pass 9
    const auto mean_ddx_scaled = mean_ddx*mean_g;  // step 44, pass 10
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddscale = at(DDSCALE);
      const auto ddshift = at(DDSHIFT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd;  // step 50
      const auto d2xhat_part = ddscale*dy - ddx*mean_g_xhat_scaled;  // step 34, pass 11
      at.store(DSCALE, dg*dy);  // step 51
      at.store(DDY, ddshift + ddscale*xhat + dg*(scale + A(1)));  // step 56
      return terms(d2xhat_part, d2xhat_part*xhat);
    });
    const auto mean_d2xhat_part = get<0>(stage_2);  // step 44: mean(d2xhat_part)
    const auto mean_d2xhat_part_xhat = get<1>(stage_2);  // step 44: mean(d2xhat_part*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddscale = at(DDSCALE);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto xhat = x_centred*rstd;  // step 5
      const auto g = dy*(scale + A(1));  // step 29
      const auto d2xhat_part = ddscale*dy - ddx*mean_g_xhat_scaled;  // step 34, pass 11
      at.store(DX, (d2xhat_part + (xhat*mean_ddx_scaled + (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - mean_d2xhat_part - xhat*mean_d2xhat_part_xhat)*rstd);  // step 44, pass 12
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
