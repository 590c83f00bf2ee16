// Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.
// Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
// Do not edit; edit distillation.py and run: lngen derive distillation.py
// definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
//
// forward:
//     sum_where_x = sum(where(index() == label, x, 0))
//     m_3 = max(x)
//     exp_shifted = exp(x - m_3)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     u = x/temperature
//     v = teacher/temperature
//     m = max(u)
//     exp_shifted_2 = exp(u - m)
//     Z_2 = sum(exp_shifted_2)
//     log_Z_2 = log(Z_2)
//     logq = u - m - log_Z_2
//     m_2 = max(v)
//     exp_shifted_3 = exp(v - m_2)
//     Z_3 = sum(exp_shifted_3)
//     log_Z_3 = log(Z_3)
//     logp = v - m_2 - log_Z_3
//     inv_Z_3 = 1/Z_3
//     exp_shifted_3_scaled = inv_Z_3*exp_shifted_3
//     soft = sum(exp_shifted_3_scaled*(logp - logq))
//     y = share*temperature**2*soft + (1 - share)*(m_3 + log_Z - sum_where_x)
// backward:
//     p = exp_shifted/Z
//     p_2 = exp_shifted_2/Z_2
//     dx = where(index() == label, dy*(share - 1), 0) + dy*(p + share*(temperature*(p_2 - exp_shifted_3_scaled) - p))
// jvp:
//     p_2 = exp_shifted_2/Z_2
//     log_Z_2_dot = sum(p_2*x_dot)/temperature
//     p = exp_shifted/Z
//     y_dot = D*(mean(where(index() == label, x_dot, 0))*(share - 1) + mean(p*x_dot)*(1 - share) - share*temperature**2*mean(exp_shifted_3_scaled*(x_dot/temperature - log_Z_2_dot)))
// backward_backward:
//     p = exp_shifted/Z
//     p_2 = exp_shifted_2/Z_2
//     d2x = dy*(share*p_2*(ddx - sum(ddx*p_2)) + p*(ddx + sum(ddx*p)*(share - 1) - share*ddx))
//     ddy = sum(ddx*p) + sum(where(index() == label, ddx*(share - 1), 0)) + share*sum(ddx*(temperature*(p_2 - exp_shifted_3_scaled) - p))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> TEACHER;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<NUMBER, 0> TEMPERATURE;
constexpr Name<NUMBER, 1> SHARE;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M_3_;
constexpr Name<SAVED_OUT, 1> Z_4;
constexpr Name<SAVED_OUT, 2> M;
constexpr Name<SAVED_OUT, 3> Z_2_2;
constexpr Name<SAVED_OUT, 4> M_2_;
constexpr Name<SAVED_OUT, 5> INV_Z_3;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED_3;
using Given = decltype(names(X, TEACHER, LABEL, TEMPERATURE, SHARE, Y, M_3_, Z_4, M, Z_2_2, M_2_, INV_Z_3, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 4, 3, 18, 0, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto temperature_shifted = A(1) / call(TEMPERATURE);  // step 7, pass 1
    return terms(temperature_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto label = row(LABEL);
    const auto temperature = row(TEMPERATURE);
    const auto share = row(SHARE);
    const auto temperature_shifted = get<0>(row.call);
    const auto stage_1 = row.reduce([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto u = x*temperature_shifted;  // step 7, pass 2
      const auto v = teacher*temperature_shifted;  // step 8, pass 3
      return terms(choose<A>(at.index() == label, x, A(0)), max_of(x), max_of(u), max_of(v));
    });
    const auto sum_where_x = get<0>(stage_1);  // step 1: sum(Where(Eq(index(), label), x, 0))
    const auto m_3 = finite_or_zero(get<1>(stage_1));  // step 2: max(x)
    const auto m = finite_or_zero(get<2>(stage_1));  // step 9: max(u)
    const auto m_2 = finite_or_zero(get<3>(stage_1));  // step 15: max(v)
    const auto sum_where_x_shifted = sum_where_x - m_3;  // step 1, pass 4
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto u = x*temperature_shifted;  // step 7, pass 2
      const auto v = teacher*temperature_shifted;  // step 8, pass 3
      const auto x_shifted = x - m_3;  // step 3
      const auto exp_shifted = math::exp(x_shifted);  // step 4
      const auto x_shifted_2 = math::difference(u, A(m));  // step 10
      const auto exp_shifted_2 = math::exp(x_shifted_2);  // step 11
      const auto teacher_shifted = math::difference(v, A(m_2));  // step 16
      const auto exp_shifted_3 = at.keep(KEPT_EXP_SHIFTED_3, math::exp(teacher_shifted));  // step 17
      return terms(exp_shifted, exp_shifted_2, exp_shifted_3);
    });
    const auto Z = get<0>(stage_2);  // step 5: sum(exp_shifted)
    const auto Z_2 = get<1>(stage_2);  // step 12: sum(exp_shifted_2)
    const auto Z_3 = get<2>(stage_2);  // step 18: sum(exp_shifted_3)
    const auto log_Z = math::log(Z);  // step 6
    const auto log_Z_2 = math::log(Z_2);  // step 13
    const auto log_Z_3 = math::log(Z_3);  // step 19
    const auto inv_Z_3 = A(1) / Z_3;  // step 21
    const auto stage_3 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto u = x*temperature_shifted;  // step 7, pass 2
      const auto v = teacher*temperature_shifted;  // step 8, pass 3
      const auto x_shifted_2 = math::difference(u, A(m));  // step 10
      const auto teacher_shifted = math::difference(v, A(m_2));  // step 16
      const auto exp_shifted_3 = at.recall(KEPT_EXP_SHIFTED_3, [&] { return math::exp(teacher_shifted); });  // step 17
      const auto logq = x_shifted_2 - log_Z_2;  // step 14
      const auto logp = teacher_shifted - log_Z_3;  // step 20
      const auto exp_shifted_3_scaled = exp_shifted_3*inv_Z_3;  // step 22
      return terms(exp_shifted_3_scaled*(logp - logq));
    });
    const auto soft = get<0>(stage_3);  // step 24: sum(exp_shifted_3_scaled*(logp - logq))
    const auto y = (log_Z - sum_where_x_shifted)*(A(1) - share) + soft*share*(temperature*temperature);  // step 25, pass 7
    row.store(Y, y);
    row.save(M_3_, m_3);
    row.save(Z_4, Z);
    row.save(M, m);
    row.save(Z_2_2, Z_2);
    row.save(M_2_, m_2);
    row.save(INV_Z_3, inv_Z_3);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> TEACHER;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<ROW_NUMBERS, 0> DY;
constexpr Name<SAVED, 0> M_3_;
constexpr Name<SAVED, 1> Z_3;
constexpr Name<SAVED, 2> M;
constexpr Name<SAVED, 3> Z_2_2;
constexpr Name<SAVED, 4> M_2_;
constexpr Name<SAVED, 5> INV_Z_3;
constexpr Name<NUMBER, 0> TEMPERATURE;
constexpr Name<NUMBER, 1> SHARE;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, TEACHER, LABEL, DY, M_3_, Z_3, M, Z_2_2, M_2_, INV_Z_3, TEMPERATURE, SHARE, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 3, 14, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto temperature_shifted = A(1) / call(TEMPERATURE);  // step 7, pass 1
    return terms(temperature_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_3 = row(M_3_), m = row(M), m_2 = row(M_2_), inv_Z_3 = row(INV_Z_3);
    const auto label = row(LABEL);
    const auto dy = row(DY);
    const auto temperature = row(TEMPERATURE);
    const auto share = row(SHARE);
    const auto temperature_shifted = get<0>(row.call);
    const auto Z_shifted = A(1) / row(Z_3);  // step 70, pass 8
    const auto Z_2_shifted = A(1) / row(Z_2_2);  // step 70, pass 9
    const auto share_scaled = dy*(share - A(1));  // step 70, pass 10
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_3;  // step 3
      const auto exp_shifted = math::exp(x_shifted);  // step 4
      const auto u = x*temperature_shifted;  // step 7, pass 2
      const auto v = teacher*temperature_shifted;  // step 8, pass 3
      const auto x_shifted_2 = u - m;  // step 10
      const auto exp_shifted_2 = math::exp(x_shifted_2);  // step 11
      const auto teacher_shifted = v - m_2;  // step 16
      const auto exp_shifted_3 = math::exp(teacher_shifted);  // step 17
      const auto exp_shifted_3_scaled = exp_shifted_3*inv_Z_3;  // step 22
      at.store(DX, choose<A>(at.index() == label, share_scaled, A(0)) + (exp_shifted*Z_shifted + ((exp_shifted_2*Z_2_shifted - exp_shifted_3_scaled)*temperature - exp_shifted*Z_shifted)*share)*dy);  // step 70, pass 11
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> TEACHER;
constexpr Name<ROW_INTEGERS, 0, HAS_x_dot, Zero> LABEL;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M_3_;
constexpr Name<SAVED, 1> Z_3;
constexpr Name<SAVED, 2> M;
constexpr Name<SAVED, 3> Z_2_2;
constexpr Name<SAVED, 4> M_2_;
constexpr Name<SAVED, 5> INV_Z_3;
constexpr Name<NUMBER, 0> TEMPERATURE;
constexpr Name<NUMBER, 1> SHARE;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, TEACHER, LABEL, X_DOT, M_3_, Z_3, M, Z_2_2, M_2_, INV_Z_3, TEMPERATURE, SHARE, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 3, 17, 0> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto temperature_shifted = A(1) / call(TEMPERATURE);  // step 7, pass 1
    const auto temperature_shifted_2 = A(1) / call(TEMPERATURE);  // step 94, pass 12
    return terms(temperature_shifted, temperature_shifted_2);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_3 = row(M_3_), m = row(M), m_2 = row(M_2_), inv_Z_3 = row(INV_Z_3);
    const auto label = row(LABEL);
    const auto temperature = row(TEMPERATURE);
    const auto share = row(SHARE);
    const auto temperature_shifted = get<0>(row.call);
    const auto temperature_shifted_2 = get<1>(row.call);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m_3;  // step 3
      const auto exp_shifted = math::exp(x_shifted);  // step 4
      const auto u = x*temperature_shifted;  // step 7, pass 2
      const auto x_shifted_2 = u - m;  // step 10
      const auto exp_shifted_2 = math::exp(x_shifted_2);  // step 11
      return terms(exp_shifted_2*x_dot, choose<A>(at.index() == integer(label), x_dot, A(0)), exp_shifted*x_dot);
    });
    const auto sum_exp_shifted_2_x_dot = get<0>(stage_1);  // step 86, pass 13: sum(exp_shifted_2*x_dot)
    const auto mean_index_x_dot = math::quotient(get<1>(stage_1), row.D);  // step 94, pass 14: mean(Where(Eq(index(), label), x_dot, 0))
    const auto mean_exp_shifted_x_dot = math::quotient(get<2>(stage_1), row.D);  // step 94, pass 15: mean(exp_shifted*x_dot)
    const auto log_Z_2_dot = sum_exp_shifted_2_x_dot / (row(Z_2_2)*temperature);  // step 86, pass 16
    const auto stage_2 = row.means([&](auto at) {
      const auto teacher = at(TEACHER);
      const auto x_dot = at(X_DOT);
      const auto v = teacher*temperature_shifted;  // step 8, pass 3
      const auto teacher_shifted = v - m_2;  // step 16
      const auto exp_shifted_3 = math::exp(teacher_shifted);  // step 17
      const auto exp_shifted_3_scaled = exp_shifted_3*inv_Z_3;  // step 22
      return terms((x_dot*temperature_shifted_2 - log_Z_2_dot)*exp_shifted_3_scaled);
    });
    const auto mean_exp_shifted_3_scaled_x_dot = get<0>(stage_2);  // step 94, pass 20: mean(exp_shifted_3_scaled*(-log_Z_2_dot + x_dot*temperature_shifted_2))
    const auto y_dot = (mean_index_x_dot*(share - A(1)) + mean_exp_shifted_x_dot*(A(1) - share) / row(Z_3) - mean_exp_shifted_3_scaled_x_dot*share*(temperature*temperature))*row.D;  // step 94, pass 19
    row.store(Y_DOT, y_dot);
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx, Zero> TEACHER;
constexpr Name<ROW_INTEGERS, 0, HAS_ddx, Zero> LABEL;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M_3_;
constexpr Name<SAVED, 1> Z_3;
constexpr Name<SAVED, 2> M;
constexpr Name<SAVED, 3> Z_2_2;
constexpr Name<SAVED, 4> M_2_;
constexpr Name<SAVED, 5> INV_Z_3;
constexpr Name<NUMBER, 0> TEMPERATURE;
constexpr Name<NUMBER, 1> SHARE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
constexpr Name<KEPT, 1> KEPT_EXP_SHIFTED_2;
using Given = decltype(names(X, TEACHER, LABEL, DY, DDX, M_3_, Z_3, M, Z_2_2, M_2_, INV_Z_3, TEMPERATURE, SHARE, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 4, 3, 21, 1, 2> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto temperature_shifted = A(1) / call(TEMPERATURE);  // step 7, pass 1
    return terms(temperature_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_3 = row(M_3_), Z = row(Z_3), m = row(M), Z_2 = row(Z_2_2), m_2 = row(M_2_), inv_Z_3 = row(INV_Z_3);
    const auto label = row(LABEL);
    const auto dy = row(DY);
    const auto temperature = row(TEMPERATURE);
    const auto share = row(SHARE);
    const auto temperature_shifted = get<0>(row.call);
    const auto Z_shifted = A(1) / Z;  // step 119, pass 21
    const auto share_scaled = share / Z_2;  // step 119, pass 22
    const auto Z_2_shifted = A(1) / Z_2;  // step 122, pass 23
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_3;  // step 3
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 4
      const auto u = x*temperature_shifted;  // step 7, pass 2
      const auto v = teacher*temperature_shifted;  // step 8, pass 3
      const auto x_shifted_2 = u - m;  // step 10
      const auto exp_shifted_2 = at.keep(KEPT_EXP_SHIFTED_2, math::exp(x_shifted_2));  // step 11
      const auto teacher_shifted = v - m_2;  // step 16
      const auto exp_shifted_3 = math::exp(teacher_shifted);  // step 17
      const auto exp_shifted_3_scaled = exp_shifted_3*inv_Z_3;  // step 22
      return terms(ddx*exp_shifted, ddx*exp_shifted_2, ((exp_shifted_2*Z_2_shifted - exp_shifted_3_scaled)*temperature - exp_shifted*Z_shifted)*ddx, choose<A>(at.index() == integer(label), ddx*(A(share) - A(1)), A(0)));
    });
    const auto sum_ddx_exp_shifted = get<0>(stage_2);  // step 119, pass 24: sum(ddx*exp_shifted)
    const auto sum_ddx_exp_shifted_2 = get<1>(stage_2);  // step 119, pass 25: sum(ddx*exp_shifted_2)
    const auto sum_ddx_exp_shifted_exp_shifted = get<2>(stage_2);  // step 122, pass 26: sum(ddx*(-Z_shifted*exp_shifted + temperature*(Z_2_shifted*exp_shifted_2 - exp_shifted_3_scaled)))
    const auto sum_ddx_index = get<3>(stage_2);  // step 122, pass 27: sum(Where(Eq(index(), label), ddx*(share - 1), 0))
    const auto sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted*(share - A(1)) / Z;  // step 119, pass 28
    const auto sum_ddx_exp_shifted_2_scaled = sum_ddx_exp_shifted_2 / Z_2;  // step 119, pass 29
    const auto ddy = sum_ddx_index + sum_ddx_exp_shifted / Z + sum_ddx_exp_shifted_exp_shifted*share;  // step 122, pass 30
    row.store(DDY, ddy);
    row.each([&](auto at) {
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_3;  // step 3
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 4
      const auto u = x*temperature_shifted;  // step 7, pass 2
      const auto x_shifted_2 = u - m;  // step 10
      const auto exp_shifted_2 = at.recall(KEPT_EXP_SHIFTED_2, [&] { return math::exp(x_shifted_2); });  // step 11
      at.store(DX, ((ddx - sum_ddx_exp_shifted_2_scaled)*exp_shifted_2*share_scaled + exp_shifted*(ddx + sum_ddx_exp_shifted_scaled - ddx*share)*Z_shifted)*dy);  // step 119, pass 31
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
