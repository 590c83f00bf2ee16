// InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.
// Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
// Do not edit; edit info_nce.py and run: lngen derive info_nce.py
// definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
//
// The layer for programs of C++ on the processor: functions in the namespace info_nce, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER info_nce
#endif
#define LNGEN_TYPED
#include "kernels.cpp"
#include "second_order.cpp"
#include "../_runtime/native/typed.h"

namespace LNGEN_LAYER {

using lngen::LNGEN_SPACE::Computed;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;
using lngen::LNGEN_SPACE::Parameter;
using lngen::LNGEN_SPACE::Row;

// What forward saves for the other directions: a number for each row.
struct Saved {
  Computed* m;
  Computed* Z_;
};

// z = scale*similarity
// sum_where_z = sum(where(index() == positive, z, 0))
// m = max(z)
// exp_shifted = exp(z - m)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// y = m + log_Z - sum_where_z
inline void forward(const Row* similarity, const Integer* positive, const Parameter* scale, Row* out_y,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({similarity, positive, scale, out_y, saved.m, saved.Z_}, {}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// dz = dy*p + where(index() == positive, -dy, 0)
// dsimilarity = scale*dz
// dscale = sum_rows(sum(dz*similarity))
inline void backward(const Row* similarity, const Integer* positive, const Row* dy, const Parameter* scale,
    Row* out_dsimilarity, Parameter* out_dscale, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 0, 1};
  kernels.call({similarity, positive, dy, saved.m, saved.Z_, scale, out_dsimilarity}, {}, {scale, out_dscale}, rows,
    D, threads);
}

// z_dot = scale_dot*similarity + scale*similarity_dot
// p = exp_shifted/Z
// y_dot = D*(mean(p*z_dot) - mean(where(index() == positive, z_dot, 0)))
inline void jvp(const Row* similarity, const Integer* positive, const Row* similarity_dot, const Parameter* scale,
    const Parameter* scale_dot, Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({similarity, positive, similarity_dot, saved.m, saved.Z_, scale, scale_dot, out_y_dot}, {}, {}, rows,
    D, threads);
}

// p = exp_shifted/Z
// dz = dy*p + where(index() == positive, -dy, 0)
// ddz = ddscale*similarity + scale*ddsimilarity
// d2similarity_shifted = dy*p*(ddz - sum(ddz*p))
// d2similarity = scale*d2similarity_shifted + ddscale*dz
// d2scale = sum_rows(D*(mean(d2similarity_shifted*similarity) + mean(ddsimilarity*dz)))
// ddy = sum(ddz*p) + sum(where(index() == positive, -ddz, 0))
inline void backward_backward(const Row* similarity, const Integer* positive, const Row* dy,
    const Row* ddsimilarity, const Parameter* scale, const Parameter* ddscale, Row* out_dsimilarity, Row* out_ddy,
    Parameter* out_dscale, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 0, 1};
  kernels.call({similarity, positive, dy, ddsimilarity, saved.m, saved.Z_, scale, ddscale, out_dsimilarity, out_ddy},
    {}, {scale, ddscale, out_dscale}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
