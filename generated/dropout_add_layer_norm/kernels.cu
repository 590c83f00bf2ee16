// Dropout, residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
// definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (2*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than dropout_add_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dropout_add_layer_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ residual, \
                const lngen::LNGEN_SPACE::OneInteger* __restrict__ seed, const P* __restrict__ gamma, \
                const P* __restrict__ beta, A p, A eps, T* __restrict__ out_y, T* __restrict__ out_h, \
                A* __restrict__ save_mu, A* __restrict__ save_mu_residual, A* __restrict__ save_rstd, \
                long long rows, int D), \
               (x, residual, seed, gamma, beta, p, eps, out_y, out_h, save_mu, save_mu_residual, save_rstd, rows, \
                D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ h, const T* __restrict__ dy, const T* __restrict__ dh, \
                const A* __restrict__ mu, const A* __restrict__ mu_residual, const A* __restrict__ rstd, \
                const lngen::LNGEN_SPACE::OneInteger* __restrict__ seed, const P* __restrict__ gamma, A p, \
                T* __restrict__ out_dx, T* __restrict__ out_dresidual, A* __restrict__ workspace, long long rows, \
                int D), \
               (h, dy, dh, mu, mu_residual, rstd, seed, gamma, p, out_dx, out_dresidual, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, T, backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const lngen::LNGEN_SPACE::OneInteger* __restrict__ seed, \
                const P* __restrict__ gamma, A p, P* __restrict__ out_dgamma, P* __restrict__ out_dbeta, int D), \
               (workspace, blocks, seed, gamma, p, out_dgamma, out_dbeta, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
