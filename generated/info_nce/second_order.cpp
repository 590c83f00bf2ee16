// InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.
// Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
// Do not edit; edit info_nce.py and run: lngen derive info_nce.py
// definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
//
// A kernel is passed the pointers of
//
//     info_nce_jvp_<type>(const Row* similarity, const Integer* positive, const Row* similarity_dot, const
//         Computed* m, const Computed* Z_, const Parameter* scale, const Parameter* scale_dot, Row* out_y_dot, long
//         long rows, int D)
//     info_nce_backward_backward_<type>(const Row* similarity, const Integer* positive, const Row* dy, const Row*
//         ddsimilarity, const Computed* m, const Computed* Z_, const Parameter* scale, const Parameter* ddscale,
//         Row* out_dsimilarity, Row* out_ddy, Computed* workspace, long long rows, int D)
//     info_nce_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, const
//         Parameter* ddscale, Parameter* out_dscale, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(0, 1, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than info_nce.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER info_nce
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
