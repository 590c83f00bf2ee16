// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than rms_norm_gated.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rms_norm_gated
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ z, const P* __restrict__ gamma, A eps, \
                T* __restrict__ out_y, A* __restrict__ save_rstd, long long rows, int D), \
               (x, z, gamma, eps, out_y, save_rstd, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ z, const T* __restrict__ dy, \
                const A* __restrict__ rstd, const P* __restrict__ gamma, T* __restrict__ out_dx, \
                T* __restrict__ out_dz, A* __restrict__ workspace, long long rows, int D), \
               (x, z, dy, rstd, gamma, out_dx, out_dz, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, T, backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ gamma, P* __restrict__ out_dgamma, \
                int D), \
               (workspace, blocks, gamma, out_dgamma, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
