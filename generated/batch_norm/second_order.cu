// Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.
// Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
// definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than batch_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER batch_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ gamma, const T* __restrict__ x_dot, \
                const T* __restrict__ gamma_dot, const T* __restrict__ beta_dot, const A* __restrict__ mu_residual, \
                const A* __restrict__ rstd, T* __restrict__ out_y_dot, T* __restrict__ out_mu_dot, \
                T* __restrict__ out_var_dot, long long rows, int D), \
               (x, gamma, x_dot, gamma_dot, beta_dot, mu_residual, rstd, out_y_dot, out_mu_dot, out_var_dot, rows, \
                D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ gamma, const T* __restrict__ dy, \
                const T* __restrict__ dmu, const T* __restrict__ dvar, const T* __restrict__ ddx, \
                const T* __restrict__ ddgamma, const T* __restrict__ ddbeta, const A* __restrict__ mu_residual, \
                const A* __restrict__ rstd, T* __restrict__ out_dx, T* __restrict__ out_dgamma, \
                T* __restrict__ out_dbeta, T* __restrict__ out_ddy, T* __restrict__ out_ddmu, \
                T* __restrict__ out_ddvar, long long rows, int D), \
               (x, gamma, dy, dmu, dvar, ddx, ddgamma, ddbeta, mu_residual, rstd, out_dx, out_dgamma, out_dbeta, \
                out_ddy, out_ddmu, out_ddvar, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
