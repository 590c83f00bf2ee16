// A norm after a block, its residual added, and the norm before the next block, in one pass.
// Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
// definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (2*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than dual_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dual_rms_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ x_dot, \
                const T* __restrict__ residual_dot, const A* __restrict__ rstd, const A* __restrict__ rstd_2, \
                const P* __restrict__ after, const P* __restrict__ before, const P* __restrict__ after_dot, \
                const P* __restrict__ before_dot, T* __restrict__ out_y_dot, T* __restrict__ out_r_dot, \
                long long rows, int D), \
               (x, residual, x_dot, residual_dot, rstd, rstd_2, after, before, after_dot, before_dot, out_y_dot, \
                out_r_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ dy, \
                const T* __restrict__ dr, const T* __restrict__ ddx, const T* __restrict__ ddresidual, \
                const A* __restrict__ rstd, const A* __restrict__ rstd_2, const P* __restrict__ after, \
                const P* __restrict__ before, const P* __restrict__ ddafter, const P* __restrict__ ddbefore, \
                T* __restrict__ out_dx, T* __restrict__ out_dresidual, T* __restrict__ out_ddy, \
                T* __restrict__ out_ddr, A* __restrict__ workspace, long long rows, int D), \
               (x, residual, dy, dr, ddx, ddresidual, rstd, rstd_2, after, before, ddafter, ddbefore, out_dx, \
                out_dresidual, out_ddy, out_ddr, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, T, backward_backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ after, const P* __restrict__ before, \
                const P* __restrict__ ddafter, const P* __restrict__ ddbefore, P* __restrict__ out_dafter, \
                P* __restrict__ out_dbefore, int D), \
               (workspace, blocks, after, before, ddafter, ddbefore, out_dafter, out_dbefore, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
