// SwiGLU of a gate and a value that lie side by side in one array.
// Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
// definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
//
// forward:
//     gate = at(x, s=0)
//     value = at(x, s=1)
//     sigmoid_gate = sigmoid(gate)
//     silu_gate = gate*sigmoid_gate
//     y = silu_gate*value
// backward:
//     dgate = dy*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
//     dvalue = dy*silu_gate
//     dx = join(dgate, dvalue)
// jvp:
//     gate_dot = at(x_dot, s=0)
//     value_dot = at(x_dot, s=1)
//     y_dot = silu_gate*value_dot + gate_dot*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
// backward_backward:
//     ddgate = at(ddx, s=0)
//     ddvalue = at(ddx, s=1)
//     d2silu_gate = ddvalue*dy
//     d2gate = sigmoid_gate*(d2silu_gate + ddgate*dy*value*(1 - sigmoid_gate) + (1 - sigmoid_gate)*(d2silu_gate*gate + ddgate*dy*value*(1 + gate*(1 - sigmoid_gate) - silu_gate)))
//     d2value = ddgate*dy*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
//     ddy = ddvalue*silu_gate + ddgate*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
//     d2x = join(d2gate, d2value)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_ddgate = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddgate);
constexpr bool HAS_ddvalue = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddvalue);
constexpr bool HAS_gate_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_gate_dot);
constexpr bool HAS_value_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_value_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> GATE;
constexpr Name<ROWS, 1> VALUE;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(GATE, VALUE, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 0, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto sigmoid_gate = math::sigmoid(gate);  // step 1
      const auto silu_gate = gate*sigmoid_gate;  // step 2
      at.store(Y, silu_gate*value);  // step 3
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> GATE;
constexpr Name<ROWS, 1> VALUE;
constexpr Name<ROWS, 2> DY;
constexpr Name<ROWS_OUT, 0> DGATE;
constexpr Name<ROWS_OUT, 1> DVALUE;
using Given = decltype(names(GATE, VALUE, DY, DGATE, DVALUE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 0, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto dy = at(DY);
      const auto sigmoid_gate = math::sigmoid(gate);  // step 1
      const auto silu_gate = gate*sigmoid_gate;  // step 2
      at.store(DGATE, dy*((A(1) - sigmoid_gate)*gate + A(1))*sigmoid_gate*value);  // step 9
      at.store(DVALUE, dy*silu_gate);  // step 10
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_gate_dot || HAS_value_dot, Zero> GATE;
constexpr Name<ROWS, 1, HAS_gate_dot, Zero> VALUE;
constexpr Name<ROWS, 2, HAS_gate_dot, Zero> GATE_DOT;
constexpr Name<ROWS, 3, HAS_value_dot, Zero> VALUE_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(GATE, VALUE, GATE_DOT, VALUE_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 0, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto gate_dot = at(GATE_DOT);
      const auto value_dot = at(VALUE_DOT);
      const auto sigmoid_gate = math::sigmoid(A(gate));  // step 1
      const auto silu_gate = gate*sigmoid_gate;  // step 2
      at.store(Y_DOT, silu_gate*value_dot + ((A(1) - sigmoid_gate)*gate + A(1))*gate_dot*sigmoid_gate*value);  // step 15
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddgate || HAS_ddvalue, Zero> GATE;
constexpr Name<ROWS, 1, HAS_ddgate, Zero> VALUE;
constexpr Name<ROWS, 2, HAS_ddgate || HAS_ddvalue, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddgate, Zero> DDGATE;
constexpr Name<ROWS, 4, HAS_ddvalue, Zero> DDVALUE;
constexpr Name<ROWS_OUT, 0> DGATE;
constexpr Name<ROWS_OUT, 1> DVALUE;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(GATE, VALUE, DY, DDGATE, DDVALUE, DGATE, DVALUE, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 1, 0, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto dy = at(DY);
      const auto ddgate = at(DDGATE);
      const auto ddvalue = at(DDVALUE);
      const auto sigmoid_gate = math::sigmoid(A(gate));  // step 1
      const auto silu_gate = gate*sigmoid_gate;  // step 2
      const auto d2silu_gate = ddvalue*dy;  // step 18
      at.store(DGATE, (d2silu_gate + (A(1) - sigmoid_gate)*ddgate*dy*value + (A(1) - sigmoid_gate)*(d2silu_gate*gate + ddgate*dy*((A(1) - sigmoid_gate)*gate + A(1) - silu_gate)*value))*sigmoid_gate);  // step 24
      at.store(DVALUE, ddgate*dy*((A(1) - sigmoid_gate)*gate + A(1))*sigmoid_gate);  // step 25
      at.store(DDY, ddvalue*silu_gate + ddgate*((A(1) - sigmoid_gate)*gate + A(1))*sigmoid_gate*value);  // step 26
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
