// Root-mean-square normalization with a scale and a shift for each sample.
// Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
// definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
//
// A kernel is passed the pointers of
//
//     modulated_rms_norm_forward_<type>(const Row* x, const Row* scale, const Row* shift, Computed eps, Row*
//         out_y, Computed* save_rstd, long long rows, int D)
//     modulated_rms_norm_backward_<type>(const Row* x, const Row* scale, const Row* dy, const Computed* rstd, Row*
//         out_dx, Row* out_dscale, Row* out_dshift, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than modulated_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER modulated_rms_norm
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
