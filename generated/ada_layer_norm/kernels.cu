// Layer normalization with a scale and a shift for each sample.
// Made by lngen 0.1.0 from the definition of ada_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
// definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than ada_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER ada_layer_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ scale, const T* __restrict__ shift, A eps, \
                T* __restrict__ out_y, A* __restrict__ save_mu, A* __restrict__ save_mu_residual, \
                A* __restrict__ save_rstd, long long rows, int D), \
               (x, scale, shift, eps, out_y, save_mu, save_mu_residual, save_rstd, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ scale, const T* __restrict__ dy, \
                const A* __restrict__ mu, const A* __restrict__ mu_residual, const A* __restrict__ rstd, \
                T* __restrict__ out_dx, T* __restrict__ out_dscale, T* __restrict__ out_dshift, long long rows, \
                int D), \
               (x, scale, dy, mu, mu_residual, rstd, out_dx, out_dscale, out_dshift, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
