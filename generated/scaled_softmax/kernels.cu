// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (0*D + 1).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than scaled_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER scaled_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const P* __restrict__ scale, T* __restrict__ out_y, A* __restrict__ save_m, \
                A* __restrict__ save_inv_Z, long long rows, int D), \
               (x, scale, out_y, save_m, save_inv_Z, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ dy, const A* __restrict__ m, \
                const A* __restrict__ inv_Z, const P* __restrict__ scale, T* __restrict__ out_dx, \
                A* __restrict__ workspace, long long rows, int D), \
               (x, dy, m, inv_Z, scale, out_dx, workspace, rows, D)) \
  LNGEN_KERNEL(backward_columns_##TYPE, T, backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ scale, P* __restrict__ out_dscale, \
                int D), \
               (workspace, blocks, scale, out_dscale, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
