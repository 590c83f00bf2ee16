// Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.
// Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
// definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
//
// forward:
//     m = max(x)
//     largest = where(m > sink, m, sink)
//     e_shifted = exp(x - largest)
//     Z = sum(e_shifted)
//     exp_largest_sink = exp(sink - largest)
//     scale = 1/(Z + exp_largest_sink)
//     y = scale*e_shifted
// backward:
//     dx = y*(dy - sum(dy*y))
//     dsink = sum(-exp_largest_sink*scale*sum(dy*y), "b q")
// jvp:
//     y_dot = y*(x_dot - exp_largest_sink*scale*sink_dot - sum(x_dot*y))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     dmean_dy_y = sum(-D*ddx*y) - D*ddsink*exp_largest_sink*scale
//     d2y = dmean_dy_y*dy/D + ddx*(dy - D*mean_dy_y)
//     d2scale = sum(d2y*e_shifted) - D*ddsink*exp_largest_sink*mean_dy_y
//     d2exp_largest_sink = -d2scale*scale**2 - D*ddsink*mean_dy_y*scale
//     d2Z = -d2scale*scale**2
//     d2e_shifted = scale*d2y + d2Z
//     d2x = d2e_shifted*e_shifted
//     d2sink = sum(d2exp_largest_sink*exp_largest_sink, "b q")
//     ddy = ddx*y + dmean_dy_y*y/D

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddsink = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddsink);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_sink = LNGEN_UNDEFINED(LNGEN_WITHOUT_sink);
constexpr bool HAS_sink_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_sink_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS, 0, HAS_sink, Zero> SINK;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> EXP_LARGEST_SINK;
constexpr Name<SAVED_OUT, 1> SCALE;
constexpr Name<KEPT, 0> KEPT_E_SHIFTED;
using Given = decltype(names(X, SINK, Y, EXP_LARGEST_SINK, SCALE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 6, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto sink = row(SINK);
    const auto stage_1 = row.reduce([&](auto at) { return terms(max_of(at(X))); });
    const auto m = get<0>(stage_1);  // step 1: max(x)
    const auto largest = choose<A>(m > A(sink), m, sink);  // step 2
    const auto exp_largest_sink = math::exp(sink - largest);  // step 6
    const auto stage_2 = row.sums([&](auto at) {
      const auto x_shifted = at(X) - largest;  // step 3
      const auto e_shifted = at.keep(KEPT_E_SHIFTED, math::exp(x_shifted));  // step 4
      return terms(e_shifted);
    });
    const auto Z = get<0>(stage_2);  // step 5: sum(e_shifted)
    const auto scale = A(1) / (Z + exp_largest_sink);  // step 7
    row.each([&](auto at) {
      const auto x_shifted = at(X) - largest;  // step 3
      const auto e_shifted = at.recall(KEPT_E_SHIFTED, [&] { return math::exp(x_shifted); });  // step 4
      at.store(Y, e_shifted*scale);  // step 8
    });
    row.save(EXP_LARGEST_SINK, exp_largest_sink);
    row.save(SCALE, scale);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> Y;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> EXP_LARGEST_SINK;
constexpr Name<SAVED, 1> SCALE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_sink> DSINK;
using Given = decltype(names(Y, DY, EXP_LARGEST_SINK, SCALE, DX, DSINK, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 4, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.sums([&](auto at) {
      const auto y = at(Y);
      const auto dy = at(DY);
      return terms(dy*y);
    });
    const auto sum_dy_y = get<0>(stage_1);  // step 18: sum(dy*y)
    const auto dsink = -row(EXP_LARGEST_SINK)*row(SCALE)*sum_dy_y;  // step 22
    row.store(DSINK, dsink);
    row.each([&](auto at) {
      const auto y = at(Y);
      const auto dy = at(DY);
      at.store(DX, (dy - sum_dy_y)*y);  // step 18
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_sink_dot || HAS_x_dot, Zero> Y;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROW_NUMBERS, 0, HAS_sink_dot, Zero> SINK_DOT;
constexpr Name<SAVED, 0> EXP_LARGEST_SINK;
constexpr Name<SAVED, 1> SCALE;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(Y, X_DOT, SINK_DOT, EXP_LARGEST_SINK, SCALE, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto exp_largest_sink_scaled = row(EXP_LARGEST_SINK)*row(SCALE)*row(SINK_DOT);  // step 30, pass 1
    const auto stage_2 = row.sums([&](auto at) {
      const auto y = at(Y);
      const auto x_dot = at(X_DOT);
      return terms(x_dot*y);
    });
    const auto sum_x_dot_y = get<0>(stage_2);  // step 30: sum(x_dot*y)
    row.each([&](auto at) {
      const auto y = at(Y);
      const auto x_dot = at(X_DOT);
      at.store(Y_DOT, (x_dot - exp_largest_sink_scaled - sum_x_dot_y)*y);  // step 30, pass 2
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROW_NUMBERS, 0, (HAS_ddsink && HAS_sink) || (HAS_ddx && HAS_sink), Zero> SINK;
constexpr Name<ROWS, 0, HAS_ddsink || HAS_ddx, Zero> Y;
constexpr Name<ROWS, 1, HAS_ddsink || HAS_ddx, Zero> X;
constexpr Name<ROWS, 2, HAS_ddsink || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddx, Zero> DDX;
constexpr Name<ROW_NUMBERS, 1, HAS_ddsink, Zero> DDSINK;
constexpr Name<SAVED, 0> EXP_LARGEST_SINK;
constexpr Name<SAVED, 1> SCALE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0, HAS_sink> DSINK;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<KEPT, 0> KEPT_E_SHIFTED;
using Given = decltype(names(SINK, Y, X, DY, DDX, DDSINK, EXP_LARGEST_SINK, SCALE, DX, DSINK, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 1, 16, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto exp_largest_sink = row(EXP_LARGEST_SINK), scale = row(SCALE);
    const auto sink = row(SINK);
    const auto ddsink = row(DDSINK);
    const auto stage_1 = row.reduce([&](auto at) {
      const auto y = at(Y);
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      return terms(max_of(wanted<HAS_ddsink || HAS_ddx>(x)), wanted<HAS_ddsink || HAS_ddx>(dy*y), -ddx*y*row.D);
    });
    const auto m = get<0>(stage_1);  // step 1: max(x)
    const auto mean_dy_y = math::quotient(get<1>(stage_1), row.D);  // step 31: mean(dy*y)
    const auto sum_ddx_y = get<2>(stage_1);  // step 34: sum(-ddx*y*D)
    const auto largest = choose<A>(A(m) > A(sink), m, sink);  // step 2
    const auto dmean_dy_y = sum_ddx_y - ddsink*exp_largest_sink*scale*row.D;  // step 34
    const auto mean_dy_y_scaled = mean_dy_y*row.D;  // step 35, pass 3
    const auto dmean_dy_y_scaled = math::quotient(dmean_dy_y, row.D);  // step 35, pass 4
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto y = at(Y);
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - largest;  // step 3
      const auto e_shifted = at.keep(KEPT_E_SHIFTED, math::exp(A(x_shifted)));  // step 4
      const auto d2y = dy*dmean_dy_y_scaled + (dy - mean_dy_y_scaled)*ddx;  // step 35, pass 5
      at.store(DDY, ddx*y + y*dmean_dy_y_scaled);  // step 46, pass 6
      return terms(d2y*e_shifted);
    });
    const auto sum_d2y_e_shifted = get<0>(stage_2);  // step 36: sum(d2y*e_shifted)
    const auto d2scale = sum_d2y_e_shifted - ddsink*exp_largest_sink*mean_dy_y*row.D;  // step 36
    const auto d2exp_largest_sink = -d2scale*(scale*scale) - ddsink*mean_dy_y*scale*row.D;  // step 43
    const auto d2Z = -d2scale*(scale*scale);  // step 38
    const auto d2sink = d2exp_largest_sink*exp_largest_sink;  // step 45
    row.store(DSINK, d2sink);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - largest;  // step 3
      const auto e_shifted = at.recall(KEPT_E_SHIFTED, [&] { return math::exp(A(x_shifted)); });  // step 4
      const auto d2y = dy*dmean_dy_y_scaled + (dy - mean_dy_y_scaled)*ddx;  // step 35, pass 5
      const auto d2e_shifted = d2y*scale + d2Z;  // step 39
      at.store(DX, d2e_shifted*e_shifted);  // step 41
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
