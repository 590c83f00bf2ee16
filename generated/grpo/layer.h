// Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.
// Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit grpo.py and run: lngen derive grpo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
// definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
//
// forward:
//     m_2 = max(x)
//     exp_shifted = exp(x - m_2)
//     Z = sum(exp_shifted)
//     sum_where_x = sum(where(index() == label, x, 0))
//     log_Z = log(Z)
//     ratio = exp(sum_where_x - old - m_2 - log_Z)
//     gained = where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*ratio, advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)))
//     expm1_log_Z_m_2 = expm1(reference + m_2 + log_Z - sum_where_x)
//     y = beta*(sum_where_x + expm1_log_Z_m_2 - reference - m_2 - log_Z) - gained
// backward:
//     g = exp_shifted*(beta*dy*(exp(reference + m_2 + log_Z - sum_where_x) - 1)/Z + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*ratio/Z, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*dy*ratio/Z))))
//     dx = g + where(index() == label, beta*dy + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*dy*ratio, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*dy*ratio))) - beta*dy*exp(reference + m_2 + log_Z - sum_where_x), 0)
// jvp:
//     exp_shifted_dot = exp_shifted*x_dot
//     y_dot = D*beta*(mean(where(index() == label, x_dot, 0)) + exp(reference + m_2 + log_Z - sum_where_x)*(mean(exp_shifted_dot)/Z - mean(where(index() == label, x_dot, 0))) - mean(exp_shifted_dot)/Z) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*(sum(where(index() == label, ratio*x_dot, 0)) - ratio*sum(exp_shifted_dot)/Z), where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*(sum(where(index() == label, ratio*x_dot, 0)) - ratio*sum(exp_shifted_dot)/Z))))
// backward_backward:
//     p = exp_shifted/Z
//     d2ratio = sum(where(index() == label, where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*dy*ddx, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*dy*ddx))), 0)) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*sum(ddx*p), where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*dy*sum(ddx*p))))
//     d2Z = sum(-beta*dy*ddx*exp_shifted*(exp(reference + m_2 + log_Z - sum_where_x) - 1)/Z**2) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), sum(-advantage*dy*ratio*ddx*exp_shifted/Z**2), where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, sum(-advantage*dy*ratio*ddx*exp_shifted/Z**2)))) + (sum(where(index() == label, -beta*dy*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0)) + sum(beta*dy*ddx*exp_shifted*exp(reference + m_2 + log_Z - sum_where_x)/Z) - d2ratio*ratio)/Z
//     d2x_shifted = exp_shifted*(beta*dy*ddx*(exp(reference + m_2 + log_Z - sum_where_x) - 1)/Z + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*ratio*ddx/Z, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*dy*ratio*ddx/Z))) + d2Z)
//     d2x = d2x_shifted + where(index() == label, d2ratio*ratio + sum(where(index() == label, beta*dy*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0)) - beta*dy*exp(reference + m_2 + log_Z - sum_where_x)*sum(ddx*p), 0)
//     ddy = beta*sum(ddx*p)*(exp(reference + m_2 + log_Z - sum_where_x) - 1) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*ratio*sum(ddx*p), where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*ratio*sum(ddx*p)))) + sum(where(index() == label, beta*ddx + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*ratio*ddx, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*ratio*ddx))) - beta*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0))

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
constexpr Name<ROW_NUMBERS, 2> REFERENCE;
constexpr Name<NUMBER, 0> LOW;
constexpr Name<NUMBER, 1> HIGH;
constexpr Name<NUMBER, 2> BETA;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M_2_;
constexpr Name<SAVED_OUT, 1> Z_2;
constexpr Name<SAVED_OUT, 2> LOG_Z;
constexpr Name<SAVED_OUT, 3> SUM_WHERE_X_SHIFTED;
constexpr Name<SAVED_OUT, 4> RATIO;
using Given = decltype(names(X, LABEL, ADVANTAGE, OLD, REFERENCE, LOW, HIGH, BETA, Y, M_2_, Z_2, LOG_Z, SUM_WHERE_X_SHIFTED, RATIO, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 16, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto label = row(LABEL);
    const auto advantage = row(ADVANTAGE);
    const auto reference = row(REFERENCE);
    const auto low = row(LOW);
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
    const auto ratio = math::exp(sum_where_x_shifted - log_Z - row(OLD));  // step 8, pass 2
    const auto gained = choose<A>(advantage*ratio < choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage, advantage*ratio, choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage);  // step 9
    const auto expm1_log_Z_m_2 = math::expm1(log_Z + reference - sum_where_x_shifted);  // step 10, pass 3
    const auto y = (expm1_log_Z_m_2 + sum_where_x_shifted - log_Z - reference)*row(BETA) - gained;  // step 11, pass 4
    row.store(Y, y);
    row.save(M_2_, m_2);
    row.save(Z_2, Z);
    row.save(LOG_Z, log_Z);
    row.save(SUM_WHERE_X_SHIFTED, sum_where_x_shifted);
    row.save(RATIO, ratio);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<ROW_NUMBERS, 0> ADVANTAGE;
constexpr Name<ROW_NUMBERS, 1> REFERENCE;
constexpr Name<ROW_NUMBERS, 2> DY;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<SAVED, 3> SUM_WHERE_X_SHIFTED;
constexpr Name<SAVED, 4> RATIO;
constexpr Name<NUMBER, 0> LOW;
constexpr Name<NUMBER, 1> HIGH;
constexpr Name<NUMBER, 2> BETA;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, LABEL, ADVANTAGE, REFERENCE, DY, M_2_, Z_2, LOG_Z, SUM_WHERE_X_SHIFTED, RATIO, LOW, HIGH, BETA, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 14, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), Z = row(Z_2), log_Z = row(LOG_Z), sum_where_x_shifted = row(SUM_WHERE_X_SHIFTED), ratio = row(RATIO);
    const auto label = row(LABEL);
    const auto advantage = row(ADVANTAGE);
    const auto reference = row(REFERENCE);
    const auto dy = row(DY);
    const auto low = row(LOW);
    const auto high = row(HIGH);
    const auto beta = row(BETA);
    const auto sum_where_x_shifted_shifted = dy*(math::exp(log_Z + reference - sum_where_x_shifted) - A(1))*beta / Z + choose<A>(advantage*ratio < choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage, advantage*dy*ratio / Z, choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(0), choose<A>(ratio <= A(1) - low, A(0), advantage*dy*ratio / Z)));  // step 22, pass 5
    const auto sum_where_x_shifted_shifted_2 = dy*beta + choose<A>(advantage*ratio < choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage, -advantage*dy*ratio, choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(0), choose<A>(ratio <= A(1) - low, A(0), -advantage*dy*ratio))) - dy*math::exp(log_Z + reference - sum_where_x_shifted)*beta;  // step 25, pass 6
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_shifted = at(X) - m_2;  // step 3
      const auto exp_shifted = math::exp(x_shifted);  // step 4
      const auto g = exp_shifted*sum_where_x_shifted_shifted;  // step 22, pass 7
      at.store(DX, g + choose<A>(at.index() == label, sum_where_x_shifted_shifted_2, A(0)));  // step 25, pass 8
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROW_INTEGERS, 0, HAS_x_dot, Zero> LABEL;
constexpr Name<ROW_NUMBERS, 0, HAS_x_dot, Zero> ADVANTAGE;
constexpr Name<ROW_NUMBERS, 1, HAS_x_dot, Zero> REFERENCE;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<SAVED, 3> SUM_WHERE_X_SHIFTED;
constexpr Name<SAVED, 4> RATIO;
constexpr Name<NUMBER, 0> LOW;
constexpr Name<NUMBER, 1> HIGH;
constexpr Name<NUMBER, 2> BETA;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, LABEL, ADVANTAGE, REFERENCE, X_DOT, M_2_, Z_2, LOG_Z, SUM_WHERE_X_SHIFTED, RATIO, LOW, HIGH, BETA, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 1, 16, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), Z = row(Z_2), ratio = row(RATIO);
    const auto label = row(LABEL);
    const auto advantage = row(ADVANTAGE);
    const auto low = row(LOW);
    const auto high = row(HIGH);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m_2;  // step 3
      const auto exp_shifted = math::exp(x_shifted);  // step 4
      const auto exp_shifted_dot = exp_shifted*x_dot;  // step 26
      return terms(choose<A>(at.index() == integer(label), x_dot, A(0)), exp_shifted_dot, choose<A>(at.index() == integer(label), x_dot*ratio, A(0)));
    });
    const auto mean_index_x_dot = math::quotient(get<0>(stage_1), row.D);  // step 36: mean(Where(Eq(index(), label), x_dot, 0))
    const auto mean_exp_shifted_dot = math::quotient(get<1>(stage_1), row.D);  // step 36: mean(exp_shifted_dot)
    const auto sum_index_x_dot = get<2>(stage_1);  // step 36: sum(Where(Eq(index(), label), ratio*x_dot, 0))
    const auto sum_exp_shifted_dot = mean_exp_shifted_dot*row.D;  // step 36, pass 9
    const auto y_dot = (mean_index_x_dot + (mean_exp_shifted_dot / Z - mean_index_x_dot)*math::exp(row(LOG_Z) + row(REFERENCE) - row(SUM_WHERE_X_SHIFTED)) - mean_exp_shifted_dot / Z)*row.D*row(BETA) + choose<A>(A(advantage*ratio) < A(choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage), -advantage*(sum_index_x_dot - ratio*sum_exp_shifted_dot / Z), choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(0), choose<A>(ratio <= A(1) - low, A(0), -advantage*(sum_index_x_dot - ratio*sum_exp_shifted_dot / Z))));  // step 36, pass 10
    row.store(Y_DOT, y_dot);
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROW_INTEGERS, 0, HAS_ddx, Zero> LABEL;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx, Zero> ADVANTAGE;
constexpr Name<ROW_NUMBERS, 1, HAS_ddx, Zero> REFERENCE;
constexpr Name<ROW_NUMBERS, 2, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<SAVED, 3> SUM_WHERE_X_SHIFTED;
constexpr Name<SAVED, 4> RATIO;
constexpr Name<NUMBER, 0> LOW;
constexpr Name<NUMBER, 1> HIGH;
constexpr Name<NUMBER, 2> BETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
using Given = decltype(names(X, LABEL, ADVANTAGE, REFERENCE, DY, DDX, M_2_, Z_2, LOG_Z, SUM_WHERE_X_SHIFTED, RATIO, LOW, HIGH, BETA, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 8, 1, 35, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), Z = row(Z_2), log_Z = row(LOG_Z), sum_where_x_shifted = row(SUM_WHERE_X_SHIFTED), ratio = row(RATIO);
    const auto label = row(LABEL);
    const auto advantage = row(ADVANTAGE);
    const auto reference = row(REFERENCE);
    const auto dy = row(DY);
    const auto low = row(LOW);
    const auto high = row(HIGH);
    const auto beta = row(BETA);
    const auto advantage_scaled = advantage*ratio;  // step 41, pass 11
    const auto advantage_scaled_2 = choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage;  // step 41, pass 12
    const auto advantage_scaled_3 = advantage*dy;  // step 41, pass 13
    const auto ratio_shifted = choose<A>(ratio <= A(1) - low, A(1) - low, ratio);  // step 41, pass 14
    const auto sum_where_x_shifted_scaled = dy*math::exp(log_Z + reference - sum_where_x_shifted)*beta / Z;  // step 45, pass 15
    const auto sum_where_x_shifted_scaled_2 = dy*math::exp(log_Z + reference - sum_where_x_shifted)*beta;  // step 45, pass 16
    const auto sum_where_x_shifted_scaled_3 = dy*(math::exp(log_Z + reference - sum_where_x_shifted) - A(1))*beta / (Z*Z);  // step 45, pass 17
    const auto advantage_scaled_4 = advantage*dy*ratio / (Z*Z);  // step 45, pass 18
    const auto sum_where_x_shifted_scaled_4 = dy*(math::exp(log_Z + reference - sum_where_x_shifted) - A(1))*beta / Z;  // step 50, pass 19
    const auto advantage_scaled_5 = advantage*dy*ratio / Z;  // step 50, pass 20
    const auto sum_where_x_shifted_scaled_5 = math::exp(log_Z + reference - sum_where_x_shifted)*beta;  // step 56, pass 21
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 3
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 4
      return terms(choose<A>(at.index() == integer(label), choose<A>(A(advantage_scaled) < A(advantage_scaled_2), -ddx*advantage_scaled_3, choose<A>(A(ratio_shifted) >= A(1) + A(high), A(0), choose<A>(A(ratio) <= A(1) - A(low), A(0), -ddx*advantage_scaled_3))), A(0)), ddx*exp_shifted, ddx*exp_shifted*sum_where_x_shifted_scaled, choose<A>(at.index() == integer(label), -ddx*sum_where_x_shifted_scaled_2, A(0)), -ddx*exp_shifted*sum_where_x_shifted_scaled_3, -ddx*exp_shifted*advantage_scaled_4, choose<A>(at.index() == integer(label), ddx*sum_where_x_shifted_scaled_2, A(0)), choose<A>(at.index() == integer(label), ddx*beta + choose<A>(A(advantage_scaled) < A(advantage_scaled_2), -ddx*advantage_scaled, choose<A>(A(ratio_shifted) >= A(1) + A(high), A(0), choose<A>(A(ratio) <= A(1) - A(low), A(0), -ddx*advantage_scaled))) - ddx*sum_where_x_shifted_scaled_5, A(0)));
    });
    const auto sum_ddx_index = get<0>(stage_2);  // step 41, pass 22: sum(Where(Eq(index(), label), Where(advantage_scaled < advantage_scaled_2, -advantage_scaled_3*ddx, Where(ratio_shifted >= high + 1, 0, Where(ratio <= 1 - low, 0, -advantage_scaled_3*ddx))), 0))
    const auto sum_ddx_exp_shifted = get<1>(stage_2);  // step 41, pass 23: sum(ddx*exp_shifted)
    const auto sum_ddx_exp_shifted_2 = get<2>(stage_2);  // step 45, pass 24: sum(sum_where_x_shifted_scaled*ddx*exp_shifted)
    const auto sum_ddx_index_2 = get<3>(stage_2);  // step 45, pass 25: sum(Where(Eq(index(), label), -sum_where_x_shifted_scaled_2*ddx, 0))
    const auto sum_ddx_exp_shifted_3 = get<4>(stage_2);  // step 45, pass 26: sum(-sum_where_x_shifted_scaled_3*ddx*exp_shifted)
    const auto sum_ddx_exp_shifted_4 = get<5>(stage_2);  // step 45, pass 27: sum(-advantage_scaled_4*ddx*exp_shifted)
    const auto sum_ddx_index_3 = get<6>(stage_2);  // step 54, pass 28: sum(Where(Eq(index(), label), sum_where_x_shifted_scaled_2*ddx, 0))
    const auto sum_ddx_index_4 = get<7>(stage_2);  // step 56, pass 29: sum(Where(Eq(index(), label), -sum_where_x_shifted_scaled_5*ddx + ddx*beta + Where(advantage_scaled < advantage_scaled_2, -advantage_scaled*ddx, Where(ratio_shifted >= high + 1, 0, Where(ratio <= 1 - low, 0, -advantage_scaled*ddx))), 0))
    const auto d2ratio = sum_ddx_index + choose<A>(A(advantage*ratio) < A(choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage), advantage*dy*sum_ddx_exp_shifted / Z, choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(0), choose<A>(ratio <= A(1) - low, A(0), advantage*dy*sum_ddx_exp_shifted / Z)));  // step 41, pass 30
    const auto d2Z = sum_ddx_exp_shifted_3 + (sum_ddx_exp_shifted_2 + sum_ddx_index_2 - d2ratio*ratio) / Z + choose<A>(A(advantage*ratio) < A(choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage), sum_ddx_exp_shifted_4, choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(0), choose<A>(ratio <= A(1) - low, A(0), sum_ddx_exp_shifted_4)));  // step 45
    const auto sum_where_x_shifted_shifted = sum_ddx_index_3 + d2ratio*ratio - dy*math::exp(log_Z + reference - sum_where_x_shifted)*sum_ddx_exp_shifted*beta / Z;  // step 54, pass 31
    const auto ddy = sum_ddx_index_4 + (math::exp(log_Z + reference - sum_where_x_shifted) - A(1))*sum_ddx_exp_shifted*beta / Z + choose<A>(A(advantage*ratio) < A(choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(1) + high, choose<A>(ratio <= A(1) - low, A(1) - low, ratio))*advantage), advantage*ratio*sum_ddx_exp_shifted / Z, choose<A>(choose<A>(ratio <= A(1) - low, A(1) - low, ratio) >= A(1) + high, A(0), choose<A>(ratio <= A(1) - low, A(0), advantage*ratio*sum_ddx_exp_shifted / Z)));  // step 56, pass 32
    row.store(DDY, ddy);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 3
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 4
      const auto d2x_shifted = (ddx*sum_where_x_shifted_scaled_4 + choose<A>(A(advantage_scaled) < A(advantage_scaled_2), ddx*advantage_scaled_5, choose<A>(A(ratio_shifted) >= A(1) + A(high), A(0), choose<A>(A(ratio) <= A(1) - A(low), A(0), ddx*advantage_scaled_5))) + d2Z)*exp_shifted;  // step 50, pass 33
      at.store(DX, d2x_shifted + choose<A>(at.index() == integer(label), sum_where_x_shifted_shifted, A(0)));  // step 54, pass 34
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
