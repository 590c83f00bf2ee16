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
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ logp, const T* __restrict__ reference, \
                const lngen::LNGEN_SPACE::Integer* __restrict__ desirable, const T* __restrict__ divergence, \
                const T* __restrict__ logp_dot, A beta, A gain, A loss, T* __restrict__ out_y_dot, long long rows, \
                int D), \
               (logp, reference, desirable, divergence, logp_dot, beta, gain, loss, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ logp, const T* __restrict__ reference, \
                const lngen::LNGEN_SPACE::Integer* __restrict__ desirable, const T* __restrict__ divergence, \
                const T* __restrict__ dy, const T* __restrict__ ddlogp, A beta, A gain, A loss, \
                T* __restrict__ out_dlogp, T* __restrict__ out_ddy, long long rows, int D), \
               (logp, reference, desirable, divergence, dy, ddlogp, beta, gain, loss, out_dlogp, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
