// Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.
// Made by lngen 0.1.0 from the definition of add_rms_norm_fp8.
// Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
// Cost: forward 4 row tensors (2 read, 2 written), 6 flops per row element; backward 5 row tensors (3 read, 2 written), 14 flops per row element.
// Evidence: 2 outputs, 22 steps, 37 given equations, 1 identity, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
// templates sha256:2311dd01572eed9edbbb06a4fb155fa5ce69a60d0f557019d5d91a2f831401fe
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Row* residual, const Parameter* gamma, const Parameter* scale, Computed
//         eps, float8_e4m3fn* out_y, Row* out_h, Computed* save_rstd, long long rows, int D)
//     backward_<type>(const Row* h, const Row* dy, const Row* dh, const Computed* rstd, const Parameter* gamma,
//         const Parameter* scale, Row* out_dx, Row* out_dresidual, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter* scale,
//         Parameter* out_dgamma, Parameter* out_dscale, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h.

#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, lngen::forward::Layer)
LNGEN_KERNEL(backward, lngen::backward::Layer)
LNGEN_KERNEL(backward_columns, lngen::backward::columns::Layer)
