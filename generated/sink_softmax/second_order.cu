// Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.
// Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
// definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than sink_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER sink_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ y, const T* __restrict__ x_dot, const T* __restrict__ sink_dot, \
                const A* __restrict__ exp_largest_sink, const A* __restrict__ scale, T* __restrict__ out_y_dot, \
                long long rows, int D), \
               (y, x_dot, sink_dot, exp_largest_sink, scale, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ sink, const T* __restrict__ y, const T* __restrict__ x, \
                const T* __restrict__ dy, const T* __restrict__ ddx, const T* __restrict__ ddsink, \
                const A* __restrict__ exp_largest_sink, const A* __restrict__ scale, T* __restrict__ out_dx, \
                T* __restrict__ out_dsink, T* __restrict__ out_ddy, long long rows, int D), \
               (sink, y, x, dy, ddx, ddsink, exp_largest_sink, scale, out_dx, out_dsink, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
