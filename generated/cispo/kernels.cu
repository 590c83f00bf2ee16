// Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.
// Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
// Do not edit; edit cispo.py and run: lngen derive cispo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than cispo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cispo
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ label, \
                const T* __restrict__ advantage, const T* __restrict__ old, A high, T* __restrict__ out_y, \
                A* __restrict__ save_m_2, A* __restrict__ save_Z, A* __restrict__ save_ratio, long long rows, \
                int D), \
               (x, label, advantage, old, high, out_y, save_m_2, save_Z, save_ratio, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ label, \
                const T* __restrict__ advantage, const T* __restrict__ dy, const A* __restrict__ m_2, \
                const A* __restrict__ Z_, const A* __restrict__ ratio, T* __restrict__ out_dx, long long rows, \
                int D), \
               (x, label, advantage, dy, m_2, Z_, ratio, out_dx, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
