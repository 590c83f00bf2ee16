// SwiGLU of a gate and a value that lie side by side in one array.
// Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
// definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than packed_swiglu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER packed_swiglu
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ gate, const T* __restrict__ value, const T* __restrict__ gate_dot, \
                const T* __restrict__ value_dot, T* __restrict__ out_y_dot, long long rows, int D), \
               (gate, value, gate_dot, value_dot, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ gate, const T* __restrict__ value, const T* __restrict__ dy, \
                const T* __restrict__ ddgate, const T* __restrict__ ddvalue, T* __restrict__ out_dgate, \
                T* __restrict__ out_dvalue, T* __restrict__ out_ddy, long long rows, int D), \
               (gate, value, dy, ddgate, ddvalue, out_dgate, out_dvalue, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
