// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ y, const T* __restrict__ x_dot, T* __restrict__ out_y_dot, long long rows, \
                int D), \
               (y, x_dot, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ y, const T* __restrict__ dy, const T* __restrict__ ddx, \
                T* __restrict__ out_dx, T* __restrict__ out_ddy, long long rows, int D), \
               (y, dy, ddx, out_dx, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
