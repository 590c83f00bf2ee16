// Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.
// Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
// Do not edit; edit cispo.py and run: lngen derive cispo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
//
// forward:
//     m_2 = max(x)
//     exp_shifted = exp(x - m_2)
//     Z = sum(exp_shifted)
//     sum_where_x = sum(where(index() == label, x, 0))
//     log_Z = log(Z)
//     exp_log_Z_m_2 = exp(sum_where_x - old - m_2 - log_Z)
//     ratio = stop_gradient(where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2))
//     y = -advantage*ratio*(sum_where_x - m_2 - log_Z)
// backward:
//     p = exp_shifted/Z
//     dx = advantage*dy*ratio*p + where(index() == label, -advantage*dy*ratio, 0)
// jvp:
//     p = exp_shifted/Z
//     y_dot = D*advantage*ratio*(mean(p*x_dot) - mean(where(index() == label, x_dot, 0)))
// backward_backward:
//     p = exp_shifted/Z
//     d2x = advantage*dy*ratio*p*(ddx - sum(ddx*p))
//     ddy = advantage*ratio*sum(ddx*p) + sum(where(index() == label, -advantage*ratio*ddx, 0))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<ROW_NUMBERS, 0> ADVANTAGE;
constexpr Name<ROW_NUMBERS, 1> OLD;
constexpr Name<NUMBER, 0> HIGH;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M_2_;
constexpr Name<SAVED_OUT, 1> Z_2;
constexpr Name<SAVED_OUT, 2> RATIO;
using Given = decltype(names(X, LABEL, ADVANTAGE, OLD, HIGH, Y, M_2_, Z_2, RATIO, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 12, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto label = row(LABEL);
    const auto high = row(HIGH);
    const auto [stage_1, stage_2] = row.template max_and_sums<0, 1>(
        [&](auto at) {
          using A = typename decltype(at)::A;
          const auto x = at(X);
          return terms(max_of(x), choose<A>(at.index() == label, x, A(0)));
        },
        [&](auto at, auto m_2) {
          const auto x_shifted = at(X) - m_2;  // step 3
          const auto exp_shifted = math::exp(x_shifted);  // step 4
          return terms(exp_shifted);
        });
    const auto m_2 = finite_or_zero(get<0>(stage_1));  // step 2: max(x)
    const auto sum_where_x = get<1>(stage_1);  // step 6: sum(Where(Eq(index(), label), x, 0))
    const auto sum_where_x_shifted = sum_where_x - m_2;  // step 6, pass 1
    const auto Z = get<0>(stage_2);  // step 5: sum(exp_shifted)
    const auto log_Z = math::log(Z);  // step 7
    const auto exp_log_Z_m_2 = math::exp(sum_where_x_shifted - log_Z - row(OLD));  // step 8, pass 2
    const auto ratio = choose<A>(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2);  // step 9
    const auto y = -(sum_where_x_shifted - log_Z)*row(ADVANTAGE)*ratio;  // step 10, pass 3
    row.store(Y, y);
    row.save(M_2_, m_2);
    row.save(Z_2, Z);
    row.save(RATIO, ratio);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<ROW_NUMBERS, 0> ADVANTAGE;
constexpr Name<ROW_NUMBERS, 1> DY;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> RATIO;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, LABEL, ADVANTAGE, DY, M_2_, Z_2, RATIO, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 8, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m_2 = row(M_2_), ratio = row(RATIO);
    const auto label = row(LABEL);
    const auto advantage = row(ADVANTAGE);
    const auto dy = row(DY);
    const auto advantage_scaled = advantage*dy*ratio / row(Z_2);  // step 24, pass 4
    const auto advantage_scaled_2 = advantage*dy*ratio;  // step 24, pass 5
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_shifted = at(X) - m_2;  // step 3
      const auto exp_shifted = math::exp(x_shifted);  // step 4
      at.store(DX, exp_shifted*advantage_scaled + choose<A>(at.index() == label, -A(advantage_scaled_2), A(0)));  // step 24, pass 6
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROW_INTEGERS, 0, HAS_x_dot, Zero> LABEL;
constexpr Name<ROW_NUMBERS, 0, HAS_x_dot, Zero> ADVANTAGE;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> RATIO;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, LABEL, ADVANTAGE, X_DOT, M_2_, Z_2, RATIO, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 8, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m_2 = row(M_2_);
    const auto label = row(LABEL);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m_2;  // step 3
      const auto exp_shifted = math::exp(x_shifted);  // step 4
      return terms(choose<A>(at.index() == integer(label), x_dot, A(0)), exp_shifted*x_dot);
    });
    const auto mean_index_x_dot = get<0>(stage_1);  // step 34, pass 7: mean(Where(Eq(index(), label), x_dot, 0))
    const auto mean_exp_shifted_x_dot = get<1>(stage_1);  // step 34, pass 8: mean(exp_shifted*x_dot)
    const auto y_dot = (mean_exp_shifted_x_dot / row(Z_2) - mean_index_x_dot)*row(ADVANTAGE)*row(RATIO)*row.D;  // step 34, pass 9
    row.store(Y_DOT, y_dot);
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROW_INTEGERS, 0, HAS_ddx, Zero> LABEL;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx, Zero> ADVANTAGE;
constexpr Name<ROW_NUMBERS, 1, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> RATIO;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
using Given = decltype(names(X, LABEL, ADVANTAGE, DY, DDX, M_2_, Z_2, RATIO, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 12, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m_2 = row(M_2_), Z = row(Z_2), ratio = row(RATIO);
    const auto label = row(LABEL);
    const auto advantage = row(ADVANTAGE);
    const auto advantage_scaled = advantage*row(DY)*ratio / Z;  // step 45, pass 10
    const auto advantage_scaled_2 = advantage*ratio;  // step 47, pass 11
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 3
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 4
      return terms(ddx*exp_shifted, choose<A>(at.index() == integer(label), -ddx*advantage_scaled_2, A(0)));
    });
    const auto sum_ddx_exp_shifted = get<0>(stage_2);  // step 45, pass 12: sum(ddx*exp_shifted)
    const auto sum_ddx_index = get<1>(stage_2);  // step 47, pass 13: sum(Where(Eq(index(), label), -advantage_scaled_2*ddx, 0))
    const auto sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z;  // step 45, pass 14
    const auto ddy = sum_ddx_index + advantage*ratio*sum_ddx_exp_shifted / Z;  // step 47, pass 15
    row.store(DDY, ddy);
    row.each([&](auto at) {
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 3
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 4
      at.store(DX, (ddx - sum_ddx_exp_shifted_scaled)*exp_shifted*advantage_scaled);  // step 45, pass 16
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
