# Made by lngen 0.1.0 from the definition of cross_entropy.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
# Evidence: 1 output, 40 steps, 30 first lines, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Cross entropy of soft targets with the softmax of a row, one number a row. The outputs and the gradients.

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
    x_rows, target_rows = values
    y_out, m_out, Z_out, log_Z_out = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, m_block, Z_block, log_Z_block, y_block, buffers):
        # step 1: m = max(x)
        m = _rows.shift(x, out=m_block)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[1])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones, out=Z_block)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z, out=log_Z_block)
        # step 6: logp = x_shifted - log_Z
        logp = np.subtract(x_shifted, log_Z, out=buffers[0])
        # step 7: sum_logp_target = sum(logp*target)
        sum_logp_target = _rows.row_sum(logp, target, out=y_block)
        # step 8: y = -sum_logp_target
        np.negative(sum_logp_target, out=y_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, target_rows),
        writes=(m_out, Z_out, log_Z_out, y_out),
        buffers=2,
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    dx_out, dtarget_out = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, dy, m, Z, log_Z, dtarget_block, dx_block, row_scalars):
        # step 31: sum_target = sum(target)
        sum_target = _rows.row_sum(target, ones, out=row_scalars[0])
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 6: logp = x_shifted - log_Z
        logp = _rows.by_row(np.subtract, x_shifted, log_Z, out=dtarget_block)
        # step 33: dtarget = -logp*dy
        part = np.negative(dy, out=row_scalars[1])
        np.multiply(logp, part, out=dtarget_block)
        # step 31: sum_target_scaled = sum_target/Z
        sum_target_scaled = np.divide(sum_target, Z, out=row_scalars[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 31: dx = (exp_shifted*sum_target_scaled - target)*dy
        dx = np.multiply(exp_shifted, sum_target_scaled, out=dx_block)
        dx = np.subtract(dx, target, out=dx_block)
        np.multiply(dx, dy, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, target_rows, dy_rows, m_rows, Z_rows, log_Z_rows),
        writes=(dtarget_out, dx_out),
        row_scalars=2,
    )


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, target = values
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
    # step 6: logp = x_shifted - log_Z
    logp = np.subtract(x_shifted, log_Z, out=x_shifted)
    # step 7: sum_logp_target = sum(logp*target)
    sum_logp_target = vecdot(logp, target)[..., np.newaxis]
    # step 8: y = -sum_logp_target
    y = np.negative(sum_logp_target)
    m = m[..., 0]
    Z = Z[..., 0]
    log_Z = log_Z[..., 0]
    y = y[..., 0]
    return y, m, Z, log_Z


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy_rows,) = arguments
    shape, dtype, _, x, target, m_rows, Z_rows, log_Z_rows = saved
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
    dy = dy_rows[..., np.newaxis]
    m = m_rows[..., np.newaxis]
    Z = Z_rows[..., np.newaxis]
    log_Z = log_Z_rows[..., np.newaxis]
    # step 31: sum_target = sum(target)
    sum_target = vecdot(target, ones)[..., np.newaxis]
    # step 2: x_shifted = x - m
    x_shifted = x - m
    # step 6: logp = x_shifted - log_Z
    logp = x_shifted - log_Z
    # step 33: dtarget = -logp*dy
    part = np.negative(dy)
    dtarget = np.multiply(logp, part, out=logp)
    # step 31: sum_target_scaled = sum_target/Z
    sum_target_scaled = sum_target / Z
    # step 3: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted, out=x_shifted)
    # step 31: dx = (exp_shifted*sum_target_scaled - target)*dy
    dx = np.multiply(exp_shifted, sum_target_scaled, out=exp_shifted)
    dx = np.subtract(dx, target, out=dx)
    dx = np.multiply(dx, dy, out=dx)
    return dx, dtarget
