// Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.
// Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit geglu.py and run: lngen derive geglu.py
// definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
//
// forward:
//     gate = at(x, s=0)
//     value = at(x, s=1)
//     sigmoid_u = sigmoid(1.5957691216057308*gate + 35677408136300126361*gate**3/5e20)
//     y = gate*sigmoid_u*value
// backward:
//     dgate = dy*sigmoid_u*value*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 + 0.134145*gate**2))
//     dvalue = dy*gate*sigmoid_u
//     dx = join(dgate, dvalue)
// jvp:
//     gate_dot = at(x_dot, s=0)
//     value_dot = at(x_dot, s=1)
//     y_dot = sigmoid_u*(gate*value_dot + gate_dot*value + 1.5957691216057308*gate*gate_dot*value*(1 - sigmoid_u)*(1 + 0.134145*gate**2))
// backward_backward:
//     ddgate = at(ddx, s=0)
//     ddvalue = at(ddx, s=1)
//     d2gate = dy*sigmoid_u*(ddvalue + ddgate*value*(1 - sigmoid_u)*(321096673226701137249*gate**2/5e20 + 1.5957691216057308) + 1.5957691216057308*(1 - sigmoid_u)*(1 + 0.134145*gate**2)*(ddvalue*gate + ddgate*value*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 + 0.134145*gate**2) - 1.5957691216057308*gate*sigmoid_u*(1 + 0.134145*gate**2))))
//     d2value = ddgate*dy*sigmoid_u*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 + 0.134145*gate**2))
//     ddy = sigmoid_u*(ddvalue*gate + ddgate*value*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 + 0.134145*gate**2)))
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
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto total = gate + A(0.044715)*math::power<3>(gate);  // step 1
      const auto u = A(1.5957691216057308)*total;  // step 2
      const auto sigmoid_u = math::sigmoid(u);  // step 3
      at.store(Y, gate*sigmoid_u*value);  // step 5
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
      const auto total = gate + A(0.044715)*math::power<3>(gate);  // step 1
      const auto u = A(1.5957691216057308)*total;  // step 2
      const auto sigmoid_u = math::sigmoid(u);  // step 3
      at.store(DGATE, (A(1.5957691216057308)*(A(1) - sigmoid_u)*(A(0.134145)*(gate*gate) + A(1))*gate + A(1))*dy*sigmoid_u*value);  // step 12
      at.store(DVALUE, dy*gate*sigmoid_u);  // step 13
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
      const auto total = gate + A(0.044715)*math::power<3>(gate);  // step 1
      const auto u = A(1.5957691216057308)*total;  // step 2
      const auto sigmoid_u = math::sigmoid(A(u));  // step 3
      at.store(Y_DOT, (gate*value_dot + gate_dot*value + A(1.5957691216057308)*(A(1) - sigmoid_u)*(A(0.134145)*(gate*gate) + A(1))*gate*gate_dot*value)*sigmoid_u);  // step 20
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
      const auto total = gate + A(0.044715)*math::power<3>(gate);  // step 1
      const auto u = A(1.5957691216057308)*total;  // step 2
      const auto sigmoid_u = math::sigmoid(A(u));  // step 3
      at.store(DGATE, (ddvalue + (A(1) - sigmoid_u)*(A(0.6421933464534022745)*(gate*gate) + A(1.5957691216057308))*ddgate*value + A(1.5957691216057308)*(A(1) - sigmoid_u)*(A(0.134145)*(gate*gate) + A(1))*(ddvalue*gate + (A(1.5957691216057308)*(A(1) - sigmoid_u)*(A(0.134145)*(gate*gate) + A(1))*gate + A(1) - A(1.5957691216057308)*(A(0.134145)*(gate*gate) + A(1))*gate*sigmoid_u)*ddgate*value))*dy*sigmoid_u);  // step 31
      at.store(DVALUE, (A(1.5957691216057308)*(A(1) - sigmoid_u)*(A(0.134145)*(gate*gate) + A(1))*gate + A(1))*ddgate*dy*sigmoid_u);  // step 32
      at.store(DDY, (ddvalue*gate + (A(1.5957691216057308)*(A(1) - sigmoid_u)*(A(0.134145)*(gate*gate) + A(1))*gate + A(1))*ddgate*value)*sigmoid_u);  // step 34
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
