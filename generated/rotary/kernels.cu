// Rotary position embedding: both halves of a row are turned by the angle of their position.
// Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rotary.py and run: lngen derive rotary.py
// definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than rotary.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rotary
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ a, const T* __restrict__ b, const T* __restrict__ cosine, \
                const T* __restrict__ sine, T* __restrict__ out_y_0, T* __restrict__ out_y_1, long long rows, \
                int D), \
               (a, b, cosine, sine, out_y_0, out_y_1, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ cosine, const T* __restrict__ sine, const T* __restrict__ dy_0, \
                const T* __restrict__ dy_1, T* __restrict__ out_da, T* __restrict__ out_db, long long rows, int D), \
               (cosine, sine, dy_0, dy_1, out_da, out_db, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
