// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than dynamic_tanh.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dynamic_tanh
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ x_dot, const P* __restrict__ alpha, \
                const P* __restrict__ gamma, const P* __restrict__ alpha_dot, const P* __restrict__ gamma_dot, \
                const P* __restrict__ beta_dot, T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, alpha, gamma, alpha_dot, gamma_dot, beta_dot, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const P* __restrict__ alpha, const P* __restrict__ gamma, const P* __restrict__ ddalpha, \
                const P* __restrict__ ddgamma, const P* __restrict__ ddbeta, T* __restrict__ out_dx, \
                T* __restrict__ out_ddy, A* __restrict__ workspace, long long rows, int D), \
               (x, dy, ddx, alpha, gamma, ddalpha, ddgamma, ddbeta, out_dx, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, T, backward_backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ alpha, const P* __restrict__ gamma, \
                const P* __restrict__ ddalpha, const P* __restrict__ ddgamma, const P* __restrict__ ddbeta, \
                P* __restrict__ out_dalpha, P* __restrict__ out_dgamma, P* __restrict__ out_dbeta, int D), \
               (workspace, blocks, alpha, gamma, ddalpha, ddgamma, ddbeta, out_dalpha, out_dgamma, out_dbeta, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
