// Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.
// Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
// definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
//
// A kernel is passed the pointers of
//
//     batch_norm_forward_<type>(const Row* x, const Row* gamma, const Row* beta, Computed eps, Row* out_y, Row*
//         out_mu, Row* out_var, Computed* save_mu_saved, Computed* save_mu_residual, Computed* save_rstd, long
//         long rows, int D)
//     batch_norm_backward_<type>(const Row* x, const Row* gamma, const Row* dy, const Row* dmu, const Row* dvar,
//         const Computed* mu_saved, const Computed* mu_residual, const Computed* rstd, Row* out_dx, Row*
//         out_dgamma, Row* out_dbeta, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than batch_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER batch_norm
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
