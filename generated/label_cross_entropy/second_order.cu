// Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.
// Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
// definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than label_cross_entropy.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER label_cross_entropy
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ label, \
                const T* __restrict__ x_dot, const A* __restrict__ m, const A* __restrict__ Z_, \
                const A* __restrict__ log_Z, const lngen::LNGEN_SPACE::OneInteger* __restrict__ ignore, A smoothing, \
                A z_loss, T* __restrict__ out_y_dot, long long rows, int D), \
               (x, label, x_dot, m, Z_, log_Z, ignore, smoothing, z_loss, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ label, \
                const T* __restrict__ dy, const T* __restrict__ ddx, const A* __restrict__ m, \
                const A* __restrict__ Z_, const A* __restrict__ log_Z, \
                const lngen::LNGEN_SPACE::OneInteger* __restrict__ ignore, A smoothing, A z_loss, \
                T* __restrict__ out_dx, T* __restrict__ out_ddy, long long rows, int D), \
               (x, label, dy, ddx, m, Z_, log_Z, ignore, smoothing, z_loss, out_dx, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
