// Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.
// Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
// definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
//
// forward:
//     m = max(x)
//     exp_shifted = exp(x - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     target = sum(where(index() == label, x, 0))
//     mu = mean(x)
//     y = where(label == ignore, 0, m + log_Z + where(smoothing > 0, smoothing*(target - mu), 0) + z_loss*(m + log_Z)**2 - target)
// backward:
//     p = exp_shifted/Z
//     dx = where(index() == label, where(label == ignore, 0, where(smoothing > 0, smoothing*dy, 0) - dy), 0) + where(label == ignore, 0, dy*p*(1 + 2*z_loss*(m + log_Z)) + where(smoothing > 0, -smoothing*dy/D, 0))
// jvp:
//     p = exp_shifted/Z
//     y_dot = where(label == ignore, 0, sum(p*x_dot)*(1 + 2*z_loss*(m + log_Z)) + where(smoothing > 0, smoothing*sum(where(index() == label, x_dot, 0)) - smoothing*mean(x_dot), 0) - sum(where(index() == label, x_dot, 0)))
// backward_backward:
//     d2x = where(label == ignore, 0, exp_shifted*(dy*ddx*(1 + 2*z_loss*(m + log_Z))/Z + 2*z_loss*dy*sum(ddx*exp_shifted)/Z**2 - dy*sum(ddx*exp_shifted)*(1 + 2*z_loss*(m + log_Z))/Z**2))
//     p = exp_shifted/Z
//     ddy = sum(where(index() == label, where(label == ignore, 0, where(smoothing > 0, smoothing*ddx, 0) - ddx), 0)) + where(label == ignore, 0, where(smoothing > 0, -smoothing*mean(ddx), 0) + sum(ddx*p)*(1 + 2*z_loss*(m + log_Z)))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_ignore = LNGEN_UNDEFINED(LNGEN_WITHOUT_ignore);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<INTEGER, 0, HAS_ignore, Fixed<-100>> IGNORE;
constexpr Name<NUMBER, 0> SMOOTHING;
constexpr Name<NUMBER, 1> Z_LOSS;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> Z_2;
constexpr Name<SAVED_OUT, 2> LOG_Z;
using Given = decltype(names(X, LABEL, IGNORE, SMOOTHING, Z_LOSS, Y, M, Z_2, LOG_Z, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 11, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto label = row(LABEL);
    const auto smoothing = row(SMOOTHING);
    const auto stage_1 = row.reduce([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      return terms(max_of(x), choose<A>(at.index() == label, x, A(0)));
    });
    const auto m = finite_or_zero(get<0>(stage_1));  // step 1: max(x)
    const auto target = get<1>(stage_1);  // step 6: sum(Where(Eq(index(), label), x, 0))
    const auto target_shifted = target - m;  // step 6, pass 1
    const auto stage_2 = row.sums([&](auto at) {
      const auto x_shifted = at(X) - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      return terms(exp_shifted, x_shifted);
    });
    const auto Z = get<0>(stage_2);  // step 4: sum(exp_shifted)
    const auto mu_shifted = math::quotient(get<1>(stage_2), row.D);  // step 7, pass 2: mean(x_shifted)
    const auto log_Z = math::log(Z);  // step 5
    const auto y = choose<A>(label == integer(row(IGNORE)), A(0), log_Z + choose<A>(smoothing > A(0), (target_shifted - mu_shifted)*smoothing, A(0)) + math::power<2>(log_Z + m)*row(Z_LOSS) - target_shifted);  // step 8, pass 3
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
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<ROW_NUMBERS, 0> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> Z_2;
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<INTEGER, 0, HAS_ignore, Fixed<-100>> IGNORE;
constexpr Name<NUMBER, 0> SMOOTHING;
constexpr Name<NUMBER, 1> Z_LOSS;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, LABEL, DY, M, Z_2, LOG_Z, IGNORE, SMOOTHING, Z_LOSS, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 11, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M);
    const auto label = row(LABEL);
    const auto dy = row(DY);
    const auto ignore = row(IGNORE);
    const auto smoothing = row(SMOOTHING);
    const auto smoothing_shifted = choose<A>(label == integer(ignore), A(0), choose<A>(smoothing > A(0), dy*smoothing, A(0)) - dy);  // step 22, pass 4
    const auto z_loss_scaled = dy*((A(2)*row(LOG_Z) + A(2)*m)*row(Z_LOSS) + A(1)) / row(Z_2);  // step 22, pass 5
    const auto smoothing_shifted_2 = choose<A>(smoothing > A(0), math::quotient(-dy*smoothing, row.D), A(0));  // step 22, pass 6
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_shifted = at(X) - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      at.store(DX, choose<A>(at.index() == label, smoothing_shifted, A(0)) + choose<A>(label == integer(ignore), A(0), exp_shifted*z_loss_scaled + smoothing_shifted_2));  // step 22, pass 7
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
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<INTEGER, 0, HAS_ignore && HAS_x_dot, Fixed<-100>> IGNORE;
constexpr Name<NUMBER, 0> SMOOTHING;
constexpr Name<NUMBER, 1> Z_LOSS;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, LABEL, X_DOT, M, Z_2, LOG_Z, IGNORE, SMOOTHING, Z_LOSS, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 1, 11, 0> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M);
    const auto label = row(LABEL);
    const auto smoothing = row(SMOOTHING);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = math::exp(x_shifted);  // step 3
      return terms(choose<A>(at.index() == integer(label), x_dot, A(0)), exp_shifted*x_dot, x_dot);
    });
    const auto sum_index_x_dot = get<0>(stage_1);  // step 33, pass 8: sum(Where(Eq(index(), label), x_dot, 0))
    const auto sum_exp_shifted_x_dot = get<1>(stage_1);  // step 33, pass 9: sum(exp_shifted*x_dot)
    const auto mean_x_dot = math::quotient(get<2>(stage_1), row.D);  // step 33, pass 10: mean(x_dot)
    const auto y_dot = choose<A>(integer(label) == integer(row(IGNORE)), A(0), choose<A>(smoothing > A(0), sum_index_x_dot*smoothing - mean_x_dot*smoothing, A(0)) + sum_exp_shifted_x_dot*((A(2)*row(LOG_Z) + A(2)*m)*row(Z_LOSS) + A(1)) / row(Z_2) - sum_index_x_dot);  // step 33, pass 11
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
constexpr Name<SAVED, 2> LOG_Z;
constexpr Name<INTEGER, 0, HAS_ddx && HAS_ignore, Fixed<-100>> IGNORE;
constexpr Name<NUMBER, 0> SMOOTHING;
constexpr Name<NUMBER, 1> Z_LOSS;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_SHIFTED;
using Given = decltype(names(X, LABEL, DY, DDX, M, Z_2, LOG_Z, IGNORE, SMOOTHING, Z_LOSS, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 1, 15, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M), Z = row(Z_2), log_Z = row(LOG_Z);
    const auto label = row(LABEL);
    const auto dy = row(DY);
    const auto ignore = row(IGNORE);
    const auto smoothing = row(SMOOTHING);
    const auto z_loss = row(Z_LOSS);
    const auto z_loss_scaled = dy*((A(2)*log_Z + A(2)*m)*z_loss + A(1)) / Z;  // step 44, pass 12
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(x_shifted));  // step 3
      return terms(ddx*exp_shifted, choose<A>(at.index() == integer(label), choose<A>(integer(label) == integer(ignore), A(0), choose<A>(A(smoothing) > A(0), ddx*smoothing, A(0)) - ddx), A(0)), ddx);
    });
    const auto sum_ddx_exp_shifted = get<0>(stage_2);  // step 44: sum(ddx*exp_shifted)
    const auto sum_ddx_index = get<1>(stage_2);  // step 47, pass 13: sum(Where(Eq(index(), label), Where(Eq(label, ignore), 0, -ddx + Where(smoothing > 0, ddx*smoothing, 0)), 0))
    const auto mean_ddx = math::quotient(get<2>(stage_2), row.D);  // step 47, pass 14: mean(ddx)
    const auto sum_ddx_exp_shifted_scaled = dy*sum_ddx_exp_shifted*((A(2)*log_Z + A(2)*m)*z_loss + A(1)) / (Z*Z);  // step 44, pass 15
    const auto sum_ddx_exp_shifted_scaled_2 = A(2)*dy*sum_ddx_exp_shifted*z_loss / (Z*Z);  // step 44, pass 16
    const auto ddy = sum_ddx_index + choose<A>(integer(label) == integer(ignore), A(0), choose<A>(smoothing > A(0), -mean_ddx*smoothing, A(0)) + sum_ddx_exp_shifted*((A(2)*log_Z + A(2)*m)*z_loss + A(1)) / Z);  // step 47, pass 17
    row.store(DDY, ddy);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto x_shifted = x - m;  // step 2
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(x_shifted); });  // step 3
      at.store(DX, choose<A>(integer(label) == integer(ignore), A(0), (ddx*z_loss_scaled + sum_ddx_exp_shifted_scaled_2 - sum_ddx_exp_shifted_scaled)*exp_shifted));  // step 44, pass 18
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
