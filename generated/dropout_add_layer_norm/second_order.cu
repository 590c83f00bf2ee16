// Dropout, residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
// definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than dropout_add_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dropout_add_layer_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ h, const T* __restrict__ x_dot, const T* __restrict__ residual_dot, \
                const A* __restrict__ mu, const A* __restrict__ mu_residual, const A* __restrict__ rstd, \
                const lngen::LNGEN_SPACE::OneInteger* __restrict__ seed, const P* __restrict__ gamma, A p, \
                const P* __restrict__ gamma_dot, const P* __restrict__ beta_dot, T* __restrict__ out_y_dot, \
                T* __restrict__ out_h_dot, long long rows, int D), \
               (h, x_dot, residual_dot, mu, mu_residual, rstd, seed, gamma, p, gamma_dot, beta_dot, out_y_dot, \
                out_h_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ h, const T* __restrict__ dy, const T* __restrict__ dh, \
                const T* __restrict__ ddx, const T* __restrict__ ddresidual, const A* __restrict__ mu, \
                const A* __restrict__ mu_residual, const A* __restrict__ rstd, \
                const lngen::LNGEN_SPACE::OneInteger* __restrict__ seed, const P* __restrict__ gamma, A p, \
                const P* __restrict__ ddgamma, const P* __restrict__ ddbeta, T* __restrict__ out_dx, \
                T* __restrict__ out_dresidual, T* __restrict__ out_ddy, T* __restrict__ out_ddh, \
                A* __restrict__ workspace, long long rows, int D), \
               (h, dy, dh, ddx, ddresidual, mu, mu_residual, rstd, seed, gamma, p, ddgamma, ddbeta, out_dx, \
                out_dresidual, out_ddy, out_ddh, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, T, backward_backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const lngen::LNGEN_SPACE::OneInteger* __restrict__ seed, \
                const P* __restrict__ gamma, A p, const P* __restrict__ ddgamma, const P* __restrict__ ddbeta, \
                P* __restrict__ out_dgamma, P* __restrict__ out_dbeta, int D), \
               (workspace, blocks, seed, gamma, p, ddgamma, ddbeta, out_dgamma, out_dbeta, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
