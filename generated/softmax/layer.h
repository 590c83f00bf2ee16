// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
//
// forward:
//     m = max(x)
//     e_shifted = exp(x - m)
//     Z = sum(e_shifted)
//     inv_Z = 1/Z
//     y = inv_Z*e_shifted
// backward:
//     dx = y*(dy - sum(dy*y))
// jvp:
//     y_dot = y*(x_dot - sum(x_dot*y))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     d2y_part = ddx*(dy - D*mean_dy_y)
//     d2x = y*(d2y_part + D*(mean(ddx*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
//     ddy = y*(ddx - sum(ddx*y))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<KEPT, 0> KEPT_E_SHIFTED;
using Given = decltype(names(X, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 3, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto [stage_1, stage_2] = row.template max_and_sums<0, 1>(
        [&](auto at) { return terms(max_of(at(X))); },
        [&](auto at, auto m) {
          const auto x_shifted = at(X) - m;  // step 2
          const auto e_shifted = at.keep(KEPT_E_SHIFTED, math::exp(x_shifted));  // step 3
          return terms(e_shifted);
        });
    const auto m = finite_or_zero(get<0>(stage_1));  // step 1: max(x)
    const auto Z = get<0>(stage_2);  // step 4: sum(e_shifted)
    const auto inv_Z = A(1) / Z;  // step 5
    row.each([&](auto at) {
      const auto x_shifted = at(X) - m;  // step 2
      const auto e_shifted = at.recall(KEPT_E_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      at.store(Y, e_shifted*inv_Z);  // step 6
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> Y;
constexpr Name<ROWS, 1> DY;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(Y, DY, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.sums([&](auto at) {
      const auto y = at(Y);
      const auto dy = at(DY);
      return terms(dy*y);
    });
    const auto sum_dy_y = get<0>(stage_1);  // step 18: sum(dy*y)
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

constexpr Name<ROWS, 0, HAS_x_dot, Zero> Y;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(Y, X_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.sums([&](auto at) {
      const auto y = at(Y);
      const auto x_dot = at(X_DOT);
      return terms(x_dot*y);
    });
    const auto sum_x_dot_y = get<0>(stage_1);  // step 25: sum(x_dot*y)
    row.each([&](auto at) {
      const auto y = at(Y);
      const auto x_dot = at(X_DOT);
      at.store(Y_DOT, (x_dot - sum_x_dot_y)*y);  // step 25
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> Y;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
using Given = decltype(names(Y, DY, DDX, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto y = at(Y);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      return terms(wanted<HAS_ddx>(dy*y), ddx*y);
    });
    const auto mean_dy_y = get<0>(stage_1);  // step 26: mean(dy*y)
    const auto mean_ddx_y = get<1>(stage_1);  // step 38: mean(ddx*y)
    const auto mean_dy_y_scaled = mean_dy_y*row.D;  // step 28, pass 1
    const auto sum_ddx_y = mean_ddx_y*row.D;  // step 43, pass 2
    const auto stage_2 = row.means([&](auto at) {
      const auto y = at(Y);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto d2y_part = (dy - mean_dy_y_scaled)*ddx;  // step 28, pass 3
      at.store(DDY, (ddx - sum_ddx_y)*y);  // step 43
      return terms(d2y_part*y);
    });
    const auto mean_d2y_part_y = get<0>(stage_2);  // step 38: mean(d2y_part*y)
    row.each([&](auto at) {
      const auto y = at(Y);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto d2y_part = (dy - mean_dy_y_scaled)*ddx;  // step 28, pass 3
      at.store(DX, (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddx_y - mean_d2y_part_y)*row.D)*y);  // step 38, pass 4
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
