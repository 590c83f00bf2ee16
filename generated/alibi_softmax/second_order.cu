// Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.
// Made by lngen 0.1.0 from the definition of alibi_softmax.
// Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 14 flops per row element; backward 3 row tensors (2 read, 1 written), and 2 smaller arrays, 17 flops per row element.
// Evidence: 1 output, 1 gradient, 1 tangent, 2 second-order gradients: to 50 digits; 20 steps: 19 exact at every D, 1 to 50 digits; 26 given equations, 1 identity, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1; derivation.md says of what.
// definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
// templates sha256:3df7bc9487b9e6e6bbcf3785fb4d951e3327798a4189d9d614735c48d5cf155d
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* slope, const Integer* position, const Row* x_dot, const Computed* m,
//         const Computed* inv_sum_e_shifted, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* slope, const Integer* position, const Row* dy, const Row*
//         ddx, const Computed* m, const Computed* inv_sum_e_shifted, Row* out_dx, Row* out_ddy, long long rows,
//         int D)
//
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h.

#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(jvp_##TYPE, T, lngen::jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ slope, const lngen::Integer* __restrict__ position, \
                const T* __restrict__ x_dot, const lngen::Computed<T>* __restrict__ m, \
                const lngen::Computed<T>* __restrict__ inv_sum_e_shifted, T* __restrict__ out_y_dot, long long rows, \
                int D), \
               (x, slope, position, x_dot, m, inv_sum_e_shifted, out_y_dot, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, lngen::backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ slope, const lngen::Integer* __restrict__ position, \
                const T* __restrict__ dy, const T* __restrict__ ddx, const lngen::Computed<T>* __restrict__ m, \
                const lngen::Computed<T>* __restrict__ inv_sum_e_shifted, T* __restrict__ out_dx, \
                T* __restrict__ out_ddy, long long rows, int D), \
               (x, slope, position, dy, ddx, m, inv_sum_e_shifted, out_dx, out_ddy, rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif
