// SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.
// Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
// definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than clamped_swiglu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER clamped_swiglu
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x_0, const T* __restrict__ x_1, const T* __restrict__ x_0_dot, \
                const T* __restrict__ x_1_dot, A alpha, A limit, T* __restrict__ out_y_dot, long long rows, int D), \
               (x_0, x_1, x_0_dot, x_1_dot, alpha, limit, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x_0, const T* __restrict__ x_1, const T* __restrict__ dy, \
                const T* __restrict__ ddx_0, const T* __restrict__ ddx_1, A alpha, A limit, \
                T* __restrict__ out_dx_0, T* __restrict__ out_dx_1, T* __restrict__ out_ddy, long long rows, int D), \
               (x_0, x_1, dy, ddx_0, ddx_1, alpha, limit, out_dx_0, out_dx_1, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
