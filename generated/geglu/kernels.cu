// Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.
// Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit geglu.py and run: lngen derive geglu.py
// definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than geglu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER geglu
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ gate, const T* __restrict__ value, T* __restrict__ out_y, long long rows, \
                int D), \
               (gate, value, out_y, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ gate, const T* __restrict__ value, const T* __restrict__ dy, \
                T* __restrict__ out_dgate, T* __restrict__ out_dvalue, long long rows, int D), \
               (gate, value, dy, out_dgate, out_dvalue, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
