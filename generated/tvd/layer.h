// Total variation distance of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
// Do not edit; edit tvd.py and run: lngen derive tvd.py
// definition sha256:19ac4ec7bf4f3132606617eab619a4775839151a35595d1e2e232bc8d3477cbe
//
// forward:
//     m_2 = max(x)
//     e_shifted = exp(x - m_2)
//     m = max(teacher)
//     t_shifted = exp(teacher - m)
//     Z = sum(e_shifted)
//     Z_2 = sum(t_shifted)
//     inv_Z_2 = 1/Z_2
//     exp_shifted_2_scaled = inv_Z_2*t_shifted
//     inv_Z = 1/Z
//     exp_shifted_scaled = inv_Z*e_shifted
//     sum_abs = sum(abs(exp_shifted_2_scaled - exp_shifted_scaled))
//     y = sum_abs/2
// backward:
//     dx = dy*exp_shifted_scaled*(sum(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled)) - sign(exp_shifted_2_scaled - exp_shifted_scaled))/2
// jvp:
//     y_dot = D*(sum(exp_shifted_scaled*x_dot)*mean(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled)) - mean(exp_shifted_scaled*x_dot*sign(exp_shifted_2_scaled - exp_shifted_scaled)))/2
// backward_backward:
//     mean_exp_shifted_scaled_sign = mean(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled))
//     d2exp_shifted_scaled_part = dy*ddx*(D*mean_exp_shifted_scaled_sign - sign(exp_shifted_2_scaled - exp_shifted_scaled))/2
//     d2x = exp_shifted_scaled*(d2exp_shifted_scaled_part + dy*sum(ddx*exp_shifted_scaled)*(sign(exp_shifted_2_scaled - exp_shifted_scaled) - D*mean_exp_shifted_scaled_sign)/2 - sum(d2exp_shifted_scaled_part*exp_shifted_scaled))
//     ddy = sum(ddx*exp_shifted_scaled*(D*mean_exp_shifted_scaled_sign - sign(exp_shifted_2_scaled - exp_shifted_scaled))/2)

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
constexpr Name<SAVED_OUT, 2> INV_Z_2;
constexpr Name<SAVED_OUT, 3> INV_Z;
constexpr Name<KEPT, 0> KEPT_E_SHIFTED;
constexpr Name<KEPT, 1> KEPT_T_SHIFTED;
using Given = decltype(names(X, TEACHER, Y, M_2_, M, INV_Z_2, INV_Z, ROW_COUNT, D));

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
    const auto Z_2 = get<1>(stage_2);  // step 8: sum(t_shifted)
    const auto inv_Z_2 = A(1) / Z_2;  // step 9
    const auto inv_Z = A(1) / Z;  // step 11
    const auto stage_3 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = at.recall(KEPT_E_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = at.recall(KEPT_T_SHIFTED, [&] { return math::exp(teacher_shifted); });  // step 6
      const auto exp_shifted_2_scaled = t_shifted*inv_Z_2;  // step 10
      const auto exp_shifted_scaled = e_shifted*inv_Z;  // step 12
      return terms(math::abs(exp_shifted_2_scaled - exp_shifted_scaled));
    });
    const auto sum_abs = get<0>(stage_3);  // step 13: sum(Abs(exp_shifted_2_scaled - exp_shifted_scaled))
    const auto y = A(0.5)*sum_abs;  // step 14
    row.store(Y, y);
    row.save(M_2_, m_2);
    row.save(M, m);
    row.save(INV_Z_2, inv_Z_2);
    row.save(INV_Z, inv_Z);
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
constexpr Name<SAVED, 2> INV_Z_2;
constexpr Name<SAVED, 3> INV_Z;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED_2_SCALED;
constexpr Name<KEPT, 1> KEPT_EXP_SHIFTED_SCALED;
using Given = decltype(names(X, TEACHER, DY, M_2_, M, INV_Z_2, INV_Z, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 2, 7, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), m = row(M), inv_Z_2 = row(INV_Z_2), inv_Z = row(INV_Z);
    const auto dy = row(DY);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto exp_shifted_2_scaled = at.keep(KEPT_EXP_SHIFTED_2_SCALED, t_shifted*inv_Z_2);  // step 10
      const auto exp_shifted_scaled = at.keep(KEPT_EXP_SHIFTED_SCALED, e_shifted*inv_Z);  // step 12
      return terms(exp_shifted_scaled*math::sign(exp_shifted_2_scaled - exp_shifted_scaled));
    });
    const auto sum_exp_shifted_2_scaled_exp_shi = get<0>(stage_1);  // step 40: sum(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled))
    const auto sum_exp_shifted_2_scaled_exp_shi_2 = A(0.5)*sum_exp_shifted_2_scaled_exp_shi;  // step 40, pass 1
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto exp_shifted_2_scaled = at.recall(KEPT_EXP_SHIFTED_2_SCALED, [&] { return t_shifted*inv_Z_2; });  // step 10
      const auto exp_shifted_scaled = at.recall(KEPT_EXP_SHIFTED_SCALED, [&] { return e_shifted*inv_Z; });  // step 12
      at.store(DX, exp_shifted_scaled*(sum_exp_shifted_2_scaled_exp_shi_2 - A(0.5)*math::sign(exp_shifted_2_scaled - exp_shifted_scaled))*dy);  // step 40, pass 2
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
constexpr Name<SAVED, 2> INV_Z_2;
constexpr Name<SAVED, 3> INV_Z;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, TEACHER, X_DOT, M_2_, M, INV_Z_2, INV_Z, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 2, 8, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), m = row(M), inv_Z_2 = row(INV_Z_2), inv_Z = row(INV_Z);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto exp_shifted_2_scaled = t_shifted*inv_Z_2;  // step 10
      const auto exp_shifted_scaled = e_shifted*inv_Z;  // step 12
      return terms(exp_shifted_scaled*math::sign(exp_shifted_2_scaled - exp_shifted_scaled)*x_dot, exp_shifted_scaled*x_dot, wanted<HAS_x_dot>(exp_shifted_scaled*math::sign(exp_shifted_2_scaled - exp_shifted_scaled)));
    });
    const auto mean_exp_shifted_2_scaled_ex_dot = math::quotient(get<0>(stage_1), row.D);  // step 49: mean(exp_shifted_scaled*x_dot*sign(exp_shifted_2_scaled - exp_shifted_scaled))
    const auto sum_exp_shifted_scaled_x_dot = get<1>(stage_1);  // step 49: sum(exp_shifted_scaled*x_dot)
    const auto mean_exp_shifted_2_scaled_exp_sh = math::quotient(get<2>(stage_1), row.D);  // step 49: mean(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled))
    const auto y_dot = (A(0.5)*mean_exp_shifted_2_scaled_exp_sh*sum_exp_shifted_scaled_x_dot - A(0.5)*mean_exp_shifted_2_scaled_ex_dot)*row.D;  // step 49
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
constexpr Name<SAVED, 2> INV_Z_2;
constexpr Name<SAVED, 3> INV_Z;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED_2_SCALED;
constexpr Name<KEPT, 1> KEPT_EXP_SHIFTED_SCALED;
using Given = decltype(names(X, TEACHER, DY, DDX, M_2_, M, INV_Z_2, INV_Z, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 2, 12, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), m = row(M), inv_Z_2 = row(INV_Z_2), inv_Z = row(INV_Z);
    const auto dy = row(DY);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto exp_shifted_2_scaled = at.keep(KEPT_EXP_SHIFTED_2_SCALED, t_shifted*inv_Z_2);  // step 10
      const auto exp_shifted_scaled = at.keep(KEPT_EXP_SHIFTED_SCALED, e_shifted*inv_Z);  // step 12
      return terms(wanted<HAS_ddx>(exp_shifted_scaled*math::sign(exp_shifted_2_scaled - exp_shifted_scaled)), ddx*exp_shifted_scaled);
    });
    const auto mean_exp_shifted_scaled_sign = math::quotient(get<0>(stage_1), row.D);  // step 50: mean(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled))
    const auto sum_ddx_exp_shifted_scaled = get<1>(stage_1);  // step 61: sum(ddx*exp_shifted_scaled)
    const auto mean_exp_shifted_scaled_sign_sca = A(0.5)*mean_exp_shifted_scaled_sign*row.D;  // step 52, pass 3
    const auto sum_ddx_exp_shifted_scaled_scale = dy*sum_ddx_exp_shifted_scaled;  // step 61, pass 4
    const auto mean_exp_shifted_scaled_sign_sca_2 = A(-0.5)*mean_exp_shifted_scaled_sign*row.D;  // step 61, pass 5
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 2
      const auto e_shifted = math::exp(x_shifted);  // step 3
      const auto teacher_shifted = teacher - m;  // step 5
      const auto t_shifted = math::exp(teacher_shifted);  // step 6
      const auto exp_shifted_2_scaled = at.recall(KEPT_EXP_SHIFTED_2_SCALED, [&] { return t_shifted*inv_Z_2; });  // step 10
      const auto exp_shifted_scaled = at.recall(KEPT_EXP_SHIFTED_SCALED, [&] { return e_shifted*inv_Z; });  // step 12
      return terms(ddx*exp_shifted_scaled*(mean_exp_shifted_scaled_sign_sca - A(0.5)*math::sign(exp_shifted_2_scaled - exp_shifted_scaled)));
    });
    const auto ddy = get<0>(stage_2);  // step 62, pass 6: sum(ddx*exp_shifted_scaled*(mean_exp_shifted_scaled_sign_sca - sign(exp_shifted_2_scaled - exp_shifted_scaled)/2))
    const auto sum_d2exp_shifted_scaled_part_ex = ddy*dy;  // step 61, pass 7
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
      const auto exp_shifted_2_scaled = at.recall(KEPT_EXP_SHIFTED_2_SCALED, [&] { return t_shifted*inv_Z_2; });  // step 10
      const auto exp_shifted_scaled = at.recall(KEPT_EXP_SHIFTED_SCALED, [&] { return e_shifted*inv_Z; });  // step 12
      const auto d2exp_shifted_scaled_part = ddx*(mean_exp_shifted_scaled_sign_sca - A(0.5)*math::sign(exp_shifted_2_scaled - exp_shifted_scaled))*dy;  // step 52, pass 8
      at.store(DX, (d2exp_shifted_scaled_part + (A(0.5)*math::sign(exp_shifted_2_scaled - exp_shifted_scaled) + mean_exp_shifted_scaled_sign_sca_2)*sum_ddx_exp_shifted_scaled_scale - sum_d2exp_shifted_scaled_part_ex)*exp_shifted_scaled);  // step 61, pass 9
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
