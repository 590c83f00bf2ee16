// Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.
// Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
// definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
//
// A kernel is passed the pointers of
//
//     alibi_softmax_forward_<type>(const Row* x, const Row* slope, const Integer* position, Row* out_y, Computed*
//         save_m, Computed* save_inv_sum_e_shifted, long long rows, int D)
//     alibi_softmax_backward_<type>(const Row* x, const Row* slope, const Integer* position, const Row* dy, const
//         Computed* m, const Computed* inv_sum_e_shifted, Row* out_dx, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than alibi_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER alibi_softmax
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
