// Root-mean-square normalization of queries or keys, with a weight for each head.
// Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
// definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than head_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER head_rms_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ weight, A eps, T* __restrict__ out_y, \
                A* __restrict__ save_rstd, long long rows, int D), \
               (x, weight, eps, out_y, save_rstd, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ dy, \
                const A* __restrict__ rstd, T* __restrict__ out_dx, T* __restrict__ out_dweight, long long rows, \
                int D), \
               (x, weight, dy, rstd, out_dx, out_dweight, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
