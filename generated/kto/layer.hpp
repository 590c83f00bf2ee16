// Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.
// Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
// Do not edit; edit kto.py and run: lngen derive kto.py
// definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
//
// The layer for programs of C++ on the processor: functions in the namespace kto, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER kto
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

// reward = logp - reference - divergence
// u = -beta*reward
// sigmoid_u = sigmoid(u)
// u_2 = beta*reward
// sigmoid_u_2 = sigmoid(u_2)
// y = where(desirable > 0, gain*sigmoid_u, loss*sigmoid_u_2)
inline void forward(const Row* logp, const Row* reference, const Integer* desirable, const Row* divergence,
    Computed beta, Computed gain, Computed loss, Row* out_y, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({logp, reference, desirable, divergence, out_y}, {beta, gain, loss}, {}, rows, D, threads);
}

// dlogp = beta*where(desirable > 0, -gain*dy*sigmoid_u*(1 - sigmoid_u), loss*dy*sigmoid_u_2*(1 - sigmoid_u_2))
inline void backward(const Row* logp, const Row* reference, const Integer* desirable, const Row* divergence,
    const Row* dy, Computed beta, Computed gain, Computed loss, Row* out_dlogp, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({logp, reference, desirable, divergence, dy, out_dlogp}, {beta, gain, loss}, {}, rows, D, threads);
}

// y_dot = where(desirable > 0, -beta*gain*logp_dot*sigmoid_u*(1 - sigmoid_u), beta*loss*logp_dot*sigmoid_u_2*(1 - sigmoid_u_2))
inline void jvp(const Row* logp, const Row* reference, const Integer* desirable, const Row* divergence,
    const Row* logp_dot, Computed beta, Computed gain, Computed loss, Row* out_y_dot, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({logp, reference, desirable, divergence, logp_dot, out_y_dot}, {beta, gain, loss}, {}, rows, D,
    threads);
}

// d2logp = beta*where(desirable > 0, -beta*ddlogp*sigmoid_u*(1 - sigmoid_u)*(gain*dy*sigmoid_u - gain*dy*(1 - sigmoid_u)), beta*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2)*(loss*dy*(1 - sigmoid_u_2) - loss*dy*sigmoid_u_2))
// ddy = where(desirable > 0, -beta*gain*ddlogp*sigmoid_u*(1 - sigmoid_u), beta*loss*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2))
inline void backward_backward(const Row* logp, const Row* reference, const Integer* desirable,
    const Row* divergence, const Row* dy, const Row* ddlogp, Computed beta, Computed gain, Computed loss,
    Row* out_dlogp, Row* out_ddy, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({logp, reference, desirable, divergence, dy, ddlogp, out_dlogp, out_ddy}, {beta, gain, loss}, {},
    rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
