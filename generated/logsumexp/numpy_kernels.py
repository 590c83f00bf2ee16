# Made by lngen 0.1.0 from the definition of logsumexp.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
# Evidence: 1 output, 21 steps, 15 first lines, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""The logarithm of a row's sum of exponentials, one number a row. The outputs and the gradients.

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
    (x_rows,) = values
    y_out, m_out, Z_out = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, m_block, Z_block, y_block, buffers):
        # step 1: m = max(x)
        m = _rows.shift(x, out=m_block)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones, out=Z_block)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z, out=y_block)
        # step 6: y = log_Z + m
        np.add(log_Z, m, out=y_block)

    _blocks.each_block(
        block, call, reads=(x_rows,), writes=(m_out, Z_out, y_out), buffers=1
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, m_rows, Z_rows = fields
    (dx_out,) = results

    def block(x, dy, m, Z, dx_block, row_scalars):
        # step 19: dy_scaled = dy/Z
        dy_scaled = np.divide(dy, Z, out=row_scalars[0])
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 19: dx = exp_shifted*dy_scaled
        np.multiply(exp_shifted, dy_scaled, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, m_rows, Z_rows),
        writes=(dx_out,),
        row_scalars=1,
    )


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    (x,) = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
    # step 1: m = max(x)
    m = _rows.shift(x)
    # step 2: x_shifted = x - m
    x_shifted = x - m
    # step 3: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted, out=x_shifted)
    # step 4: Z = sum(exp_shifted)
    Z = vecdot(exp_shifted, ones)[..., np.newaxis]
    # step 5: log_Z = log(Z)
    log_Z = np.log(Z)
    # step 6: y = log_Z + m
    y = log_Z + m
    m = m[..., 0]
    Z = Z[..., 0]
    y = y[..., 0]
    return y, m, Z


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy_rows,) = arguments
    _, _, _, x, m_rows, Z_rows = saved
    dy = dy_rows[..., np.newaxis]
    m = m_rows[..., np.newaxis]
    Z = Z_rows[..., np.newaxis]
    # step 19: dy_scaled = dy/Z
    dy_scaled = dy / Z
    # step 2: x_shifted = x - m
    x_shifted = x - m
    # step 3: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted, out=x_shifted)
    # step 19: dx = exp_shifted*dy_scaled
    dx = np.multiply(exp_shifted, dy_scaled, out=exp_shifted)
    return (dx,)
