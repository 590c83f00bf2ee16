// A norm after a block, its residual added, and the norm before the next block, in one pass.
// Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
// definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (2*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than dual_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dual_rms_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ residual, const P* __restrict__ after, \
                const P* __restrict__ before, A eps, T* __restrict__ out_y, T* __restrict__ out_r, \
                A* __restrict__ save_rstd, A* __restrict__ save_rstd_2, long long rows, int D), \
               (x, residual, after, before, eps, out_y, out_r, save_rstd, save_rstd_2, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ dy, \
                const T* __restrict__ dr, const A* __restrict__ rstd, const A* __restrict__ rstd_2, \
                const P* __restrict__ after, const P* __restrict__ before, T* __restrict__ out_dx, \
                T* __restrict__ out_dresidual, A* __restrict__ workspace, long long rows, int D), \
               (x, residual, dy, dr, rstd, rstd_2, after, before, out_dx, out_dresidual, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, T, backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ after, const P* __restrict__ before, \
                P* __restrict__ out_dafter, P* __restrict__ out_dbefore, int D), \
               (workspace, blocks, after, before, out_dafter, out_dbefore, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
