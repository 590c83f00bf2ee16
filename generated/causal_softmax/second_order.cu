// Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.
// Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
// definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (0*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than causal_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER causal_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ position, \
                const T* __restrict__ x_dot, const A* __restrict__ m, const A* __restrict__ inv_sum_e_shifted, \
                const P* __restrict__ scale, const P* __restrict__ scale_dot, T* __restrict__ out_y_dot, \
                long long rows, int D), \
               (x, position, x_dot, m, inv_sum_e_shifted, scale, scale_dot, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ position, \
                const T* __restrict__ dy, const T* __restrict__ ddx, const A* __restrict__ m, \
                const A* __restrict__ inv_sum_e_shifted, const P* __restrict__ scale, const P* __restrict__ ddscale, \
                T* __restrict__ out_dx, T* __restrict__ out_ddy, A* __restrict__ workspace, long long rows, int D), \
               (x, position, dy, ddx, m, inv_sum_e_shifted, scale, ddscale, out_dx, out_ddy, workspace, rows, D)) \
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
