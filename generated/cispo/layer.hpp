// Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.
// Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
// Do not edit; edit cispo.py and run: lngen derive cispo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
//
// The layer for programs of C++ on the processor: functions in the namespace cispo, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cispo
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
  Computed* m_2;
  Computed* Z_;
  Computed* ratio;
};

// m_2 = max(x)
// exp_shifted = exp(x - m_2)
// Z = sum(exp_shifted)
// sum_where_x = sum(where(index() == label, x, 0))
// log_Z = log(Z)
// exp_log_Z_m_2 = exp(sum_where_x - old - m_2 - log_Z)
// ratio = stop_gradient(where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2))
// y = -advantage*ratio*(sum_where_x - m_2 - log_Z)
inline void forward(const Row* x, const Integer* label, const Row* advantage, const Row* old, Computed high,
    Row* out_y, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, label, advantage, old, out_y, saved.m_2, saved.Z_, saved.ratio}, {high}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// dx = advantage*dy*ratio*p + where(index() == label, -advantage*dy*ratio, 0)
inline void backward(const Row* x, const Integer* label, const Row* advantage, const Row* dy, Row* out_dx,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, label, advantage, dy, saved.m_2, saved.Z_, saved.ratio, out_dx}, {}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// y_dot = D*advantage*ratio*(mean(p*x_dot) - mean(where(index() == label, x_dot, 0)))
inline void jvp(const Row* x, const Integer* label, const Row* advantage, const Row* x_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, label, advantage, x_dot, saved.m_2, saved.Z_, saved.ratio, out_y_dot}, {}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// d2x = advantage*dy*ratio*p*(ddx - sum(ddx*p))
// ddy = advantage*ratio*sum(ddx*p) + sum(where(index() == label, -advantage*ratio*ddx, 0))
inline void backward_backward(const Row* x, const Integer* label, const Row* advantage, const Row* dy,
    const Row* ddx, Row* out_dx, Row* out_ddy, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, label, advantage, dy, ddx, saved.m_2, saved.Z_, saved.ratio, out_dx, out_ddy}, {}, {}, rows, D,
    threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER
