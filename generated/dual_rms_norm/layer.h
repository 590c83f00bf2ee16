// A norm after a block, its residual added, and the norm before the next block, in one pass.
// Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
// definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     r = residual + after*xhat
//     var = mean(r**2)
//     rstd_2 = 1/sqrt(var + eps)
//     rhat = rstd_2*r
//     y = before*rhat
// backward:
//     g = before*dy
//     dresidual = dr + rstd_2*(g - rhat*mean(g*rhat))
//     g_2 = after*dresidual
//     dx = rstd*(g_2 - xhat*mean(g_2*xhat))
//     dafter = sum_rows(dresidual*xhat)
//     dbefore = sum_rows(dy*rhat)
// jvp:
//     r_dot = residual_dot + after_dot*xhat + rstd*after*(x_dot - xhat*mean(x_dot*xhat))
//     y_dot = before_dot*rhat + rstd_2*before*(r_dot - rhat*mean(r_dot*rhat))
// backward_backward:
//     g = before*dy
//     mean_g_rhat = mean(g*rhat)
//     dresidual = dr + rstd_2*(g - mean_g_rhat*rhat)
//     g_2 = after*dresidual
//     mean_g_2_xhat = mean(g_2*xhat)
//     dg_2 = rstd*(ddx - xhat*mean(ddx*xhat))
//     ddr = ddresidual + after*dg_2 + ddafter*xhat
//     dg = rstd_2*(ddr - rhat*mean(ddr*rhat))
//     d2residual = rstd_2*(ddbefore*dy + rstd_2*(mean(ddr*rhat)*(3*mean_g_rhat*rhat - g) - mean_g_rhat*ddr - rhat*mean(ddr*g)) - rhat*mean(ddbefore*dy*rhat))
//     d2xhat_part = after*d2residual - mean_g_2_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + ddafter*dresidual + rstd*(mean(ddx*xhat)*(2*mean_g_2_xhat*xhat - g_2) - xhat*mean(ddx*g_2)) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddafter*dresidual*xhat))
//     d2after = sum_rows(d2residual*xhat + dg_2*dresidual)
//     d2before = sum_rows(dg*dy)
//     ddy = before*dg + ddbefore*rhat

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_after = LNGEN_UNDEFINED(LNGEN_WITHOUT_after);
constexpr bool HAS_after_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_after_dot);
constexpr bool HAS_before = LNGEN_UNDEFINED(LNGEN_WITHOUT_before);
constexpr bool HAS_before_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_before_dot);
constexpr bool HAS_ddafter = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddafter);
constexpr bool HAS_ddbefore = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddbefore);
constexpr bool HAS_ddresidual = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddresidual);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_dr = LNGEN_UNDEFINED(LNGEN_WITHOUT_dr);
constexpr bool HAS_dy = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy);
constexpr bool HAS_residual_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_residual_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> RESIDUAL;
constexpr Name<FEATURES, 0, HAS_after, One> AFTER;
constexpr Name<FEATURES, 1, HAS_before, One> BEFORE;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<ROWS_OUT, 1> R;
constexpr Name<SAVED_OUT, 0> RSTD;
constexpr Name<SAVED_OUT, 1> RSTD_2;
using Given = decltype(names(X, RESIDUAL, AFTER, BEFORE, EPS, Y, R, RSTD, RSTD_2, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto eps = row(EPS);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      return terms(x*x);
    });
    const auto ms = get<0>(stage_1);  // step 1: mean(x**2)
    const auto rstd = math::rsqrt(ms + eps);  // step 2
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto after = at(AFTER);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      at.store(R, r);
      return terms(r*r);
    });
    const auto var = get<0>(stage_2);  // step 5: mean(r**2)
    const auto rstd_2 = math::rsqrt(var + eps);  // step 6
    row.each([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      at.store(Y, rhat*before);  // step 8
    });
    row.save(RSTD, rstd);
    row.save(RSTD_2, rstd_2);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1, HAS_dy, Zero> RESIDUAL;
constexpr Name<ROWS, 2, HAS_dy, Zero> DY;
constexpr Name<ROWS, 3, HAS_dr, Zero> DR;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<SAVED, 1> RSTD_2;
constexpr Name<FEATURES, 0, HAS_after, One> AFTER;
constexpr Name<FEATURES, 1, HAS_before && HAS_dy, One> BEFORE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DRESIDUAL;
constexpr Name<OVER_ROWS, 0, HAS_before && HAS_dy> DBEFORE;
constexpr Name<OVER_ROWS, 1, HAS_after> DAFTER;
using Given = decltype(names(X, RESIDUAL, DY, DR, RSTD, RSTD_2, AFTER, BEFORE, DX, DRESIDUAL, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DBEFORE, DAFTER)), 1, 0, 4, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD), rstd_2 = row(RSTD_2);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto dy = at(DY);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto g = dy*before;  // step 9
      at.over_rows(DBEFORE, dy*rhat);  // step 24: dbefore
      return terms(g*rhat);
    });
    const auto mean_g_rhat = get<0>(stage_1);  // step 15: mean(g*rhat)
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto dy = at(DY);
      const auto dr = at(DR);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto g = dy*before;  // step 9
      const auto dresidual = dr + (g - rhat*mean_g_rhat)*rstd_2;  // step 15
      const auto g_2 = dresidual*after;  // step 16
      at.over_rows(DAFTER, dresidual*xhat);  // step 23: dafter
      at.store(DRESIDUAL, dresidual);
      return terms(g_2*xhat);
    });
    const auto mean_g_2_xhat = get<0>(stage_2);  // step 22: mean(g_2*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto dy = at(DY);
      const auto dr = at(DR);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto g = dy*before;  // step 9
      const auto dresidual = dr + (g - rhat*mean_g_rhat)*rstd_2;  // step 15
      const auto g_2 = dresidual*after;  // step 16
      at.store(DX, (g_2 - xhat*mean_g_2_xhat)*rstd);  // step 22
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> AFTER;
constexpr Name<FEATURES, 1, false, One> BEFORE;
constexpr Name<FEATURES_OUT, 0, HAS_after> OUT_DAFTER;
constexpr Name<FEATURES_OUT, 1, HAS_before> OUT_DBEFORE;
using Given = decltype(names(WORKSPACE, BLOCKS, AFTER, BEFORE, OUT_DAFTER, OUT_DBEFORE, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      at.store(OUT_DAFTER, at(DAFTER));
      at.store(OUT_DBEFORE, at(DBEFORE));
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_after_dot || HAS_before_dot || HAS_residual_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_after_dot || HAS_before_dot || HAS_residual_dot || HAS_x_dot, Zero> RESIDUAL;
constexpr Name<ROWS, 2, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 3, HAS_residual_dot, Zero> RESIDUAL_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<SAVED, 1> RSTD_2;
constexpr Name<FEATURES, 0, (HAS_after && HAS_after_dot) || (HAS_after && HAS_before_dot) || (HAS_after && HAS_residual_dot) || (HAS_after && HAS_x_dot), One> AFTER;
constexpr Name<FEATURES, 1, (HAS_after_dot && HAS_before) || (HAS_before && HAS_residual_dot) || (HAS_before && HAS_x_dot), One> BEFORE;
constexpr Name<FEATURES, 2, HAS_after_dot, Zero> AFTER_DOT;
constexpr Name<FEATURES, 3, HAS_before_dot, Zero> BEFORE_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<ROWS_OUT, 1> R_DOT;
using Given = decltype(names(X, RESIDUAL, X_DOT, RESIDUAL_DOT, RSTD, RSTD_2, AFTER, BEFORE, AFTER_DOT, BEFORE_DOT, Y_DOT, R_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 4, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD), rstd_2 = row(RSTD_2);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto xhat = x*rstd;  // step 3
      return terms(x_dot*xhat);
    });
    const auto mean_x_dot_xhat = get<0>(stage_1);  // step 31: mean(x_dot*xhat)
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto x_dot = at(X_DOT);
      const auto residual_dot = at(RESIDUAL_DOT);
      const auto after = at(AFTER);
      const auto after_dot = at(AFTER_DOT);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto r_dot = residual_dot + xhat*after_dot + (x_dot - xhat*mean_x_dot_xhat)*rstd*after;  // step 31
      at.store(R_DOT, r_dot);
      return terms(r_dot*rhat);
    });
    const auto mean_r_dot_rhat = get<0>(stage_2);  // step 38: mean(r_dot*rhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto x_dot = at(X_DOT);
      const auto residual_dot = at(RESIDUAL_DOT);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto after_dot = at(AFTER_DOT);
      const auto before_dot = at(BEFORE_DOT);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto r_dot = residual_dot + xhat*after_dot + (x_dot - xhat*mean_x_dot_xhat)*rstd*after;  // step 31
      at.store(Y_DOT, rhat*before_dot + (r_dot - rhat*mean_r_dot_rhat)*rstd_2*before);  // step 38
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddafter || (HAS_ddbefore && HAS_dy) || (HAS_ddresidual && HAS_dy) || HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, (HAS_ddafter && HAS_dy) || (HAS_ddbefore && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy), Zero> RESIDUAL;
constexpr Name<ROWS, 2, (HAS_ddafter && HAS_dy) || (HAS_ddbefore && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy), Zero> DY;
constexpr Name<ROWS, 3, (HAS_ddafter && HAS_dr) || (HAS_ddx && HAS_dr), Zero> DR;
constexpr Name<ROWS, 4, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 5, HAS_ddresidual, Zero> DDRESIDUAL;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<SAVED, 1> RSTD_2;
constexpr Name<FEATURES, 0, (HAS_after && HAS_ddafter && HAS_dy) || (HAS_after && HAS_ddbefore && HAS_dy) || (HAS_after && HAS_ddresidual && HAS_dy) || (HAS_after && HAS_ddx), One> AFTER;
constexpr Name<FEATURES, 1, (HAS_before && HAS_ddafter && HAS_dy) || (HAS_before && HAS_ddresidual && HAS_dy) || (HAS_before && HAS_ddx && HAS_dy), One> BEFORE;
constexpr Name<FEATURES, 2, HAS_ddafter, Zero> DDAFTER;
constexpr Name<FEATURES, 3, HAS_ddbefore && HAS_dy, Zero> DDBEFORE;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DRESIDUAL;
constexpr Name<ROWS_OUT, 2, HAS_dy> DDY;
constexpr Name<ROWS_OUT, 3, HAS_dr> DDR;
constexpr Name<OVER_ROWS, 0, (HAS_after && HAS_ddafter && HAS_dy) || (HAS_after && HAS_ddbefore && HAS_dy) || (HAS_after && HAS_ddresidual && HAS_dy) || (HAS_after && HAS_ddx)> D2AFTER;
constexpr Name<OVER_ROWS, 1, (HAS_before && HAS_ddafter && HAS_dy) || (HAS_before && HAS_ddresidual && HAS_dy) || (HAS_before && HAS_ddx && HAS_dy)> D2BEFORE;
using Given = decltype(names(X, RESIDUAL, DY, DR, DDX, DDRESIDUAL, RSTD, RSTD_2, AFTER, BEFORE, DDAFTER, DDBEFORE, DX, DRESIDUAL, DDY, DDR, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2AFTER, D2BEFORE)), 5, 0, 14, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD), rstd_2 = row(RSTD_2);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto ddbefore = at(DDBEFORE);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto g = dy*before;  // step 39
      return terms(wanted<(HAS_ddafter && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(g*rhat), ddx*xhat, dy*rhat*ddbefore);
    });
    const auto mean_g_rhat = get<0>(stage_1);  // step 40: mean(g*rhat)
    const auto mean_ddx_xhat = get<1>(stage_1);  // step 51: mean(ddx*xhat)
    const auto mean_ddbefore_dy_rhat = get<2>(stage_1);  // step 64: mean(ddbefore*dy*rhat)
    const auto mean_g_rhat_scaled = A(3)*mean_g_rhat;  // step 64, pass 6
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto dy = at(DY);
      const auto dr = at(DR);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto ddafter = at(DDAFTER);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto g = dy*before;  // step 39
      const auto dresidual = dr + (g - rhat*mean_g_rhat)*rstd_2;  // step 41
      const auto g_2 = dresidual*after;  // step 42
      const auto dg_2 = (ddx - xhat*mean_ddx_xhat)*rstd;  // step 51
      const auto ddr = ddresidual + dg_2*after + xhat*ddafter;  // step 54
      at.store(DDR, ddr);
      return terms(wanted<HAS_ddx>(g_2*xhat), wanted<(HAS_ddafter && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)>(ddr*rhat), ddr*g, ddx*g_2, dresidual*xhat*ddafter);
    });
    const auto mean_g_2_xhat = get<0>(stage_2);  // step 43: mean(g_2*xhat)
    const auto mean_ddr_rhat = get<1>(stage_2);  // step 78: mean(ddr*rhat)
    const auto mean_ddr_g = get<2>(stage_2);  // step 64: mean(ddr*g)
    const auto mean_ddx_g_2 = get<3>(stage_2);  // step 71: mean(ddx*g_2)
    const auto mean_ddafter_dresidual_xhat = get<4>(stage_2);  // step 71: mean(ddafter*dresidual*xhat)
    const auto mean_g_2_xhat_scaled = mean_g_2_xhat*rstd;  // step 65, pass 7
    const auto mean_g_2_xhat_scaled_2 = A(2)*mean_g_2_xhat;  // step 71, pass 8
    const auto stage_3 = row.means([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto dy = at(DY);
      const auto dr = at(DR);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto ddafter = at(DDAFTER);
      const auto ddbefore = at(DDBEFORE);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto g = dy*before;  // step 39
      const auto dresidual = dr + (g - rhat*mean_g_rhat)*rstd_2;  // step 41
      const auto dg_2 = (ddx - xhat*mean_ddx_xhat)*rstd;  // step 51
      const auto ddr = ddresidual + dg_2*after + xhat*ddafter;  // step 54
      const auto dg = (ddr - rhat*mean_ddr_rhat)*rstd_2;  // step 78
      const auto d2residual = (dy*ddbefore + ((rhat*mean_g_rhat_scaled - g)*mean_ddr_rhat - rhat*mean_ddr_g - ddr*mean_g_rhat)*rstd_2 - rhat*mean_ddbefore_dy_rhat)*rstd_2;  // step 64, pass 9
      const auto d2xhat_part = d2residual*after - ddx*mean_g_2_xhat_scaled;  // step 65, pass 10
      at.over_rows(D2AFTER, d2residual*xhat + dg_2*dresidual);  // step 73: d2after
      at.over_rows(D2BEFORE, dg*dy);  // step 79: d2before
      at.store(DRESIDUAL, d2residual);
      at.store(DDY, dg*before + rhat*ddbefore);  // step 82
      return terms(d2xhat_part*xhat);
    });
    const auto mean_d2xhat_part_xhat = get<0>(stage_3);  // step 71: mean(d2xhat_part*xhat)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto residual = at(RESIDUAL);
      const auto dy = at(DY);
      const auto dr = at(DR);
      const auto ddx = at(DDX);
      const auto ddresidual = at(DDRESIDUAL);
      const auto after = at(AFTER);
      const auto before = at(BEFORE);
      const auto ddafter = at(DDAFTER);
      const auto ddbefore = at(DDBEFORE);
      const auto xhat = x*rstd;  // step 3
      const auto r = residual + xhat*after;  // step 4
      const auto rhat = r*rstd_2;  // step 7
      const auto g = dy*before;  // step 39
      const auto dresidual = dr + (g - rhat*mean_g_rhat)*rstd_2;  // step 41
      const auto g_2 = dresidual*after;  // step 42
      const auto dg_2 = (ddx - xhat*mean_ddx_xhat)*rstd;  // step 51
      const auto ddr = ddresidual + dg_2*after + xhat*ddafter;  // step 54
      const auto d2residual = (dy*ddbefore + ((rhat*mean_g_rhat_scaled - g)*mean_ddr_rhat - rhat*mean_ddr_g - ddr*mean_g_rhat)*rstd_2 - rhat*mean_ddbefore_dy_rhat)*rstd_2;  // step 64, pass 9
      const auto d2xhat_part = d2residual*after - ddx*mean_g_2_xhat_scaled;  // step 65, pass 10
      at.store(DX, (d2xhat_part + dresidual*ddafter + ((xhat*mean_g_2_xhat_scaled_2 - g_2)*mean_ddx_xhat - xhat*mean_ddx_g_2)*rstd - xhat*mean_d2xhat_part_xhat - xhat*mean_ddafter_dresidual_xhat)*rstd);  // step 71, pass 11
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, One> AFTER;
constexpr Name<FEATURES, 1, false, One> BEFORE;
constexpr Name<FEATURES, 2, false, Zero> DDAFTER;
constexpr Name<FEATURES, 3, false, Zero> DDBEFORE;
constexpr Name<FEATURES_OUT, 0, HAS_after> OUT_DAFTER;
constexpr Name<FEATURES_OUT, 1, HAS_before> OUT_DBEFORE;
using Given = decltype(names(WORKSPACE, BLOCKS, AFTER, BEFORE, DDAFTER, DDBEFORE, OUT_DAFTER, OUT_DBEFORE, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) {
      at.store(OUT_DAFTER, at(D2AFTER));
      at.store(OUT_DBEFORE, at(D2BEFORE));
    });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
