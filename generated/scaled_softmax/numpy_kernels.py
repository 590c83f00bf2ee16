# Made by lngen 0.1.0 from the definition of scaled_softmax.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
# Evidence: 1 output, 35 steps, 30 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Softmax with a learned inverse temperature. The outputs and the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    x_rows, scale = values
    y_out, m_out, inv_Z_out = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, m_block, inv_Z_block, y_block):
        # step 1: m = max(x*scale)
        if scale is not None:
            part = np.multiply(x, scale, out=y_block)
        else:
            part = x
        m = _rows.shift(part, out=m_block)
        # step 2: u = x*scale - m
        u = np.subtract(part, m, out=y_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=y_block)
        # step 4: Z = sum(e_shifted)
        Z = _rows.row_sum(e_shifted, ones, out=inv_Z_block)
        # step 5: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z, out=inv_Z_block)
        # step 6: y = e_shifted*inv_Z
        np.multiply(e_shifted, inv_Z, out=y_block)

    _blocks.each_block(block, call, reads=(x_rows,), writes=(m_out, inv_Z_out, y_out))


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, scale, m_rows, inv_Z_rows = fields
    dx_out, dscale_out = results

    def block(x, dy, m, inv_Z, dx_block, buffers, row_scalars, sums):
        (dscale_sums,) = sums
        # step 2: u = x*scale - m
        if scale is not None:
            u = np.multiply(x, scale, out=dx_block)
        else:
            u = x
        u = np.subtract(u, m, out=dx_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=dx_block)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=dx_block)
        # step 16: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_sum(dy, y, out=row_scalars[0])
        # step 16: du = (dy - sum_dy_y)*y
        du = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffers[0])
        du = np.multiply(du, y, out=dx_block)
        # step 22: sum_du_x = sum(du*x)
        if scale is not None:
            sum_du_x = _rows.row_sum(du, x, out=row_scalars[0])
            # step 22: dscale = sum over rows of sum_du_x
            dscale_sums += np.add.reduce(sum_du_x, axis=None)
            # step 21: dx = du*scale
            np.multiply(du, scale, out=dx_block)

    (dscale,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, m_rows, inv_Z_rows),
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
        # step 1: m = max(x*scale)
        part = x * scale
    else:
        part = x
    m = _rows.shift(part)
    # step 2: u = x*scale - m
    u = part - m
    # step 3: e_shifted = exp(u)
    e_shifted = np.exp(u, out=u)
    # step 4: Z = sum(e_shifted)
    Z = vecdot(e_shifted, ones)[..., np.newaxis]
    # step 5: inv_Z = 1/Z
    inv_Z = np.reciprocal(Z)
    # step 6: y = e_shifted*inv_Z
    y = np.multiply(e_shifted, inv_Z, out=e_shifted)
    m = m[..., 0]
    inv_Z = inv_Z[..., 0]
    return y, m, inv_Z


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, scale, m_rows, inv_Z_rows = saved
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    if scale is not None:
        scale = np.asarray(scale, dtype)
    m = m_rows[..., np.newaxis]
    inv_Z = inv_Z_rows[..., np.newaxis]
    # step 2: u = x*scale - m
    if scale is not None:
        u = x * scale
    else:
        u = x
    u = u - m
    # step 3: e_shifted = exp(u)
    e_shifted = np.exp(u, out=u)
    # step 6: y = e_shifted*inv_Z
    y = np.multiply(e_shifted, inv_Z, out=e_shifted)
    # step 16: sum_dy_y = sum(dy*y)
    sum_dy_y = vecdot(dy, y)[..., np.newaxis]
    # step 16: du = (dy - sum_dy_y)*y
    du = dy - sum_dy_y
    du = np.multiply(du, y, out=du)
    # step 22: sum_du_x = sum(du*x)
    if scale is not None:
        sum_du_x = vecdot(du, x)[..., np.newaxis]
        # step 22: dscale = sum over rows of sum_du_x
        dscale = np.add.reduce(sum_du_x, axis=None)
        # step 21: dx = du*scale
        dx = np.multiply(du, scale, out=du)
    else:
        dx = du
    if scale is not None:
        dscale = _rows.filled(dscale, out=np.empty((), dtype))
    else:
        dscale = None
    return dx, dscale
