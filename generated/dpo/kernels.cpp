// Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.
// Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit dpo.py and run: lngen derive dpo.py
// definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
//
// A kernel is passed the pointers of
//
//     dpo_forward_<type>(const Row* chosen, const Row* rejected, const Row* reference_chosen, const Row*
//         reference_rejected, Computed beta, Computed smoothing, Row* out_y, long long rows, int D)
//     dpo_backward_<type>(const Row* chosen, const Row* rejected, const Row* reference_chosen, const Row*
//         reference_rejected, const Row* dy, Computed beta, Computed smoothing, Row* out_dchosen, Row*
//         out_drejected, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than dpo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dpo
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
