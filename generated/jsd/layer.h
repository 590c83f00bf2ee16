// Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of jsd; derivation.md has its steps, cost and evidence.
// Do not edit; edit jsd.py and run: lngen derive jsd.py
// definition sha256:b28d007ce999de73cc9db154c53ebf5b3ccf610eafe7fdebb5114df4ab0d0ea6
//
// forward:
//     m_2 = max(x)
//     exp_shifted = exp(x - m_2)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     logq = x - m_2 - log_Z
//     m = max(teacher)
//     exp_shifted_2 = exp(teacher - m)
//     Z_2 = sum(exp_shifted_2)
//     log_Z_2 = log(Z_2)
//     logp = teacher - m - log_Z_2
//     inv_Z = 1/Z
//     q = inv_Z*exp_shifted
//     inv_Z_2 = 1/Z_2
//     p = inv_Z_2*exp_shifted_2
//     u = beta*p + q*(1 - beta)
//     logm = log(u)
//     y = sum(beta*p*(logp - logm) + q*(1 - beta)*(logq - logm))
// backward:
//     g = dy*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm)
//     dx = q*(g - sum(g*q))
// jvp:
//     exp_shifted_dot = exp_shifted*x_dot
//     Z_dot = sum(exp_shifted_dot)
//     log_Z_dot = Z_dot*inv_Z
//     logq_dot = x_dot - log_Z_dot
//     inv_Z_dot = -Z_dot*inv_Z**2
//     q_dot = inv_Z_dot*exp_shifted + inv_Z*exp_shifted_dot
//     u_dot = q_dot*(1 - beta)
//     logm_dot = u_dot/u
//     total_dot = logq_dot*q*(1 - beta) + q_dot*(1 - beta)*(logq - logm) + (-logm_dot*(beta*p + q*(1 - beta)))
//     y_dot = sum(total_dot)
// backward_backward:
//     g = dy*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm)
//     mean_g_q = mean(g*q)
//     dmean_g_q = sum(-D*ddx*q)
//     dg = ddx*q + dmean_g_q*q/D
//     d2logm = -dy*dg*(1 - beta)
//     d2u = d2logm/u - dy*dg*(1 - beta)*(beta*(q - p) - q)/u**2
//     d2q = d2u*(1 - beta) + dmean_g_q*g/D + ddx*(g - D*mean_g_q) + dy*dg*(1 - beta)*(beta - 1)/u
//     d2inv_Z = sum(d2q*exp_shifted)
//     d2logq = dy*dg*(1 - beta)
//     d2log_Z = sum(-d2logq)
//     d2Z = d2log_Z*inv_Z - d2inv_Z*inv_Z**2
//     d2exp_shifted = inv_Z*d2q + d2Z
//     d2x = d2logq + d2exp_shifted*exp_shifted
//     ddy = sum(dg*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> TEACHER;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M_2_;
constexpr Name<SAVED_OUT, 1> LOG_Z;
constexpr Name<SAVED_OUT, 2> M;
constexpr Name<SAVED_OUT, 3> INV_Z;
constexpr Name<SAVED_OUT, 4> INV_Z_2;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
constexpr Name<KEPT, 1> KEPT_EXP_SHIFTED_2;
using Given = decltype(names(X, TEACHER, BETA, Y, M_2_, LOG_Z, M, INV_Z, INV_Z_2, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 3, 10, 0, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto beta = row(BETA);
    const auto stage_1 = row.reduce([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      return terms(max_of(x), max_of(teacher));
    });
    const auto m_2 = finite_or_zero(get<0>(stage_1));  // step 1: max(x)
    const auto m = finite_or_zero(get<1>(stage_1));  // step 7: max(teacher)
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 3
      const auto teacher_shifted = teacher - m;  // step 8
      const auto exp_shifted_2 = at.keep(KEPT_EXP_SHIFTED_2, math::exp(teacher_shifted));  // step 9
      return terms(exp_shifted, exp_shifted_2);
    });
    const auto Z = get<0>(stage_2);  // step 4: sum(exp_shifted)
    const auto Z_2 = get<1>(stage_2);  // step 10: sum(exp_shifted_2)
    const auto log_Z = math::log(Z);  // step 5
    const auto log_Z_2 = math::log(Z_2);  // step 11
    const auto inv_Z = A(1) / Z;  // step 13
    const auto inv_Z_2 = A(1) / Z_2;  // step 16
    const auto stage_3 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      const auto teacher_shifted = teacher - m;  // step 8
      const auto exp_shifted_2 = at.recall(KEPT_EXP_SHIFTED_2, [&] { return math::exp(teacher_shifted); });  // step 9
      const auto logq = x_shifted - log_Z;  // step 6
      const auto logp = teacher_shifted - log_Z_2;  // step 12
      const auto q = exp_shifted*inv_Z;  // step 15
      const auto p = exp_shifted_2*inv_Z_2;  // step 18
      const auto u = p*beta + q*(A(1) - A(beta));  // step 19
      const auto logm = math::log(u);  // step 20
      const auto total = (logp - logm)*p*beta + (logq - logm)*q*(A(1) - A(beta));  // step 21
      return terms(total);
    });
    const auto y = get<0>(stage_3);  // step 22: sum(total)
    row.store(Y, y);
    row.save(M_2_, m_2);
    row.save(LOG_Z, log_Z);
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
constexpr Name<SAVED, 1> LOG_Z;
constexpr Name<SAVED, 2> M;
constexpr Name<SAVED, 3> INV_Z;
constexpr Name<SAVED, 4> INV_Z_2;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<KEPT, 0> KEPT_Q;
constexpr Name<KEPT, 1> KEPT_G;
using Given = decltype(names(X, TEACHER, DY, M_2_, LOG_Z, M, INV_Z, INV_Z_2, BETA, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 3, 9, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), log_Z = row(LOG_Z), m = row(M), inv_Z = row(INV_Z), inv_Z_2 = row(INV_Z_2);
    const auto beta = row(BETA);
    const auto beta_scaled = row(DY)*(A(1) - beta);  // step 50, pass 3
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      const auto logq = x_shifted - log_Z;  // step 6
      const auto teacher_shifted = teacher - m;  // step 8
      const auto exp_shifted_2 = math::exp(teacher_shifted);  // step 9
      const auto q = at.keep(KEPT_Q, exp_shifted*inv_Z);  // step 15
      const auto p = exp_shifted_2*inv_Z_2;  // step 18
      const auto u = p*beta + q*(A(1) - A(beta));  // step 19
      const auto logm = math::log(u);  // step 20
      const auto g = at.keep(KEPT_G, (logq + ((q - p)*beta - q) / u - logm)*beta_scaled);  // step 50, pass 4
      return terms(g*q);
    });
    const auto sum_g_q = get<0>(stage_2);  // step 67: sum(g*q)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      const auto logq = x_shifted - log_Z;  // step 6
      const auto teacher_shifted = teacher - m;  // step 8
      const auto exp_shifted_2 = math::exp(teacher_shifted);  // step 9
      const auto q = at.recall(KEPT_Q, [&] { return exp_shifted*inv_Z; });  // step 15
      const auto p = exp_shifted_2*inv_Z_2;  // step 18
      const auto u = p*beta + q*(A(1) - A(beta));  // step 19
      const auto logm = math::log(u);  // step 20
      const auto g = at.recall(KEPT_G, [&] { return (logq + ((q - p)*beta - q) / u - logm)*beta_scaled; });  // step 50, pass 4
      at.store(DX, (g - sum_g_q)*q);  // step 67
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
constexpr Name<SAVED, 1> LOG_Z;
constexpr Name<SAVED, 2> M;
constexpr Name<SAVED, 3> INV_Z;
constexpr Name<SAVED, 4> INV_Z_2;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
constexpr Name<KEPT, 1> KEPT_EXP_SHIFTED_DOT;
using Given = decltype(names(X, TEACHER, X_DOT, M_2_, LOG_Z, M, INV_Z, INV_Z_2, BETA, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 3, 10, 0, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m_2 = row(M_2_), log_Z = row(LOG_Z), m = row(M), inv_Z = row(INV_Z), inv_Z_2 = row(INV_Z_2);
    const auto beta = row(BETA);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 3
      const auto exp_shifted_dot = at.keep(KEPT_EXP_SHIFTED_DOT, exp_shifted*x_dot);  // step 69
      return terms(exp_shifted_dot);
    });
    const auto Z_dot = get<0>(stage_1);  // step 70: sum(exp_shifted_dot)
    const auto log_Z_dot = Z_dot*inv_Z;  // step 72
    const auto inv_Z_dot = -Z_dot*(inv_Z*inv_Z);  // step 75
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      const auto exp_shifted_dot = at.recall(KEPT_EXP_SHIFTED_DOT, [&] { return exp_shifted*x_dot; });  // step 69
      const auto logq = x_shifted - log_Z;  // step 6
      const auto teacher_shifted = teacher - m;  // step 8
      const auto exp_shifted_2 = math::exp(teacher_shifted);  // step 9
      const auto q = exp_shifted*inv_Z;  // step 15
      const auto p = exp_shifted_2*inv_Z_2;  // step 18
      const auto u = p*beta + q*(A(1) - A(beta));  // step 19
      const auto logm = math::log(u);  // step 20
      const auto logq_dot = x_dot - log_Z_dot;  // step 73
      const auto q_dot = exp_shifted_dot*inv_Z + exp_shifted*inv_Z_dot;  // step 76
      const auto u_dot = q_dot*(A(1) - A(beta));  // step 77
      const auto logm_dot = u_dot / u;  // step 78
      const auto total_dot = logq_dot*q*(A(1) - A(beta)) + (logq - logm)*q_dot*(A(1) - A(beta)) + (-p*beta - q*(A(1) - A(beta)))*logm_dot;  // step 79
      return terms(total_dot);
    });
    const auto y_dot = get<0>(stage_2);  // step 80: sum(total_dot)
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
constexpr Name<SAVED, 1> LOG_Z;
constexpr Name<SAVED, 2> M;
constexpr Name<SAVED, 3> INV_Z;
constexpr Name<SAVED, 4> INV_Z_2;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
constexpr Name<KEPT, 1> KEPT_Q;
constexpr Name<KEPT, 2> KEPT_P;
constexpr Name<KEPT, 3> KEPT_U;
constexpr Name<KEPT, 4> KEPT_LOGM;
constexpr Name<KEPT, 5> KEPT_G;
constexpr Name<KEPT, 6> KEPT_D2Q;
constexpr Name<KEPT, 7> KEPT_D2LOGQ;
using Given = decltype(names(X, TEACHER, DY, DDX, M_2_, LOG_Z, M, INV_Z, INV_Z_2, BETA, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 3, 17, 1, 8> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m_2 = row(M_2_), log_Z = row(LOG_Z), m = row(M), inv_Z = row(INV_Z), inv_Z_2 = row(INV_Z_2);
    const auto dy = row(DY);
    const auto beta = row(BETA);
    const auto beta_scaled = dy*(A(1) - beta);  // step 81, pass 6
    const auto beta_scaled_2 = dy*(A(1) - beta)*(beta - A(1));  // step 89, pass 7
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 3
      const auto logq = x_shifted - log_Z;  // step 6
      const auto teacher_shifted = teacher - m;  // step 8
      const auto exp_shifted_2 = math::exp(teacher_shifted);  // step 9
      const auto q = at.keep(KEPT_Q, exp_shifted*inv_Z);  // step 15
      const auto p = at.keep(KEPT_P, exp_shifted_2*inv_Z_2);  // step 18
      const auto u = at.keep(KEPT_U, p*beta + q*(A(1) - A(beta)));  // step 19
      const auto logm = at.keep(KEPT_LOGM, math::log(u));  // step 20
      const auto g = at.keep(KEPT_G, (logq + ((q - p)*beta - q) / u - logm)*beta_scaled);  // step 81, pass 8
      return terms(wanted<HAS_ddx>(g*q), -ddx*q*row.D);
    });
    const auto mean_g_q = math::quotient(get<0>(stage_2), row.D);  // step 82: mean(g*q)
    const auto dmean_g_q = get<1>(stage_2);  // step 84: sum(-ddx*q*D)
    const auto dmean_g_q_scaled = math::quotient(dmean_g_q, row.D);  // step 85, pass 9
    const auto mean_g_q_scaled = mean_g_q*row.D;  // step 89, pass 10
    const auto stage_3 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      const auto logq = x_shifted - log_Z;  // step 6
      const auto teacher_shifted = teacher - m;  // step 8
      const auto exp_shifted_2 = math::exp(teacher_shifted);  // step 9
      const auto q = at.recall(KEPT_Q, [&] { return exp_shifted*inv_Z; });  // step 15
      const auto p = at.recall(KEPT_P, [&] { return exp_shifted_2*inv_Z_2; });  // step 18
      const auto u = at.recall(KEPT_U, [&] { return p*beta + q*(A(1) - A(beta)); });  // step 19
      const auto logm = at.recall(KEPT_LOGM, [&] { return math::log(u); });  // step 20
      const auto g = at.recall(KEPT_G, [&] { return (logq + ((q - p)*beta - q) / u - logm)*beta_scaled; });  // step 81, pass 8
      const auto dg = ddx*q + q*dmean_g_q_scaled;  // step 85, pass 11
      const auto d2logm = -dg*beta_scaled;  // step 87, pass 12
      const auto d2u = d2logm / u - ((q - p)*beta - q)*dg*beta_scaled / (u*u);  // step 88, pass 13
      const auto d2q = at.keep(KEPT_D2Q, g*dmean_g_q_scaled + dg*beta_scaled_2 / u + d2u*(A(1) - A(beta)) + (g - mean_g_q_scaled)*ddx);  // step 89, pass 14
      const auto d2logq = at.keep(KEPT_D2LOGQ, dg*beta_scaled);  // step 86, pass 15
      return terms(d2q*exp_shifted, -d2logq, (logq + ((q - p)*beta - q) / u - logm)*dg*(A(1) - A(beta)));
    });
    const auto d2inv_Z = get<0>(stage_3);  // step 90: sum(d2q*exp_shifted)
    const auto d2log_Z = get<1>(stage_3);  // step 91: sum(-d2logq)
    const auto ddy = get<2>(stage_3);  // step 97: sum(dg*(1 - beta)*(-logm + logq + (-q + beta*(-p + q))/u))
    const auto d2Z = d2log_Z*inv_Z - d2inv_Z*(inv_Z*inv_Z);  // step 93
    row.store(DDY, ddy);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto teacher = at(TEACHER);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m_2;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      const auto logq = x_shifted - log_Z;  // step 6
      const auto teacher_shifted = teacher - m;  // step 8
      const auto exp_shifted_2 = math::exp(teacher_shifted);  // step 9
      const auto q = exp_shifted*inv_Z;  // step 15
      const auto p = exp_shifted_2*inv_Z_2;  // step 18
      const auto u = p*beta + q*(A(1) - A(beta));  // step 19
      const auto logm = math::log(u);  // step 20
      const auto g = (logq + ((q - p)*beta - q) / u - logm)*beta_scaled;  // step 81, pass 8
      const auto dg = ddx*q + q*dmean_g_q_scaled;  // step 85, pass 11
      const auto d2logm = -dg*beta_scaled;  // step 87, pass 12
      const auto d2u = d2logm / u - ((q - p)*beta - q)*dg*beta_scaled / (u*u);  // step 88, pass 13
      const auto d2q = at.recall(KEPT_D2Q, [&] { return g*dmean_g_q_scaled + dg*beta_scaled_2 / u + d2u*(A(1) - A(beta)) + (g - mean_g_q_scaled)*ddx; });  // step 89, pass 14
      const auto d2logq = at.recall(KEPT_D2LOGQ, [&] { return dg*beta_scaled; });  // step 86, pass 15
      const auto d2exp_shifted = d2q*inv_Z + d2Z;  // step 94
      at.store(DX, d2logq + d2exp_shifted*exp_shifted);  // step 96
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
