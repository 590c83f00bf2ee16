// Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.
// Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
// Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
// Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
//
// Kernels <name>_<type>, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float). T is the type
// of rows, P that of parameters, A that of arithmetic.
//
// The workspace holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward_backward: blocks * (1*D + 0).
// Launches, and the macros that choose among kernels: rows.cuh. Formulas, and the macros of arguments: layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than attention_residuals.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER attention_residuals
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/cuda/layer_rows.cuh"
#include "layer.h"

#ifdef LNGEN_JVP
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(jvp_##TYPE, T, jvp::Layer, \
               (const T* __restrict__ a, const T* __restrict__ b, const T* __restrict__ c, \
                const T* __restrict__ a_dot, const T* __restrict__ b_dot, const T* __restrict__ c_dot, \
                const A* __restrict__ sum_a_query, const A* __restrict__ rstd, const A* __restrict__ sum_b_query, \
                const A* __restrict__ rstd_2, const A* __restrict__ sum_c_query, const A* __restrict__ rstd_3, \
                const A* __restrict__ p_shifted, const A* __restrict__ q_shifted, const A* __restrict__ r, \
                const A* __restrict__ exp_largest_2, const A* __restrict__ exp_largest_2_scaled, \
                const A* __restrict__ scale, const P* __restrict__ query, const P* __restrict__ query_dot, \
                T* __restrict__ out_y_dot, long long rows, int D), \
               (a, b, c, a_dot, b_dot, c_dot, sum_a_query, rstd, sum_b_query, rstd_2, sum_c_query, rstd_3, \
                p_shifted, q_shifted, r, exp_largest_2, exp_largest_2_scaled, scale, query, query_dot, out_y_dot, \
                rows, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
#define LNGEN_KERNELS(TYPE, T, P, A) \
  LNGEN_KERNEL(backward_backward_##TYPE, T, backward_backward::Layer, \
               (const T* __restrict__ a, const T* __restrict__ b, const T* __restrict__ c, const T* __restrict__ dy, \
                const T* __restrict__ dda, const T* __restrict__ ddb, const T* __restrict__ ddc, \
                const A* __restrict__ sum_a_query, const A* __restrict__ rstd, const A* __restrict__ sum_b_query, \
                const A* __restrict__ rstd_2, const A* __restrict__ sum_c_query, const A* __restrict__ rstd_3, \
                const A* __restrict__ p_shifted, const A* __restrict__ q_shifted, const A* __restrict__ r, \
                const A* __restrict__ exp_largest_2, const A* __restrict__ exp_largest_2_scaled, \
                const A* __restrict__ scale, const P* __restrict__ query, A eps, const P* __restrict__ ddquery, \
                T* __restrict__ out_da, T* __restrict__ out_db, T* __restrict__ out_dc, T* __restrict__ out_ddy, \
                A* __restrict__ workspace, long long rows, int D), \
               (a, b, c, dy, dda, ddb, ddc, sum_a_query, rstd, sum_b_query, rstd_2, sum_c_query, rstd_3, p_shifted, \
                q_shifted, r, exp_largest_2, exp_largest_2_scaled, scale, query, eps, ddquery, out_da, out_db, \
                out_dc, out_ddy, workspace, rows, D)) \
  LNGEN_KERNEL(backward_backward_columns_##TYPE, T, backward_backward::columns::Layer, \
               (A* __restrict__ workspace, int blocks, const P* __restrict__ query, A eps, \
                const P* __restrict__ ddquery, P* __restrict__ out_dquery, int D), \
               (workspace, blocks, query, eps, ddquery, out_dquery, D))
LNGEN_EACH_TYPE(LNGEN_KERNELS)
#undef LNGEN_KERNELS
#endif

#ifndef LNGEN_TYPED  // layer.cuh, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
