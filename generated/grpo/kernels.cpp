// Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.
// Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit grpo.py and run: lngen derive grpo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
// definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
//
// A kernel is passed the pointers of
//
//     grpo_forward_<type>(const Row* x, const Integer* label, const Row* advantage, const Row* old, const Row*
//         reference, Computed low, Computed high, Computed beta, Row* out_y, Computed* save_m_2, Computed* save_Z,
//         Computed* save_log_Z, Computed* save_sum_where_x_shifted, Computed* save_ratio, long long rows, int D)
//     grpo_backward_<type>(const Row* x, const Integer* label, const Row* advantage, const Row* reference, const
//         Row* dy, const Computed* m_2, const Computed* Z_, const Computed* log_Z, const Computed*
//         sum_where_x_shifted, const Computed* ratio, Computed low, Computed high, Computed beta, Row* out_dx,
//         long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than grpo.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER grpo
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
