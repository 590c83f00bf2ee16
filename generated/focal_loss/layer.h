// Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.
// Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
// Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
// definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
//
// forward:
//     m = max(x)
//     exp_shifted = exp(x - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     logp = x - m - log_Z
//     logpt = sum(where(index() == label, logp, 0))
//     expm1_logpt = expm1(logpt)
//     power_expm1_logpt = (-expm1_logpt)**gamma
//     y = -logpt*power_expm1_logpt
// backward:
//     p = exp_shifted/Z
//     dx = where(index() == label, where(gamma == 0, 0, gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)) - dy*power_expm1_logpt, 0) + where(label >= 0, where(label < D, dy*power_expm1_logpt*p + where(gamma == 0, 0, -gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)), 0), 0)
// jvp:
//     p = exp_shifted/Z
//     log_Z_dot = sum(p*x_dot)
//     y_dot = where(gamma == 0, 0, gamma*logpt*(-expm1_logpt)**(gamma - 1)*sum(where(index() == label, exp(logpt)*(x_dot - log_Z_dot), 0))) - power_expm1_logpt*sum(where(index() == label, x_dot - log_Z_dot, 0))
// backward_backward:
//     p = exp_shifted/Z
//     d2logpt = sum(where(index() == label, where(gamma == 0, 0, where(gamma - 1 == 0, 0, -gamma*dy*logpt*ddx*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*(gamma - 1))), 0)) + sum(where(index() == label, where(gamma == 0, 0, ddx*(gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1) + gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1))), 0)) + where(gamma == 0, 0, where(label >= 0, where(label < D, -gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p), 0), 0) - gamma*(-expm1_logpt)**(gamma - 1)*sum(where(index() == label, -dy*ddx*exp(logpt), 0))) + where(label >= 0, where(label < D, where(gamma == 0, 0, where(gamma - 1 == 0, 0, gamma*dy*logpt*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*sum(ddx*p)*(gamma - 1))) + where(gamma == 0, 0, sum(-ddx*(gamma*dy*p*exp(logpt)*(-expm1_logpt)**(gamma - 1) + gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)))), 0), 0)
//     d2x = where(index() == label, d2logpt, 0) + where(label >= 0, where(label < D, dy*power_expm1_logpt*ddx*p + where(gamma == 0, 0, -gamma*dy*logpt*ddx*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)) + where(gamma == 0, 0, gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p)) - d2logpt*p - dy*power_expm1_logpt*p*sum(ddx*p), 0), 0)
//     ddy = sum(where(index() == label, where(gamma == 0, 0, gamma*logpt*ddx*exp(logpt)*(-expm1_logpt)**(gamma - 1)) - power_expm1_logpt*ddx, 0)) + where(label >= 0, where(label < D, power_expm1_logpt*sum(ddx*p) + where(gamma == 0, 0, -gamma*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p)), 0), 0)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<NUMBER, 0> GAMMA;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> Z_2;
constexpr Name<SAVED_OUT, 2> LOGPT;
constexpr Name<SAVED_OUT, 3> EXPM1_LOGPT;
constexpr Name<SAVED_OUT, 4> POWER_EXPM1_LOGPT;
using Given = decltype(names(X, LABEL, GAMMA, Y, M, Z_2, LOGPT, EXPM1_LOGPT, POWER_EXPM1_LOGPT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 9, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto label = row(LABEL);
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
    const auto stage_3 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_shifted = at(X) - m;  // step 2
      const auto logp = x_shifted - log_Z;  // step 6
      return terms(choose<A>(at.index() == label, logp, A(0)));
    });
    const auto logpt = get<0>(stage_3);  // step 7: sum(Where(Eq(index(), label), logp, 0))
    const auto expm1_logpt = math::expm1(logpt);  // step 8
    const auto power_expm1_logpt = math::pow(-expm1_logpt, row(GAMMA));  // step 9
    const auto y = -logpt*power_expm1_logpt;  // step 10
    row.store(Y, y);
    row.save(M, m);
    row.save(Z_2, Z);
    row.save(LOGPT, logpt);
    row.save(EXPM1_LOGPT, expm1_logpt);
    row.save(POWER_EXPM1_LOGPT, power_expm1_logpt);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<ROW_NUMBERS, 0> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOGPT;
constexpr Name<SAVED, 3> EXPM1_LOGPT;
constexpr Name<SAVED, 4> POWER_EXPM1_LOGPT;
constexpr Name<NUMBER, 0> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, LABEL, DY, M, Z_2, LOGPT, EXPM1_LOGPT, POWER_EXPM1_LOGPT, GAMMA, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 11, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M), Z = row(Z_2), logpt = row(LOGPT), expm1_logpt = row(EXPM1_LOGPT), power_expm1_logpt = row(POWER_EXPM1_LOGPT);
    const auto label = row(LABEL);
    const auto dy = row(DY);
    const auto gamma = row(GAMMA);
    const auto power_expm1_logpt_shifted = choose<A>(gamma == A(0), A(0), math::pow(-expm1_logpt, gamma - A(1))*dy*math::exp(logpt)*logpt*gamma) - dy*power_expm1_logpt;  // step 31, pass 1
    const auto power_expm1_logpt_scaled = dy*power_expm1_logpt / Z;  // step 31, pass 2
    const auto expm1_logpt_scaled = math::pow(-expm1_logpt, gamma - A(1))*dy*math::exp(logpt)*logpt*gamma / Z;  // step 31, pass 3
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_shifted = at(X) - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      at.store(DX, choose<A>(at.index() == label, power_expm1_logpt_shifted, A(0)) + choose<A>(label >= 0, choose<A>(label < row.entries(), exp_shifted*power_expm1_logpt_scaled + choose<A>(A(gamma) == A(0), A(0), -exp_shifted*expm1_logpt_scaled), A(0)), A(0)));  // step 31, pass 4
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROW_INTEGERS, 0, HAS_x_dot, Zero> LABEL;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOGPT;
constexpr Name<SAVED, 3> EXPM1_LOGPT;
constexpr Name<SAVED, 4> POWER_EXPM1_LOGPT;
constexpr Name<NUMBER, 0> GAMMA;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, LABEL, X_DOT, M, Z_2, LOGPT, EXPM1_LOGPT, POWER_EXPM1_LOGPT, GAMMA, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 13, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M), logpt = row(LOGPT);
    const auto label = row(LABEL);
    const auto gamma = row(GAMMA);
    const auto logpt_shifted = math::exp(logpt);  // step 45, pass 5
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      return terms(exp_shifted*x_dot);
    });
    const auto sum_exp_shifted_x_dot = get<0>(stage_2);  // step 38, pass 6: sum(exp_shifted*x_dot)
    const auto log_Z_dot = sum_exp_shifted_x_dot / row(Z_2);  // step 38, pass 7
    const auto stage_3 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_dot = at(X_DOT);
      return terms(choose<A>(at.index() == integer(label), x_dot - log_Z_dot, A(0)), choose<A>(at.index() == integer(label), (x_dot - log_Z_dot)*logpt_shifted, A(0)));
    });
    const auto sum_index_x_dot = get<0>(stage_3);  // step 45: sum(Where(Eq(index(), label), -log_Z_dot + x_dot, 0))
    const auto sum_index_x_dot_2 = get<1>(stage_3);  // step 45, pass 8: sum(Where(Eq(index(), label), logpt_shifted*(-log_Z_dot + x_dot), 0))
    const auto y_dot = choose<A>(gamma == A(0), A(0), math::pow(-row(EXPM1_LOGPT), gamma - A(1))*logpt*sum_index_x_dot_2*gamma) - row(POWER_EXPM1_LOGPT)*sum_index_x_dot;  // step 45
    row.store(Y_DOT, y_dot);
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROW_INTEGERS, 0, HAS_ddx, Zero> LABEL;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOGPT;
constexpr Name<SAVED, 3> EXPM1_LOGPT;
constexpr Name<SAVED, 4> POWER_EXPM1_LOGPT;
constexpr Name<NUMBER, 0> GAMMA;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
using Given = decltype(names(X, LABEL, DY, DDX, M, Z_2, LOGPT, EXPM1_LOGPT, POWER_EXPM1_LOGPT, GAMMA, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 6, 1, 26, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M), Z = row(Z_2), logpt = row(LOGPT), expm1_logpt = row(EXPM1_LOGPT), power_expm1_logpt = row(POWER_EXPM1_LOGPT);
    const auto label = row(LABEL);
    const auto dy = row(DY);
    const auto gamma = row(GAMMA);
    const auto expm1_logpt_shifted = math::pow(-expm1_logpt, gamma - A(1))*dy*math::exp(logpt)*gamma + math::pow(-expm1_logpt, gamma - A(1))*dy*math::exp(logpt)*logpt*gamma;  // step 54, pass 9
    const auto expm1_logpt_scaled = math::pow(-expm1_logpt, gamma - A(2))*dy*math::exp(A(2)*logpt)*logpt*gamma*(gamma - A(1));  // step 54, pass 10
    const auto logpt_scaled = dy*math::exp(logpt);  // step 54, pass 11
    const auto expm1_logpt_scaled_2 = math::pow(-expm1_logpt, gamma - A(1))*dy*math::exp(logpt)*gamma / Z;  // step 54, pass 12
    const auto expm1_logpt_scaled_3 = math::pow(-expm1_logpt, gamma - A(1))*dy*math::exp(logpt)*logpt*gamma / Z;  // step 54, pass 13
    const auto power_expm1_logpt_scaled = dy*power_expm1_logpt / Z;  // step 71, pass 14
    const auto expm1_logpt_scaled_4 = math::pow(-expm1_logpt, gamma - A(1))*math::exp(logpt)*logpt*gamma;  // step 73, pass 15
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 3
      return terms(choose<A>(at.index() == integer(label), choose<A>(A(gamma) == A(0), A(0), ddx*expm1_logpt_shifted), A(0)), choose<A>(at.index() == integer(label), choose<A>(A(gamma) == A(0), A(0), choose<A>(A(gamma) - A(1) == A(0), A(0), -ddx*expm1_logpt_scaled)), A(0)), choose<A>(at.index() == integer(label), -ddx*logpt_scaled, A(0)), ddx*exp_shifted, (-exp_shifted*expm1_logpt_scaled_2 - exp_shifted*expm1_logpt_scaled_3)*ddx, choose<A>(at.index() == integer(label), choose<A>(A(gamma) == A(0), A(0), ddx*expm1_logpt_scaled_4) - ddx*power_expm1_logpt, A(0)));
    });
    const auto sum_ddx_index = get<0>(stage_2);  // step 54, pass 16: sum(Where(Eq(index(), label), Where(Eq(gamma, 0), 0, expm1_logpt_shifted*ddx), 0))
    const auto sum_ddx_index_2 = get<1>(stage_2);  // step 54, pass 17: sum(Where(Eq(index(), label), Where(Eq(gamma, 0), 0, Where(Eq(gamma - 1, 0), 0, -expm1_logpt_scaled*ddx)), 0))
    const auto sum_ddx_index_3 = get<2>(stage_2);  // step 54, pass 18: sum(Where(Eq(index(), label), -logpt_scaled*ddx, 0))
    const auto sum_ddx_exp_shifted = get<3>(stage_2);  // step 54, pass 19: sum(ddx*exp_shifted)
    const auto sum_ddx_exp_shifted_2 = get<4>(stage_2);  // step 54, pass 20: sum(ddx*(-expm1_logpt_scaled_2*exp_shifted - expm1_logpt_scaled_3*exp_shifted))
    const auto sum_ddx_index_4 = get<5>(stage_2);  // step 73, pass 21: sum(Where(Eq(index(), label), -power_expm1_logpt*ddx + Where(Eq(gamma, 0), 0, expm1_logpt_scaled_4*ddx), 0))
    const auto d2logpt = sum_ddx_index + sum_ddx_index_2 + choose<A>(gamma == A(0), A(0), choose<A>(integer(label) >= 0, choose<A>(integer(label) < row.entries(), -math::pow(-expm1_logpt, gamma - A(1))*dy*math::exp(logpt)*sum_ddx_exp_shifted*gamma / Z, A(0)), A(0)) - math::pow(-expm1_logpt, gamma - A(1))*sum_ddx_index_3*gamma) + choose<A>(integer(label) >= 0, choose<A>(integer(label) < row.entries(), choose<A>(gamma == A(0), A(0), sum_ddx_exp_shifted_2) + choose<A>(gamma == A(0), A(0), choose<A>(gamma - A(1) == A(0), A(0), math::pow(-expm1_logpt, gamma - A(2))*dy*math::exp(A(2)*logpt)*logpt*sum_ddx_exp_shifted*gamma*(gamma - A(1)) / Z)), A(0)), A(0));  // step 54, pass 22
    const auto d2logpt_scaled = d2logpt / Z;  // step 71, pass 23
    const auto sum_ddx_exp_shifted_scaled = dy*power_expm1_logpt*sum_ddx_exp_shifted / (Z*Z);  // step 71, pass 24
    const auto sum_ddx_exp_shifted_scaled_2 = math::pow(-expm1_logpt, gamma - A(1))*dy*math::exp(logpt)*logpt*sum_ddx_exp_shifted*gamma / (Z*Z);  // step 71, pass 25
    const auto ddy = sum_ddx_index_4 + choose<A>(integer(label) >= 0, choose<A>(integer(label) < row.entries(), power_expm1_logpt*sum_ddx_exp_shifted / Z + choose<A>(gamma == A(0), A(0), -math::pow(-expm1_logpt, gamma - A(1))*math::exp(logpt)*logpt*sum_ddx_exp_shifted*gamma / Z), A(0)), A(0));  // step 73, pass 26
    row.store(DDY, ddy);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      at.store(DX, choose<A>(at.index() == integer(label), d2logpt, A(0)) + choose<A>(integer(label) >= 0, choose<A>(integer(label) < row.entries(), choose<A>(A(gamma) == A(0), A(0), exp_shifted*sum_ddx_exp_shifted_scaled_2) + ddx*exp_shifted*power_expm1_logpt_scaled + choose<A>(A(gamma) == A(0), A(0), -ddx*exp_shifted*expm1_logpt_scaled_3) - exp_shifted*d2logpt_scaled - exp_shifted*sum_ddx_exp_shifted_scaled, A(0)), A(0)));  // step 71, pass 27
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
