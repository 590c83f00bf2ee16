// Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.
// Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
// Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
// Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
//
// A kernel is passed the pointers of
//
//     attention_residuals_jvp_<type>(const Row* a, const Row* b, const Row* c, const Row* a_dot, const Row* b_dot,
//         const Row* c_dot, const Computed* sum_a_query, const Computed* rstd, const Computed* sum_b_query, const
//         Computed* rstd_2, const Computed* sum_c_query, const Computed* rstd_3, const Computed* p_shifted, const
//         Computed* q_shifted, const Computed* r, const Computed* exp_largest_2, const Computed*
//         exp_largest_2_scaled, const Computed* scale, const Parameter* query, const Parameter* query_dot, Row*
//         out_y_dot, long long rows, int D)
//     attention_residuals_backward_backward_<type>(const Row* a, const Row* b, const Row* c, const Row* dy, const
//         Row* dda, const Row* ddb, const Row* ddc, const Computed* sum_a_query, const Computed* rstd, const
//         Computed* sum_b_query, const Computed* rstd_2, const Computed* sum_c_query, const Computed* rstd_3,
//         const Computed* p_shifted, const Computed* q_shifted, const Computed* r, const Computed* exp_largest_2,
//         const Computed* exp_largest_2_scaled, const Computed* scale, const Parameter* query, Computed eps, const
//         Parameter* ddquery, Row* out_da, Row* out_db, Row* out_dc, Row* out_ddy, Computed* workspace, long long
//         rows, int D)
//     attention_residuals_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter*
//         query, Computed eps, const Parameter* ddquery, Parameter* out_dquery, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(1, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than attention_residuals.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER attention_residuals
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)
LNGEN_KERNEL(backward_backward_columns, backward_backward::columns::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
