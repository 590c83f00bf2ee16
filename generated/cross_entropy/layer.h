// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
//
// forward:
//     m = max(x)
//     exp_shifted = exp(x - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     logp = x - m - log_Z
//     sum_logp_target = sum(logp*target)
//     y = -sum_logp_target
// backward:
//     p = exp_shifted/Z
//     dx = dy*(p*sum(target) - target)
//     dtarget = -dy*logp
// jvp:
//     p = exp_shifted/Z
//     log_Z_dot = sum(p*x_dot)
//     y_dot = -sum(logp*target_dot + target*(x_dot - log_Z_dot))
// backward_backward:
//     mean_target = mean(target)
//     p = exp_shifted/Z
//     d2x = dy*(D*p*(mean(ddtarget) + mean_target*(ddx - sum(ddx*p))) - ddtarget)
//     d2target = dy*(sum(ddx*p) - ddx)
//     ddy = D*(mean(ddx*(D*mean_target*p - target)) - mean(ddtarget*logp))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddtarget = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddtarget);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_target_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_target_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> TARGET;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> Z_2;
constexpr Name<SAVED_OUT, 2> LOG_Z;
using Given = decltype(names(X, TARGET, Y, M, Z_2, LOG_Z, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 5, 0> {
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
    const auto stage_3 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto target = at(TARGET);
      const auto x_shifted = x - m;  // step 2
      const auto logp = x_shifted - log_Z;  // step 6
      return terms(logp*target);
    });
    const auto sum_logp_target = get<0>(stage_3);  // step 7: sum(logp*target)
    const auto y = -sum_logp_target;  // step 8
    row.store(Y, y);
    row.save(M, m);
    row.save(Z_2, Z);
    row.save(LOG_Z, log_Z);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> TARGET;
constexpr Name<ROW_NUMBERS, 0> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DTARGET;
using Given = decltype(names(X, TARGET, DY, M, Z_2, LOG_Z, DX, DTARGET, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 6, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), log_Z = row(LOG_Z);
    const auto dy = row(DY);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto target = at(TARGET);
      const auto x_shifted = x - m;  // step 2
      const auto logp = x_shifted - log_Z;  // step 6
      at.store(DTARGET, -logp*dy);  // step 26
      return terms(target);
    });
    const auto sum_target = get<0>(stage_1);  // step 24, pass 1: sum(target)
    const auto sum_target_scaled = sum_target / row(Z_2);  // step 24, pass 2
    row.each([&](auto at) {
      const auto x = at(X);
      const auto target = at(TARGET);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      at.store(DX, (exp_shifted*sum_target_scaled - target)*dy);  // step 24, pass 3
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_target_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> TARGET;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 3, HAS_target_dot, Zero> TARGET_DOT;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, TARGET, X_DOT, TARGET_DOT, M, Z_2, LOG_Z, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 7, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), log_Z = row(LOG_Z);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      return terms(exp_shifted*x_dot);
    });
    const auto sum_exp_shifted_x_dot = get<0>(stage_1);  // step 33, pass 4: sum(exp_shifted*x_dot)
    const auto log_Z_dot = sum_exp_shifted_x_dot / row(Z_2);  // step 33, pass 5
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto target = at(TARGET);
      const auto x_dot = at(X_DOT);
      const auto target_dot = at(TARGET_DOT);
      const auto x_shifted = x - m;  // step 2
      const auto logp = x_shifted - log_Z;  // step 6
      return terms(logp*target_dot + (x_dot - log_Z_dot)*target);
    });
    const auto sum_logp_target_target_dot = get<0>(stage_2);  // step 37: sum(logp*target_dot + target*(-log_Z_dot + x_dot))
    const auto y_dot = -sum_logp_target_target_dot;  // step 37
    row.store(Y_DOT, y_dot);
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddtarget || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx, Zero> TARGET;
constexpr Name<ROW_NUMBERS, 0, HAS_ddtarget || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 3, HAS_ddtarget, Zero> DDTARGET;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DTARGET;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
using Given = decltype(names(X, TARGET, DY, DDX, DDTARGET, M, Z_2, LOG_Z, DX, DTARGET, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 4, 1, 13, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), Z = row(Z_2), log_Z = row(LOG_Z);
    const auto dy = row(DY);
    const auto Z_scaled = row.D / Z;  // step 57, pass 6
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto target = at(TARGET);
      const auto ddx = at(DDX);
      const auto ddtarget = at(DDTARGET);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 3
      const auto logp = x_shifted - log_Z;  // step 6
      return terms(wanted<HAS_ddx>(target), ddx*exp_shifted, ddtarget, ddtarget*logp);
    });
    const auto mean_target = math::quotient(get<0>(stage_2), row.D);  // step 38: mean(target)
    const auto sum_ddx_exp_shifted = get<1>(stage_2);  // step 57, pass 7: sum(ddx*exp_shifted)
    const auto mean_ddtarget = math::quotient(get<2>(stage_2), row.D);  // step 57, pass 8: mean(ddtarget)
    const auto mean_ddtarget_logp = math::quotient(get<3>(stage_2), row.D);  // step 66, pass 9: mean(ddtarget*logp)
    const auto sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z;  // step 57, pass 10
    const auto mean_target_scaled = mean_target*row.D / Z;  // step 66, pass 11
    const auto stage_3 = row.means([&](auto at) {
      const auto x = at(X);
      const auto target = at(TARGET);
      const auto ddx = at(DDX);
      const auto ddtarget = at(DDTARGET);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      at.store(DX, (exp_shifted*((ddx - sum_ddx_exp_shifted_scaled)*mean_target + mean_ddtarget)*Z_scaled - ddtarget)*dy);  // step 57, pass 12
      at.store(DTARGET, (sum_ddx_exp_shifted_scaled - ddx)*dy);  // step 63, pass 13
      return terms(ddx*(exp_shifted*mean_target_scaled - target));
    });
    const auto mean_ddx_exp_shifted_target = get<0>(stage_3);  // step 66, pass 14: mean(ddx*(mean_target_scaled*exp_shifted - target))
    const auto ddy = (mean_ddx_exp_shifted_target - mean_ddtarget_logp)*row.D;  // step 66, pass 15
    row.store(DDY, ddy);
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
