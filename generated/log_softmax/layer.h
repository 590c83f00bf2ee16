// The logarithm of softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
// definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
//
// forward:
//     m = max(x)
//     exp_shifted = exp(x - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     y = x - m - log_Z
// backward:
//     p = exp_shifted/Z
//     dx = dy - p*sum(dy)
// jvp:
//     p = exp_shifted/Z
//     log_Z_dot = sum(p*x_dot)
//     y_dot = x_dot - log_Z_dot
// backward_backward:
//     mean_dy = mean(dy)
//     p = exp_shifted/Z
//     d2x = D*mean_dy*p*(sum(ddx*p) - ddx)
//     ddy = ddx - sum(ddx*p)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> Z_2;
using Given = decltype(names(X, Y, M, Z_2, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 3, 1> {
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
    row.each([&](auto at) {
      const auto x_shifted = at(X) - m;  // step 2
      at.store(Y, x_shifted - log_Z);  // step 6
    });
    row.save(M, m);
    row.save(Z_2, Z);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, DY, M, Z_2, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 4, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M);
    const auto stage_1 = row.sums([&](auto at) { return terms(at(DY)); });
    const auto sum_dy = get<0>(stage_1);  // step 21, pass 1: sum(dy)
    const auto sum_dy_scaled = sum_dy / row(Z_2);  // step 21, pass 2
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      at.store(DX, dy - exp_shifted*sum_dy_scaled);  // step 21, pass 3
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
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, M, Z_2, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 4, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      return terms(exp_shifted*x_dot);
    });
    const auto sum_exp_shifted_x_dot = get<0>(stage_1);  // step 28, pass 4: sum(exp_shifted*x_dot)
    const auto log_Z_dot = sum_exp_shifted_x_dot / row(Z_2);  // step 28, pass 5
    row.each([&](auto at) {
      at.store(Y_DOT, at(X_DOT) - log_Z_dot);  // step 29
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
using Given = decltype(names(X, DY, DDX, M, Z_2, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 6, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), Z = row(Z_2);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 3
      return terms(wanted<HAS_ddx>(dy), ddx*exp_shifted);
    });
    const auto mean_dy = math::quotient(get<0>(stage_1), row.D);  // step 30: mean(dy)
    const auto sum_ddx_exp_shifted = get<1>(stage_1);  // step 40, pass 6: sum(ddx*exp_shifted)
    const auto mean_dy_scaled = mean_dy*row.D / Z;  // step 40, pass 7
    const auto sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z;  // step 40, pass 8
    row.each([&](auto at) {
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      at.store(DX, exp_shifted*(sum_ddx_exp_shifted_scaled - ddx)*mean_dy_scaled);  // step 40, pass 9
      at.store(DDY, ddx - sum_ddx_exp_shifted_scaled);  // step 45, pass 10
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
