// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
//
// forward:
//     m = max(scale*x)
//     e_shifted = exp(scale*x - m)
//     Z = sum(e_shifted)
//     inv_Z = 1/Z
//     y = inv_Z*e_shifted
// backward:
//     du = y*(dy - sum(dy*y))
//     dx = scale*du
//     dscale = sum_rows(sum(du*x))
// jvp:
//     u_dot = scale_dot*x + scale*x_dot
//     y_dot = y*(u_dot - sum(u_dot*y))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     du = y*(dy - D*mean_dy_y)
//     ddu = ddscale*x + scale*ddx
//     d2y_part = ddu*(dy - D*mean_dy_y)
//     d2u = y*(d2y_part + D*(mean(ddu*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
//     d2x = scale*d2u + ddscale*du
//     d2scale = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
//     ddy = y*(ddu - sum(ddu*y))

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
constexpr Name<SCALAR, 0, HAS_scale, One> SCALE;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> M;
constexpr Name<SAVED_OUT, 1> INV_Z;
constexpr Name<KEPT, 0> KEPT_E_SHIFTED;
using Given = decltype(names(X, SCALE, Y, M, INV_Z, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 4, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto scale = row(SCALE);
    const auto [stage_1, stage_2] = row.template max_and_sums<0, 1>(
        [&](auto at) { return terms(max_of(at(X)*scale)); },
        [&](auto at, auto m) {
          using A = typename decltype(at)::A;
          const auto u = math::difference(at(X)*scale, A(m));  // step 2
          const auto e_shifted = at.keep(KEPT_E_SHIFTED, math::exp(u));  // step 3
          return terms(e_shifted);
        });
    const auto m = finite_or_zero(get<0>(stage_1));  // step 1: max(x*scale)
    const auto Z = get<0>(stage_2);  // step 4: sum(e_shifted)
    const auto inv_Z = A(1) / Z;  // step 5
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto u = math::difference(at(X)*scale, A(m));  // step 2
      const auto e_shifted = at.recall(KEPT_E_SHIFTED, [&] { return math::exp(u); });  // step 3
      at.store(Y, e_shifted*inv_Z);  // step 6
    });
    row.save(M, m);
    row.save(INV_Z, inv_Z);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_Z;
constexpr Name<SCALAR, 0, HAS_scale, One> SCALE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<OVER_ALL, 0, HAS_scale> DSCALE;
constexpr Name<KEPT, 0> KEPT_Y;
using Given = decltype(names(X, DY, M, INV_Z, SCALE, DX, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DSCALE)), 1, 1, 5, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_Z = row(INV_Z);
    const auto scale = row(SCALE);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto u = x*scale - m;  // step 2
      const auto e_shifted = math::exp(u);  // step 3
      const auto y = at.keep(KEPT_Y, e_shifted*inv_Z);  // step 6
      return terms(dy*y);
    });
    const auto sum_dy_y = get<0>(stage_1);  // step 14: sum(dy*y)
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto u = x*scale - m;  // step 2
      const auto e_shifted = math::exp(u);  // step 3
      const auto y = at.recall(KEPT_Y, [&] { return e_shifted*inv_Z; });  // step 6
      const auto du = (dy - sum_dy_y)*y;  // step 14
      at.store(DX, du*scale);  // step 17
      return terms(wanted<HAS_scale>(du*x));
    });
    const auto sum_du_x = get<0>(stage_2);  // step 18: sum(du*x)
    row.over_rows(DSCALE, sum_du_x);  // step 18: dscale
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
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_Z;
constexpr Name<SCALAR, 0, (HAS_scale && HAS_scale_dot) || (HAS_scale && HAS_x_dot), One> SCALE;
constexpr Name<SCALAR, 1, HAS_scale_dot, Zero> SCALE_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<KEPT, 0> KEPT_Y;
using Given = decltype(names(X, X_DOT, M, INV_Z, SCALE, SCALE_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 1, 5, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_Z = row(INV_Z);
    const auto scale = row(SCALE);
    const auto scale_dot = row(SCALE_DOT);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto u = x*scale - m;  // step 2
      const auto e_shifted = math::exp(u);  // step 3
      const auto y = at.keep(KEPT_Y, e_shifted*inv_Z);  // step 6
      const auto u_dot = x*scale_dot + x_dot*scale;  // step 19
      return terms(u_dot*y);
    });
    const auto sum_u_dot_y = get<0>(stage_1);  // step 26: sum(u_dot*y)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto u = x*scale - m;  // step 2
      const auto e_shifted = math::exp(u);  // step 3
      const auto y = at.recall(KEPT_Y, [&] { return e_shifted*inv_Z; });  // step 6
      const auto u_dot = x*scale_dot + x_dot*scale;  // step 19
      at.store(Y_DOT, (u_dot - sum_u_dot_y)*y);  // step 26
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddscale || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddscale || HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> M;
constexpr Name<SAVED, 1> INV_Z;
constexpr Name<SCALAR, 0, (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale), One> SCALE;
constexpr Name<SCALAR, 1, HAS_ddscale, Zero> DDSCALE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
constexpr Name<OVER_ALL, 0, (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)> D2SCALE;
constexpr Name<KEPT, 0> KEPT_Y;
constexpr Name<KEPT, 1> KEPT_DU;
using Given = decltype(names(X, DY, DDX, M, INV_Z, SCALE, DDSCALE, DX, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2SCALE)), 2, 1, 12, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto m = row(M), inv_Z = row(INV_Z);
    const auto scale = row(SCALE);
    const auto ddscale = row(DDSCALE);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto u = x*scale - m;  // step 2
      const auto e_shifted = math::exp(u);  // step 3
      const auto y = at.keep(KEPT_Y, e_shifted*inv_Z);  // step 6
      const auto ddu = ddx*scale + x*ddscale;  // step 36
      return terms(wanted<HAS_ddscale || HAS_ddx>(dy*y), ddu*y);
    });
    const auto mean_dy_y = get<0>(stage_1);  // step 27: mean(dy*y)
    const auto mean_ddu_y = get<1>(stage_1);  // step 47: mean(ddu*y)
    const auto mean_dy_y_scaled = mean_dy_y*row.D;  // step 28, pass 1
    const auto sum_ddu_y = mean_ddu_y*row.D;  // step 58, pass 2
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto u = x*scale - m;  // step 2
      const auto e_shifted = math::exp(u);  // step 3
      const auto y = at.recall(KEPT_Y, [&] { return e_shifted*inv_Z; });  // step 6
      const auto ddu = ddx*scale + x*ddscale;  // step 36
      const auto du = at.keep(KEPT_DU, (dy - mean_dy_y_scaled)*y);  // step 28, pass 3
      const auto d2y_part = (dy - mean_dy_y_scaled)*ddu;  // step 37, pass 4
      at.store(DDY, (ddu - sum_ddu_y)*y);  // step 58
      return terms(d2y_part*y, wanted<(HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)>(ddx*du));
    });
    const auto mean_d2y_part_y = get<0>(stage_2);  // step 47: mean(d2y_part*y)
    const auto mean_ddx_du = get<1>(stage_2);  // step 53: mean(ddx*du)
    const auto stage_3 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto u = x*scale - m;  // step 2
      const auto e_shifted = math::exp(u);  // step 3
      const auto y = at.recall(KEPT_Y, [&] { return e_shifted*inv_Z; });  // step 6
      const auto ddu = ddx*scale + x*ddscale;  // step 36
      const auto du = at.recall(KEPT_DU, [&] { return (dy - mean_dy_y_scaled)*y; });  // step 28, pass 3
      const auto d2y_part = (dy - mean_dy_y_scaled)*ddu;  // step 37, pass 4
      const auto d2u = (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddu_y - mean_d2y_part_y)*row.D)*y;  // step 47, pass 5
      at.store(DX, d2u*scale + du*ddscale);  // step 51
      return terms(wanted<(HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)>(d2u*x));
    });
    const auto mean_d2u_x = get<0>(stage_3);  // step 53: mean(d2u*x)
    const auto mean_ddx_du_scaled = (mean_d2u_x + mean_ddx_du)*row.D;  // step 53, pass 6
    row.over_rows(D2SCALE, mean_ddx_du_scaled);  // step 53, pass 7: d2scale
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
