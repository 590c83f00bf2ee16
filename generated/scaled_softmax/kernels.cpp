// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
//
// A kernel is passed the pointers of
//
//     scaled_softmax_forward_<type>(const Row* x, const Parameter* scale, Row* out_y, Computed* save_m, Computed*
//         save_inv_Z, long long rows, int D)
//     scaled_softmax_backward_<type>(const Row* x, const Row* dy, const Computed* m, const Computed* inv_Z, const
//         Parameter* scale, Row* out_dx, Computed* workspace, long long rows, int D)
//     scaled_softmax_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, Parameter*
//         out_dscale, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward: chunks * chunk_entries(0, 1, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than scaled_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER scaled_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)
LNGEN_KERNEL(backward_columns, backward::columns::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
