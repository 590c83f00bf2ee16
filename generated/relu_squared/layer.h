// Square of the positive part.
// Made by lngen 0.1.0 from the definition of relu_squared; derivation.md has its steps, cost and evidence.
// Do not edit; edit relu_squared.py and run: lngen derive relu_squared.py
// definition sha256:1f4d0bba06106d2d5bde084978ce875d350faebb4f3e03c44c88b41f8d56b117
//
// forward:
//     y = where(x <= 0, 0, x)**2
// backward:
//     dx = where(x <= 0, 0, 2*dy*x)
// jvp:
//     y_dot = where(x <= 0, 0, 2*x*x_dot)
// backward_backward:
//     d2x = where(x <= 0, 0, 2*ddx*dy)
//     ddy = where(x <= 0, 0, 2*ddx*x)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx);
constexpr bool HAS_x_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(X, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 0, 0, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      at.store(Y, math::power<2>(choose<A>(x <= A(0), A(0), x)));  // step 1
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> DY;
constexpr Name<ROWS_OUT, 0> DX;
using Given = decltype(names(X, DY, DX, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 0, 0, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      at.store(DX, choose<A>(x <= A(0), A(0), A(2)*dy*x));  // step 2
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_dot, Zero> X;
constexpr Name<ROWS, 1, HAS_x_dot, Zero> X_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X, X_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 0, 0, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto x_dot = at(X_DOT);
      at.store(Y_DOT, choose<A>(A(x) <= A(0), A(0), A(2)*x*x_dot));  // step 3
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx, Zero> X;
constexpr Name<ROWS, 1, HAS_ddx, Zero> DY;
constexpr Name<ROWS, 2, HAS_ddx, Zero> DDX;
constexpr Name<ROWS_OUT, 0> DX;
constexpr Name<ROWS_OUT, 1> DDY;
using Given = decltype(names(X, DY, DDX, DX, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 0, 0, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x = at(X);
      const auto dy = at(DY);
      const auto ddx = at(DDX);
      at.store(DX, choose<A>(A(x) <= A(0), A(0), A(2)*ddx*dy));  // step 5
      at.store(DDY, choose<A>(A(x) <= A(0), A(0), A(2)*ddx*x));  // step 6
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
