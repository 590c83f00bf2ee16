// Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.
// Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit orpo.py and run: lngen derive orpo.py
// definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than orpo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER orpo
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ chosen, const T* __restrict__ rejected, A weight, A least, \
                T* __restrict__ out_y, long long rows, int D), \
               (chosen, rejected, weight, least, out_y, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ chosen, const T* __restrict__ rejected, const T* __restrict__ dy, A weight, \
                A least, T* __restrict__ out_dchosen, T* __restrict__ out_drejected, long long rows, int D), \
               (chosen, rejected, dy, weight, least, out_dchosen, out_drejected, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
