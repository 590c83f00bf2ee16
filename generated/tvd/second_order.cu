// Total variation distance of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
// Do not edit; edit tvd.py and run: lngen derive tvd.py
// definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than tvd.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER tvd
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ teacher, const T* __restrict__ x_dot, \
                const A* __restrict__ m_2, const A* __restrict__ m, const A* __restrict__ inv_Z, \
                const A* __restrict__ inv_Z_2, T* __restrict__ out_y_dot, long long rows, int D), \
               (x, teacher, x_dot, m_2, m, inv_Z, inv_Z_2, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ teacher, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const A* __restrict__ m_2, const A* __restrict__ m, \
                const A* __restrict__ inv_Z, const A* __restrict__ inv_Z_2, T* __restrict__ out_dx, \
                T* __restrict__ out_ddy, long long rows, int D), \
               (x, teacher, dy, ddx, m_2, m, inv_Z, inv_Z_2, out_dx, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
