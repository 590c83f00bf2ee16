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
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ chosen, const T* __restrict__ rejected, \
                const T* __restrict__ reference_chosen, const T* __restrict__ reference_rejected, A beta, \
                A smoothing, T* __restrict__ out_y, long long rows, int D), \
               (chosen, rejected, reference_chosen, reference_rejected, beta, smoothing, out_y, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ chosen, const T* __restrict__ rejected, \
                const T* __restrict__ reference_chosen, const T* __restrict__ reference_rejected, \
                const T* __restrict__ dy, A beta, A smoothing, T* __restrict__ out_dchosen, \
                T* __restrict__ out_drejected, long long rows, int D), \
               (chosen, rejected, reference_chosen, reference_rejected, dy, beta, smoothing, out_dchosen, \
                out_drejected, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
