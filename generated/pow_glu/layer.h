// Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).
// Made by lngen 0.1.0 from the definition of pow_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit pow_glu.py and run: lngen derive pow_glu.py
// Open: exp overflows where power*log_base/(1 + root_base) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:67e102f3ac5fc0c5a92bfffdb1e3643a14746399b46a13e192fda8178dee8863
//
// forward:
//     gate = at(x, s=0)
//     value = at(x, s=1)
//     base = where(gate > 0, gate, 1)
//     root_base = sqrt(base)
//     log_base = log(base)
//     u = power*log_base/(1 + root_base)
//     grown = exp(u)
//     sigmoid_gate = sigmoid(gate)
//     silu_gate = gate*sigmoid_gate
//     y = value*where(gate > 0, grown*sigmoid_gate, silu_gate)
// backward:
//     dsilu_gate = where(gate > 0, 0, dy*value)
//     du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
//     dgate = dsilu_gate*sigmoid_gate + sigmoid_gate*(1 - sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) + where(gate > 0, power*du/(base*(1 + root_base)) - du*u/(2*root_base*(1 + root_base)), 0)
//     dvalue = where(gate > 0, dy*grown*sigmoid_gate, dy*silu_gate)
//     dx = join(dgate, dvalue)
// jvp:
//     gate_dot = at(x_dot, s=0)
//     value_dot = at(x_dot, s=1)
//     sigmoid_gate_dot = gate_dot*sigmoid_gate*sigmoid(-gate)
//     y_dot = where(gate > 0, grown*sigmoid_gate_dot*value + grown*sigmoid_gate*value_dot + power*grown*sigmoid_gate*value*(2*gate_dot/base - gate_dot*log_base/(root_base*(1 + root_base)))/(2*(1 + root_base)), silu_gate*value_dot + value*(gate*sigmoid_gate_dot + gate_dot*sigmoid_gate))
// backward_backward:
//     ddgate = at(ddx, s=0)
//     ddvalue = at(ddx, s=1)
//     dsilu_gate = where(gate > 0, 0, dy*value)
//     du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
//     ddu = where(gate > 0, ddgate*(2*power/(base*(1 + root_base)) - u/(root_base*(1 + root_base)))/2, 0)
//     ddsilu_gate = ddgate*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
//     d2silu_gate = where(gate > 0, 0, ddvalue*dy)
//     d2u = where(gate > 0, grown*(ddvalue*dy*sigmoid_gate + ddu*dy*sigmoid_gate*value + ddgate*dy*sigmoid_gate*value*(1 - sigmoid_gate)) - ddgate*du/(2*root_base*(1 + root_base)), 0)
//     d2base = where(gate > 0, power*d2u/(base*(1 + root_base)) + (ddgate*(du*u/(root_base*(1 + root_base)**2) + du*u/(root_base**2*(1 + root_base)) - 2*power*du/(base*(1 + root_base)**2))/2 - d2u*u/(1 + root_base))/(2*root_base) - power*ddgate*du/(base**2*(1 + root_base)), 0)
//     d2gate = where(gate > 0, d2base, 0) + d2silu_gate*sigmoid_gate + ddgate*dsilu_gate*sigmoid_gate*(1 - sigmoid_gate) + sigmoid_gate*(1 - sigmoid_gate)*(d2silu_gate*gate + where(gate > 0, ddvalue*dy*grown + ddu*dy*grown*value, 0) + ddgate*(dsilu_gate + (1 - sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) - sigmoid_gate*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0))))
//     d2value = where(gate > 0, ddu*dy*grown*sigmoid_gate + ddgate*dy*grown*sigmoid_gate*(1 - sigmoid_gate), ddsilu_gate*dy)
//     ddy = where(gate > 0, ddvalue*grown*sigmoid_gate + ddu*grown*sigmoid_gate*value + ddgate*grown*sigmoid_gate*value*(1 - sigmoid_gate), ddsilu_gate*value + ddvalue*silu_gate)
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
constexpr Name<NUMBER, 0> POWER;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(GATE, VALUE, POWER, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 3, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto power_ = row(POWER);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto base = choose<A>(gate > A(0), gate, A(1));  // step 1
      const auto root_base = math::sqrt(base);  // step 2
      const auto log_base = math::log(base);  // step 3
      const auto u = log_base*power_ / (root_base + A(1));  // step 4
      const auto grown = math::exp(u);  // step 5
      const auto sigmoid_gate = math::sigmoid(gate);  // step 6
      const auto silu_gate = gate*sigmoid_gate;  // step 7
      at.store(Y, choose<A>(gate > A(0), grown*sigmoid_gate, silu_gate)*value);  // step 8
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> GATE;
constexpr Name<ROWS, 1> VALUE;
constexpr Name<ROWS, 2> DY;
constexpr Name<NUMBER, 0> POWER;
constexpr Name<ROWS_OUT, 0> DGATE;
constexpr Name<ROWS_OUT, 1> DVALUE;
using Given = decltype(names(GATE, VALUE, DY, POWER, DGATE, DVALUE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 3, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto power_ = row(POWER);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto dy = at(DY);
      const auto base = choose<A>(gate > A(0), gate, A(1));  // step 1
      const auto root_base = math::sqrt(base);  // step 2
      const auto log_base = math::log(base);  // step 3
      const auto u = log_base*power_ / (root_base + A(1));  // step 4
      const auto grown = math::exp(u);  // step 5
      const auto sigmoid_gate = math::sigmoid(gate);  // step 6
      const auto silu_gate = gate*sigmoid_gate;  // step 7
      const auto dsilu_gate = choose<A>(gate > A(0), A(0), dy*value);  // step 9
      const auto du = choose<A>(gate > A(0), dy*grown*sigmoid_gate*value, A(0));  // step 13
      at.store(DGATE, dsilu_gate*sigmoid_gate + (A(1) - sigmoid_gate)*(dsilu_gate*gate + choose<A>(gate > A(0), dy*grown*value, A(0)))*sigmoid_gate + choose<A>(gate > A(0), du*power_ / (base*(root_base + A(1))) - A(0.5)*du*u / (root_base*(root_base + A(1))), A(0)));  // step 22
      at.store(DVALUE, choose<A>(gate > A(0), dy*grown*sigmoid_gate, dy*silu_gate));  // step 23
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
constexpr Name<NUMBER, 0> POWER;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(GATE, VALUE, GATE_DOT, VALUE_DOT, POWER, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 4, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto power_ = row(POWER);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto gate_dot = at(GATE_DOT);
      const auto value_dot = at(VALUE_DOT);
      const auto base = choose<A>(A(gate) > A(0), gate, A(1));  // step 1
      const auto root_base = math::sqrt(base);  // step 2
      const auto log_base = math::log(base);  // step 3
      const auto u = log_base*power_ / (root_base + A(1));  // step 4
      const auto grown = math::exp(u);  // step 5
      const auto sigmoid_gate = math::sigmoid(A(gate));  // step 6
      const auto silu_gate = gate*sigmoid_gate;  // step 7
      const auto sigmoid_gate_dot = math::sigmoid(A(-gate))*gate_dot*sigmoid_gate;  // step 31
      at.store(Y_DOT, choose<A>(A(gate) > A(0), grown*sigmoid_gate*value_dot + grown*sigmoid_gate_dot*value + (gate_dot / base - A(0.5)*gate_dot*log_base / (root_base*(root_base + A(1))))*grown*sigmoid_gate*value*power_ / (root_base + A(1)), silu_gate*value_dot + (gate*sigmoid_gate_dot + gate_dot*sigmoid_gate)*value));  // step 40
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
constexpr Name<NUMBER, 0> POWER;
constexpr Name<ROWS_OUT, 0> DGATE;
constexpr Name<ROWS_OUT, 1> DVALUE;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(GATE, VALUE, DY, DDGATE, DDVALUE, POWER, DGATE, DVALUE, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 3, 1, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto power_ = row(POWER);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto gate = at(GATE);
      const auto value = at(VALUE);
      const auto dy = at(DY);
      const auto ddgate = at(DDGATE);
      const auto ddvalue = at(DDVALUE);
      const auto base = choose<A>(A(gate) > A(0), gate, A(1));  // step 1
      const auto root_base = math::sqrt(base);  // step 2
      const auto log_base = math::log(base);  // step 3
      const auto u = log_base*power_ / (root_base + A(1));  // step 4
      const auto grown = math::exp(u);  // step 5
      const auto sigmoid_gate = math::sigmoid(A(gate));  // step 6
      const auto silu_gate = gate*sigmoid_gate;  // step 7
      const auto dsilu_gate = choose<A>(A(gate) > A(0), A(0), dy*value);  // step 41
      const auto du = choose<A>(A(gate) > A(0), dy*grown*sigmoid_gate*value, A(0));  // step 42
      const auto ddu = choose<A>(A(gate) > A(0), (power_ / (base*(root_base + A(1))) - A(0.5)*u / (root_base*(root_base + A(1))))*ddgate, A(0));  // step 44
      const auto ddsilu_gate = ddgate*((A(1) - sigmoid_gate)*gate + A(1))*sigmoid_gate;  // step 63
      const auto d2silu_gate = choose<A>(A(gate) > A(0), A(0), ddvalue*dy);  // step 46
      const auto d2u = choose<A>(A(gate) > A(0), (ddvalue*dy*sigmoid_gate + ddu*dy*sigmoid_gate*value + (A(1) - sigmoid_gate)*ddgate*dy*sigmoid_gate*value)*grown - A(0.5)*ddgate*du / (root_base*(root_base + A(1))), A(0));  // step 51
      const auto d2base = choose<A>(A(gate) > A(0), d2u*power_ / (base*(root_base + A(1))) + A(0.5)*(ddgate*(A(0.5)*du*u / (math::power<2>(root_base + A(1))*root_base) + A(0.5)*du*u / ((root_base + A(1))*(root_base*root_base)) - du*power_ / (math::power<2>(root_base + A(1))*base)) - d2u*u / (root_base + A(1))) / root_base - ddgate*du*power_ / ((base*base)*(root_base + A(1))), A(0));  // step 58
      at.store(DGATE, choose<A>(A(gate) > A(0), d2base, A(0)) + d2silu_gate*sigmoid_gate + (A(1) - sigmoid_gate)*ddgate*dsilu_gate*sigmoid_gate + (A(1) - sigmoid_gate)*(d2silu_gate*gate + choose<A>(A(gate) > A(0), ddvalue*dy*grown + ddu*dy*grown*value, A(0)) + ddgate*(dsilu_gate + (A(1) - sigmoid_gate)*(dsilu_gate*gate + choose<A>(A(gate) > A(0), dy*grown*value, A(0))) - (dsilu_gate*gate + choose<A>(A(gate) > A(0), dy*grown*value, A(0)))*sigmoid_gate))*sigmoid_gate);  // step 61
      at.store(DVALUE, choose<A>(A(gate) > A(0), ddu*dy*grown*sigmoid_gate + (A(1) - sigmoid_gate)*ddgate*dy*grown*sigmoid_gate, ddsilu_gate*dy));  // step 65
      at.store(DDY, choose<A>(A(gate) > A(0), ddvalue*grown*sigmoid_gate + ddu*grown*sigmoid_gate*value + (A(1) - sigmoid_gate)*ddgate*grown*sigmoid_gate*value, ddsilu_gate*value + ddvalue*silu_gate));  // step 67
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
