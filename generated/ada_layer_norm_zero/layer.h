// Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.
// Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
// Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
// definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
//
// forward:
//     h = x + branch*gate
//     mu = mean(h)
//     var = mean((h - mu)**2)
//     rstd = 1/sqrt(var + eps)
//     hhat = rstd*(h - mu)
//     y = shift + hhat*(1 + scale)
// backward:
//     g = dy*(1 + scale)
//     dx = dh + rstd*(g - mean(g) - hhat*mean(g*hhat))
//     dbranch = dx*gate
//     dgate = sum(branch*dx, "...")
//     dscale = sum(dy*hhat, "...")
//     dshift = sum(dy, "...")
// jvp:
//     h_dot = x_dot + branch*gate_dot + branch_dot*gate
//     y_dot = shift_dot + hhat*scale_dot + rstd*(1 + scale)*(h_dot - mean(h_dot) - hhat*mean(h_dot*hhat))
// backward_backward:
//     g = dy*(1 + scale)
//     mean_g = mean(g)
//     mean_g_hhat = mean(g*hhat)
//     dx = dh + rstd*(g - mean_g - mean_g_hhat*hhat)
//     ddh = ddx + branch*ddgate + ddbranch*gate
//     dg = rstd*(ddh - mean(ddh) - hhat*mean(ddh*hhat))
//     d2hhat_part = ddscale*dy - mean_g_hhat*rstd*ddh
//     d2x = rstd*(d2hhat_part + rstd*(mean_g*hhat*mean(ddh) + mean(ddh*hhat)*(2*mean_g_hhat*hhat + mean_g - g) - hhat*mean(ddh*g)) - mean(d2hhat_part) - hhat*mean(d2hhat_part*hhat))
//     d2branch = d2x*gate + ddgate*dx
//     d2gate = sum(branch*d2x + ddbranch*dx, "...")
//     d2scale = sum(dg*dy, "...")
//     d2shift = sum(0, "...")
//     ddy = ddshift + ddscale*hhat + dg*(1 + scale)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_branch_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_branch_dot);
constexpr bool HAS_ddbranch = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddbranch);
constexpr bool HAS_ddgate = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgate);
constexpr bool HAS_ddscale = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddscale);
constexpr bool HAS_ddshift = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddshift);
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_dh = LNGEN_UNDEFINED(LNGEN_WITHOUT_dh);
constexpr bool HAS_dy = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy);
constexpr bool HAS_gate_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_gate_dot);
constexpr bool HAS_scale_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_scale_dot);
constexpr bool HAS_shift_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_shift_dot);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> BRANCH;
constexpr Name<ROWS, 2> GATE;
constexpr Name<ROWS, 3> SCALE;
constexpr Name<ROWS, 4> SHIFT;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<ROWS_OUT, 1> H;
constexpr Name<SAVED_OUT, 0> MU;
constexpr Name<SAVED_OUT, 1> MU_RESIDUAL;
constexpr Name<SAVED_OUT, 2> RSTD;
using Given = decltype(names(X, BRANCH, GATE, SCALE, SHIFT, EPS, Y, H, MU, MU_RESIDUAL, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto h = x + branch*gate;  // step 1
      at.store(H, h);
      return terms(h);
    });
    const auto mu = get<0>(stage_1);  // step 2: mean(h)
    const auto stage_2 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      return terms(h_shifted, h_shifted*h_shifted);
    });
    const auto sum_h_shifted = get<0>(stage_2);  // step 3, pass 4: sum(h_shifted)
    const auto squares_h_shifted = get<1>(stage_2);  // step 4, pass 5: sum(h_shifted**2)
    const auto mu_residual = math::quotient(sum_h_shifted, row.D);  // step 3, pass 6
    const auto var = math::quotient(corrected_squares(squares_h_shifted, sum_h_shifted, mu_residual, row.D), row.D);  // step 4, pass 7
    const auto rstd = math::rsqrt(var + row(EPS));  // step 5
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto scale = at(SCALE);
      const auto shift = at(SHIFT);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto hhat = h_centred*rstd;  // step 6
      at.store(Y, shift + hhat*(scale + A(1)));  // step 7
    });
    row.save(MU, mu);
    row.save(MU_RESIDUAL, mu_residual);
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0, HAS_dy, Zero> X;
constexpr Name<ROWS, 1> BRANCH;
constexpr Name<ROWS, 2> GATE;
constexpr Name<ROWS, 3, HAS_dy, Zero> SCALE;
constexpr Name<ROWS, 4, HAS_dy, Zero> DY;
constexpr Name<ROWS, 5, HAS_dh, Zero> DH;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DBRANCH;
constexpr Name<ROWS_OUT, 2> DGATE;
constexpr Name<ROWS_OUT, 3> DSCALE;
constexpr Name<ROWS_OUT, 4> DSHIFT;
using Given = decltype(names(X, BRANCH, GATE, SCALE, DY, DH, MU, MU_RESIDUAL, RSTD, DX, DBRANCH, DGATE, DSCALE, DSHIFT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 5, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto hhat = h_centred*rstd;  // step 6
      const auto g = dy*(scale + A(1));  // step 8
      at.store(DSCALE, dy*hhat);  // step 21
      at.store(DSHIFT, dy);  // step 22
      return terms(g, g*hhat);
    });
    const auto mean_g = get<0>(stage_1);  // step 18: mean(g)
    const auto mean_g_hhat = get<1>(stage_1);  // step 18: mean(g*hhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto dh = at(DH);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto hhat = h_centred*rstd;  // step 6
      const auto g = dy*(scale + A(1));  // step 8
      const auto dx = dh + (g - mean_g - hhat*mean_g_hhat)*rstd;  // step 18
      at.store(DX, dx);
      at.store(DBRANCH, dx*gate);  // step 19
      at.store(DGATE, branch*dx);  // step 20
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_branch_dot || HAS_gate_dot || HAS_scale_dot || HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_branch_dot || HAS_gate_dot || HAS_scale_dot || HAS_x_dot, Zero> BRANCH;
constexpr Name<ROWS, 2, HAS_branch_dot || HAS_gate_dot || HAS_scale_dot || HAS_x_dot, Zero> GATE;
constexpr Name<ROWS, 3, HAS_branch_dot || HAS_gate_dot || HAS_x_dot, Zero> SCALE;
constexpr Name<ROWS, 4, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS, 5, HAS_branch_dot, Zero> BRANCH_DOT;
constexpr Name<ROWS, 6, HAS_gate_dot, Zero> GATE_DOT;
constexpr Name<ROWS, 7, HAS_scale_dot, Zero> SCALE_DOT;
constexpr Name<ROWS, 8, HAS_shift_dot, Zero> SHIFT_DOT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> Y_DOT;
constexpr Name<ROWS_OUT, 1> H_DOT;
using Given = decltype(names(X, BRANCH, GATE, SCALE, X_DOT, BRANCH_DOT, GATE_DOT, SCALE_DOT, SHIFT_DOT, MU, MU_RESIDUAL, RSTD, Y_DOT, H_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 5, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto x_dot = at(X_DOT);
      const auto branch_dot = at(BRANCH_DOT);
      const auto gate_dot = at(GATE_DOT);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto hhat = h_centred*rstd;  // step 6
      const auto h_dot = x_dot + branch*gate_dot + branch_dot*gate;  // step 23
      at.store(H_DOT, h_dot);
      return terms(h_dot, h_dot*hhat);
    });
    const auto mean_h_dot = get<0>(stage_1);  // step 32: mean(h_dot)
    const auto mean_h_dot_hhat = get<1>(stage_1);  // step 32: mean(h_dot*hhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto scale = at(SCALE);
      const auto x_dot = at(X_DOT);
      const auto branch_dot = at(BRANCH_DOT);
      const auto gate_dot = at(GATE_DOT);
      const auto scale_dot = at(SCALE_DOT);
      const auto shift_dot = at(SHIFT_DOT);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto hhat = h_centred*rstd;  // step 6
      const auto h_dot = x_dot + branch*gate_dot + branch_dot*gate;  // step 23
      at.store(Y_DOT, shift_dot + hhat*scale_dot + (h_dot - mean_h_dot - hhat*mean_h_dot_hhat)*(scale + A(1))*rstd);  // step 32
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, (HAS_ddbranch && HAS_dy) || (HAS_ddgate && HAS_dy) || (HAS_ddscale && HAS_dy) || (HAS_ddx && HAS_dy), Zero> X;
constexpr Name<ROWS, 1, (HAS_ddbranch && HAS_dy) || HAS_ddgate || (HAS_ddscale && HAS_dy) || (HAS_ddx && HAS_dy), Zero> BRANCH;
constexpr Name<ROWS, 2, HAS_ddbranch || (HAS_ddgate && HAS_dy) || (HAS_ddscale && HAS_dy) || (HAS_ddx && HAS_dy), Zero> GATE;
constexpr Name<ROWS, 3, (HAS_ddbranch && HAS_dy) || (HAS_ddgate && HAS_dy) || (HAS_ddx && HAS_dy), Zero> SCALE;
constexpr Name<ROWS, 4, (HAS_ddbranch && HAS_dy) || (HAS_ddgate && HAS_dy) || (HAS_ddscale && HAS_dy) || (HAS_ddx && HAS_dy), Zero> DY;
constexpr Name<ROWS, 5, (HAS_ddbranch && HAS_dh) || (HAS_ddgate && HAS_dh), Zero> DH;
constexpr Name<ROWS, 6, HAS_ddx, Zero> DDX;
constexpr Name<ROWS, 7, HAS_ddbranch, Zero> DDBRANCH;
constexpr Name<ROWS, 8, HAS_ddgate, Zero> DDGATE;
constexpr Name<ROWS, 9, HAS_ddscale && HAS_dy, Zero> DDSCALE;
constexpr Name<ROWS, 10, HAS_ddshift && HAS_dy, Zero> DDSHIFT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DBRANCH;
constexpr Name<ROWS_OUT, 2> DGATE;
constexpr Name<ROWS_OUT, 3> DSCALE;
constexpr Name<ROWS_OUT, 4> DSHIFT;
constexpr Name<ROWS_OUT, 5, HAS_dy> DDY;
constexpr Name<ROWS_OUT, 6, HAS_dh> DDH;
using Given = decltype(names(X, BRANCH, GATE, SCALE, DY, DH, DDX, DDBRANCH, DDGATE, DDSCALE, DDSHIFT, MU, MU_RESIDUAL, RSTD, DX, DBRANCH, DGATE, DSCALE, DSHIFT, DDY, DDH, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 5, 0, 13, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddbranch = at(DDBRANCH);
      const auto ddgate = at(DDGATE);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto hhat = h_centred*rstd;  // step 6
      const auto g = dy*(scale + A(1));  // step 33
      const auto ddh = ddx + branch*ddgate + ddbranch*gate;  // step 39
      at.store(DSHIFT, A(0));  // step 61
      at.store(DDH, ddh);
      return terms(wanted<(HAS_ddbranch && HAS_dy) || (HAS_ddgate && HAS_dy) || (HAS_ddx && HAS_dy)>(g), wanted<(HAS_ddbranch && HAS_dy) || (HAS_ddgate && HAS_dy) || (HAS_ddx && HAS_dy)>(g*hhat), wanted<(HAS_ddbranch && HAS_dy) || (HAS_ddgate && HAS_dy) || (HAS_ddx && HAS_dy)>(ddh), wanted<(HAS_ddbranch && HAS_dy) || (HAS_ddgate && HAS_dy) || (HAS_ddx && HAS_dy)>(ddh*hhat), ddh*g);
    });
    const auto mean_g = get<0>(stage_1);  // step 34: mean(g)
    const auto mean_g_hhat = get<1>(stage_1);  // step 35: mean(g*hhat)
    const auto mean_ddh = get<2>(stage_1);  // step 59: mean(ddh)
    const auto mean_ddh_hhat = get<3>(stage_1);  // step 59: mean(ddh*hhat)
    const auto mean_ddh_g = get<4>(stage_1);  // step 51: mean(ddh*g)
    const auto mean_g_hhat_scaled = mean_g_hhat*rstd;  // step 41, pass 8
    const auto mean_g_hhat_scaled_2 = A(2)*mean_g_hhat;  // step 51, pass 9
    const auto mean_ddh_scaled = mean_ddh*mean_g;  // step 51, pass 10
    const auto stage_2 = row.means([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto ddbranch = at(DDBRANCH);
      const auto ddgate = at(DDGATE);
      const auto ddscale = at(DDSCALE);
      const auto ddshift = at(DDSHIFT);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto hhat = h_centred*rstd;  // step 6
      const auto ddh = ddx + branch*ddgate + ddbranch*gate;  // step 39
      const auto dg = (ddh - mean_ddh - hhat*mean_ddh_hhat)*rstd;  // step 59
      const auto d2hhat_part = ddscale*dy - ddh*mean_g_hhat_scaled;  // step 41, pass 11
      at.store(DSCALE, dg*dy);  // step 60
      at.store(DDY, ddshift + ddscale*hhat + dg*(scale + A(1)));  // step 65
      return terms(d2hhat_part, d2hhat_part*hhat);
    });
    const auto mean_d2hhat_part = get<0>(stage_2);  // step 51: mean(d2hhat_part)
    const auto mean_d2hhat_part_hhat = get<1>(stage_2);  // step 51: mean(d2hhat_part*hhat)
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto branch = at(BRANCH);
      const auto gate = at(GATE);
      const auto scale = at(SCALE);
      const auto dy = at(DY);
      const auto dh = at(DH);
      const auto ddx = at(DDX);
      const auto ddbranch = at(DDBRANCH);
      const auto ddgate = at(DDGATE);
      const auto ddscale = at(DDSCALE);
      const auto h = x + branch*gate;  // step 1
      const auto h_shifted = h - mu;  // step 3, pass 1
      const auto h_centred = h_shifted - mu_residual;  // step 3, pass 3
      const auto hhat = h_centred*rstd;  // step 6
      const auto g = dy*(scale + A(1));  // step 33
      const auto ddh = ddx + branch*ddgate + ddbranch*gate;  // step 39
      const auto d2hhat_part = ddscale*dy - ddh*mean_g_hhat_scaled;  // step 41, pass 11
      const auto dx = dh + (g - mean_g - hhat*mean_g_hhat)*rstd;  // step 36
      const auto d2x = (d2hhat_part + (hhat*mean_ddh_scaled + (hhat*mean_g_hhat_scaled_2 + mean_g - g)*mean_ddh_hhat - hhat*mean_ddh_g)*rstd - mean_d2hhat_part - hhat*mean_d2hhat_part_hhat)*rstd;  // step 51, pass 12
      at.store(DX, d2x);
      at.store(DBRANCH, d2x*gate + ddgate*dx);  // step 52
      at.store(DGATE, branch*d2x + ddbranch*dx);  // step 53
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
