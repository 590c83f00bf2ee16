// Root-mean-square normalization with a scale and a shift for each sample.
// Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
// definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     y = shift + xhat*(1 + scale)
// backward:
//     g = dy*(1 + scale)
//     dx = rstd*(g - xhat*mean(g*xhat))
//     dscale = sum(dy*xhat, "...")
//     dshift = sum(dy, "...")
// jvp:
//     y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = dy*(1 + scale)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - xhat*mean(ddx*xhat))
//     d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
//     d2scale = sum(dg*dy, "...")
//     d2shift = sum(0, "...")
//     ddy = ddshift + ddscale*xhat + dg*(1 + scale)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddscale = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddscale);
constexpr bool HAS_ddshift = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddshift);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_scale = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale);
constexpr bool HAS_scale_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale_dot);
constexpr bool HAS_shift = LNGEN_UNDEFINED(LNGEN_WITHOUT_shift);
constexpr bool HAS_shift_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_shift_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1, HAS_scale, Zero> SCALE;
constexpr Name<ROWS, 2, HAS_shift, Zero> SHIFT;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(X, SCALE, SHIFT, EPS, Y, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      return terms(x*x);
    });
    const auto ms = get<0>(stage_1);  // step 1: mean(x**2)
    const auto rstd = math::rsqrt(ms + row(EPS));  // step 2
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto shift = at(SHIFT);
      const auto xhat = x*rstd;  // step 3
      at.store(Y, shift + (scale + A(1))*xhat);  // step 4
    });
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1, HAS_scale, Zero> SCALE;
constexpr Name<ROWS, 2> DY;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1, HAS_scale> DSCALE;
constexpr Name<ROWS_OUT, 2, HAS_shift> DSHIFT;
using Given = decltype(names(X, SCALE, DY, RSTD, DX, DSCALE, DSHIFT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*(scale + A(1));  // step 5
      at.store(DSCALE, dy*xhat);  // step 12
      at.store(DSHIFT, dy);  // step 13
      return terms(g*xhat);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 11: mean(g*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*(scale + A(1));  // step 5
      at.store(DX, (g - xhat*mean_g_xhat)*rstd);  // step 11
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_scale_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_scale && HAS_x_dot, Zero> SCALE;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 3, HAS_scale_dot, Zero> SCALE_DOT;
constexpr Name<ROWS, 4, HAS_shift_dot, Zero> SHIFT_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, SCALE, X_DOT, SCALE_DOT, SHIFT_DOT, RSTD, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto xhat = x*rstd;  // step 3
      return terms(x_dot*xhat);
    });
    const auto mean_x_dot_xhat = get<0>(stage_1);  // step 20: mean(x_dot*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto x_dot = at(X_DOT);
      const auto scale_dot = at(SCALE_DOT);
      const auto shift_dot = at(SHIFT_DOT);
      const auto xhat = x*rstd;  // step 3
      at.store(Y_DOT, shift_dot + scale_dot*xhat + (x_dot - xhat*mean_x_dot_xhat)*(scale + A(1))*rstd);  // step 20
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddscale || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx && HAS_scale, Zero> SCALE;
constexpr Name<ROWS, 2, HAS_ddscale || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 4, HAS_ddscale, Zero> DDSCALE;
constexpr Name<ROWS, 5, HAS_ddshift, Zero> DDSHIFT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1, HAS_scale> DSCALE;
constexpr Name<ROWS_OUT, 2, HAS_shift> DSHIFT;
constexpr Name<ROWS_OUT, 3> DDY;
using Given = decltype(names(X, SCALE, DY, DDX, DDSCALE, DDSHIFT, RSTD, DX, DSCALE, DSHIFT, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 0, 7, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*(scale + A(1));  // step 21
      at.store(DSHIFT, A(0));  // step 39
      return terms(wanted<HAS_ddx>(g*xhat), ddx*xhat, ddx*g);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 22: mean(g*xhat)
    const auto mean_ddx_xhat = get<1>(stage_1);  // step 37: mean(ddx*xhat)
    const auto mean_ddx_g = get<2>(stage_1);  // step 32: mean(ddx*g)
    const auto mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 25, pass 1
    const auto mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 32, pass 2
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddscale = at(DDSCALE);
      const auto ddshift = at(DDSHIFT);
      const auto xhat = x*rstd;  // step 3
      const auto dg = (ddx - xhat*mean_ddx_xhat)*rstd;  // step 37
      const auto d2xhat_part = ddscale*dy - ddx*mean_g_xhat_scaled;  // step 25, pass 3
      at.store(DSCALE, dg*dy);  // step 38
      at.store(DDY, ddshift + ddscale*xhat + dg*(scale + A(1)));  // step 43
      return terms(d2xhat_part*xhat);
    });
    const auto mean_d2xhat_part_xhat = get<0>(stage_2);  // step 32: mean(d2xhat_part*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddscale = at(DDSCALE);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*(scale + A(1));  // step 21
      const auto d2xhat_part = ddscale*dy - ddx*mean_g_xhat_scaled;  // step 25, pass 3
      at.store(DX, (d2xhat_part + ((xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - xhat*mean_d2xhat_part_xhat)*rstd);  // step 32, pass 4
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
