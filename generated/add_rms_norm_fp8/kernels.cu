// Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.
// Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
// definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (1*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than add_rms_norm_fp8.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_rms_norm_fp8
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ residual, const P* __restrict__ gamma, \
                const P* __restrict__ scale, A eps, lngen::cast::float8_e4m3fn* __restrict__ out_y, \
                T* __restrict__ out_h, A* __restrict__ save_rstd, long long rows, int D), \
               (x, residual, gamma, scale, eps, out_y, out_h, save_rstd, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ h, const T* __restrict__ dy, const T* __restrict__ dh, \
                const A* __restrict__ rstd, const P* __restrict__ gamma, const P* __restrict__ scale, \
                T* __restrict__ out_dx, T* __restrict__ out_dresidual, A* __restrict__ workspace, long long rows, \
                int D), \
               (h, dy, dh, rstd, gamma, scale, out_dx, out_dresidual, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, T, backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ gamma, const P* __restrict__ scale, \
                P* __restrict__ out_dgamma, P* __restrict__ out_dscale, int D), \
               (workspace, blocks, gamma, scale, out_dgamma, out_dscale, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
