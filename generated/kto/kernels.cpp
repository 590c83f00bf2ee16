// Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.
// Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
// Do not edit; edit kto.py and run: lngen derive kto.py
// definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
//
// A kernel is passed the pointers of
//
//     kto_forward_<type>(const Row* logp, const Row* reference, const Integer* desirable, const Row* divergence,
//         Computed beta, Computed gain, Computed loss, Row* out_y, long long rows, int D)
//     kto_backward_<type>(const Row* logp, const Row* reference, const Integer* desirable, const Row* divergence,
//         const Row* dy, Computed beta, Computed gain, Computed loss, Row* out_dlogp, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than kto.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER kto
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
