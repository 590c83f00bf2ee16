// Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.
// Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
// Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
// definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than ada_layer_norm_zero.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER ada_layer_norm_zero
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ branch, const T* __restrict__ gate, \
                const T* __restrict__ scale, const T* __restrict__ x_dot, const T* __restrict__ branch_dot, \
                const T* __restrict__ gate_dot, const T* __restrict__ scale_dot, const T* __restrict__ shift_dot, \
                const A* __restrict__ mu, const A* __restrict__ mu_residual, const A* __restrict__ rstd, \
                T* __restrict__ out_y_dot, T* __restrict__ out_h_dot, long long rows, int D), \
               (x, branch, gate, scale, x_dot, branch_dot, gate_dot, scale_dot, shift_dot, mu, mu_residual, rstd, \
                out_y_dot, out_h_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ branch, const T* __restrict__ gate, \
                const T* __restrict__ scale, const T* __restrict__ dy, const T* __restrict__ dh, \
                const T* __restrict__ ddx, const T* __restrict__ ddbranch, const T* __restrict__ ddgate, \
                const T* __restrict__ ddscale, const T* __restrict__ ddshift, const A* __restrict__ mu, \
                const A* __restrict__ mu_residual, const A* __restrict__ rstd, T* __restrict__ out_dx, \
                T* __restrict__ out_dbranch, T* __restrict__ out_dgate, T* __restrict__ out_dscale, \
                T* __restrict__ out_dshift, T* __restrict__ out_ddy, T* __restrict__ out_ddh, long long rows, \
                int D), \
               (x, branch, gate, scale, dy, dh, ddx, ddbranch, ddgate, ddscale, ddshift, mu, mu_residual, rstd, \
                out_dx, out_dbranch, out_dgate, out_dscale, out_dshift, out_ddy, out_ddh, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
