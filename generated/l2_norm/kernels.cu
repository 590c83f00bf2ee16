// Each row divided by its Euclidean length.
// Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
// definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than l2_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER l2_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, A eps, T* __restrict__ out_y, A* __restrict__ save_rstd, long long rows, \
                int D), \
               (x, eps, out_y, save_rstd, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const A* __restrict__ rstd, \
                T* __restrict__ out_dx, long long rows, int D), \
               (x, dy, rstd, out_dx, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
