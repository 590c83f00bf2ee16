// Rows of mean zero and unbiased variance one, without parameters.
// Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
// Do not edit; edit standardize.py and run: lngen derive standardize.py
// definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
//
// forward:
//     mu = mean(x)
//     sum_x2 = sum((x - mu)**2)
//     rstd = 1/sqrt(sum_x2/(D - 1) + eps)
//     y = rstd*(x - mu)
// backward:
//     dx = rstd*(dy - mean(dy) - y*sum(dy*y)/(D - 1))
// jvp:
//     y_dot = rstd*(x_dot - mean(x_dot) - y*sum(x_dot*y)/(D - 1))
// backward_backward:
//     mean_dy = mean(dy)
//     mean_dy_y = mean(dy*y)
//     d2x = D*rstd**2*(mean_dy*y*mean(ddx) + mean(ddx*y)*(3*D*mean_dy_y*y/(D - 1) + mean_dy - dy) - y*mean(ddx*dy) - mean_dy_y*(ddx - mean(ddx)))/(D - 1)
//     ddy = rstd*(ddx - mean(ddx) - y*sum(ddx*y)/(D - 1))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> MU;
constexpr Name<SAVED_OUT, 1> MU_RESIDUAL;
constexpr Name<SAVED_OUT, 2> RSTD;
using Given = decltype(names(X, EPS, Y, MU, MU_RESIDUAL, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 7, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto stage_1 = row.means([&](auto at) { return terms(at(X)); });
    const auto mu = get<0>(stage_1);  // step 1: mean(x)
    const auto stage_2 = row.sums([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 1
      return terms(x_shifted, x_shifted*x_shifted);
    });
    const auto sum_x_shifted = get<0>(stage_2);  // step 2, pass 4: sum(x_shifted)
    const auto squares_x_shifted = get<1>(stage_2);  // step 3, pass 5: sum(x_shifted**2)
    const auto mu_residual = math::quotient(sum_x_shifted, row.D);  // step 2, pass 6
    const auto sum_x2 = corrected_squares(squares_x_shifted, sum_x_shifted, mu_residual, row.D);  // step 3, pass 7
    const auto rstd = math::rsqrt(sum_x2 / (row.D - A(1)) + row(EPS));  // step 4
    row.each([&](auto at) {
      const auto x_shifted = at(X) - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      at.store(Y, x_centred*rstd);  // step 5
    });
    row.save(MU, mu);
    row.save(MU_RESIDUAL, mu_residual);
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, DY, MU, MU_RESIDUAL, RSTD, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 6, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto y = x_centred*rstd;  // step 5
      return terms(dy, dy*y);
    });
    const auto mean_dy = math::quotient(get<0>(stage_1), row.D);  // step 15: mean(dy)
    const auto sum_dy_y = get<1>(stage_1);  // step 15: sum(dy*y)
    const auto sum_dy_y_scaled = sum_dy_y / (row.D - A(1));  // step 15, pass 10
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto y = x_centred*rstd;  // step 5
      at.store(DX, (dy - mean_dy - y*sum_dy_y_scaled)*rstd);  // step 15, pass 12
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, MU, MU_RESIDUAL, RSTD, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 2, 0, 6, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto y = x_centred*rstd;  // step 5
      return terms(x_dot, x_dot*y);
    });
    const auto mean_x_dot = math::quotient(get<0>(stage_1), row.D);  // step 22: mean(x_dot)
    const auto sum_x_dot_y = get<1>(stage_1);  // step 22: sum(x_dot*y)
    const auto sum_x_dot_y_scaled = sum_x_dot_y / (row.D - A(1));  // step 22, pass 15
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto y = x_centred*rstd;  // step 5
      at.store(Y_DOT, (x_dot - mean_x_dot - y*sum_x_dot_y_scaled)*rstd);  // step 22, pass 17
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> MU;
constexpr Name<SAVED, 1> MU_RESIDUAL;
constexpr Name<SAVED, 2> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
using Given = decltype(names(X, DY, DDX, MU, MU_RESIDUAL, RSTD, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 5, 0, 13, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto mu = row(MU), mu_residual = row(MU_RESIDUAL), rstd = row(RSTD);
    const auto rstd_scaled = (rstd*rstd)*row.D / (row.D - A(1));  // step 36, pass 18
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto y = x_centred*rstd;  // step 5
      return terms(wanted<HAS_ddx>(dy), wanted<HAS_ddx>(dy*y), ddx*y, ddx, ddx*dy);
    });
    const auto mean_dy = get<0>(stage_2);  // step 23: mean(dy)
    const auto mean_dy_y = get<1>(stage_2);  // step 24: mean(dy*y)
    const auto mean_ddx_y = get<2>(stage_2);  // step 36: mean(ddx*y)
    const auto mean_ddx = get<3>(stage_2);  // step 36: mean(ddx)
    const auto mean_ddx_dy = get<4>(stage_2);  // step 36: mean(ddx*dy)
    const auto mean_dy_y_scaled = A(3)*mean_dy_y*row.D / (row.D - A(1));  // step 36, pass 23
    const auto mean_ddx_scaled = mean_ddx*mean_dy;  // step 36, pass 24
    const auto sum_ddx_y = mean_ddx_y*row.D;  // step 42, pass 25
    const auto sum_ddx_y_scaled = sum_ddx_y / (row.D - A(1));  // step 42, pass 26
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto x_shifted = x - mu;  // step 2, pass 1
      const auto x_centred = x_shifted - mu_residual;  // step 2, pass 3
      const auto y = x_centred*rstd;  // step 5
      at.store(DX, (y*mean_ddx_scaled + (y*mean_dy_y_scaled + mean_dy - dy)*mean_ddx_y - y*mean_ddx_dy - (ddx - mean_ddx)*mean_dy_y)*rstd_scaled);  // step 36, pass 29
      at.store(DDY, (ddx - mean_ddx - y*sum_ddx_y_scaled)*rstd);  // step 42, pass 30
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
