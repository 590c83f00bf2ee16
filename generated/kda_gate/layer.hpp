// Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.
// Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
// Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
// Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
//
// The layer for programs of C++ on the processor: functions in the namespace kda_gate, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER kda_gate
#endif
#define LNGEN_TYPED
#include "kernels.cpp"
#include "second_order.cpp"
#include "../_runtime/native/typed.h"

namespace LNGEN_LAYER {

using lngen::LNGEN_SPACE::Computed;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;
using lngen::LNGEN_SPACE::Parameter;
using lngen::LNGEN_SPACE::Row;

// What forward saves for the other directions: a number for each row.
struct Saved {
  Computed* exp_rate;
};

// u = x + bias
// softplus_u = softplus(u)
// exp_rate = exp(rate)
// y = -exp_rate*softplus_u
inline void forward(const Row* x, const Row* rate, const Row* bias, Row* out_y, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, rate, bias, out_y, saved.exp_rate}, {}, {}, rows, D, threads);
}

// dx = -exp_rate*dy*sigmoid(u)
// drate = sum(sum(dy*y), "b t")
// dbias = sum(dx, "b t")
inline void backward(const Row* x, const Row* bias, const Row* dy, Row* out_dx, Row* out_dbias, Row* out_drate,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, bias, dy, saved.exp_rate, out_dx, out_dbias, out_drate}, {}, {}, rows, D, threads);
}

// exp_rate_dot = exp_rate*rate_dot
// y_dot = -exp_rate_dot*softplus_u - exp_rate*sigmoid(u)*(bias_dot + x_dot)
inline void jvp(const Row* x, const Row* bias, const Row* x_dot, const Row* rate_dot, const Row* bias_dot,
    Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, bias, x_dot, rate_dot, bias_dot, saved.exp_rate, out_y_dot}, {}, {}, rows, D, threads);
}

// ddx_2 = ddbias + ddx
// d2y = ddrate*dy
// d2x = -exp_rate*sigmoid(u)*(d2y + ddx_2*dy*(1 - sigmoid(u)))
// d2rate = sum(D*exp_rate*(mean(-d2y*softplus_u) + mean(-ddx_2*dy*sigmoid(u))), "b t")
// d2bias = sum(d2x, "b t")
// ddy = ddrate*y - exp_rate*ddx_2*sigmoid(u)
inline void backward_backward(const Row* x, const Row* bias, const Row* dy, const Row* ddx, const Row* ddrate,
    const Row* ddbias, Row* out_dx, Row* out_dbias, Row* out_drate, Row* out_ddy, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, bias, dy, ddx, ddrate, ddbias, saved.exp_rate, out_dx, out_dbias, out_drate, out_ddy}, {}, {},
    rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
