// Polynomial of a row whose powers are each scaled to root mean square 1.
// Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
// definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (0*D + 3).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than poly_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER poly_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ x_dot, const A* __restrict__ rstd, \
                const A* __restrict__ rstd_2, const A* __restrict__ rstd_3, const P* __restrict__ cubic, \
                const P* __restrict__ square, const P* __restrict__ linear, const P* __restrict__ cubic_dot, \
                const P* __restrict__ square_dot, const P* __restrict__ linear_dot, const P* __restrict__ bias_dot, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, rstd, rstd_2, rstd_3, cubic, square, linear, cubic_dot, square_dot, linear_dot, bias_dot, \
                out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const A* __restrict__ rstd, const A* __restrict__ rstd_2, const A* __restrict__ rstd_3, \
                const P* __restrict__ cubic, const P* __restrict__ square, const P* __restrict__ linear, \
                const P* __restrict__ ddcubic, const P* __restrict__ ddsquare, const P* __restrict__ ddlinear, \
                const P* __restrict__ ddbias, T* __restrict__ out_dx, T* __restrict__ out_ddy, \
                A* __restrict__ workspace, long long rows, int D), \
               (x, dy, ddx, rstd, rstd_2, rstd_3, cubic, square, linear, ddcubic, ddsquare, ddlinear, ddbias, \
                out_dx, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, T, backward_backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ cubic, const P* __restrict__ square, \
                const P* __restrict__ linear, const P* __restrict__ ddcubic, const P* __restrict__ ddsquare, \
                const P* __restrict__ ddlinear, const P* __restrict__ ddbias, P* __restrict__ out_dcubic, \
                P* __restrict__ out_dsquare, P* __restrict__ out_dlinear, P* __restrict__ out_dbias, int D), \
               (workspace, blocks, cubic, square, linear, ddcubic, ddsquare, ddlinear, ddbias, out_dcubic, \
                out_dsquare, out_dlinear, out_dbias, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
