// Polynomial of a row whose powers are each scaled to root mean square 1.
// Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
// definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
//
// A kernel is passed the pointers of
//
//     poly_norm_jvp_<type>(const Row* x, const Row* x_dot, const Computed* rstd, const Computed* rstd_2, const
//         Computed* rstd_3, const Parameter* cubic, const Parameter* square, const Parameter* linear, const
//         Parameter* cubic_dot, const Parameter* square_dot, const Parameter* linear_dot, const Parameter*
//         bias_dot, Row* out_y_dot, long long rows, int D)
//     poly_norm_backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* rstd, const
//         Computed* rstd_2, const Computed* rstd_3, const Parameter* cubic, const Parameter* square, const
//         Parameter* linear, const Parameter* ddcubic, const Parameter* ddsquare, const Parameter* ddlinear, const
//         Parameter* ddbias, Row* out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     poly_norm_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* cubic, const
//         Parameter* square, const Parameter* linear, const Parameter* ddcubic, const Parameter* ddsquare, const
//         Parameter* ddlinear, const Parameter* ddbias, Parameter* out_dcubic, Parameter* out_dsquare, Parameter*
//         out_dlinear, Parameter* out_dbias, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(0, 3, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than poly_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER poly_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)
LNGEN_KERNEL(backward_backward_columns, backward_backward::columns::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
