// The logarithm of a row's sum of exponentials, one number a row.
// Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has its steps, cost and evidence.
// Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
// definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
//
// forward:
//     m = max(x)
//     exp_shifted = exp(x - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     y = m + log_Z
// backward:
//     p = exp_shifted/Z
//     dx = dy*p
// jvp:
//     p = exp_shifted/Z
//     y_dot = sum(p*x_dot)
// backward_backward:
//     p = exp_shifted/Z
//     dx = dy*p
//     d2x = dx*(ddx - sum(ddx*p))
//     ddy = sum(ddx*p)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> Z_2;
using Given = decltype(names(X, Y, M, Z_2, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 4, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto [stage_1, stage_2] = row.template max_and_sums<0, 1>(
        [&](auto at) { return terms(max_of(at(X))); },
        [&](auto at, auto m) {
          const auto x_shifted = at(X) - m;  // step 2
          const auto exp_shifted = math::exp(x_shifted);  // step 3
          return terms(exp_shifted);
        });
    const auto m = finite_or_zero(get<0>(stage_1));  // step 1: max(x)
    const auto Z = get<0>(stage_2);  // step 4: sum(exp_shifted)
    const auto log_Z = math::log(Z);  // step 5
    const auto y = log_Z + m;  // step 6
    row.store(Y, y);
    row.save(M, m);
    row.save(Z_2, Z);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS, 0> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, DY, M, Z_2, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 4, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M);
    const auto dy_scaled = row(DY) / row(Z_2);  // step 17, pass 1
    row.each([&](auto at) {
      const auto x_shifted = at(X) - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      at.store(DX, exp_shifted*dy_scaled);  // step 17, pass 2
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, M, Z_2, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 4, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      return terms(exp_shifted*x_dot);
    });
    const auto sum_exp_shifted_x_dot = get<0>(stage_1);  // step 25, pass 3: sum(exp_shifted*x_dot)
    const auto y_dot = sum_exp_shifted_x_dot / row(Z_2);  // step 25, pass 4
    row.store(Y_DOT, y_dot);
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
using Given = decltype(names(X, DY, DDX, M, Z_2, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 7, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), Z = row(Z_2);
    const auto dy_scaled = row(DY) / Z;  // step 28, pass 5
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 3
      return terms(ddx*exp_shifted);
    });
    const auto sum_ddx_exp_shifted = get<0>(stage_2);  // step 38, pass 6: sum(ddx*exp_shifted)
    const auto sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z;  // step 38, pass 7
    const auto ddy = sum_ddx_exp_shifted / Z;  // step 40, pass 8
    row.store(DDY, ddy);
    row.each([&](auto at) {
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      const auto dx = exp_shifted*dy_scaled;  // step 28, pass 9
      at.store(DX, (ddx - sum_ddx_exp_shifted_scaled)*dx);  // step 38, pass 10
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
