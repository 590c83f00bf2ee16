// Layer normalization whose output is gated by one number a row.
// Made by lngen 0.1.0 from the definition of modulated_layer_norm.
// Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 10 flops per row element; backward 3 row tensors (2 read, 1 written), 21 flops per row element.
// Evidence: 1 output, 23 steps, 36 first lines, 2 identities, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
// templates sha256:7fb37e728646076208583138bef4812a410453e6d9763e6fa8ce8ffe5b344573
//
// jvp:
//     y_dot = gate_dot*(gamma*xhat + beta) + gate*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
// backward_backward:
//     g = gate*gamma*dy
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dmean_product = D*ddgate
//     dmean_g_xhat = sum(-rstd*ddx*xhat)
//     dmean_g = sum(-rstd*ddx)
//     dg = rstd*ddx + dmean_g_xhat*xhat/D + dmean_g/D
//     d2xhat = gate*ddgamma*dy + dmean_g_xhat*g/D + dmean_product*gamma*dy/D - mean_g_xhat*rstd*ddx
//     d2rstd = sum(d2xhat*x_centred) + sum(ddx*(g - mean_g - mean_g_xhat*xhat))
//     d2var = -d2rstd*rstd**3/2
//     d2x_centred = rstd*d2xhat + 2*d2var*x_centred/D
//     d2mu = sum(-d2x_centred)
//     d2x = d2x_centred + d2mu/D
//     d2gate = sum(ddbeta*dy) + sum(gamma*dg*dy) + sum(ddgamma*dy*xhat)
//     d2gamma = sum_rows(dy*(gate*dg + dmean_product*xhat/D))
//     d2beta = sum_rows(dmean_product*dy)/D
//     ddy = gate*ddbeta + gate*gamma*dg + gate*ddgamma*xhat + dmean_product*(gamma*xhat + beta)/D
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     jvp_<type>(const Row* x, const Row* gate, const Row* x_dot, const Row* gate_dot, const Computed* mu, const
//         Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const Parameter* beta, const
//         Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* gate, const Row* dy, const Row* ddx, const Row* ddgate,
//         const Computed* mu, const Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const
//         Parameter* beta, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_dgate, Row*
//         out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         beta, const Parameter* ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter* out_dbeta,
//         int D)
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (2*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh.
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta_dot beta_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddbeta   ddbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgate   ddgate is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gate     gate is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gate_dot gate_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(jvp_##TYPE, T, lngen::jvp::Layer, \
               (const T* __restrict__ x, const T* __restrict__ gate, const T* __restrict__ x_dot, \
                const T* __restrict__ gate_dot, const lngen::Computed<T>* __restrict__ mu, \
                const lngen::Computed<T>* __restrict__ mu_residual, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ beta, \
                const lngen::Parameter<T>* __restrict__ gamma_dot, const lngen::Parameter<T>* __restrict__ beta_dot, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (x, gate, x_dot, gate_dot, mu, mu_residual, rstd, gamma, beta, gamma_dot, beta_dot, out_y_dot, rows, \
                D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, lngen::backward_backward::Layer, \
               (const T* __restrict__ x, const T* __restrict__ gate, const T* __restrict__ dy, \
                const T* __restrict__ ddx, const T* __restrict__ ddgate, const lngen::Computed<T>* __restrict__ mu, \
                const lngen::Computed<T>* __restrict__ mu_residual, const lngen::Computed<T>* __restrict__ rstd, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ beta, \
                const lngen::Parameter<T>* __restrict__ ddgamma, const lngen::Parameter<T>* __restrict__ ddbeta, \
                T* __restrict__ out_dx, T* __restrict__ out_dgate, T* __restrict__ out_ddy, \
                lngen::Computed<T>* __restrict__ workspace, long long rows, int D), \
               (x, gate, dy, ddx, ddgate, mu, mu_residual, rstd, gamma, beta, ddgamma, ddbeta, out_dx, out_dgate, \
                out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, T, lngen::backward_backward::columns::Layer, \
               (lngen::Computed<T>* __restrict__ workspace, int blocks, \
                const lngen::Parameter<T>* __restrict__ gamma, const lngen::Parameter<T>* __restrict__ beta, \
                const lngen::Parameter<T>* __restrict__ ddgamma, const lngen::Parameter<T>* __restrict__ ddbeta, \
                lngen::Parameter<T>* __restrict__ out_dgamma, lngen::Parameter<T>* __restrict__ out_dbeta, int D), \
               (workspace, blocks, gamma, beta, ddgamma, ddbeta, out_dgamma, out_dbeta, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif
