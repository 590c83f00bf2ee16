// Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.
// Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit dpo.py and run: lngen derive dpo.py
// definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than dpo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dpo
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ chosen, const T* __restrict__ rejected, \
                const T* __restrict__ reference_chosen, const T* __restrict__ reference_rejected, \
                const T* __restrict__ chosen_dot, const T* __restrict__ rejected_dot, A beta, A smoothing, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (chosen, rejected, reference_chosen, reference_rejected, chosen_dot, rejected_dot, beta, smoothing, \
                out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ chosen, const T* __restrict__ rejected, \
                const T* __restrict__ reference_chosen, const T* __restrict__ reference_rejected, \
                const T* __restrict__ dy, const T* __restrict__ ddchosen, const T* __restrict__ ddrejected, A beta, \
                A smoothing, T* __restrict__ out_dchosen, T* __restrict__ out_drejected, T* __restrict__ out_ddy, \
                long long rows, int D), \
               (chosen, rejected, reference_chosen, reference_rejected, dy, ddchosen, ddrejected, beta, smoothing, \
                out_dchosen, out_drejected, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
