// Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.
// Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
// Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
// definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than focal_loss.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER focal_loss
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_FORWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(forward_##TYPE, T, forward::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ label, A gamma, \
                T* __restrict__ out_y, A* __restrict__ save_m, A* __restrict__ save_Z, A* __restrict__ save_logpt, \
                A* __restrict__ save_expm1_logpt, A* __restrict__ save_power_expm1_logpt, long long rows, int D), \
               (x, label, gamma, out_y, save_m, save_Z, save_logpt, save_expm1_logpt, save_power_expm1_logpt, rows, \
                D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_##TYPE, T, backward::Layer, \
               (const T* __restrict__ x, const lngen::LNGEN_SPACE::Integer* __restrict__ label, \
                const T* __restrict__ dy, const A* __restrict__ m, const A* __restrict__ Z_, \
                const A* __restrict__ logpt, const A* __restrict__ expm1_logpt, \
                const A* __restrict__ power_expm1_logpt, A gamma, T* __restrict__ out_dx, long long rows, int D), \
               (x, label, dy, m, Z_, logpt, expm1_logpt, power_expm1_logpt, gamma, out_dx, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
