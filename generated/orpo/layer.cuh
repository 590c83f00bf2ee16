// Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.
// Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit orpo.py and run: lngen derive orpo.py
// definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
//
// The layer for programs of CUDA C++: functions in the namespace orpo, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER orpo
#endif
#ifndef LNGEN_ROWS
#define LNGEN_ROWS f32
#endif
#define LNGEN_TYPED
#include "kernels.cu"
#include "second_order.cu"
#include "../_runtime/cuda/typed.cuh"

namespace LNGEN_LAYER {

using Row = lngen::LNGEN_ROWS;
using Parameter = lngen::LNGEN_SPACE::Parameter<Row>;
using Computed = lngen::LNGEN_SPACE::Computed<Row>;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;

#ifdef LNGEN_FORWARD
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
inline cudaError_t forward(cudaStream_t stream, const Row* chosen, const Row* rejected, Computed weight,
    Computed least, Row* out_y, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, chosen, rejected, weight, least, out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dodds = -weight*dy*sigmoid(u_3)
// dchosen = where(chosen >= -least, 0, dodds + dodds*exp(c)/u - dy)
// drejected = where(rejected >= -least, 0, -dodds - dodds*exp(r)/u_2)
inline cudaError_t backward(cudaStream_t stream, const Row* chosen, const Row* rejected, const Row* dy,
    Computed weight, Computed least, Row* out_dchosen, Row* out_drejected, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, chosen, rejected, dy, weight, least, out_dchosen, out_drejected, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// c_dot = where(chosen >= -least, 0, chosen_dot)
// r_dot = where(rejected >= -least, 0, rejected_dot)
// y_dot = weight*sigmoid(u_3)*(r_dot + where(rejected >= -least, 0, r_dot*exp(r)/u_2) + where(chosen >= -least, 0, -c_dot*exp(c)/u) - c_dot) - c_dot
inline cudaError_t jvp(cudaStream_t stream, const Row* chosen, const Row* rejected, const Row* chosen_dot,
    const Row* rejected_dot, Computed weight, Computed least, Row* out_y_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, chosen, rejected, chosen_dot, rejected_dot, weight, least, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// dodds = -weight*dy*sigmoid(u_3)
// ddodds = where(chosen >= -least, 0, ddchosen*(1 + exp(c)/u)) + where(rejected >= -least, 0, -ddrejected*(1 + exp(r)/u_2))
// d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
// d2chosen = where(chosen >= -least, 0, d2odds + ddchosen*dodds*exp(c)/u + exp(c)*(d2odds/u + ddchosen*dodds*exp(c)/u**2))
// d2rejected = where(rejected >= -least, 0, (-exp(r)*(d2odds/u_2 + ddrejected*dodds*exp(r)/u_2**2)) - d2odds - ddrejected*dodds*exp(r)/u_2)
// ddy = where(chosen >= -least, 0, -ddchosen) - weight*ddodds*sigmoid(u_3)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* chosen, const Row* rejected, const Row* dy,
    const Row* ddchosen, const Row* ddrejected, Computed weight, Computed least, Row* out_dchosen,
    Row* out_drejected, Row* out_ddy, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, chosen, rejected, dy, ddchosen, ddrejected, weight, least,
    out_dchosen, out_drejected, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
