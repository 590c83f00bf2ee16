// Rotary position embedding: both halves of a row are turned by the angle of their position.
// Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rotary.py and run: lngen derive rotary.py
// definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
//
// forward:
//     a = at(x, s=0)
//     b = at(x, s=1)
//     y_0 = a*cosine - b*sine
//     y_1 = a*sine + b*cosine
//     y = join(y_0, y_1)
// backward:
//     dy_0 = at(dy, s=0)
//     dy_1 = at(dy, s=1)
//     da = cosine*dy_0 + dy_1*sine
//     db = cosine*dy_1 - dy_0*sine
//     dx = join(da, db)
// jvp:
//     a_dot = at(x_dot, s=0)
//     b_dot = at(x_dot, s=1)
//     y_0_dot = a_dot*cosine - b_dot*sine
//     y_1_dot = b_dot*cosine + a_dot*sine
//     y_dot = join(y_0_dot, y_1_dot)
// backward_backward:
//     dy_0 = at(dy, s=0)
//     dy_1 = at(dy, s=1)
//     dda = at(ddx, s=0)
//     ddb = at(ddx, s=1)
//     d2a = 0
//     d2b = 0
//     ddy_0 = cosine*dda - ddb*sine
//     ddy_1 = cosine*ddb + dda*sine
//     d2x = join(d2a, d2b)
//     ddy = join(ddy_0, ddy_1)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_a_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_a_dot);
constexpr bool HAS_b_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_b_dot);
constexpr bool HAS_dda = LNGEN_UNDEFINED(LNGEN_WITHOUT_dda);
constexpr bool HAS_ddb = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddb);
constexpr bool HAS_dy_0 = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy_0);
constexpr bool HAS_dy_1 = LNGEN_UNDEFINED(LNGEN_WITHOUT_dy_1);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> A_;
constexpr Name<ROWS, 1> B;
constexpr Name<ROWS, 2> COSINE;
constexpr Name<ROWS, 3> SINE;
constexpr Name<ROWS_OUT, 0> Y_0;
constexpr Name<ROWS_OUT, 1> Y_1;
using Given = decltype(names(A_, B, COSINE, SINE, Y_0, Y_1, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 0, 0, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      at.store(Y_0, a*cosine - b*sine);  // step 1
      at.store(Y_1, a*sine + b*cosine);  // step 2
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> COSINE;
constexpr Name<ROWS, 1> SINE;
constexpr Name<ROWS, 2, HAS_dy_0, Zero> DY_0;
constexpr Name<ROWS, 3, HAS_dy_1, Zero> DY_1;
constexpr Name<ROWS_OUT, 0> DA;
constexpr Name<ROWS_OUT, 1> DB;
using Given = decltype(names(COSINE, SINE, DY_0, DY_1, DA, DB, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 0, 0, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto dy_0 = at(DY_0);
      const auto dy_1 = at(DY_1);
      at.store(DA, cosine*dy_0 + dy_1*sine);  // step 3
      at.store(DB, cosine*dy_1 - dy_0*sine);  // step 4
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_a_dot || HAS_b_dot, Zero> COSINE;
constexpr Name<ROWS, 1, HAS_a_dot || HAS_b_dot, Zero> SINE;
constexpr Name<ROWS, 2, HAS_a_dot, Zero> A_DOT;
constexpr Name<ROWS, 3, HAS_b_dot, Zero> B_DOT;
constexpr Name<ROWS_OUT, 0> Y_0_DOT;
constexpr Name<ROWS_OUT, 1> Y_1_DOT;
using Given = decltype(names(COSINE, SINE, A_DOT, B_DOT, Y_0_DOT, Y_1_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 0, 0, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto a_dot = at(A_DOT);
      const auto b_dot = at(B_DOT);
      at.store(Y_0_DOT, a_dot*cosine - b_dot*sine);  // step 5
      at.store(Y_1_DOT, a_dot*sine + b_dot*cosine);  // step 6
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, (HAS_dda && HAS_dy_0) || (HAS_ddb && HAS_dy_1), Zero> COSINE;
constexpr Name<ROWS, 1, (HAS_dda && HAS_dy_1) || (HAS_ddb && HAS_dy_0), Zero> SINE;
constexpr Name<ROWS, 2, false, Zero> DY_0;
constexpr Name<ROWS, 3, false, Zero> DY_1;
constexpr Name<ROWS, 4, HAS_dda, Zero> DDA;
constexpr Name<ROWS, 5, HAS_ddb, Zero> DDB;
constexpr Name<ROWS_OUT, 0> DA;
constexpr Name<ROWS_OUT, 1> DB;
constexpr Name<ROWS_OUT, 2, HAS_dy_0> DDY_0;
constexpr Name<ROWS_OUT, 3, HAS_dy_1> DDY_1;
using Given = decltype(names(COSINE, SINE, DY_0, DY_1, DDA, DDB, DA, DB, DDY_0, DDY_1, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 0, 0, 4> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto cosine = at(COSINE);
      const auto sine = at(SINE);
      const auto dda = at(DDA);
      const auto ddb = at(DDB);
      at.store(DA, A(0));  // step 7
      at.store(DB, A(0));  // step 8
      at.store(DDY_0, cosine*dda - ddb*sine);  // step 11
      at.store(DDY_1, cosine*ddb + dda*sine);  // step 12
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
