// Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.
// Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
// definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than alibi_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER alibi_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ slope, \
                const lngen::LNGEN_SPACE::Integer* __restrict__ position, T* __restrict__ out_y, \
                A* __restrict__ save_m, A* __restrict__ save_inv_sum_e_shifted, long long rows, int D), \
               (x, slope, position, out_y, save_m, save_inv_sum_e_shifted, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ slope, \
                const lngen::LNGEN_SPACE::Integer* __restrict__ position, const T* __restrict__ dy, \
                const A* __restrict__ m, const A* __restrict__ inv_sum_e_shifted, T* __restrict__ out_dx, \
                long long rows, int D), \
               (x, slope, position, dy, m, inv_sum_e_shifted, out_dx, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
