// Polynomial of a row whose powers are each scaled to root mean square 1.
// Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
// definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
//
// A kernel is passed the pointers of
//
//     poly_norm_forward_<type>(const Row* x, const Parameter* cubic, const Parameter* square, const Parameter*
//         linear, const Parameter* bias, Computed eps, Row* out_y, Computed* save_rstd, Computed* save_rstd_2,
//         Computed* save_rstd_3, long long rows, int D)
//     poly_norm_backward_<type>(const Row* x, const Row* dy, const Computed* rstd, const Computed* rstd_2, const
//         Computed* rstd_3, const Parameter* cubic, const Parameter* square, const Parameter* linear, Row* out_dx,
//         Computed* workspace, long long rows, int D)
//     poly_norm_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* cubic, const Parameter*
//         square, const Parameter* linear, Parameter* out_dcubic, Parameter* out_dsquare, Parameter* out_dlinear,
//         Parameter* out_dbias, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward: chunks * chunk_entries(0, 4, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than poly_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER poly_norm
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
