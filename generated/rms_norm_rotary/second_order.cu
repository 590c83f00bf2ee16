// Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.
// Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
// definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (2*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than rms_norm_rotary.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rms_norm_rotary
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ a, const T* __restrict__ b, const T* __restrict__ cosine, \
                const T* __restrict__ sine, const T* __restrict__ a_dot, const T* __restrict__ b_dot, \
                const A* __restrict__ rstd, const P* __restrict__ weight_0, const P* __restrict__ weight_1, \
                const P* __restrict__ weight_0_dot, const P* __restrict__ weight_1_dot, T* __restrict__ out_y_0_dot, \
                T* __restrict__ out_y_1_dot, long long rows, int D), \
               (a, b, cosine, sine, a_dot, b_dot, rstd, weight_0, weight_1, weight_0_dot, weight_1_dot, out_y_0_dot, \
                out_y_1_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ a, const T* __restrict__ b, const T* __restrict__ cosine, \
                const T* __restrict__ sine, const T* __restrict__ dy_0, const T* __restrict__ dy_1, \
                const T* __restrict__ dda, const T* __restrict__ ddb, const A* __restrict__ rstd, \
                const P* __restrict__ weight_0, const P* __restrict__ weight_1, const P* __restrict__ ddweight_0, \
                const P* __restrict__ ddweight_1, T* __restrict__ out_da, T* __restrict__ out_db, \
                T* __restrict__ out_ddy_0, T* __restrict__ out_ddy_1, A* __restrict__ workspace, long long rows, \
                int D), \
               (a, b, cosine, sine, dy_0, dy_1, dda, ddb, rstd, weight_0, weight_1, ddweight_0, ddweight_1, out_da, \
                out_db, out_ddy_0, out_ddy_1, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, T, backward_backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ weight_0, \
                const P* __restrict__ weight_1, const P* __restrict__ ddweight_0, const P* __restrict__ ddweight_1, \
                P* __restrict__ out_dweight_0, P* __restrict__ out_dweight_1, int D), \
               (workspace, blocks, weight_0, weight_1, ddweight_0, ddweight_1, out_dweight_0, out_dweight_1, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
