// Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.
// Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
// definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
//
// forward:
//     z = x + slope*(index() - position)
//     m = max(where(index() <= position, z, -1e38))
//     u = where(index() <= position, z - m, 0)
//     exp_u = exp(u)
//     e_shifted = where(index() <= position, exp_u, 0)
//     sum_e_shifted = sum(e_shifted)
//     inv_sum_e_shifted = 1/sum_e_shifted
//     y = inv_sum_e_shifted*e_shifted
// backward:
//     dx = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)
// jvp:
//     e_shifted_dot = where(index() <= position, exp_u*x_dot, 0)
//     y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     d2x = where(index() <= position, exp_u*(inv_sum_e_shifted*ddx*(dy - D*mean_dy_y) + inv_sum_e_shifted*(mean(where(index() <= position, -D*inv_sum_e_shifted*ddx*exp_u, 0))*(dy - D*mean_dy_y) - inv_sum_e_shifted*sum(where(index() <= position, ddx*exp_u*(dy - D*mean_dy_y), 0)))), 0)
//     ddy = where(index() <= position, inv_sum_e_shifted*ddx*exp_u, 0) + y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddx*exp_u, 0))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS, 0> SLOPE;
constexpr Name<ROW_INTEGERS, 0> POSITION;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> INV_SUM_E_SHIFTED;
constexpr Name<KEPT, 0> KEPT_E_SHIFTED;
using Given = decltype(names(X, SLOPE, POSITION, Y, M, INV_SUM_E_SHIFTED, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 5, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto slope = row(SLOPE);
    const auto position = row(POSITION);
    const auto [stage_1, stage_2] = row.template max_and_sums<0, 1>(
        [&](auto at) {
          using A = typename decltype(at)::A;
          const auto z = at(X) + A(at.index() - position)*slope;  // step 1
          return terms(max_of(choose<A>(at.index() <= position, z, A(-1e38))));
        },
        [&](auto at, auto m) {
          using A = typename decltype(at)::A;
          const auto z = at(X) + A(at.index() - position)*slope;  // step 1
          const auto x_shifted = math::difference(z, A(m));  // step 3
          const auto u = choose<A>(at.index() <= position, x_shifted, A(0));  // step 4
          const auto exp_u = math::exp(u);  // step 5
          const auto e_shifted = at.keep(KEPT_E_SHIFTED, choose<A>(at.index() <= position, exp_u, A(0)));  // step 6
          return terms(e_shifted);
        });
    const auto m = finite_or_zero(get<0>(stage_1));  // step 2: max(Where(index() <= position, z, -100000000000000000000000000000000000000))
    const auto sum_e_shifted = get<0>(stage_2);  // step 7: sum(e_shifted)
    const auto inv_sum_e_shifted = A(1) / sum_e_shifted;  // step 8
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto z = at(X) + A(at.index() - position)*slope;  // step 1
      const auto x_shifted = math::difference(z, A(m));  // step 3
      const auto u = choose<A>(at.index() <= position, x_shifted, A(0));  // step 4
      const auto exp_u = math::exp(u);  // step 5
      const auto e_shifted = at.recall(KEPT_E_SHIFTED, [&] { return choose<A>(at.index() <= position, exp_u, A(0)); });  // step 6
      at.store(Y, e_shifted*inv_sum_e_shifted);  // step 9
    });
    row.save(M, m);
    row.save(INV_SUM_E_SHIFTED, inv_sum_e_shifted);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_NUMBERS, 0> SLOPE;
constexpr Name<ROW_INTEGERS, 0> POSITION;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_SUM_E_SHIFTED;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<KEPT, 0> KEPT_EXP_U;
using Given = decltype(names(X, SLOPE, POSITION, DY, M, INV_SUM_E_SHIFTED, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 5, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_sum_e_shifted = row(INV_SUM_E_SHIFTED);
    const auto slope = row(SLOPE);
    const auto position = row(POSITION);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto z = x + A(at.index() - position)*slope;  // step 1
      const auto x_shifted = z - m;  // step 3
      const auto u = choose<A>(at.index() <= position, x_shifted, A(0));  // step 4
      const auto exp_u = at.keep(KEPT_EXP_U, math::exp(u));  // step 5
      const auto e_shifted = choose<A>(at.index() <= position, exp_u, A(0));  // step 6
      const auto y = e_shifted*inv_sum_e_shifted;  // step 9
      return terms(dy*y);
    });
    const auto sum_dy_y = get<0>(stage_1);  // step 25: sum(dy*y)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto z = x + A(at.index() - position)*slope;  // step 1
      const auto x_shifted = z - m;  // step 3
      const auto u = choose<A>(at.index() <= position, x_shifted, A(0));  // step 4
      const auto exp_u = at.recall(KEPT_EXP_U, [&] { return math::exp(u); });  // step 5
      at.store(DX, choose<A>(at.index() <= position, (dy - sum_dy_y)*exp_u*inv_sum_e_shifted, A(0)));  // step 25
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROW_NUMBERS, 0, HAS_x_dot, Zero> SLOPE;
constexpr Name<ROW_INTEGERS, 0, HAS_x_dot, Zero> POSITION;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_SUM_E_SHIFTED;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<KEPT, 0> KEPT_EXP_U;
constexpr Name<KEPT, 1> KEPT_E_SHIFTED_DOT;
using Given = decltype(names(X, SLOPE, POSITION, X_DOT, M, INV_SUM_E_SHIFTED, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 5, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_sum_e_shifted = row(INV_SUM_E_SHIFTED);
    const auto slope = row(SLOPE);
    const auto position = row(POSITION);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto z = x + A(at.index() - integer(position))*slope;  // step 1
      const auto x_shifted = z - m;  // step 3
      const auto u = choose<A>(at.index() <= integer(position), x_shifted, A(0));  // step 4
      const auto exp_u = at.keep(KEPT_EXP_U, math::exp(u));  // step 5
      const auto e_shifted_dot = at.keep(KEPT_E_SHIFTED_DOT, choose<A>(at.index() <= integer(position), exp_u*x_dot, A(0)));  // step 30
      return terms(e_shifted_dot);
    });
    const auto sum_e_shifted_dot = get<0>(stage_1);  // step 35: sum(e_shifted_dot)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto z = x + A(at.index() - integer(position))*slope;  // step 1
      const auto x_shifted = z - m;  // step 3
      const auto u = choose<A>(at.index() <= integer(position), x_shifted, A(0));  // step 4
      const auto exp_u = at.recall(KEPT_EXP_U, [&] { return math::exp(u); });  // step 5
      const auto e_shifted_dot = at.recall(KEPT_E_SHIFTED_DOT, [&] { return choose<A>(at.index() <= integer(position), exp_u*x_dot, A(0)); });  // step 30
      const auto e_shifted = choose<A>(at.index() <= integer(position), exp_u, A(0));  // step 6
      const auto y = e_shifted*inv_sum_e_shifted;  // step 9
      at.store(Y_DOT, (e_shifted_dot - y*sum_e_shifted_dot)*inv_sum_e_shifted);  // step 35
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROW_NUMBERS, 0, HAS_ddx, Zero> SLOPE;
constexpr Name<ROW_INTEGERS, 0, HAS_ddx, Zero> POSITION;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_SUM_E_SHIFTED;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<KEPT, 0> KEPT_EXP_U;
constexpr Name<KEPT, 1> KEPT_Y;
using Given = decltype(names(X, SLOPE, POSITION, DY, DDX, M, INV_SUM_E_SHIFTED, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 1, 10, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_sum_e_shifted = row(INV_SUM_E_SHIFTED);
    const auto slope = row(SLOPE);
    const auto position = row(POSITION);
    const auto inv_sum_e_shifted_scaled = inv_sum_e_shifted*row.D;  // step 50, pass 4
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto z = x + A(at.index() - integer(position))*slope;  // step 1
      const auto x_shifted = z - m;  // step 3
      const auto u = choose<A>(at.index() <= integer(position), x_shifted, A(0));  // step 4
      const auto exp_u = at.keep(KEPT_EXP_U, math::exp(u));  // step 5
      const auto e_shifted = choose<A>(at.index() <= integer(position), exp_u, A(0));  // step 6
      const auto y = at.keep(KEPT_Y, e_shifted*inv_sum_e_shifted);  // step 9
      return terms(wanted<HAS_ddx>(dy*y), choose<A>(at.index() <= integer(position), -ddx*exp_u*inv_sum_e_shifted_scaled, A(0)));
    });
    const auto mean_dy_y = get<0>(stage_2);  // step 36: mean(dy*y)
    const auto mean_ddx_exp_u_index = get<1>(stage_2);  // step 50, pass 6: mean(Where(index() <= position, -inv_sum_e_shifted_scaled*ddx*exp_u, 0))
    const auto mean_dy_y_scaled = mean_dy_y*row.D;  // step 50, pass 8
    const auto stage_3 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto z = x + A(at.index() - integer(position))*slope;  // step 1
      const auto x_shifted = z - m;  // step 3
      const auto u = choose<A>(at.index() <= integer(position), x_shifted, A(0));  // step 4
      const auto exp_u = at.recall(KEPT_EXP_U, [&] { return math::exp(u); });  // step 5
      const auto e_shifted = choose<A>(at.index() <= integer(position), exp_u, A(0));  // step 6
      const auto y = at.recall(KEPT_Y, [&] { return e_shifted*inv_sum_e_shifted; });  // step 9
      at.store(DDY, y*mean_ddx_exp_u_index + choose<A>(at.index() <= integer(position), ddx*exp_u*inv_sum_e_shifted, A(0)));  // step 54
      return terms(choose<A>(at.index() <= integer(position), (dy - mean_dy_y_scaled)*ddx*exp_u, A(0)));
    });
    const auto sum_ddx_dy_exp_u = get<0>(stage_3);  // step 50, pass 10: sum(Where(index() <= position, ddx*exp_u*(-mean_dy_y_scaled + dy), 0))
    const auto inv_sum_e_shifted_scaled_2 = inv_sum_e_shifted*sum_ddx_dy_exp_u;  // step 50, pass 11
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto z = x + A(at.index() - integer(position))*slope;  // step 1
      const auto x_shifted = z - m;  // step 3
      const auto u = choose<A>(at.index() <= integer(position), x_shifted, A(0));  // step 4
      const auto exp_u = at.recall(KEPT_EXP_U, [&] { return math::exp(u); });  // step 5
      at.store(DX, choose<A>(at.index() <= integer(position), exp_u*((dy - mean_dy_y_scaled)*ddx*inv_sum_e_shifted + ((dy - mean_dy_y_scaled)*mean_ddx_exp_u_index - inv_sum_e_shifted_scaled_2)*inv_sum_e_shifted), A(0)));  // step 50, pass 12
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
