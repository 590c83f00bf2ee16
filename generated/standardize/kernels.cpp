// Rows of mean zero and unbiased variance one, without parameters.
// Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
// Do not edit; edit standardize.py and run: lngen derive standardize.py
// definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
//
// A kernel is passed the pointers of
//
//     standardize_forward_<type>(const Row* x, Computed eps, Row* out_y, Computed* save_mu, Computed*
//         save_mu_residual, Computed* save_rstd, long long rows, int D)
//     standardize_backward_<type>(const Row* x, const Row* dy, const Computed* mu, const Computed* mu_residual,
//         const Computed* rstd, Row* out_dx, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than standardize.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER standardize
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
