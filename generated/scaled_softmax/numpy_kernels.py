# Made by lngen 0.1.0 from the definition of scaled_softmax.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
# Evidence: 1 output, 23 steps, 29 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""Softmax with a learned inverse temperature. The outputs and the gradients.

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime import blocks as _blocks
from .._runtime import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    x_rows, scale = values
    y_out, row_max_out, inv_sum_e_shifted_out = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, row_max_block, inv_sum_e_shifted_block, y_block):
        # step 1: row_max = max(x*scale)
        if scale is not None:
            part = np.multiply(x, scale, out=y_block)
        else:
            part = x
        row_max = _rows.shift(part, out=row_max_block)
        # step 2: u = x*scale - row_max
        u = np.subtract(part, row_max, out=y_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=y_block)
        # step 4: sum_e_shifted = sum(e_shifted)
        sum_e_shifted = _rows.row_sum(e_shifted, ones, out=inv_sum_e_shifted_block)
        # step 5: inv_sum_e_shifted = 1/sum_e_shifted
        inv_sum_e_shifted = np.reciprocal(sum_e_shifted, out=inv_sum_e_shifted_block)
        # step 6: y = e_shifted*inv_sum_e_shifted
        np.multiply(e_shifted, inv_sum_e_shifted, out=y_block)

    _blocks.each_block(
        block, call, reads=(x_rows,), writes=(row_max_out, inv_sum_e_shifted_out, y_out)
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, scale, row_max_rows, inv_sum_e_shifted_rows = fields
    dx_out, dscale_out = results

    def block(x, dy, row_max, inv_sum_e_shifted, dx_block, buffers, row_scalars, sums):
        (dscale_sums,) = sums
        # step 2: u = x*scale - row_max
        if scale is not None:
            u = np.multiply(x, scale, out=dx_block)
        else:
            u = x
        u = np.subtract(u, row_max, out=dx_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=dx_block)
        # step 6: y = e_shifted*inv_sum_e_shifted
        y = np.multiply(e_shifted, inv_sum_e_shifted, out=dx_block)
        # step 16: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_sum(dy, y, out=row_scalars[0])
        # step 16: du = (dy - sum_dy_y)*y
        du = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffers[0])
        du = np.multiply(du, y, out=dx_block)
        # step 15: sum_du_x = sum(du*x)
        if scale is not None:
            sum_du_x = _rows.row_sum(du, x, out=row_scalars[0])
            # step 15: dscale = sum over rows of sum_du_x
            dscale_sums += np.add.reduce(sum_du_x, axis=None)
            # step 14: dx = du*scale
            np.multiply(du, scale, out=dx_block)

    (dscale,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, row_max_rows, inv_sum_e_shifted_rows),
        writes=(dx_out,),
        buffers=1,
        row_scalars=1,
        sums=1,
    )
    if scale is not None:
        _blocks.round_to(dscale_out, ..., dscale)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, scale = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
        # step 1: row_max = max(x*scale)
        part = x * scale
    else:
        part = x
    row_max = _rows.shift(part)
    # step 2: u = x*scale - row_max
    u = part - row_max
    # step 3: e_shifted = exp(u)
    e_shifted = np.exp(u, out=u)
    # step 4: sum_e_shifted = sum(e_shifted)
    sum_e_shifted = vecdot(e_shifted, ones)[..., np.newaxis]
    # step 5: inv_sum_e_shifted = 1/sum_e_shifted
    inv_sum_e_shifted = np.reciprocal(sum_e_shifted)
    # step 6: y = e_shifted*inv_sum_e_shifted
    y = np.multiply(e_shifted, inv_sum_e_shifted, out=e_shifted)
    row_max = row_max[..., 0]
    inv_sum_e_shifted = inv_sum_e_shifted[..., 0]
    return y, row_max, inv_sum_e_shifted


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, scale, row_max_rows, inv_sum_e_shifted_rows = saved
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    if scale is not None:
        scale = np.asarray(scale, dtype)
    row_max = row_max_rows[..., np.newaxis]
    inv_sum_e_shifted = inv_sum_e_shifted_rows[..., np.newaxis]
    # step 2: u = x*scale - row_max
    if scale is not None:
        u = x * scale
    else:
        u = x
    u = u - row_max
    # step 3: e_shifted = exp(u)
    e_shifted = np.exp(u, out=u)
    # step 6: y = e_shifted*inv_sum_e_shifted
    y = np.multiply(e_shifted, inv_sum_e_shifted, out=e_shifted)
    # step 16: sum_dy_y = sum(dy*y)
    sum_dy_y = vecdot(dy, y)[..., np.newaxis]
    # step 16: du = (dy - sum_dy_y)*y
    du = dy - sum_dy_y
    du = np.multiply(du, y, out=du)
    # step 15: sum_du_x = sum(du*x)
    if scale is not None:
        sum_du_x = vecdot(du, x)[..., np.newaxis]
        # step 15: dscale = sum over rows of sum_du_x
        dscale = np.add.reduce(sum_du_x, axis=None)
        # step 14: dx = du*scale
        dx = np.multiply(du, scale, out=du)
    else:
        dx = du
    if scale is not None:
        dscale = _rows.filled(dscale, out=np.empty((), dtype))
    else:
        dscale = None
    return dx, dscale
