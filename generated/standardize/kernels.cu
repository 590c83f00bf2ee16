// Rows of mean zero and unbiased variance one, without parameters.
// Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
// Do not edit; edit standardize.py and run: lngen derive standardize.py
// definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than standardize.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER standardize
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, A eps, T* __restrict__ out_y, A* __restrict__ save_mu, \
                A* __restrict__ save_mu_residual, A* __restrict__ save_rstd, long long rows, int D), \
               (x, eps, out_y, save_mu, save_mu_residual, save_rstd, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const A* __restrict__ mu, \
                const A* __restrict__ mu_residual, const A* __restrict__ rstd, T* __restrict__ out_dx, \
                long long rows, int D), \
               (x, dy, mu, mu_residual, rstd, out_dx, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
