// Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.
// Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit orpo.py and run: lngen derive orpo.py
// Open: exp overflows where chosen is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
// definition sha256:3284c8cca3259d74e91a382ff15e2ccb66b3e98016374b546e341efab7cfa61d
//
// The layer for programs of C++ on the processor: functions in the namespace orpo, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER orpo
#endif
#define LNGEN_TYPED
#include "../_runtime/native/typed.h"
#include "kernels.cpp"
#include "second_order.cpp"

namespace LNGEN_LAYER {

using lngen::LNGEN_SPACE::Computed;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;
using lngen::LNGEN_SPACE::Parameter;
using lngen::LNGEN_SPACE::Row;

// expm1_chosen = expm1(chosen)
// u = -expm1_chosen
// log_u = log(u)
// total_2 = chosen - rejected - log_u
// expm1_rejected = expm1(rejected)
// u_2 = -expm1_rejected
// log_u_2 = log(u_2)
// odds = total_2 + log_u_2
// u_3 = -odds
// softplus_u_3 = softplus(u_3)
// y = weight*softplus_u_3 - chosen
inline void forward(const Row* chosen, const Row* rejected, Computed weight, Row* out_y, long long rows, int D,
    int threads = 1) {
  const lngen::Kernels<Computed> kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({chosen, rejected, out_y}, {weight}, rows, D, threads);
}

// dodds = -weight*dy*sigmoid(u_3)
// dchosen = dodds + dodds*exp(chosen)/u - dy
// drejected = -dodds - dodds*exp(rejected)/u_2
inline void backward(const Row* chosen, const Row* rejected, const Row* dy, Computed weight, Row* out_dchosen,
    Row* out_drejected, long long rows, int D, int threads = 1) {
  const lngen::Kernels<Computed> kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({chosen, rejected, dy, out_dchosen, out_drejected}, {weight}, rows, D, threads);
}

// y_dot = weight*sigmoid(u_3)*(rejected_dot + rejected_dot*exp(rejected)/u_2 - chosen_dot - chosen_dot*exp(chosen)/u) - chosen_dot
inline void jvp(const Row* chosen, const Row* rejected, const Row* chosen_dot, const Row* rejected_dot,
    Computed weight, Row* out_y_dot, long long rows, int D, int threads = 1) {
  const lngen::Kernels<Computed> kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({chosen, rejected, chosen_dot, rejected_dot, out_y_dot}, {weight}, rows, D, threads);
}

// dodds = -weight*dy*sigmoid(u_3)
// ddodds = ddchosen*(1 + exp(chosen)/u) + (-ddrejected*(1 + exp(rejected)/u_2))
// d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
// d2chosen = d2odds + ddchosen*dodds*exp(chosen)/u + exp(chosen)*(d2odds + ddchosen*dodds*exp(chosen)/u)/u
// d2rejected = (-exp(rejected)*(d2odds + ddrejected*dodds*exp(rejected)/u_2)/u_2) - d2odds - ddrejected*dodds*exp(rejected)/u_2
// ddy = -ddchosen - weight*ddodds*sigmoid(u_3)
inline void backward_backward(const Row* chosen, const Row* rejected, const Row* dy, const Row* ddchosen,
    const Row* ddrejected, Computed weight, Row* out_dchosen, Row* out_drejected, Row* out_ddy, long long rows,
    int D, int threads = 1) {
  const lngen::Kernels<Computed> kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({chosen, rejected, dy, ddchosen, ddrejected, out_dchosen, out_drejected, out_ddy}, {weight}, rows, D,
    threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
