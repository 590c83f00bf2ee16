// Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.
// Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
// Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
// Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than kda_gate.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER kda_gate
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ bias, const T* __restrict__ x_dot, \
                const T* __restrict__ rate_dot, const T* __restrict__ bias_dot, const A* __restrict__ exp_rate, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, bias, x_dot, rate_dot, bias_dot, exp_rate, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ bias, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const T* __restrict__ ddrate, const T* __restrict__ ddbias, \
                const A* __restrict__ exp_rate, T* __restrict__ out_dx, T* __restrict__ out_dbias, \
                T* __restrict__ out_drate, T* __restrict__ out_ddy, long long rows, int D), \
               (x, bias, dy, ddx, ddrate, ddbias, exp_rate, out_dx, out_dbias, out_drate, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
