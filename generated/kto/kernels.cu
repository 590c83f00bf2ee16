// Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.
// Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
// Do not edit; edit kto.py and run: lngen derive kto.py
// definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than kto.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER kto
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ logp, const T* __restrict__ reference, \
                const lngen::LNGEN_SPACE::Integer* __restrict__ desirable, const T* __restrict__ divergence, A beta, \
                A gain, A loss, T* __restrict__ out_y, long long rows, int D), \
               (logp, reference, desirable, divergence, beta, gain, loss, out_y, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ logp, const T* __restrict__ reference, \
                const lngen::LNGEN_SPACE::Integer* __restrict__ desirable, const T* __restrict__ divergence, \
                const T* __restrict__ dy, A beta, A gain, A loss, T* __restrict__ out_dlogp, long long rows, int D), \
               (logp, reference, desirable, divergence, dy, beta, gain, loss, out_dlogp, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
