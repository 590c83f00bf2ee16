# Made by lngen 0.1.0 from the definition of log_softmax.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 5 flops per row element.
# Evidence: 1 output, 23 steps, 18 first lines, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""The logarithm of softmax over the feature axis. The outputs and the gradients.

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

    def block(x, m_block, Z_block, y_block, buffers, row_scalars):
        # step 1: m = max(x)
        m = _rows.shift(x, out=m_block)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=y_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones, out=Z_block)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z, out=row_scalars[0])
        # step 6: y = x_shifted - log_Z
        np.subtract(x_shifted, log_Z, out=y_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows,),
        writes=(m_out, Z_out, y_out),
        buffers=1,
        row_scalars=1,
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, m_rows, Z_rows = fields
    (dx_out,) = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, dy, m, Z, dx_block, row_scalars):
        # step 23: sum_dy = sum(dy)
        sum_dy = _rows.row_sum(dy, ones, out=row_scalars[0])
        # step 23: sum_dy_scaled = sum_dy/Z
        sum_dy_scaled = np.divide(sum_dy, Z, out=row_scalars[0])
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 23: dx = dy - exp_shifted*sum_dy_scaled
        dx = np.multiply(exp_shifted, sum_dy_scaled, out=dx_block)
        np.subtract(dy, dx, out=dx_block)

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
    exp_shifted = np.exp(x_shifted)
    # step 4: Z = sum(exp_shifted)
    Z = vecdot(exp_shifted, ones)[..., np.newaxis]
    # step 5: log_Z = log(Z)
    log_Z = np.log(Z)
    # step 6: y = x_shifted - log_Z
    y = np.subtract(x_shifted, log_Z, out=x_shifted)
    m = m[..., 0]
    Z = Z[..., 0]
    return y, m, Z


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, m_rows, Z_rows = saved
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
    m = m_rows[..., np.newaxis]
    Z = Z_rows[..., np.newaxis]
    # step 23: sum_dy = sum(dy)
    sum_dy = vecdot(dy, ones)[..., np.newaxis]
    # step 23: sum_dy_scaled = sum_dy/Z
    sum_dy_scaled = sum_dy / Z
    # step 2: x_shifted = x - m
    x_shifted = x - m
    # step 3: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted, out=x_shifted)
    # step 23: dx = dy - exp_shifted*sum_dy_scaled
    dx = np.multiply(exp_shifted, sum_dy_scaled, out=exp_shifted)
    dx = np.subtract(dy, dx, out=dx)
    return (dx,)
