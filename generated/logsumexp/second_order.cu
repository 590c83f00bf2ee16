// The logarithm of a row's sum of exponentials, one number a row.
// Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has its steps, cost and evidence.
// Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
// definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than logsumexp.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER logsumexp
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ x_dot, const A* __restrict__ m, \
                const A* __restrict__ Z_, T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, m, Z_, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const A* __restrict__ m, const A* __restrict__ Z_, T* __restrict__ out_dx, T* __restrict__ out_ddy, \
                long long rows, int D), \
               (x, dy, ddx, m, Z_, out_dx, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
