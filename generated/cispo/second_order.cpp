// Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.
// Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
// Do not edit; edit cispo.py and run: lngen derive cispo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
//
// A kernel is passed the pointers of
//
//     cispo_jvp_<type>(const Row* x, const Integer* label, const Row* advantage, const Row* x_dot, const Computed*
//         m_2, const Computed* Z_, const Computed* ratio, Row* out_y_dot, long long rows, int D)
//     cispo_backward_backward_<type>(const Row* x, const Integer* label, const Row* advantage, const Row* dy,
//         const Row* ddx, const Computed* m_2, const Computed* Z_, const Computed* ratio, Row* out_dx, Row*
//         out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than cispo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cispo
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
