// Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.
// Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
// definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
//
// A kernel is passed the pointers of
//
//     add_rms_norm_fp8_jvp_<type>(const Row* h, const Row* x_dot, const Row* residual_dot, const Computed* rstd,
//         const Parameter* gamma, const Parameter* scale, const Parameter* gamma_dot, const Parameter* scale_dot,
//         Row* out_y_dot, Row* out_h_dot, long long rows, int D)
//     add_rms_norm_fp8_backward_backward_<type>(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const
//         Row* ddresidual, const Computed* rstd, const Parameter* gamma, const Parameter* scale, const Parameter*
//         ddgamma, const Parameter* ddscale, Row* out_dx, Row* out_dresidual, Row* out_ddy, Row* out_ddh,
//         Computed* workspace, long long rows, int D)
//     add_rms_norm_fp8_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma,
//         const Parameter* scale, const Parameter* ddgamma, const Parameter* ddscale, Parameter* out_dgamma,
//         Parameter* out_dscale, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(2, 2, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than add_rms_norm_fp8.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_rms_norm_fp8
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
