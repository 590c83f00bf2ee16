// Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.
// Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit geglu.py and run: lngen derive geglu.py
// definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
//
// A kernel is passed the pointers of
//
//     geglu_forward_<type>(const Row* gate, const Row* value, Row* out_y, long long rows, int D)
//     geglu_backward_<type>(const Row* gate, const Row* value, const Row* dy, Row* out_dgate, Row* out_dvalue,
//         long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than geglu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER geglu
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
