// Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.
// Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
// Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
// Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
//
// A kernel is passed the pointers of
//
//     kda_gate_forward_<type>(const Row* x, const Row* rate, const Row* bias, Row* out_y, Computed* save_exp_rate,
//         long long rows, int D)
//     kda_gate_backward_<type>(const Row* x, const Row* bias, const Row* dy, const Computed* exp_rate, Row*
//         out_dx, Row* out_dbias, Row* out_drate, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than kda_gate.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER kda_gate
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
