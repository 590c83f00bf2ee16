// Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.
// Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit grpo.py and run: lngen derive grpo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
// definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than grpo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER grpo
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ label, \
                const T* __restrict__ advantage, const T* __restrict__ reference, const T* __restrict__ x_dot, \
                const A* __restrict__ m_2, const A* __restrict__ Z_, const A* __restrict__ log_Z, \
                const A* __restrict__ sum_where_x_shifted, const A* __restrict__ ratio, A low, A high, A beta, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, label, advantage, reference, x_dot, m_2, Z_, log_Z, sum_where_x_shifted, ratio, low, high, beta, \
                out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ label, \
                const T* __restrict__ advantage, const T* __restrict__ reference, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const A* __restrict__ m_2, const A* __restrict__ Z_, \
                const A* __restrict__ log_Z, const A* __restrict__ sum_where_x_shifted, const A* __restrict__ ratio, \
                A low, A high, A beta, T* __restrict__ out_dx, T* __restrict__ out_ddy, long long rows, int D), \
               (x, label, advantage, reference, dy, ddx, m_2, Z_, log_Z, sum_where_x_shifted, ratio, low, high, beta, \
                out_dx, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
