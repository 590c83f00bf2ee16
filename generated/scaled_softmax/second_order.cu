// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (0*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than scaled_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER scaled_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ x_dot, const A* __restrict__ m, \
                const A* __restrict__ inv_Z, const P* __restrict__ scale, const P* __restrict__ scale_dot, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, x_dot, m, inv_Z, scale, scale_dot, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const T* __restrict__ ddx, \
                const A* __restrict__ m, const A* __restrict__ inv_Z, const P* __restrict__ scale, \
                const P* __restrict__ ddscale, T* __restrict__ out_dx, T* __restrict__ out_ddy, \
                A* __restrict__ workspace, long long rows, int D), \
               (x, dy, ddx, m, inv_Z, scale, ddscale, out_dx, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, T, backward_backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ scale, const P* __restrict__ ddscale, \
                P* __restrict__ out_dscale, int D), \
               (workspace, blocks, scale, ddscale, out_dscale, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
