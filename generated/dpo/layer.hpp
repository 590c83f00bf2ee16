// Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.
// Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit dpo.py and run: lngen derive dpo.py
// definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
//
// The layer for programs of C++ on the processor: functions in the namespace dpo, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dpo
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

// total_2 = chosen - rejected - reference_chosen
// margin = beta*(reference_rejected + total_2)
// u = -margin
// softplus_u = softplus(u)
// softplus_margin = softplus(margin)
// y = smoothing*softplus_margin + softplus_u*(1 - smoothing)
inline void forward(const Row* chosen, const Row* rejected, const Row* reference_chosen,
    const Row* reference_rejected, Computed beta, Computed smoothing, Row* out_y, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({chosen, rejected, reference_chosen, reference_rejected, out_y}, {beta, smoothing}, {}, rows, D,
    threads);
}

// dchosen = beta*dy*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))
// drejected = -dchosen
inline void backward(const Row* chosen, const Row* rejected, const Row* reference_chosen,
    const Row* reference_rejected, const Row* dy, Computed beta, Computed smoothing, Row* out_dchosen,
    Row* out_drejected, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({chosen, rejected, reference_chosen, reference_rejected, dy, out_dchosen, out_drejected},
    {beta, smoothing}, {}, rows, D, threads);
}

// margin_dot = beta*(chosen_dot - rejected_dot)
// softplus_u_dot = -margin_dot*sigmoid(u)
// y_dot = softplus_u_dot + smoothing*(margin_dot*sigmoid(margin) - softplus_u_dot)
inline void jvp(const Row* chosen, const Row* rejected, const Row* reference_chosen, const Row* reference_rejected,
    const Row* chosen_dot, const Row* rejected_dot, Computed beta, Computed smoothing, Row* out_y_dot,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({chosen, rejected, reference_chosen, reference_rejected, chosen_dot, rejected_dot, out_y_dot},
    {beta, smoothing}, {}, rows, D, threads);
}

// ddchosen_2 = ddchosen - ddrejected
// d2chosen = beta**2*ddchosen_2*dy*(smoothing*sigmoid(margin)*(1 - sigmoid(margin)) + sigmoid(u)*(1 - smoothing)*(1 - sigmoid(u)))
// d2rejected = -d2chosen
// ddy = beta*ddchosen_2*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))
inline void backward_backward(const Row* chosen, const Row* rejected, const Row* reference_chosen,
    const Row* reference_rejected, const Row* dy, const Row* ddchosen, const Row* ddrejected, Computed beta,
    Computed smoothing, Row* out_dchosen, Row* out_drejected, Row* out_ddy, long long rows, int D, int threads = 1)
    {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
kernels.call({chosen, rejected, reference_chosen, reference_rejected, dy, ddchosen, ddrejected, out_dchosen, out_drejected, out_ddy},
    {beta, smoothing}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
