// Layer normalization, then the Gaussian error linear unit.
// Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
// Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
// definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (2*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than layer_norm_gelu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER layer_norm_gelu
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const P* __restrict__ gamma, const P* __restrict__ beta, A eps, \
                T* __restrict__ out_y, A* __restrict__ save_mu, A* __restrict__ save_mu_residual, \
                A* __restrict__ save_rstd, long long rows, int D), \
               (x, gamma, beta, eps, out_y, save_mu, save_mu_residual, save_rstd, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const A* __restrict__ mu, \
                const A* __restrict__ mu_residual, const A* __restrict__ rstd, const P* __restrict__ gamma, \
                const P* __restrict__ beta, T* __restrict__ out_dx, A* __restrict__ workspace, long long rows, \
                int D), \
               (x, dy, mu, mu_residual, rstd, gamma, beta, out_dx, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, T, backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ gamma, const P* __restrict__ beta, \
                P* __restrict__ out_dgamma, P* __restrict__ out_dbeta, int D), \
               (workspace, blocks, gamma, beta, out_dgamma, out_dbeta, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
