// Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.
// Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit orpo.py and run: lngen derive orpo.py
// definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
//
// A kernel is passed the pointers of
//
//     orpo_forward_<type>(const Row* chosen, const Row* rejected, Computed weight, Computed least, Row* out_y,
//         long long rows, int D)
//     orpo_backward_<type>(const Row* chosen, const Row* rejected, const Row* dy, Computed weight, Computed least,
//         Row* out_dchosen, Row* out_drejected, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than orpo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER orpo
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
