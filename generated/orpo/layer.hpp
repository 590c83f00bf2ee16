// Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.
// Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit orpo.py and run: lngen derive orpo.py
// definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
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
#include "kernels.cpp"
#include "second_order.cpp"
#include "../_runtime/native/typed.h"

namespace LNGEN_LAYER {

using lngen::LNGEN_SPACE::Computed;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;
using lngen::LNGEN_SPACE::Parameter;
using lngen::LNGEN_SPACE::Row;

// c = where(chosen >= -least, -least, chosen)
// r = where(rejected >= -least, -least, rejected)
// expm1_c = expm1(c)
// u = -expm1_c
// log_u = log(u)
// total_2 = c - r - log_u
// expm1_r = expm1(r)
// u_2 = -expm1_r
// log_u_2 = log(u_2)
// odds = total_2 + log_u_2
// u_3 = -odds
// softplus_u_3 = softplus(u_3)
// y = weight*softplus_u_3 - c
inline void forward(const Row* chosen, const Row* rejected, Computed weight, Computed least, Row* out_y,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({chosen, rejected, out_y}, {weight, least}, {}, rows, D, threads);
}

// dodds = -weight*dy*sigmoid(u_3)
// dchosen = where(chosen >= -least, 0, dodds + dodds*exp(c)/u - dy)
// drejected = where(rejected >= -least, 0, -dodds - dodds*exp(r)/u_2)
inline void backward(const Row* chosen, const Row* rejected, const Row* dy, Computed weight, Computed least,
    Row* out_dchosen, Row* out_drejected, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({chosen, rejected, dy, out_dchosen, out_drejected}, {weight, least}, {}, rows, D, threads);
}

// c_dot = where(chosen >= -least, 0, chosen_dot)
// r_dot = where(rejected >= -least, 0, rejected_dot)
// y_dot = weight*sigmoid(u_3)*(r_dot + where(rejected >= -least, 0, r_dot*exp(r)/u_2) + where(chosen >= -least, 0, -c_dot*exp(c)/u) - c_dot) - c_dot
inline void jvp(const Row* chosen, const Row* rejected, const Row* chosen_dot, const Row* rejected_dot,
    Computed weight, Computed least, Row* out_y_dot, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({chosen, rejected, chosen_dot, rejected_dot, out_y_dot}, {weight, least}, {}, rows, D, threads);
}

// dodds = -weight*dy*sigmoid(u_3)
// ddodds = where(chosen >= -least, 0, ddchosen*(1 + exp(c)/u)) + where(rejected >= -least, 0, -ddrejected*(1 + exp(r)/u_2))
// d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
// d2chosen = where(chosen >= -least, 0, d2odds + ddchosen*dodds*exp(c)/u + exp(c)*(d2odds/u + ddchosen*dodds*exp(c)/u**2))
// d2rejected = where(rejected >= -least, 0, (-exp(r)*(d2odds/u_2 + ddrejected*dodds*exp(r)/u_2**2)) - d2odds - ddrejected*dodds*exp(r)/u_2)
// ddy = where(chosen >= -least, 0, -ddchosen) - weight*ddodds*sigmoid(u_3)
inline void backward_backward(const Row* chosen, const Row* rejected, const Row* dy, const Row* ddchosen,
    const Row* ddrejected, Computed weight, Computed least, Row* out_dchosen, Row* out_drejected, Row* out_ddy,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({chosen, rejected, dy, ddchosen, ddrejected, out_dchosen, out_drejected, out_ddy}, {weight, least},
    {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
