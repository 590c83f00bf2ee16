// Root-mean-square normalization with a weight that is learned as its distance from one.
// Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
// definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     y = xhat*(1 + w)
// backward:
//     g = dy*(1 + w)
//     dx = rstd*(g - xhat*mean(g*xhat))
//     dw = sum_rows(dy*xhat)
// jvp:
//     y_dot = w_dot*xhat + rstd*(1 + w)*(x_dot - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = dy*(1 + w)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - xhat*mean(ddx*xhat))
//     d2x = rstd*(ddw*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddw*dy*xhat))
//     d2w = sum_rows(dg*dy)
//     ddy = ddw*xhat + dg*(1 + w)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddw = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddw);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_w = LNGEN_UNDEFINED(LNGEN_WITHOUT_w);
constexpr bool HAS_w_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_w_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<FEATURES, 0, HAS_w, Zero> W;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(X, W, EPS, Y, RSTD, ROW_COUNT, D));

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
      const auto w = at(W);
      const auto w_shifted = w + A(1);  // step 4, pass 1
      const auto xhat = x*rstd;  // step 3
      at.store(Y, xhat*w_shifted);  // step 4, pass 2
    });
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_w, Zero> W;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ROWS, 0, HAS_w> DW;
using Given = decltype(names(X, DY, RSTD, W, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DW)), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto w = at(W);
      const auto w_shifted_2 = w + A(1);  // step 5, pass 3
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*w_shifted_2;  // step 5, pass 4
      at.over_rows(DW, dy*xhat);  // step 12: dw
      return terms(g*xhat);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 11: mean(g*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto w = at(W);
      const auto w_shifted_2 = w + A(1);  // step 5, pass 3
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*w_shifted_2;  // step 5, pass 4
      at.store(DX, (g - xhat*mean_g_xhat)*rstd);  // step 11
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, Zero> W;
constexpr Name<FEATURES_OUT, 0, HAS_w> OUT_DW;
using Given = decltype(names(WORKSPACE, BLOCKS, W, OUT_DW, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) { at.store(OUT_DW, at(DW)); });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_w_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_w && HAS_x_dot, Zero> W;
constexpr Name<FEATURES, 1, HAS_w_dot, Zero> W_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, RSTD, W, W_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto xhat = x*rstd;  // step 3
      return terms(x_dot*xhat);
    });
    const auto mean_x_dot_xhat = get<0>(stage_1);  // step 19: mean(x_dot*xhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto w = at(W);
      const auto w_dot = at(W_DOT);
      const auto w_shifted_2 = w + A(1);  // step 19, pass 9
      const auto xhat = x*rstd;  // step 3
      at.store(Y_DOT, xhat*w_dot + (x_dot - xhat*mean_x_dot_xhat)*rstd*w_shifted_2);  // step 19, pass 10
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddw || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddw || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<FEATURES, 0, HAS_ddx && HAS_w, Zero> W;
constexpr Name<FEATURES, 1, HAS_ddw, Zero> DDW;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ROWS, 0, HAS_ddx && HAS_w> D2W;
using Given = decltype(names(X, DY, DDX, RSTD, W, DDW, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2W)), 4, 0, 6, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto w = at(W);
      const auto ddw = at(DDW);
      const auto w_shifted_2 = w + A(1);  // step 20, pass 11
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*w_shifted_2;  // step 20, pass 12
      return terms(wanted<HAS_ddx>(g*xhat), ddx*xhat, ddx*g, dy*xhat*ddw);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 21: mean(g*xhat)
    const auto mean_ddx_xhat = get<1>(stage_1);  // step 37: mean(ddx*xhat)
    const auto mean_ddx_g = get<2>(stage_1);  // step 32: mean(ddx*g)
    const auto mean_ddw_dy_xhat = get<3>(stage_1);  // step 32: mean(ddw*dy*xhat)
    const auto mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 32, pass 13
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto w = at(W);
      const auto ddw = at(DDW);
      const auto w_shifted_2 = w + A(1);  // step 20, pass 11
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*w_shifted_2;  // step 20, pass 12
      const auto dg = (ddx - xhat*mean_ddx_xhat)*rstd;  // step 37
      at.over_rows(D2W, dg*dy);  // step 38: d2w
      at.store(DX, (dy*ddw + ((xhat*mean_g_xhat_scaled - g)*mean_ddx_xhat - xhat*mean_ddx_g - ddx*mean_g_xhat)*rstd - xhat*mean_ddw_dy_xhat)*rstd);  // step 32, pass 14
      at.store(DDY, xhat*ddw + dg*w_shifted_2);  // step 41, pass 15
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, Zero> W;
constexpr Name<FEATURES, 1, false, Zero> DDW;
constexpr Name<FEATURES_OUT, 0, HAS_w> OUT_DW;
using Given = decltype(names(WORKSPACE, BLOCKS, W, DDW, OUT_DW, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) { at.store(OUT_DW, at(D2W)); });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
