// Total variation distance of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
// Do not edit; edit tvd.py and run: lngen derive tvd.py
// definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
//
// forward:
//     m_2 = max(x)
//     e_shifted = exp(x - m_2)
//     m = max(teacher)
//     t_shifted = exp(teacher - m)
//     Z = sum(e_shifted)
//     inv_Z = 1/Z
//     q = inv_Z*e_shifted
//     Z_2 = sum(t_shifted)
//     inv_Z_2 = 1/Z_2
//     p = inv_Z_2*t_shifted
//     sum_abs = sum(abs(p - q))
//     y = sum_abs/2
// backward:
//     dx = dy*q*(sum(q*sign(p - q)) - sign(p - q))/2
// jvp:
//     y_dot = D*(sum(q*x_dot)*mean(q*sign(p - q)) - mean(q*x_dot*sign(p - q)))/2
// backward_backward:
//     mean_q_sign = mean(q*sign(p - q))
//     d2q_part = dy*ddx*(D*mean_q_sign - sign(p - q))/2
//     d2x = q*(d2q_part + D*(dy*mean(ddx*q)*(sign(p - q) - D*mean_q_sign)/2 - mean(d2q_part*q)))
//     ddy = sum(ddx*q*(D*mean_q_sign - sign(p - q))/2)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> TEACHER;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M_2_;
constexpr Name<SAVED_OUT, 1> M;
constexpr Name<SAVED_OUT, 2> INV_Z;
constexpr Name<SAVED_OUT, 3> INV_Z_2;
constexpr Name<KEPT, 0> KEPT_E_SHIFTED;
constexpr Name<KEPT, 1> KEPT_T_SHIFTED;
using Given = decltype(names(X, TEACHER, Y, M_2_, M, INV_Z, INV_Z_2, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 2, 8, 0, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto stage_1 = row.reduce([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      return terms(max_of(x), max_of(teacher));
    });
    const auto m_2 = finite_or_zero(get<0>(stage_1));  // step 1: max(x)
    const auto m = finite_or_zero(get<1>(stage_1));  // step 4: max(teacher)
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = at.keep(KEPT_E_SHIFTED, math::exp(x_shifted));  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = at.keep(KEPT_T_SHIFTED, math::exp(teacher_shifted));  // step 6
      return terms(e_shifted, t_shifted);
    });
    const auto Z = get<0>(stage_2);  // step 7: sum(e_shifted)
    const auto Z_2 = get<1>(stage_2);  // step 10: sum(t_shifted)
    const auto inv_Z = A(1) / Z;  // step 8
    const auto inv_Z_2 = A(1) / Z_2;  // step 11
    const auto stage_3 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = at.recall(KEPT_E_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = at.recall(KEPT_T_SHIFTED, [&] { return math::exp(teacher_shifted); });  // step 6
      const auto q = e_shifted*inv_Z;  // step 9
      const auto p = t_shifted*inv_Z_2;  // step 12
      return terms(math::abs(p - q));
    });
    const auto sum_abs = get<0>(stage_3);  // step 13: sum(Abs(p - q))
    const auto y = A(0.5)*sum_abs;  // step 14
    row.store(Y, y);
    row.save(M_2_, m_2);
    row.save(M, m);
    row.save(INV_Z, inv_Z);
    row.save(INV_Z_2, inv_Z_2);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> TEACHER;
constexpr Name<ROW_NUMBERS, 0> DY;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> M;
constexpr Name<SAVED, 2> INV_Z;
constexpr Name<SAVED, 3> INV_Z_2;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<KEPT, 0> KEPT_Q;
constexpr Name<KEPT, 1> KEPT_P;
using Given = decltype(names(X, TEACHER, DY, M_2_, M, INV_Z, INV_Z_2, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 2, 7, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), m = row(M), inv_Z = row(INV_Z), inv_Z_2 = row(INV_Z_2);
    const auto dy = row(DY);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto q = at.keep(KEPT_Q, e_shifted*inv_Z);  // step 9
      const auto p = at.keep(KEPT_P, t_shifted*inv_Z_2);  // step 12
      return terms(q*math::sign(p - q));
    });
    const auto sum_p_q = get<0>(stage_1);  // step 40: sum(q*sign(p - q))
    const auto sum_p_q_scaled = A(0.5)*sum_p_q;  // step 40, pass 1
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto q = at.recall(KEPT_Q, [&] { return e_shifted*inv_Z; });  // step 9
      const auto p = at.recall(KEPT_P, [&] { return t_shifted*inv_Z_2; });  // step 12
      at.store(DX, q*(sum_p_q_scaled - A(0.5)*math::sign(p - q))*dy);  // step 40, pass 2
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> TEACHER;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> M;
constexpr Name<SAVED, 2> INV_Z;
constexpr Name<SAVED, 3> INV_Z_2;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, TEACHER, X_DOT, M_2_, M, INV_Z, INV_Z_2, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 2, 8, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), m = row(M), inv_Z = row(INV_Z), inv_Z_2 = row(INV_Z_2);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto q = e_shifted*inv_Z;  // step 9
      const auto p = t_shifted*inv_Z_2;  // step 12
      return terms(q*math::sign(p - q)*x_dot, q*x_dot, wanted<HAS_x_dot>(q*math::sign(p - q)));
    });
    const auto mean_p_q_x_dot = math::quotient(get<0>(stage_1), row.D);  // step 49: mean(q*x_dot*sign(p - q))
    const auto sum_q_x_dot = get<1>(stage_1);  // step 49: sum(q*x_dot)
    const auto mean_p_q = math::quotient(get<2>(stage_1), row.D);  // step 49: mean(q*sign(p - q))
    const auto y_dot = (A(0.5)*mean_p_q*sum_q_x_dot - A(0.5)*mean_p_q_x_dot)*row.D;  // step 49
    row.store(Y_DOT, y_dot);
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx, Zero> TEACHER;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M_2_;
constexpr Name<SAVED, 1> M;
constexpr Name<SAVED, 2> INV_Z;
constexpr Name<SAVED, 3> INV_Z_2;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_Q;
constexpr Name<KEPT, 1> KEPT_P;
using Given = decltype(names(X, TEACHER, DY, DDX, M_2_, M, INV_Z, INV_Z_2, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 2, 13, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), m = row(M), inv_Z = row(INV_Z), inv_Z_2 = row(INV_Z_2);
    const auto dy = row(DY);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto q = at.keep(KEPT_Q, e_shifted*inv_Z);  // step 9
      const auto p = at.keep(KEPT_P, t_shifted*inv_Z_2);  // step 12
      return terms(wanted<HAS_ddx>(q*math::sign(p - q)), ddx*q);
    });
    const auto mean_q_sign = get<0>(stage_1);  // step 50: mean(q*sign(p - q))
    const auto mean_ddx_q = get<1>(stage_1);  // step 62: mean(ddx*q)
    const auto mean_q_sign_scaled = A(0.5)*mean_q_sign*row.D;  // step 52, pass 3
    const auto mean_ddx_q_scaled = dy*mean_ddx_q;  // step 62, pass 4
    const auto mean_q_sign_scaled_2 = A(-0.5)*mean_q_sign*row.D;  // step 62, pass 5
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto q = at.recall(KEPT_Q, [&] { return e_shifted*inv_Z; });  // step 9
      const auto p = at.recall(KEPT_P, [&] { return t_shifted*inv_Z_2; });  // step 12
      return terms(ddx*(mean_q_sign_scaled - A(0.5)*math::sign(p - q))*q);
    });
    const auto mean_d2q_part_q_unscaled = get<0>(stage_2);  // step 62, pass 6: mean(ddx*q*(mean_q_sign_scaled - sign(p - q)/2))
    const auto mean_d2q_part_q = dy*mean_d2q_part_q_unscaled;  // step 62, pass 7
    const auto ddy = mean_d2q_part_q_unscaled*row.D;  // step 63, pass 8
    row.store(DDY, ddy);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto q = at.recall(KEPT_Q, [&] { return e_shifted*inv_Z; });  // step 9
      const auto p = at.recall(KEPT_P, [&] { return t_shifted*inv_Z_2; });  // step 12
      const auto d2q_part = ddx*(mean_q_sign_scaled - A(0.5)*math::sign(p - q))*dy;  // step 52, pass 9
      at.store(DX, (d2q_part + ((A(0.5)*math::sign(p - q) + mean_q_sign_scaled_2)*mean_ddx_q_scaled - mean_d2q_part_q)*row.D)*q);  // step 62, pass 10
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
