// Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.
// Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
// Do not edit; edit cispo.py and run: lngen derive cispo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
//
// A kernel is passed the pointers of
//
//     cispo_forward_<type>(const Row* x, const Integer* label, const Row* advantage, const Row* old, Computed
//         high, Row* out_y, Computed* save_m_2, Computed* save_Z, Computed* save_ratio, long long rows, int D)
//     cispo_backward_<type>(const Row* x, const Integer* label, const Row* advantage, const Row* dy, const
//         Computed* m_2, const Computed* Z_, const Computed* ratio, Row* out_dx, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than cispo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cispo
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif
