// Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.
// Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
// definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
//
// forward:
//     gate = at(x, s=0)
//     value = at(x, s=1)
//     u = value/linear_beta
//     tanh_u = tanh(u)
//     sigmoid_gate = sigmoid(gate)
//     u_2 = gate/beta
//     tanh_u_2 = tanh(u_2)
//     y = beta*linear_beta*sigmoid_gate*tanh_u*tanh_u_2
// backward:
//     dgate = linear_beta*dy*sigmoid_gate*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))
//     dvalue = beta*dy*sigmoid_gate*tanh_u_2*(1 - tanh_u)*(1 + tanh_u)
//     dx = join(dgate, dvalue)
// jvp:
//     gate_dot = at(x_dot, s=0)
//     value_dot = at(x_dot, s=1)
//     y_dot = sigmoid_gate*(beta*tanh_u_2*value_dot*(1 - tanh_u)*(1 + tanh_u) + linear_beta*gate_dot*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2)))
// backward_backward:
//     ddgate = at(ddx, s=0)
//     ddvalue = at(ddx, s=1)
//     sigmoid_gate_complement = 1 - sigmoid_gate
//     d2gate = dy*sigmoid_gate*((1 - tanh_u_2)*(1 + tanh_u_2)*(beta*ddvalue*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement - 2*tanh_u_2))/beta + sigmoid_gate_complement*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*tanh_u_2*(sigmoid_gate_complement - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))))
//     d2value = dy*sigmoid_gate*(1 - tanh_u)*(1 + tanh_u)*(ddgate*(1 - tanh_u_2)*(1 + tanh_u_2) + beta*tanh_u_2*(ddgate*sigmoid_gate_complement - 2*ddvalue*tanh_u/linear_beta))
//     ddy = sigmoid_gate*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement*tanh_u_2 + (1 - tanh_u_2)*(1 + tanh_u_2)))
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
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> LINEAR_BETA;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(GATE, VALUE, BETA, LINEAR_BETA, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 3, 4, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto linear_beta_shifted = A(1) / call(LINEAR_BETA);  // step 1, pass 1
    const auto beta_shifted = A(1) / call(BETA);  // step 4, pass 2
    return terms(linear_beta_shifted, beta_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto linear_beta = row(LINEAR_BETA);
    const auto linear_beta_shifted = get<0>(row.call);
    const auto beta_shifted = get<1>(row.call);
    row.each([&](auto at) {
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto u = value*linear_beta_shifted;  // step 1, pass 3
      const auto tanh_u = math::tanh(u);  // step 2
      const auto sigmoid_gate = math::sigmoid(gate);  // step 3
      const auto u_2 = gate*beta_shifted;  // step 4, pass 4
      const auto tanh_u_2 = math::tanh(u_2);  // step 5
      at.store(Y, sigmoid_gate*tanh_u*tanh_u_2*beta*linear_beta);  // step 6
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> GATE;
constexpr Name<ROWS, 1> VALUE;
constexpr Name<ROWS, 2> DY;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> LINEAR_BETA;
constexpr Name<ROWS_OUT, 0> DGATE;
constexpr Name<ROWS_OUT, 1> DVALUE;
using Given = decltype(names(GATE, VALUE, DY, BETA, LINEAR_BETA, DGATE, DVALUE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 3, 4, 2> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto linear_beta_shifted = A(1) / call(LINEAR_BETA);  // step 1, pass 1
    const auto beta_shifted = A(1) / call(BETA);  // step 4, pass 2
    return terms(linear_beta_shifted, beta_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto linear_beta = row(LINEAR_BETA);
    const auto linear_beta_shifted = get<0>(row.call);
    const auto beta_shifted = get<1>(row.call);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto dy = at(DY);
      const auto u = value*linear_beta_shifted;  // step 1, pass 3
      const auto tanh_u = math::tanh(u);  // step 2
      const auto sigmoid_gate = math::sigmoid(gate);  // step 3
      const auto u_2 = gate*beta_shifted;  // step 4, pass 4
      const auto tanh_u_2 = math::tanh(u_2);  // step 5
      at.store(DGATE, dy*sigmoid_gate*tanh_u*((A(1) - tanh_u_2)*(tanh_u_2 + A(1)) + (A(1) - sigmoid_gate)*tanh_u_2*beta)*linear_beta);  // step 16
      at.store(DVALUE, (A(1) - tanh_u)*dy*sigmoid_gate*(tanh_u + A(1))*tanh_u_2*beta);  // step 22
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_gate_dot || HAS_value_dot, Zero> GATE;
constexpr Name<ROWS, 1, HAS_gate_dot || HAS_value_dot, Zero> VALUE;
constexpr Name<ROWS, 2, HAS_gate_dot, Zero> GATE_DOT;
constexpr Name<ROWS, 3, HAS_value_dot, Zero> VALUE_DOT;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> LINEAR_BETA;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(GATE, VALUE, GATE_DOT, VALUE_DOT, BETA, LINEAR_BETA, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 3, 4, 1> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto linear_beta_shifted = A(1) / call(LINEAR_BETA);  // step 1, pass 1
    const auto beta_shifted = A(1) / call(BETA);  // step 4, pass 2
    return terms(linear_beta_shifted, beta_shifted);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto linear_beta = row(LINEAR_BETA);
    const auto linear_beta_shifted = get<0>(row.call);
    const auto beta_shifted = get<1>(row.call);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto gate_dot = at(GATE_DOT);
      const auto value_dot = at(VALUE_DOT);
      const auto u = value*linear_beta_shifted;  // step 1, pass 3
      const auto tanh_u = math::tanh(u);  // step 2
      const auto sigmoid_gate = math::sigmoid(A(gate));  // step 3
      const auto u_2 = gate*beta_shifted;  // step 4, pass 4
      const auto tanh_u_2 = math::tanh(u_2);  // step 5
      at.store(Y_DOT, ((A(1) - tanh_u)*(tanh_u + A(1))*tanh_u_2*value_dot*beta + gate_dot*tanh_u*((A(1) - tanh_u_2)*(tanh_u_2 + A(1)) + (A(1) - sigmoid_gate)*tanh_u_2*beta)*linear_beta)*sigmoid_gate);  // step 35
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddgate || HAS_ddvalue, Zero> GATE;
constexpr Name<ROWS, 1, HAS_ddgate || HAS_ddvalue, Zero> VALUE;
constexpr Name<ROWS, 2, HAS_ddgate || HAS_ddvalue, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddgate, Zero> DDGATE;
constexpr Name<ROWS, 4, HAS_ddvalue, Zero> DDVALUE;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> LINEAR_BETA;
constexpr Name<ROWS_OUT, 0> DGATE;
constexpr Name<ROWS_OUT, 1> DVALUE;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(GATE, VALUE, DY, DDGATE, DDVALUE, BETA, LINEAR_BETA, DGATE, DVALUE, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 3, 6, 3> {
  template <class Call> static LNGEN_INLINE auto before(const Call& call) {
    using A = typename Call::A;
    const auto linear_beta_shifted = A(1) / call(LINEAR_BETA);  // step 1, pass 1
    const auto beta_shifted = A(1) / call(BETA);  // step 4, pass 2
    const auto beta_shifted_2 = A(1) / call(BETA);  // step 51, pass 5
    const auto linear_beta_scaled = A(-2) / call(LINEAR_BETA);  // step 59, pass 6
    return terms(linear_beta_shifted, beta_shifted, beta_shifted_2, linear_beta_scaled);
  }
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto linear_beta = row(LINEAR_BETA);
    const auto linear_beta_shifted = get<0>(row.call);
    const auto beta_shifted = get<1>(row.call);
    const auto beta_shifted_2 = get<2>(row.call);
    const auto linear_beta_scaled = get<3>(row.call);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto dy = at(DY);
      const auto ddgate = at(DDGATE);
      const auto ddvalue = at(DDVALUE);
      const auto u = value*linear_beta_shifted;  // step 1, pass 3
      const auto tanh_u = math::tanh(u);  // step 2
      const auto sigmoid_gate = math::sigmoid(A(gate));  // step 3
      const auto u_2 = gate*beta_shifted;  // step 4, pass 4
      const auto tanh_u_2 = math::tanh(u_2);  // step 5
      const auto sigmoid_gate_complement = A(1) - sigmoid_gate;  // step 46
      at.store(DGATE, dy*sigmoid_gate*((A(1) - tanh_u_2)*((A(1) - tanh_u)*ddvalue*(tanh_u + A(1))*beta + ddgate*(sigmoid_gate_complement*beta - A(2)*tanh_u_2)*tanh_u*linear_beta)*(tanh_u_2 + A(1))*beta_shifted_2 + ((A(1) - tanh_u)*ddvalue*(tanh_u + A(1))*tanh_u_2*beta + ddgate*tanh_u*((A(1) - tanh_u_2)*(tanh_u_2 + A(1)) + (sigmoid_gate_complement - sigmoid_gate)*tanh_u_2*beta)*linear_beta)*sigmoid_gate_complement));  // step 51, pass 7
      at.store(DVALUE, (A(1) - tanh_u)*((A(1) - tanh_u_2)*ddgate*(tanh_u_2 + A(1)) + (ddgate*sigmoid_gate_complement + ddvalue*tanh_u*linear_beta_scaled)*tanh_u_2*beta)*dy*sigmoid_gate*(tanh_u + A(1)));  // step 59, pass 8
      at.store(DDY, ((A(1) - tanh_u)*ddvalue*(tanh_u + A(1))*tanh_u_2*beta + ddgate*(sigmoid_gate_complement*tanh_u_2*beta + (A(1) - tanh_u_2)*(tanh_u_2 + A(1)))*tanh_u*linear_beta)*sigmoid_gate);  // step 63
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
