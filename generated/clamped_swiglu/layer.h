// SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.
// Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
// definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
//
// forward:
//     x_0 = at(x, s=0)
//     x_1 = at(x, s=1)
//     gate = where(x_0 >= limit, limit, x_0)
//     value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1 <= -limit, -limit, x_1))
//     u = alpha*gate
//     sigmoid_u = sigmoid(u)
//     y = gate*sigmoid_u*(1 + value)
// backward:
//     dx_0 = where(x_0 >= limit, 0, dy*sigmoid_u*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)))
//     dx_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, dy*gate*sigmoid_u))
//     dx = join(dx_0, dx_1)
// jvp:
//     x_0_dot = at(x_dot, s=0)
//     x_1_dot = at(x_dot, s=1)
//     gate_dot = where(x_0 >= limit, 0, x_0_dot)
//     y_dot = sigmoid_u*(gate_dot*(1 + value) + alpha*gate*gate_dot*(1 - sigmoid_u)*(1 + value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, gate*x_1_dot)))
// backward_backward:
//     ddx_0 = at(ddx, s=0)
//     ddx_1 = at(ddx, s=1)
//     d2x_0 = where(x_0 >= limit, 0, alpha*ddx_0*dy*sigmoid_u*(1 - sigmoid_u)*(1 + value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*dy*sigmoid_u)) + alpha*sigmoid_u*(1 - sigmoid_u)*(where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*dy*gate)) + ddx_0*(dy*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)) - alpha*dy*gate*sigmoid_u*(1 + value))))
//     d2x_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, where(x_0 >= limit, 0, ddx_0*dy*sigmoid_u*(1 + alpha*gate*(1 - sigmoid_u)))))
//     ddy = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*gate*sigmoid_u)) + where(x_0 >= limit, 0, ddx_0*sigmoid_u*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)))
//     d2x = join(d2x_0, d2x_1)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddx_0 = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx_0);
constexpr bool HAS_ddx_1 = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddx_1);
constexpr bool HAS_x_0_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_0_dot);
constexpr bool HAS_x_1_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_x_1_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> X_0;
constexpr Name<ROWS, 1> X_1;
constexpr Name<NUMBER, 0> ALPHA;
constexpr Name<NUMBER, 1> LIMIT;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(X_0, X_1, ALPHA, LIMIT, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto alpha = row(ALPHA);
    const auto limit = row(LIMIT);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_0 = at(X_0);
      const auto x_1 = at(X_1);
      const auto gate = choose<A>(x_0 >= A(limit), limit, x_0);  // step 1
      const auto value = choose<A>(choose<A>(x_1 <= A(-A(limit)), -A(limit), x_1) >= A(limit), limit, choose<A>(x_1 <= A(-A(limit)), -A(limit), x_1));  // step 2
      const auto u = gate*alpha;  // step 3
      const auto sigmoid_u = math::sigmoid(u);  // step 4
      at.store(Y, gate*sigmoid_u*(value + A(1)));  // step 5
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> X_0;
constexpr Name<ROWS, 1> X_1;
constexpr Name<ROWS, 2> DY;
constexpr Name<NUMBER, 0> ALPHA;
constexpr Name<NUMBER, 1> LIMIT;
constexpr Name<ROWS_OUT, 0> DX_0;
constexpr Name<ROWS_OUT, 1> DX_1;
using Given = decltype(names(X_0, X_1, DY, ALPHA, LIMIT, DX_0, DX_1, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 2, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto alpha = row(ALPHA);
    const auto limit = row(LIMIT);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_0 = at(X_0);
      const auto x_1 = at(X_1);
      const auto dy = at(DY);
      const auto gate = choose<A>(x_0 >= A(limit), limit, x_0);  // step 1
      const auto value = choose<A>(choose<A>(x_1 <= A(-A(limit)), -A(limit), x_1) >= A(limit), limit, choose<A>(x_1 <= A(-A(limit)), -A(limit), x_1));  // step 2
      const auto u = gate*alpha;  // step 3
      const auto sigmoid_u = math::sigmoid(u);  // step 4
      at.store(DX_0, choose<A>(x_0 >= A(limit), A(0), dy*((A(1) - sigmoid_u)*gate*alpha + A(1))*sigmoid_u*(value + A(1))));  // step 14
      at.store(DX_1, choose<A>(choose<A>(x_1 <= A(-A(limit)), -A(limit), x_1) >= A(limit), A(0), choose<A>(x_1 <= A(-A(limit)), A(0), dy*gate*sigmoid_u)));  // step 17
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_x_0_dot || HAS_x_1_dot, Zero> X_0;
constexpr Name<ROWS, 1, HAS_x_0_dot || HAS_x_1_dot, Zero> X_1;
constexpr Name<ROWS, 2, HAS_x_0_dot, Zero> X_0_DOT;
constexpr Name<ROWS, 3, HAS_x_1_dot, Zero> X_1_DOT;
constexpr Name<NUMBER, 0> ALPHA;
constexpr Name<NUMBER, 1> LIMIT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(X_0, X_1, X_0_DOT, X_1_DOT, ALPHA, LIMIT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto alpha = row(ALPHA);
    const auto limit = row(LIMIT);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_0 = at(X_0);
      const auto x_1 = at(X_1);
      const auto x_0_dot = at(X_0_DOT);
      const auto x_1_dot = at(X_1_DOT);
      const auto gate = choose<A>(A(x_0) >= A(limit), limit, x_0);  // step 1
      const auto value = choose<A>(choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1) >= A(limit), limit, choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1));  // step 2
      const auto u = gate*alpha;  // step 3
      const auto sigmoid_u = math::sigmoid(u);  // step 4
      const auto gate_dot = choose<A>(A(x_0) >= A(limit), A(0), x_0_dot);  // step 18
      at.store(Y_DOT, (gate_dot*(value + A(1)) + (A(1) - sigmoid_u)*gate*gate_dot*(value + A(1))*alpha + choose<A>(choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1) >= A(limit), A(0), choose<A>(A(x_1) <= A(-A(limit)), A(0), gate*x_1_dot)))*sigmoid_u);  // step 26
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddx_0 || HAS_ddx_1, Zero> X_0;
constexpr Name<ROWS, 1, HAS_ddx_0 || HAS_ddx_1, Zero> X_1;
constexpr Name<ROWS, 2, HAS_ddx_0 || HAS_ddx_1, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddx_0, Zero> DDX_0;
constexpr Name<ROWS, 4, HAS_ddx_1, Zero> DDX_1;
constexpr Name<NUMBER, 0> ALPHA;
constexpr Name<NUMBER, 1> LIMIT;
constexpr Name<ROWS_OUT, 0> DX_0;
constexpr Name<ROWS_OUT, 1> DX_1;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(X_0, X_1, DY, DDX_0, DDX_1, ALPHA, LIMIT, DX_0, DX_1, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 2, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto alpha = row(ALPHA);
    const auto limit = row(LIMIT);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto x_0 = at(X_0);
      const auto x_1 = at(X_1);
      const auto dy = at(DY);
      const auto ddx_0 = at(DDX_0);
      const auto ddx_1 = at(DDX_1);
      const auto gate = choose<A>(A(x_0) >= A(limit), limit, x_0);  // step 1
      const auto value = choose<A>(choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1) >= A(limit), limit, choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1));  // step 2
      const auto u = gate*alpha;  // step 3
      const auto sigmoid_u = math::sigmoid(u);  // step 4
      at.store(DX_0, choose<A>(A(x_0) >= A(limit), A(0), (A(1) - sigmoid_u)*ddx_0*dy*sigmoid_u*(value + A(1))*alpha + choose<A>(choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1) >= A(limit), A(0), choose<A>(A(x_1) <= A(-A(limit)), A(0), ddx_1*dy*sigmoid_u)) + (A(1) - sigmoid_u)*(choose<A>(choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1) >= A(limit), A(0), choose<A>(A(x_1) <= A(-A(limit)), A(0), ddx_1*dy*gate)) + (dy*((A(1) - sigmoid_u)*gate*alpha + A(1))*(value + A(1)) - dy*gate*sigmoid_u*(value + A(1))*alpha)*ddx_0)*sigmoid_u*alpha));  // step 37
      at.store(DX_1, choose<A>(choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1) >= A(limit), A(0), choose<A>(A(x_1) <= A(-A(limit)), A(0), choose<A>(A(x_0) >= A(limit), A(0), ddx_0*dy*((A(1) - sigmoid_u)*gate*alpha + A(1))*sigmoid_u))));  // step 40
      at.store(DDY, choose<A>(choose<A>(A(x_1) <= A(-A(limit)), -A(limit), x_1) >= A(limit), A(0), choose<A>(A(x_1) <= A(-A(limit)), A(0), ddx_1*gate*sigmoid_u)) + choose<A>(A(x_0) >= A(limit), A(0), ddx_0*((A(1) - sigmoid_u)*gate*alpha + A(1))*sigmoid_u*(value + A(1))));  // step 41
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
