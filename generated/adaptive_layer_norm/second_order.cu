// Layer normalization with a scale and a shift for every entry, from elsewhere.
// Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
// definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than adaptive_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER adaptive_layer_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ scale, const T* __restrict__ x_dot, \
                const T* __restrict__ scale_dot, const T* __restrict__ shift_dot, const A* __restrict__ mu, \
                const A* __restrict__ mu_residual, const A* __restrict__ rstd, T* __restrict__ out_y_dot, \
                long long rows, int D), \
               (x, scale, x_dot, scale_dot, shift_dot, mu, mu_residual, rstd, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ scale, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const T* __restrict__ ddscale, const T* __restrict__ ddshift, \
                const A* __restrict__ mu, const A* __restrict__ mu_residual, const A* __restrict__ rstd, \
                T* __restrict__ out_dx, T* __restrict__ out_dscale, T* __restrict__ out_dshift, \
                T* __restrict__ out_ddy, long long rows, int D), \
               (x, scale, dy, ddx, ddscale, ddshift, mu, mu_residual, rstd, out_dx, out_dscale, out_dshift, out_ddy, \
                rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
