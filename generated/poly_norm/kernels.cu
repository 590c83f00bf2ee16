// Polynomial of a row whose powers are each scaled to root mean square 1.
// Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
// definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (0*D + 4).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than poly_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER poly_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const P* __restrict__ cubic, const P* __restrict__ square, \
                const P* __restrict__ linear, const P* __restrict__ bias, A eps, T* __restrict__ out_y, \
                A* __restrict__ save_rstd, A* __restrict__ save_rstd_2, A* __restrict__ save_rstd_3, long long rows, \
                int D), \
               (x, cubic, square, linear, bias, eps, out_y, save_rstd, save_rstd_2, save_rstd_3, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const A* __restrict__ rstd, \
                const A* __restrict__ rstd_2, const A* __restrict__ rstd_3, const P* __restrict__ cubic, \
                const P* __restrict__ square, const P* __restrict__ linear, T* __restrict__ out_dx, \
                A* __restrict__ workspace, long long rows, int D), \
               (x, dy, rstd, rstd_2, rstd_3, cubic, square, linear, out_dx, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, T, backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ cubic, const P* __restrict__ square, \
                const P* __restrict__ linear, P* __restrict__ out_dcubic, P* __restrict__ out_dsquare, \
                P* __restrict__ out_dlinear, P* __restrict__ out_dbias, int D), \
               (workspace, blocks, cubic, square, linear, out_dcubic, out_dsquare, out_dlinear, out_dbias, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
