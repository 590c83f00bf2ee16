// Each row divided by its Euclidean length.
// Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
// definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
//
// forward:
//     sum_x2 = sum(x**2)
//     rstd = 1/sqrt(sum_x2 + eps)
//     y = rstd*x
// backward:
//     dx = rstd*(dy - y*sum(dy*y))
// jvp:
//     y_dot = rstd*(x_dot - y*sum(x_dot*y))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     d2x = D*rstd**2*(mean(ddx*y)*(3*D*mean_dy_y*y - dy) - mean_dy_y*ddx - y*mean(ddx*dy))
//     ddy = rstd*(ddx - y*sum(ddx*y))

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
constexpr Name<SAVED_OUT, 0> RSTD;
using Given = decltype(names(X, EPS, Y, RSTD, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 3, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      return terms(x*x);
    });
    const auto sum_x2 = get<0>(stage_1);  // step 1: sum(x**2)
    const auto rstd = math::rsqrt(sum_x2 + row(EPS));  // step 2
    row.each([&](auto at) {
      at.store(Y, at(X)*rstd);  // step 3
    });
    row.save(RSTD, rstd);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, DY, RSTD, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto y = x*rstd;  // step 3
      return terms(dy*y);
    });
    const auto sum_dy_y = get<0>(stage_1);  // step 9: sum(dy*y)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto y = x*rstd;  // step 3
      at.store(DX, (dy - y*sum_dy_y)*rstd);  // step 9
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, RSTD, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 1, 0, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto rstd = row(RSTD);
    const auto stage_1 = row.sums([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto y = x*rstd;  // step 3
      return terms(x_dot*y);
    });
    const auto sum_x_dot_y = get<0>(stage_1);  // step 14: sum(x_dot*y)
    row.each([&](auto at) {
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      const auto y = x*rstd;  // step 3
      at.store(Y_DOT, (x_dot - y*sum_x_dot_y)*rstd);  // step 14
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
using Given = decltype(names(X, DY, DDX, RSTD, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 3, 0, 7, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto rstd = row(RSTD);
    const auto rstd_scaled = (rstd*rstd)*row.D;  // step 25, pass 7
    const auto stage_2 = row.means([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto y = x*rstd;  // step 3
      return terms(wanted<HAS_ddx>(dy*y), ddx*y, ddx*dy);
    });
    const auto mean_dy_y = get<0>(stage_2);  // step 15: mean(dy*y)
    const auto mean_ddx_y = get<1>(stage_2);  // step 25: mean(ddx*y)
    const auto mean_ddx_dy = get<2>(stage_2);  // step 25: mean(ddx*dy)
    const auto mean_dy_y_scaled = A(3)*mean_dy_y*row.D;  // step 25, pass 12
    const auto sum_ddx_y = mean_ddx_y*row.D;  // step 30, pass 13
    row.each([&](auto at) {
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      const auto y = x*rstd;  // step 3
      at.store(DX, ((y*mean_dy_y_scaled - dy)*mean_ddx_y - y*mean_ddx_dy - ddx*mean_dy_y)*rstd_scaled);  // step 25, pass 16
      at.store(DDY, (ddx - y*sum_ddx_y)*rstd);  // step 30
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
