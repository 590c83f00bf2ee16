// Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.
// Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
// Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
// Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
//
// The layer for programs of CUDA C++: functions in the namespace attention_residuals, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER attention_residuals
#endif
#ifndef LNGEN_ROWS
#define LNGEN_ROWS f32
#endif
#define LNGEN_TYPED
#include "kernels.cu"
#include "second_order.cu"
#include "../_runtime/cuda/typed.cuh"

namespace LNGEN_LAYER {

using Row = lngen::LNGEN_ROWS;
using Parameter = lngen::LNGEN_SPACE::Parameter<Row>;
using Computed = lngen::LNGEN_SPACE::Computed<Row>;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;

// What forward saves for the other directions: a number for each row.
struct Saved {
  Computed* sum_a_query;
  Computed* rstd;
  Computed* sum_b_query;
  Computed* rstd_2;
  Computed* sum_c_query;
  Computed* rstd_3;
  Computed* p_shifted;
  Computed* q_shifted;
  Computed* r;
  Computed* exp_largest_2;
  Computed* exp_largest_2_scaled;
  Computed* scale;
};

#ifdef LNGEN_FORWARD
// a = at(x, n=0)
// b = at(x, n=1)
// c = at(x, n=2)
// sum_a_query = sum(query*a)
// ms = mean(a**2)
// rstd = 1/sqrt(ms + eps)
// sum_b_query = sum(query*b)
// ms_2 = mean(b**2)
// rstd_2 = 1/sqrt(ms_2 + eps)
// sum_c_query = sum(query*c)
// ms_3 = mean(c**2)
// rstd_3 = 1/sqrt(ms_3 + eps)
// largest = where(rstd*sum_a_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) > rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
// largest_2 = where(largest > 0, largest, 0)
// p_shifted = exp(rstd*sum_a_query - largest_2 - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
// q_shifted = exp(rstd_2*sum_b_query - largest_2 - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
// r = exp(rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
// ahat = p_shifted*a
// bhat = q_shifted*b
// exp_largest_2 = exp(-largest_2)
// chat = exp_largest_2*r*c
// scale = 1/(p_shifted + q_shifted + exp_largest_2*r)
// y = scale*(ahat + bhat + chat)
inline cudaError_t forward(cudaStream_t stream, const Row* a, const Row* b, const Row* c, const Parameter* query,
    Computed eps, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, a, b, c, query, eps, out_y, saved.sum_a_query, saved.rstd, saved.sum_b_query,
    saved.rstd_2, saved.sum_c_query, saved.rstd_3, saved.p_shifted, saved.q_shifted, saved.r, saved.exp_largest_2,
    saved.exp_largest_2_scaled, saved.scale, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dchat = scale*dy
// dbhat = scale*dy
// dahat = scale*dy
// drstd_2 = q_shifted*(sum(b*dbhat) - scale*sum(dy*y))*(sum_b_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -sum_b_query), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -p_shifted*sum_b_query*(sum(a*dahat) - scale*sum(dy*y)) - r*sum_b_query*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y))), 0)
// dsum_b_query = q_shifted*(sum(b*dbhat) - scale*sum(dy*y))*(rstd_2 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -rstd_2), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -p_shifted*rstd_2*(sum(a*dahat) - scale*sum(dy*y)) - r*rstd_2*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y))), 0)
// drstd = p_shifted*(sum(a*dahat) - scale*sum(dy*y))*(sum_a_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -sum_a_query, 0), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -q_shifted*sum_a_query*(sum(b*dbhat) - scale*sum(dy*y)) - r*sum_a_query*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y)), 0), 0)
// dsum_a_query = p_shifted*(sum(a*dahat) - scale*sum(dy*y))*(rstd + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd, 0), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -q_shifted*rstd*(sum(b*dbhat) - scale*sum(dy*y)) - r*rstd*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y)), 0), 0)
// da = dsum_a_query*query + p_shifted*dahat - drstd*rstd**3*a/D
// db = dsum_b_query*query + q_shifted*dbhat - drstd_2*rstd_2**3*b/D
// dc_part = exp_largest_2*r*dchat
// g = ahat + bhat + chat
// dc = dc_part + exp_largest_2*r*(mean(c*dchat) - scale**2*mean(dy*g))*(D*query*(rstd_3 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -rstd_3)) - rstd_3**3*c*(sum_c_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -sum_c_query))) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, p_shifted*rstd_3**3*sum_c_query*c*(sum(a*dahat) - scale**2*sum(dy*g))/D + q_shifted*rstd_3**3*sum_c_query*c*(sum(b*dbhat) - scale**2*sum(dy*g))/D - p_shifted*rstd_3*query*(sum(a*dahat) - scale**2*sum(dy*g)) - q_shifted*rstd_3*query*(sum(b*dbhat) - scale**2*sum(dy*g)))
// dquery = sum_rows(dsum_a_query*a + dsum_b_query*b + D*r*c*(mean(exp_largest_2*c*dchat) - exp_largest_2*scale*mean(dy*y))*(rstd_3 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -rstd_3)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -p_shifted*rstd_3*c*(sum(a*dahat) - scale*sum(dy*y)) - q_shifted*rstd_3*c*(sum(b*dbhat) - scale*sum(dy*y))))
// dx = join(da, db, dc)
inline cudaError_t backward(cudaStream_t stream, const Row* a, const Row* b, const Row* c, const Row* dy,
    const Parameter* query, Row* out_da, Row* out_db, Row* out_dc, Parameter* out_dquery, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, a, b, c, dy, saved.sum_a_query, saved.rstd, saved.sum_b_query, saved.rstd_2,
    saved.sum_c_query, saved.rstd_3, saved.p_shifted, saved.q_shifted, saved.r, saved.exp_largest_2,
    saved.exp_largest_2_scaled, saved.scale, query, out_da, out_db, out_dc, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, query, out_dquery,
    D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// a_dot = at(x_dot, n=0)
// b_dot = at(x_dot, n=1)
// c_dot = at(x_dot, n=2)
// sum_a_query_dot = sum(query_dot*a + query*a_dot)
// ms_dot = mean(2*a*a_dot)
// rstd_dot = -ms_dot*rstd**3/2
// sum_b_query_dot = sum(query_dot*b + query*b_dot)
// ms_2_dot = mean(2*b*b_dot)
// rstd_2_dot = -ms_2_dot*rstd_2**3/2
// sum_c_query_dot = sum(query_dot*c + query*c_dot)
// ms_3_dot = mean(2*c*c_dot)
// rstd_3_dot = -ms_3_dot*rstd_3**3/2
// part_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd_dot*sum_a_query - rstd*sum_a_query_dot, -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot), -rstd_3_dot*sum_c_query - rstd_3*sum_c_query_dot)
// p_shifted_dot = p_shifted*part_dot + p_shifted*rstd_dot*sum_a_query + p_shifted*rstd*sum_a_query_dot
// part_2_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd_dot*sum_a_query - rstd*sum_a_query_dot, -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot), -rstd_3_dot*sum_c_query - rstd_3*sum_c_query_dot)
// q_shifted_dot = part_2_dot*q_shifted + q_shifted*rstd_2_dot*sum_b_query + q_shifted*rstd_2*sum_b_query_dot
// part_3_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd_dot*sum_a_query - rstd*sum_a_query_dot, -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot), -rstd_3_dot*sum_c_query - rstd_3*sum_c_query_dot)
// r_dot = part_3_dot*r + r*rstd_3_dot*sum_c_query + r*rstd_3*sum_c_query_dot
// ahat_dot = p_shifted_dot*a + p_shifted*a_dot
// bhat_dot = q_shifted_dot*b + q_shifted*b_dot
// chat_dot = exp_largest_2*r_dot*c + exp_largest_2*r*c_dot
// scale_dot = -p_shifted_dot*scale**2 - q_shifted_dot*scale**2 - exp_largest_2*r_dot*scale**2
// y_dot = scale*ahat_dot + scale*bhat_dot + scale*chat_dot + scale_dot*(ahat + bhat + chat)
inline cudaError_t jvp(cudaStream_t stream, const Row* a, const Row* b, const Row* c, const Row* a_dot,
    const Row* b_dot, const Row* c_dot, const Parameter* query, const Parameter* query_dot, Row* out_y_dot,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, a, b, c, a_dot, b_dot, c_dot, saved.sum_a_query, saved.rstd, saved.sum_b_query,
    saved.rstd_2, saved.sum_c_query, saved.rstd_3, saved.p_shifted, saved.q_shifted, saved.r, saved.exp_largest_2,
    saved.exp_largest_2_scaled, saved.scale, query, query_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// dda = at(ddx, n=0)
// ddb = at(ddx, n=1)
// ddc = at(ddx, n=2)
// part = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query)
// part_2 = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query)
// part_3 = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query)
// mean_product = mean(dy*(ahat + bhat + chat))
// dscale = D*mean_product
// dchat = scale*dy
// dbhat = scale*dy
// dahat = scale*dy
// mean_c_dchat = mean(exp_largest_2*c*dchat)
// dr = D*mean_c_dchat - dscale*exp_largest_2/(p_shifted + q_shifted + exp_largest_2*r)**2
// dpart_3 = dr*exp(part_3 + rstd_3*sum_c_query)
// mean_b_dbhat = mean(b*dbhat)
// dq_shifted = D*mean_b_dbhat - dscale/(p_shifted + q_shifted + exp_largest_2*r)**2
// dpart_2 = dq_shifted*exp(part_2 + rstd_2*sum_b_query - largest_2)
// mean_a_dahat = mean(a*dahat)
// dp_shifted = D*mean_a_dahat - dscale/(p_shifted + q_shifted + exp_largest_2*r)**2
// dpart = dp_shifted*exp(part + rstd*sum_a_query - largest_2)
// part_4 = dr*sum_c_query*exp(part_3 + rstd_3*sum_c_query)
// drstd_3 = part_4 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -dpart*sum_c_query - dpart_2*sum_c_query - dpart_3*sum_c_query)
// dms_3 = -drstd_3/(2*(ms_3 + eps)**(3/2))
// part_5 = dr*rstd_3*exp(part_3 + rstd_3*sum_c_query)
// dsum_c_query = part_5 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -dpart*rstd_3 - dpart_2*rstd_3 - dpart_3*rstd_3)
// part_6 = dq_shifted*sum_b_query*exp(part_2 + rstd_2*sum_b_query - largest_2)
// drstd_2 = part_6 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -dpart*sum_b_query - dpart_2*sum_b_query - dpart_3*sum_b_query), 0)
// dms_2 = -drstd_2/(2*(ms_2 + eps)**(3/2))
// part_7 = dq_shifted*rstd_2*exp(part_2 + rstd_2*sum_b_query - largest_2)
// dsum_b_query = part_7 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -dpart*rstd_2 - dpart_2*rstd_2 - dpart_3*rstd_2), 0)
// part_8 = dp_shifted*sum_a_query*exp(part + rstd*sum_a_query - largest_2)
// drstd = part_8 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -dpart*sum_a_query - dpart_2*sum_a_query - dpart_3*sum_a_query, 0), 0)
// dms = -drstd/(2*(ms + eps)**(3/2))
// part_9 = dp_shifted*rstd*exp(part + rstd*sum_a_query - largest_2)
// dsum_a_query = part_9 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -dpart*rstd - dpart_2*rstd - dpart_3*rstd, 0), 0)
// ddsum_a_query = sum(ddquery*a) + sum(query*dda)
// dpart_9 = ddsum_a_query
// ddms = sum(2*a*dda/D)
// ddrstd = -ddms*rstd**3/2
// dpart_8 = ddrstd
// ddsum_b_query = sum(ddquery*b) + sum(query*ddb)
// dpart_7 = ddsum_b_query
// ddms_2 = sum(2*b*ddb/D)
// ddrstd_2 = -ddms_2*rstd_2**3/2
// dpart_6 = ddrstd_2
// ddsum_c_query = sum(ddquery*c) + sum(query*ddc)
// dpart_5 = ddsum_c_query
// ddms_3 = sum(2*c*ddc/D)
// ddrstd_3 = -ddms_3*rstd_3**3/2
// dpart_4 = ddrstd_3
// ddpart = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3)
// ddp_shifted = ddpart*p_shifted + dpart_8*p_shifted*sum_a_query + dpart_9*p_shifted*rstd
// dmean_a_dahat = D*ddp_shifted
// ddpart_2 = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3)
// ddq_shifted = ddpart_2*q_shifted + dpart_6*q_shifted*sum_b_query + dpart_7*q_shifted*rstd_2
// dmean_b_dbhat = D*ddq_shifted
// ddpart_3 = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3)
// ddr = ddpart_3*r + dpart_4*r*sum_c_query + dpart_5*r*rstd_3
// dmean_c_dchat = D*ddr
// ddahat = p_shifted*dda + dmean_a_dahat*a/D
// ddbhat = q_shifted*ddb + dmean_b_dbhat*b/D
// ddchat = exp_largest_2*r*ddc + dmean_c_dchat*exp_largest_2*c/D
// ddscale = -ddp_shifted*scale**2 - ddq_shifted*scale**2 - ddr*exp_largest_2*scale**2
// dmean_product = D*ddscale
// d2scale = sum(ddahat*dy) + sum(ddbhat*dy) + sum(ddchat*dy)
// d2chat = dmean_product*dy/D
// d2bhat = dmean_product*dy/D
// d2ahat = dmean_product*dy/D
// d2r = 2*ddp_shifted*dscale*exp_largest_2*scale**3 + 2*ddq_shifted*dscale*exp_largest_2*scale**3 + 2*ddr*dscale*exp_largest_2**2*scale**3 + sum(exp_largest_2*c*d2chat) + sum(exp_largest_2*dchat*ddc) - d2scale*exp_largest_2*scale**2
// d2part_3 = d2r*r + ddpart_3*dr*r + dpart_4*dr*r*sum_c_query + dpart_5*dr*r*rstd_3
// d2q_shifted = 2*ddp_shifted*dscale*scale**3 + 2*ddq_shifted*dscale*scale**3 + 2*ddr*dscale*exp_largest_2*scale**3 + sum(b*d2bhat) + sum(dbhat*ddb) - d2scale*scale**2
// d2part_2 = d2q_shifted*q_shifted + ddpart_2*dq_shifted*q_shifted + dpart_6*dq_shifted*q_shifted*sum_b_query + dpart_7*dq_shifted*q_shifted*rstd_2
// d2p_shifted = 2*ddp_shifted*dscale*scale**3 + 2*ddq_shifted*dscale*scale**3 + 2*ddr*dscale*exp_largest_2*scale**3 + sum(a*d2ahat) + sum(dahat*dda) - d2scale*scale**2
// d2part = d2p_shifted*p_shifted + ddpart*dp_shifted*p_shifted + dp_shifted*dpart_8*p_shifted*sum_a_query + dp_shifted*dpart_9*p_shifted*rstd
// d2rstd_3 = d2r*r*sum_c_query + ddpart_3*dr*r*sum_c_query + dpart_4*dr*r*sum_c_query**2 + dpart_5*(dr*r + dr*r*rstd_3*sum_c_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, (-ddsum_c_query*(dpart + dpart_2 + dpart_3)) - d2part*sum_c_query - d2part_2*sum_c_query - d2part_3*sum_c_query)
// d2ms_3 = 3*ddms_3*drstd_3*rstd_3**5/4 - d2rstd_3*rstd_3**3/2
// d2sum_c_query = d2r*r*rstd_3 + ddpart_3*dr*r*rstd_3 + dpart_5*dr*r*rstd_3**2 + dpart_4*(dr*r + dr*r*rstd_3*sum_c_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, (-ddrstd_3*(dpart + dpart_2 + dpart_3)) - d2part*rstd_3 - d2part_2*rstd_3 - d2part_3*rstd_3)
// d2rstd_2 = d2q_shifted*q_shifted*sum_b_query + ddpart_2*dq_shifted*q_shifted*sum_b_query + dpart_6*dq_shifted*q_shifted*sum_b_query**2 + dpart_7*(dq_shifted*q_shifted + dq_shifted*q_shifted*rstd_2*sum_b_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, (-ddsum_b_query*(dpart + dpart_2 + dpart_3)) - d2part*sum_b_query - d2part_2*sum_b_query - d2part_3*sum_b_query), 0)
// d2ms_2 = 3*ddms_2*drstd_2*rstd_2**5/4 - d2rstd_2*rstd_2**3/2
// d2sum_b_query = d2q_shifted*q_shifted*rstd_2 + ddpart_2*dq_shifted*q_shifted*rstd_2 + dpart_7*dq_shifted*q_shifted*rstd_2**2 + dpart_6*(dq_shifted*q_shifted + dq_shifted*q_shifted*rstd_2*sum_b_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, (-ddrstd_2*(dpart + dpart_2 + dpart_3)) - d2part*rstd_2 - d2part_2*rstd_2 - d2part_3*rstd_2), 0)
// d2rstd = d2p_shifted*p_shifted*sum_a_query + ddpart*dp_shifted*p_shifted*sum_a_query + dp_shifted*dpart_8*p_shifted*sum_a_query**2 + dpart_9*(dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, (-ddsum_a_query*(dpart + dpart_2 + dpart_3)) - d2part*sum_a_query - d2part_2*sum_a_query - d2part_3*sum_a_query, 0), 0)
// d2ms = 3*ddms*drstd*rstd**5/4 - d2rstd*rstd**3/2
// d2sum_a_query = d2p_shifted*p_shifted*rstd + ddpart*dp_shifted*p_shifted*rstd + dp_shifted*dpart_9*p_shifted*rstd**2 + dpart_8*(dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, (-ddrstd*(dpart + dpart_2 + dpart_3)) - d2part*rstd - d2part_2*rstd - d2part_3*rstd, 0), 0)
// d2a = d2sum_a_query*query + p_shifted*d2ahat + dsum_a_query*ddquery + dmean_a_dahat*dahat/D + 2*d2ms*a/D + 2*dms*dda/D
// d2b = d2sum_b_query*query + q_shifted*d2bhat + dsum_b_query*ddquery + dmean_b_dbhat*dbhat/D + 2*d2ms_2*b/D + 2*dms_2*ddb/D
// d2c = d2sum_c_query*query + dsum_c_query*ddquery + exp_largest_2*r*d2chat + 2*d2ms_3*c/D + dmean_c_dchat*exp_largest_2*dchat/D + 2*dms_3*ddc/D
// d2query = sum_rows(d2sum_a_query*a + d2sum_b_query*b + d2sum_c_query*c + dsum_a_query*dda + dsum_b_query*ddb + dsum_c_query*ddc)
// ddy = scale*ddahat + scale*ddbhat + scale*ddchat + dmean_product*(ahat + bhat + chat)/D
// d2x = join(d2a, d2b, d2c)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* a, const Row* b, const Row* c, const Row* dy,
    const Row* dda, const Row* ddb, const Row* ddc, const Parameter* query, Computed eps, const Parameter* ddquery,
    Row* out_da, Row* out_db, Row* out_dc, Row* out_ddy, Parameter* out_dquery, const Saved& saved, long long rows)
    {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, a, b, c, dy, dda, ddb, ddc, saved.sum_a_query, saved.rstd,
    saved.sum_b_query, saved.rstd_2, saved.sum_c_query, saved.rstd_3, saved.p_shifted, saved.q_shifted, saved.r,
    saved.exp_largest_2, saved.exp_largest_2_scaled, saved.scale, query, eps, ddquery, out_da, out_db, out_dc,
    out_ddy, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    query, eps, ddquery, out_dquery, D);
  on.free(workspace);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
