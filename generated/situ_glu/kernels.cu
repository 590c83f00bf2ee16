// Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.
// Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
// definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than situ_glu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER situ_glu
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ gate, const T* __restrict__ value, A beta, A linear_beta, \
                T* __restrict__ out_y, long long rows, int D), \
               (gate, value, beta, linear_beta, out_y, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ gate, const T* __restrict__ value, const T* __restrict__ dy, A beta, \
                A linear_beta, T* __restrict__ out_dgate, T* __restrict__ out_dvalue, long long rows, int D), \
               (gate, value, dy, beta, linear_beta, out_dgate, out_dvalue, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
