// Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.
// Made by lngen 0.1.0 from the definition of softcap_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit softcap_cross_entropy.py and run: lngen derive softcap_cross_entropy.py
// definition sha256:d010fe640748d9eca5d1baa233d0a8218fad8c6aeec03dd12a012fcb2dc30c1c
//
// forward:
//     u_2 = x/cap
//     tanh_u_2 = tanh(u_2)
//     u = cap*tanh_u_2
//     m = max(u)
//     exp_shifted = exp(u - m)
//     Z = sum(exp_shifted)
//     log_Z = log(Z)
//     sum_where_u = sum(where(index() == label, u, 0))
//     sum_where_class_weight = sum(where(index() == label, class_weight, 0))
//     y = where(label == ignore, 0, z_loss*(m + log_Z)**2 + sum_where_class_weight*(m + log_Z - sum_where_u))
// backward:
//     p = exp_shifted/Z
//     dx = (1 - tanh_u_2)*(1 + tanh_u_2)*(where(index() == label, where(label == ignore, 0, -dy*sum_where_class_weight), 0) + where(label == ignore, 0, dy*p*(sum_where_class_weight + 2*z_loss*(m + log_Z))))
// jvp:
//     tanh_u_2_dot = x_dot*(1 - tanh_u_2)*(1 + tanh_u_2)/cap
//     p = exp_shifted/Z
//     y_dot = where(label == ignore, 0, cap*sum(p*tanh_u_2_dot)*(sum_where_class_weight + 2*z_loss*(m + log_Z)) - sum_where_class_weight*sum(where(index() == label, cap*tanh_u_2_dot, 0)))
// backward_backward:
//     d2x = (1 - tanh_u_2)*(1 + tanh_u_2)*(where(index() == label, where(label == ignore, 0, 2*dy*sum_where_class_weight*ddx*tanh_u_2), 0) + where(label == ignore, 0, cap*exp_shifted*(dy*ddx*(sum_where_class_weight + 2*z_loss*(m + log_Z))*(1 - tanh_u_2)*(1 + tanh_u_2)/Z + 2*z_loss*dy*sum(ddx*exp_shifted*(1 - tanh_u_2)*(1 + tanh_u_2))/Z**2 - dy*sum(ddx*exp_shifted*(1 - tanh_u_2)*(1 + tanh_u_2))*(sum_where_class_weight + 2*z_loss*(m + log_Z))/Z**2) - 2*dy*ddx*exp_shifted*tanh_u_2*(sum_where_class_weight + 2*z_loss*(m + log_Z))/Z))/cap
//     p = exp_shifted/Z
//     ddy = sum(where(index() == label, where(label == ignore, 0, -sum_where_class_weight*ddx*(1 - tanh_u_2)*(1 + tanh_u_2)), 0)) + where(label == ignore, 0, sum(ddx*p*(1 - tanh_u_2)*(1 + tanh_u_2))*(sum_where_class_weight + 2*z_loss*(m + log_Z)))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_class_weight = LNGEN_UNDEFINED(LNGEN_WITHOUT_class_weight);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_ignore = LNGEN_UNDEFINED(LNGEN_WITHOUT_ignore);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<FEATURES, 0, HAS_class_weight, One> CLASS_WEIGHT;
constexpr Name<INTEGER, 0, HAS_ignore, Fixed<-100>> IGNORE;
constexpr Name<NUMBER, 0> CAP;
constexpr Name<NUMBER, 1> Z_LOSS;
constexpr Name<ROW_NUMBERS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> Z_2;
constexpr Name<SAVED_OUT, 2> LOG_Z;
constexpr Name<SAVED_OUT, 3> SUM_WHERE_CLASS_WEIGHT;
constexpr Name<KEPT, 0> KEPT_U;
using Given = decltype(names(X, LABEL, CLASS_WEIGHT, IGNORE, CAP, Z_LOSS, Y, M, Z_2, LOG_Z, SUM_WHERE_CLASS_WEIGHT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 2, 12, 0, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto cap_shifted = A(1) / call(CAP);  // step 1, pass 1
    return terms(cap_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto label = row(LABEL);
    const auto cap = row(CAP);
    const auto cap_shifted = get<0>(row.call);
    const auto [stage_1, stage_2] = row.template max_and_sums<0, 1>(
        [&](auto at) {
          using A = typename decltype(at)::A;
          const auto x = at(X);
          const auto class_weight = at(CLASS_WEIGHT);
          const auto u_2 = x*cap_shifted;  // step 1, pass 2
          const auto tanh_u_2 = math::tanh(u_2);  // step 2
          const auto u = at.keep(KEPT_U, tanh_u_2*cap);  // step 3
          return terms(max_of(u), choose<A>(at.index() == label, u, A(0)), choose<A>(at.index() == label, class_weight, A(0)));
        },
        [&](auto at, auto m) {
          using A = typename decltype(at)::A;
          const auto u_2 = at(X)*cap_shifted;  // step 1, pass 2
          const auto tanh_u_2 = math::tanh(u_2);  // step 2
          const auto u = at.recall(KEPT_U, [&] { return tanh_u_2*cap; });  // step 3
          const auto tanh_u_2_shifted = math::difference(u, A(m));  // step 5
          const auto exp_shifted = math::exp(tanh_u_2_shifted);  // step 6
          return terms(exp_shifted);
        });
    const auto m = finite_or_zero(get<0>(stage_1));  // step 4: max(u)
    const auto sum_where_u = get<1>(stage_1);  // step 9: sum(Where(Eq(index(), label), u, 0))
    const auto sum_where_class_weight = get<2>(stage_1);  // step 10: sum(Where(Eq(index(), label), class_weight, 0))
    const auto sum_where_u_shifted = sum_where_u - m;  // step 9, pass 3
    const auto Z = get<0>(stage_2);  // step 7: sum(exp_shifted)
    const auto log_Z = math::log(Z);  // step 8
    const auto y = choose<A>(label == integer(row(IGNORE)), A(0), (log_Z - sum_where_u_shifted)*sum_where_class_weight + math::power<2>(log_Z + m)*row(Z_LOSS));  // step 11, pass 4
    row.store(Y, y);
    row.save(M, m);
    row.save(Z_2, Z);
    row.save(LOG_Z, log_Z);
    row.save(SUM_WHERE_CLASS_WEIGHT, sum_where_class_weight);
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
constexpr Name<SAVED, 3> SUM_WHERE_CLASS_WEIGHT;
constexpr Name<INTEGER, 0, HAS_ignore, Fixed<-100>> IGNORE;
constexpr Name<NUMBER, 0> CAP;
constexpr Name<NUMBER, 1> Z_LOSS;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, LABEL, DY, M, Z_2, LOG_Z, SUM_WHERE_CLASS_WEIGHT, IGNORE, CAP, Z_LOSS, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 12, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto cap_shifted = A(1) / call(CAP);  // step 1, pass 1
    return terms(cap_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M), sum_where_class_weight = row(SUM_WHERE_CLASS_WEIGHT);
    const auto label = row(LABEL);
    const auto dy = row(DY);
    const auto ignore = row(IGNORE);
    const auto cap = row(CAP);
    const auto cap_shifted = get<0>(row.call);
    const auto sum_where_class_weight_shifted = choose<A>(label == integer(ignore), A(0), -dy*sum_where_class_weight);  // step 30, pass 5
    const auto sum_where_class_weight_scaled = dy*(sum_where_class_weight + (A(2)*row(LOG_Z) + A(2)*m)*row(Z_LOSS)) / row(Z_2);  // step 30, pass 6
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto u_2 = at(X)*cap_shifted;  // step 1, pass 2
      const auto tanh_u_2 = math::tanh(u_2);  // step 2
      const auto u = tanh_u_2*cap;  // step 3
      const auto tanh_u_2_shifted = u - m;  // step 5
      const auto exp_shifted = math::exp(tanh_u_2_shifted);  // step 6
      at.store(DX, (A(1) - tanh_u_2)*(choose<A>(at.index() == label, sum_where_class_weight_shifted, A(0)) + choose<A>(label == integer(ignore), A(0), exp_shifted*sum_where_class_weight_scaled))*(tanh_u_2 + A(1)));  // step 30, pass 7
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
constexpr Name<SAVED, 3> SUM_WHERE_CLASS_WEIGHT;
constexpr Name<INTEGER, 0, HAS_ignore && HAS_x_dot, Fixed<-100>> IGNORE;
constexpr Name<NUMBER, 0> CAP;
constexpr Name<NUMBER, 1> Z_LOSS;
constexpr Name<ROW_NUMBERS_OUT, 0> Y_DOT;
using Given = decltype(names(X, LABEL, X_DOT, M, Z_2, LOG_Z, SUM_WHERE_CLASS_WEIGHT, IGNORE, CAP, Z_LOSS, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 2, 13, 0> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto cap_shifted = A(1) / call(CAP);  // step 1, pass 1
    const auto cap_shifted_2 = A(1) / call(CAP);  // step 34, pass 8
    return terms(cap_shifted, cap_shifted_2);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M), sum_where_class_weight = row(SUM_WHERE_CLASS_WEIGHT);
    const auto label = row(LABEL);
    const auto cap = row(CAP);
    const auto cap_shifted = get<0>(row.call);
    const auto cap_shifted_2 = get<1>(row.call);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto u_2 = x*cap_shifted;  // step 1, pass 2
      const auto tanh_u_2 = math::tanh(u_2);  // step 2
      const auto u = tanh_u_2*cap;  // step 3
      const auto tanh_u_2_shifted = u - m;  // step 5
      const auto exp_shifted = math::exp(tanh_u_2_shifted);  // step 6
      const auto tanh_u_2_dot = (A(1) - tanh_u_2)*(tanh_u_2 + A(1))*x_dot*cap_shifted_2;  // step 34, pass 9
      return terms(choose<A>(at.index() == integer(label), tanh_u_2_dot*cap, A(0)), exp_shifted*tanh_u_2_dot);
    });
    const auto sum_index_tanh_u_2_dot = get<0>(stage_1);  // step 48, pass 10: sum(Where(Eq(index(), label), tanh_u_2_dot*cap, 0))
    const auto sum_exp_shifted_tanh_u_2_dot = get<1>(stage_1);  // step 48, pass 11: sum(exp_shifted*tanh_u_2_dot)
    const auto y_dot = choose<A>(integer(label) == integer(row(IGNORE)), A(0), sum_exp_shifted_tanh_u_2_dot*(sum_where_class_weight + (A(2)*row(LOG_Z) + A(2)*m)*row(Z_LOSS))*cap / row(Z_2) - sum_index_tanh_u_2_dot*sum_where_class_weight);  // step 48, pass 12
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
constexpr Name<SAVED, 3> SUM_WHERE_CLASS_WEIGHT;
constexpr Name<INTEGER, 0, HAS_ddx && HAS_ignore, Fixed<-100>> IGNORE;
constexpr Name<NUMBER, 0> CAP;
constexpr Name<NUMBER, 1> Z_LOSS;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROW_NUMBERS_OUT, 0> DDY;
constexpr Name<KEPT, 0> KEPT_TANH_U_2;
constexpr Name<KEPT, 1> KEPT_EXP_SHIFTED;
using Given = decltype(names(X, LABEL, DY, DDX, M, Z_2, LOG_Z, SUM_WHERE_CLASS_WEIGHT, IGNORE, CAP, Z_LOSS, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 2, 19, 1, 2> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto cap_shifted = A(1) / call(CAP);  // step 1, pass 1
    const auto cap_shifted_2 = A(1) / call(CAP);  // step 68, pass 13
    return terms(cap_shifted, cap_shifted_2);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto m = row(M), Z = row(Z_2), log_Z = row(LOG_Z), sum_where_class_weight = row(SUM_WHERE_CLASS_WEIGHT);
    const auto label = row(LABEL);
    const auto dy = row(DY);
    const auto ignore = row(IGNORE);
    const auto cap = row(CAP);
    const auto z_loss = row(Z_LOSS);
    const auto cap_shifted = get<0>(row.call);
    const auto cap_shifted_2 = get<1>(row.call);
    const auto sum_where_class_weight_scaled = A(2)*dy*sum_where_class_weight;  // step 68, pass 14
    const auto sum_where_class_weight_scaled_2 = dy*(sum_where_class_weight + (A(2)*log_Z + A(2)*m)*z_loss) / Z;  // step 68, pass 15
    const auto sum_where_class_weight_scaled_3 = A(-2)*dy*(sum_where_class_weight + (A(2)*log_Z + A(2)*m)*z_loss) / Z;  // step 68, pass 16
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto u_2 = x*cap_shifted;  // step 1, pass 2
      const auto tanh_u_2 = at.keep(KEPT_TANH_U_2, math::tanh(u_2));  // step 2
      const auto u = tanh_u_2*cap;  // step 3
      const auto tanh_u_2_shifted = u - m;  // step 5
      const auto exp_shifted = at.keep(KEPT_EXP_SHIFTED, math::exp(tanh_u_2_shifted));  // step 6
      return terms((A(1) - tanh_u_2)*ddx*exp_shifted*(tanh_u_2 + A(1)), choose<A>(at.index() == integer(label), choose<A>(integer(label) == integer(ignore), A(0), -(A(1) - tanh_u_2)*ddx*(tanh_u_2 + A(1))*sum_where_class_weight), A(0)));
    });
    const auto sum_ddx_exp_shifted_tanh_u_2 = get<0>(stage_2);  // step 68: sum(ddx*exp_shifted*(1 - tanh_u_2)*(tanh_u_2 + 1))
    const auto sum_ddx_index_tanh_u_2 = get<1>(stage_2);  // step 72, pass 17: sum(Where(Eq(index(), label), Where(Eq(label, ignore), 0, -sum_where_class_weight*ddx*(1 - tanh_u_2)*(tanh_u_2 + 1)), 0))
    const auto sum_ddx_exp_shifted_tanh_u_2_sca = dy*sum_ddx_exp_shifted_tanh_u_2*(sum_where_class_weight + (A(2)*log_Z + A(2)*m)*z_loss) / (Z*Z);  // step 68, pass 18
    const auto sum_ddx_exp_shifted_tanh_u_2_sca_2 = A(2)*dy*sum_ddx_exp_shifted_tanh_u_2*z_loss / (Z*Z);  // step 68, pass 19
    const auto ddy = sum_ddx_index_tanh_u_2 + choose<A>(integer(label) == integer(ignore), A(0), sum_ddx_exp_shifted_tanh_u_2*(sum_where_class_weight + (A(2)*log_Z + A(2)*m)*z_loss) / Z);  // step 72, pass 20
    row.store(DDY, ddy);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto ddx = at(DDX);
      const auto u_2 = x*cap_shifted;  // step 1, pass 2
      const auto tanh_u_2 = at.recall(KEPT_TANH_U_2, [&] { return math::tanh(u_2); });  // step 2
      const auto u = tanh_u_2*cap;  // step 3
      const auto tanh_u_2_shifted = u - m;  // step 5
      const auto exp_shifted = at.recall(KEPT_EXP_SHIFTED, [&] { return math::exp(tanh_u_2_shifted); });  // step 6
      at.store(DX, (A(1) - tanh_u_2)*(choose<A>(at.index() == integer(label), choose<A>(integer(label) == integer(ignore), A(0), ddx*tanh_u_2*sum_where_class_weight_scaled), A(0)) + choose<A>(integer(label) == integer(ignore), A(0), ddx*exp_shifted*tanh_u_2*sum_where_class_weight_scaled_3 + ((A(1) - tanh_u_2)*ddx*(tanh_u_2 + A(1))*sum_where_class_weight_scaled_2 + sum_ddx_exp_shifted_tanh_u_2_sca_2 - sum_ddx_exp_shifted_tanh_u_2_sca)*exp_shifted*cap))*(tanh_u_2 + A(1))*cap_shifted_2);  // step 68, pass 21
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
