// Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.
// Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
// definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
//
// forward:
//     m = max(where(index() <= position, scale*x, -1e38))
//     u = where(index() <= position, scale*x - m, 0)
//     exp_u = exp(u)
//     e_shifted = where(index() <= position, exp_u, 0)
//     sum_e_shifted = sum(e_shifted)
//     inv_sum_e_shifted = 1/sum_e_shifted
//     y = inv_sum_e_shifted*e_shifted
// backward:
//     du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)
//     dx = where(index() <= position, scale*du, 0)
//     dscale = sum_rows(sum(where(index() <= position, du*x, 0)))
// jvp:
//     e_shifted_dot = where(index() <= position, exp_u*(scale_dot*x + scale*x_dot), 0)
//     y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - D*mean_dy_y), 0)
//     ddu = where(index() <= position, ddscale*x + scale*ddx, 0)
//     d2u = where(index() <= position, exp_u*(inv_sum_e_shifted*ddu*(dy - D*mean_dy_y) + inv_sum_e_shifted*(mean(where(index() <= position, -D*inv_sum_e_shifted*ddu*exp_u, 0))*(dy - D*mean_dy_y) - inv_sum_e_shifted*sum(where(index() <= position, ddu*exp_u*(dy - D*mean_dy_y), 0)))), 0)
//     d2x = where(index() <= position, scale*d2u + ddscale*du, 0)
//     d2scale = sum_rows(D*(mean(where(index() <= position, d2u*x, 0)) + mean(where(index() <= position, ddx*du, 0))))
//     ddy = where(index() <= position, inv_sum_e_shifted*ddu*exp_u, 0) + y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddu*exp_u, 0))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddscale = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddscale);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_scale = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale);
constexpr bool HAS_scale_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> POSITION;
constexpr Name<SCALAR, 0, HAS_scale, One> SCALE;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> INV_SUM_E_SHIFTED;
constexpr Name<KEPT, 0> KEPT_E_SHIFTED;
using Given = decltype(names(X, POSITION, SCALE, Y, M, INV_SUM_E_SHIFTED, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 5, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto position = row(POSITION);
    const auto scale = row(SCALE);
    const auto [stage_1, stage_2] = row.template max_and_sums<0, 1>(
        [&](auto at) {
          using A = typename decltype(at)::A;
          return terms(max_of(choose<A>(at.index() <= position, at(X)*scale, A(-1e38))));
        },
        [&](auto at, auto m) {
          using A = typename decltype(at)::A;
          const auto u = choose<A>(at.index() <= position, math::difference(at(X)*scale, A(m)), A(0));  // step 2
          const auto exp_u = math::exp(u);  // step 3
          const auto e_shifted = at.keep(KEPT_E_SHIFTED, choose<A>(at.index() <= position, exp_u, A(0)));  // step 4
          return terms(e_shifted);
        });
    const auto m = finite_or_zero(get<0>(stage_1));  // step 1: max(Where(index() <= position, x*scale, -100000000000000000000000000000000000000))
    const auto sum_e_shifted = get<0>(stage_2);  // step 5: sum(e_shifted)
    const auto inv_sum_e_shifted = A(1) / sum_e_shifted;  // step 6
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto u = choose<A>(at.index() <= position, math::difference(at(X)*scale, A(m)), A(0));  // step 2
      const auto exp_u = math::exp(u);  // step 3
      const auto e_shifted = at.recall(KEPT_E_SHIFTED, [&] { return choose<A>(at.index() <= position, exp_u, A(0)); });  // step 4
      at.store(Y, e_shifted*inv_sum_e_shifted);  // step 7
    });
    row.save(M, m);
    row.save(INV_SUM_E_SHIFTED, inv_sum_e_shifted);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROW_INTEGERS, 0> POSITION;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_SUM_E_SHIFTED;
constexpr Name<SCALAR, 0, HAS_scale, One> SCALE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ALL, 0, HAS_scale> DSCALE;
constexpr Name<KEPT, 0> KEPT_EXP_U;
using Given = decltype(names(X, POSITION, DY, M, INV_SUM_E_SHIFTED, SCALE, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DSCALE)), 1, 1, 6, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_sum_e_shifted = row(INV_SUM_E_SHIFTED);
    const auto position = row(POSITION);
    const auto scale = row(SCALE);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto u = choose<A>(at.index() <= position, x*scale - m, A(0));  // step 2
      const auto exp_u = at.keep(KEPT_EXP_U, math::exp(u));  // step 3
      const auto e_shifted = choose<A>(at.index() <= position, exp_u, A(0));  // step 4
      const auto y = e_shifted*inv_sum_e_shifted;  // step 7
      return terms(dy*y);
    });
    const auto sum_dy_y = get<0>(stage_1);  // step 17: sum(dy*y)
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto u = choose<A>(at.index() <= position, x*scale - m, A(0));  // step 2
      const auto exp_u = at.recall(KEPT_EXP_U, [&] { return math::exp(u); });  // step 3
      const auto du = choose<A>(at.index() <= position, (dy - sum_dy_y)*exp_u*inv_sum_e_shifted, A(0));  // step 17
      at.store(DX, choose<A>(at.index() <= position, du*scale, A(0)));  // step 18
      return terms(wanted<HAS_scale>(choose<A>(at.index() <= position, du*x, A(0))));
    });
    const auto sum_du_index_x = get<0>(stage_2);  // step 19: sum(Where(index() <= position, du*x, 0))
    row.over_rows(DSCALE, sum_du_index_x);  // step 19: dscale
  }
};

namespace columns {

constexpr Name<SCALAR, 0, false, One> SCALE;
constexpr Name<SCALARS_OUT, 0, HAS_scale> OUT_DSCALE;
using Given = decltype(names(WORKSPACE, BLOCKS, SCALE, OUT_DSCALE, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.store(OUT_DSCALE, call(DSCALE));
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_scale_dot || HAS_x_dot, Zero> X;
constexpr Name<ROW_INTEGERS, 0, HAS_scale_dot || HAS_x_dot, Zero> POSITION;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_SUM_E_SHIFTED;
constexpr Name<SCALAR, 0, (HAS_scale && HAS_scale_dot) || (HAS_scale && HAS_x_dot), One> SCALE;
constexpr Name<SCALAR, 1, HAS_scale_dot, Zero> SCALE_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<KEPT, 0> KEPT_EXP_U;
constexpr Name<KEPT, 1> KEPT_E_SHIFTED_DOT;
using Given = decltype(names(X, POSITION, X_DOT, M, INV_SUM_E_SHIFTED, SCALE, SCALE_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 6, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_sum_e_shifted = row(INV_SUM_E_SHIFTED);
    const auto position = row(POSITION);
    const auto scale = row(SCALE);
    const auto scale_dot = row(SCALE_DOT);
    const auto stage_1 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto u = choose<A>(at.index() <= integer(position), x*scale - m, A(0));  // step 2
      const auto exp_u = at.keep(KEPT_EXP_U, math::exp(u));  // step 3
      const auto e_shifted_dot = at.keep(KEPT_E_SHIFTED_DOT, choose<A>(at.index() <= integer(position), exp_u*(x*scale_dot + x_dot*scale), A(0)));  // step 25
      return terms(e_shifted_dot);
    });
    const auto sum_e_shifted_dot = get<0>(stage_1);  // step 30: sum(e_shifted_dot)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto u = choose<A>(at.index() <= integer(position), x*scale - m, A(0));  // step 2
      const auto exp_u = at.recall(KEPT_EXP_U, [&] { return math::exp(u); });  // step 3
      const auto e_shifted_dot = at.recall(KEPT_E_SHIFTED_DOT, [&] { return choose<A>(at.index() <= integer(position), exp_u*(x*scale_dot + x_dot*scale), A(0)); });  // step 25
      const auto e_shifted = choose<A>(at.index() <= integer(position), exp_u, A(0));  // step 4
      const auto y = e_shifted*inv_sum_e_shifted;  // step 7
      at.store(Y_DOT, (e_shifted_dot - y*sum_e_shifted_dot)*inv_sum_e_shifted);  // step 30
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddscale || HAS_ddx, Zero> X;
constexpr Name<ROW_INTEGERS, 0, HAS_ddscale || HAS_ddx, Zero> POSITION;
constexpr Name<ROWS, 1, HAS_ddscale || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_SUM_E_SHIFTED;
constexpr Name<SCALAR, 0, (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale), One> SCALE;
constexpr Name<SCALAR, 1, HAS_ddscale, Zero> DDSCALE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ALL, 0, (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)> D2SCALE;
constexpr Name<KEPT, 0> KEPT_EXP_U;
constexpr Name<KEPT, 1> KEPT_Y;
constexpr Name<KEPT, 2> KEPT_DU;
using Given = decltype(names(X, POSITION, DY, DDX, M, INV_SUM_E_SHIFTED, SCALE, DDSCALE, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2SCALE)), 2, 1, 14, 1, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_sum_e_shifted = row(INV_SUM_E_SHIFTED);
    const auto position = row(POSITION);
    const auto scale = row(SCALE);
    const auto ddscale = row(DDSCALE);
    const auto inv_sum_e_shifted_scaled = inv_sum_e_shifted*row.D;  // step 53, pass 4
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto u = choose<A>(at.index() <= integer(position), x*scale - m, A(0));  // step 2
      const auto exp_u = at.keep(KEPT_EXP_U, math::exp(u));  // step 3
      const auto e_shifted = choose<A>(at.index() <= integer(position), exp_u, A(0));  // step 4
      const auto y = at.keep(KEPT_Y, e_shifted*inv_sum_e_shifted);  // step 7
      const auto ddu = choose<A>(at.index() <= integer(position), ddx*scale + x*ddscale, A(0));  // step 41
      return terms(wanted<HAS_ddscale || HAS_ddx>(dy*y), choose<A>(at.index() <= integer(position), -ddu*exp_u*inv_sum_e_shifted_scaled, A(0)));
    });
    const auto mean_dy_y = get<0>(stage_2);  // step 31: mean(dy*y)
    const auto mean_ddu_exp_u_index = get<1>(stage_2);  // step 53, pass 6: mean(Where(index() <= position, -inv_sum_e_shifted_scaled*ddu*exp_u, 0))
    const auto mean_dy_y_scaled = mean_dy_y*row.D;  // step 32, pass 8
    const auto stage_3 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto u = choose<A>(at.index() <= integer(position), x*scale - m, A(0));  // step 2
      const auto exp_u = at.recall(KEPT_EXP_U, [&] { return math::exp(u); });  // step 3
      const auto e_shifted = choose<A>(at.index() <= integer(position), exp_u, A(0));  // step 4
      const auto y = at.recall(KEPT_Y, [&] { return e_shifted*inv_sum_e_shifted; });  // step 7
      const auto ddu = choose<A>(at.index() <= integer(position), ddx*scale + x*ddscale, A(0));  // step 41
      const auto du = at.keep(KEPT_DU, choose<A>(at.index() <= integer(position), (dy - mean_dy_y_scaled)*exp_u*inv_sum_e_shifted, A(0)));  // step 32, pass 9
      at.store(DDY, y*mean_ddu_exp_u_index + choose<A>(at.index() <= integer(position), ddu*exp_u*inv_sum_e_shifted, A(0)));  // step 64
      return terms(choose<A>(at.index() <= integer(position), (dy - mean_dy_y_scaled)*ddu*exp_u, A(0)), wanted<(HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)>(choose<A>(at.index() <= integer(position), ddx*du, A(0))));
    });
    const auto sum_ddu_dy_exp_u = get<0>(stage_3);  // step 53, pass 11: sum(Where(index() <= position, ddu*exp_u*(-mean_dy_y_scaled + dy), 0))
    const auto mean_ddx_du_index = math::quotient(get<1>(stage_3), row.D);  // step 60: mean(Where(index() <= position, ddx*du, 0))
    const auto inv_sum_e_shifted_scaled_2 = inv_sum_e_shifted*sum_ddu_dy_exp_u;  // step 53, pass 12
    const auto stage_4 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto u = choose<A>(at.index() <= integer(position), x*scale - m, A(0));  // step 2
      const auto exp_u = at.recall(KEPT_EXP_U, [&] { return math::exp(u); });  // step 3
      const auto ddu = choose<A>(at.index() <= integer(position), ddx*scale + x*ddscale, A(0));  // step 41
      const auto du = at.recall(KEPT_DU, [&] { return choose<A>(at.index() <= integer(position), (dy - mean_dy_y_scaled)*exp_u*inv_sum_e_shifted, A(0)); });  // step 32, pass 9
      const auto d2u = choose<A>(at.index() <= integer(position), exp_u*((dy - mean_dy_y_scaled)*ddu*inv_sum_e_shifted + ((dy - mean_dy_y_scaled)*mean_ddu_exp_u_index - inv_sum_e_shifted_scaled_2)*inv_sum_e_shifted), A(0));  // step 53, pass 13
      at.store(DX, choose<A>(at.index() <= integer(position), d2u*scale + du*ddscale, A(0)));  // step 58
      return terms(wanted<(HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)>(choose<A>(at.index() <= integer(position), d2u*x, A(0))));
    });
    const auto mean_d2u_index_x = get<0>(stage_4);  // step 60: mean(Where(index() <= position, d2u*x, 0))
    const auto mean_ddx_du_index_scaled = (mean_d2u_index_x + mean_ddx_du_index)*row.D;  // step 60, pass 14
    row.over_rows(D2SCALE, mean_ddx_du_index_scaled);  // step 60, pass 15: d2scale
  }
};

namespace columns {

constexpr Name<SCALAR, 0, false, One> SCALE;
constexpr Name<SCALAR, 1, false, Zero> DDSCALE;
constexpr Name<SCALARS_OUT, 0, HAS_scale> OUT_DSCALE;
using Given = decltype(names(WORKSPACE, BLOCKS, SCALE, DDSCALE, OUT_DSCALE, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.store(OUT_DSCALE, call(D2SCALE));
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
