// Root-mean-square normalization of queries or keys, with a weight for each head.
// Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
// definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     y = weight*xhat
// backward:
//     g = dy*weight
//     dx = rstd*(g - xhat*mean(g*xhat))
//     dweight = sum(dy*xhat, "b t")
// jvp:
//     y_dot = weight_dot*xhat + rstd*weight*(x_dot - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = dy*weight
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - xhat*mean(ddx*xhat))
//     d2xhat_part = ddweight*dy - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
//     d2weight = sum(dg*dy, "b t")
//     ddy = dg*weight + ddweight*xhat

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddweight = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddweight);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_weight = LNGEN_UNDEFINED(LNGEN_WITHOUT_weight);
constexpr bool HAS_weight_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_weight_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1, HAS_weight, One> WEIGHT;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(X, WEIGHT, EPS, Y, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      return terms(x*x);
    });
    const auto ms = get<0>(stage_1);  // step 1: mean(x**2)
    const auto rstd = math::rsqrt(ms + row(EPS));  // step 2
    row.each([&](auto at) {
      const auto x = at(X);
      const auto weight = at(WEIGHT);
      const auto xhat = x*rstd;  // step 3
      at.store(Y, weight*xhat);  // step 4
    });
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1, HAS_weight, One> WEIGHT;
constexpr Name<ROWS, 2> DY;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1, HAS_weight> DWEIGHT;
using Given = decltype(names(X, WEIGHT, DY, RSTD, DX, DWEIGHT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto weight = at(WEIGHT);
      const auto dy = at(DY);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*weight;  // step 5
      at.store(DWEIGHT, dy*xhat);  // step 12
      return terms(g*xhat);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 11: mean(g*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto weight = at(WEIGHT);
      const auto dy = at(DY);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*weight;  // step 5
      at.store(DX, (g - xhat*mean_g_xhat)*rstd);  // step 11
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_weight_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_weight && HAS_x_dot, One> WEIGHT;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 3, HAS_weight_dot, Zero> WEIGHT_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, WEIGHT, X_DOT, WEIGHT_DOT, RSTD, Y_DOT, ROW_COUNT, D));

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
      const auto x = at(X);
      const auto weight = at(WEIGHT);
      const auto x_dot = at(X_DOT);
      const auto weight_dot = at(WEIGHT_DOT);
      const auto xhat = x*rstd;  // step 3
      at.store(Y_DOT, weight_dot*xhat + (x_dot - xhat*mean_x_dot_xhat)*weight*rstd);  // step 19
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddweight || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx && HAS_weight, One> WEIGHT;
constexpr Name<ROWS, 2, HAS_ddweight || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 4, HAS_ddweight, Zero> DDWEIGHT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1, HAS_weight> DWEIGHT;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(X, WEIGHT, DY, DDX, DDWEIGHT, RSTD, DX, DWEIGHT, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 0, 7, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto weight = at(WEIGHT);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*weight;  // step 20
      return terms(wanted<HAS_ddx>(g*xhat), ddx*xhat, ddx*g);
    });
    const auto mean_g_xhat = get<0>(stage_1);  // step 21: mean(g*xhat)
    const auto mean_ddx_xhat = get<1>(stage_1);  // step 36: mean(ddx*xhat)
    const auto mean_ddx_g = get<2>(stage_1);  // step 31: mean(ddx*g)
    const auto mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 24, pass 1
    const auto mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 31, pass 2
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto weight = at(WEIGHT);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddweight = at(DDWEIGHT);
      const auto xhat = x*rstd;  // step 3
      const auto dg = (ddx - xhat*mean_ddx_xhat)*rstd;  // step 36
      const auto d2xhat_part = ddweight*dy - ddx*mean_g_xhat_scaled;  // step 24, pass 3
      at.store(DWEIGHT, dg*dy);  // step 37
      at.store(DDY, ddweight*xhat + dg*weight);  // step 38
      return terms(d2xhat_part*xhat);
    });
    const auto mean_d2xhat_part_xhat = get<0>(stage_2);  // step 31: mean(d2xhat_part*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto weight = at(WEIGHT);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddweight = at(DDWEIGHT);
      const auto xhat = x*rstd;  // step 3
      const auto g = dy*weight;  // step 20
      const auto d2xhat_part = ddweight*dy - ddx*mean_g_xhat_scaled;  // step 24, pass 3
      at.store(DX, (d2xhat_part + ((xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - xhat*mean_d2xhat_part_xhat)*rstd);  // step 31, pass 4
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
