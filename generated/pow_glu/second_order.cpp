// Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).
// Made by lngen 0.1.0 from the definition of pow_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit pow_glu.py and run: lngen derive pow_glu.py
// Open: exp overflows where power*log_base/(1 + root_base) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:67e102f3ac5fc0c5a92bfffdb1e3643a14746399b46a13e192fda8178dee8863
//
// A kernel is passed the pointers of
//
//     pow_glu_jvp_<type>(const Row* gate, const Row* value, const Row* gate_dot, const Row* value_dot, Computed
//         power, Row* out_y_dot, long long rows, int D)
//     pow_glu_backward_backward_<type>(const Row* gate, const Row* value, const Row* dy, const Row* ddgate, const
//         Row* ddvalue, Computed power, Row* out_dgate, Row* out_dvalue, Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than pow_glu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER pow_glu
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
