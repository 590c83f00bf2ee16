// Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.
// Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit grpo.py and run: lngen derive grpo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
// definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
//
// The layer for programs of C++ on the processor: functions in the namespace grpo, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER grpo
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
  Computed* m_2;
  Computed* Z_;
  Computed* log_Z;
  Computed* sum_where_x_shifted;
  Computed* ratio;
};

// m_2 = max(x)
// exp_shifted = exp(x - m_2)
// Z = sum(exp_shifted)
// sum_where_x = sum(where(index() == label, x, 0))
// log_Z = log(Z)
// ratio = exp(sum_where_x - old - m_2 - log_Z)
// gained = where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*ratio, advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)))
// expm1_log_Z_m_2 = expm1(reference + m_2 + log_Z - sum_where_x)
// y = beta*(sum_where_x + expm1_log_Z_m_2 - reference - m_2 - log_Z) - gained
inline void forward(const Row* x, const Integer* label, const Row* advantage, const Row* old, const Row* reference,
    Computed low, Computed high, Computed beta, Row* out_y, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
kernels.call({x, label, advantage, old, reference, out_y, saved.m_2, saved.Z_, saved.log_Z, saved.sum_where_x_shifted, saved.ratio},
    {low, high, beta}, {}, rows, D, threads);
}

// g = exp_shifted*(beta*dy*(exp(reference + m_2 + log_Z - sum_where_x) - 1)/Z + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*ratio/Z, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*dy*ratio/Z))))
// dx = g + where(index() == label, beta*dy + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*dy*ratio, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*dy*ratio))) - beta*dy*exp(reference + m_2 + log_Z - sum_where_x), 0)
inline void backward(const Row* x, const Integer* label, const Row* advantage, const Row* reference, const Row* dy,
    Computed low, Computed high, Computed beta, Row* out_dx, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
kernels.call({x, label, advantage, reference, dy, saved.m_2, saved.Z_, saved.log_Z, saved.sum_where_x_shifted, saved.ratio, out_dx},
    {low, high, beta}, {}, rows, D, threads);
}

// exp_shifted_dot = exp_shifted*x_dot
// y_dot = D*beta*(mean(where(index() == label, x_dot, 0)) + exp(reference + m_2 + log_Z - sum_where_x)*(mean(exp_shifted_dot)/Z - mean(where(index() == label, x_dot, 0))) - mean(exp_shifted_dot)/Z) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*(sum(where(index() == label, ratio*x_dot, 0)) - ratio*sum(exp_shifted_dot)/Z), where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*(sum(where(index() == label, ratio*x_dot, 0)) - ratio*sum(exp_shifted_dot)/Z))))
inline void jvp(const Row* x, const Integer* label, const Row* advantage, const Row* reference, const Row* x_dot,
    Computed low, Computed high, Computed beta, Row* out_y_dot, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
kernels.call({x, label, advantage, reference, x_dot, saved.m_2, saved.Z_, saved.log_Z, saved.sum_where_x_shifted, saved.ratio, out_y_dot},
    {low, high, beta}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// d2ratio = sum(where(index() == label, where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*dy*ddx, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*dy*ddx))), 0)) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*sum(ddx*p), where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*dy*sum(ddx*p))))
// d2Z = sum(-beta*dy*ddx*exp_shifted*(exp(reference + m_2 + log_Z - sum_where_x) - 1)/Z**2) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), sum(-advantage*dy*ratio*ddx*exp_shifted/Z**2), where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, sum(-advantage*dy*ratio*ddx*exp_shifted/Z**2)))) + (sum(where(index() == label, -beta*dy*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0)) + sum(beta*dy*ddx*exp_shifted*exp(reference + m_2 + log_Z - sum_where_x)/Z) - d2ratio*ratio)/Z
// d2x_shifted = exp_shifted*(beta*dy*ddx*(exp(reference + m_2 + log_Z - sum_where_x) - 1)/Z + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*ratio*ddx/Z, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*dy*ratio*ddx/Z))) + d2Z)
// d2x = d2x_shifted + where(index() == label, d2ratio*ratio + sum(where(index() == label, beta*dy*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0)) - beta*dy*exp(reference + m_2 + log_Z - sum_where_x)*sum(ddx*p), 0)
// ddy = beta*sum(ddx*p)*(exp(reference + m_2 + log_Z - sum_where_x) - 1) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*ratio*sum(ddx*p), where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*ratio*sum(ddx*p)))) + sum(where(index() == label, beta*ddx + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*ratio*ddx, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*ratio*ddx))) - beta*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0))
inline void backward_backward(const Row* x, const Integer* label, const Row* advantage, const Row* reference,
    const Row* dy, const Row* ddx, Computed low, Computed high, Computed beta, Row* out_dx, Row* out_ddy,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
kernels.call({x, label, advantage, reference, dy, ddx, saved.m_2, saved.Z_, saved.log_Z, saved.sum_where_x_shifted, saved.ratio, out_dx, out_ddy},
    {low, high, beta}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
