// Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).
// Made by lngen 0.1.0 from the definition of pow_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit pow_glu.py and run: lngen derive pow_glu.py
// Open: exp overflows where power*log_base/(1 + root_base) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:67e102f3ac5fc0c5a92bfffdb1e3643a14746399b46a13e192fda8178dee8863
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than pow_glu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER pow_glu
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ gate, const T* __restrict__ value, const T* __restrict__ gate_dot, \
                const T* __restrict__ value_dot, A power, T* __restrict__ out_y_dot, long long rows, int D), \
               (gate, value, gate_dot, value_dot, power, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ gate, const T* __restrict__ value, const T* __restrict__ dy, \
                const T* __restrict__ ddgate, const T* __restrict__ ddvalue, A power, T* __restrict__ out_dgate, \
                T* __restrict__ out_dvalue, T* __restrict__ out_ddy, long long rows, int D), \
               (gate, value, dy, ddgate, ddvalue, power, out_dgate, out_dvalue, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
