# Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
"""Cross entropy of soft targets with the softmax of a row, one number a row. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


@np.errstate(under="ignore")
def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, target_rows = values
    y_out, m_out, Z_out, log_Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, buffers=(None,) * 2):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[1])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 6: logp = x_shifted - log_Z
        logp = np.subtract(x_shifted, log_Z, out=x_shifted)
        # step 7: sum_logp_target = sum(logp*target)
        sum_logp_target = _rows.row_sum(logp, target)
        # step 8: y = -sum_logp_target
        y = np.negative(sum_logp_target)
        return y[..., 0], m[..., 0], Z[..., 0], log_Z[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, target_rows),
        into_row_scalars=(y_out, m_out, Z_out, log_Z_out),
        buffers=2,
    )


@np.errstate(under="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    dx_out, dtarget_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, dy, m, Z, log_Z, dx_block=None, dtarget_block=None):
        # step 24, pass 1: sum_target = sum(target)
        sum_target = _rows.row_sum(target, ones)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 6: logp = x_shifted - log_Z
        logp = _rows.by_row(np.subtract, x_shifted, log_Z, out=dtarget_block)
        # step 26: dtarget = -logp*dy
        dtarget = np.multiply(logp, np.negative(dy), out=logp)
        # step 24, pass 2: sum_target_scaled = sum_target/Z
        sum_target_scaled = sum_target / Z
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 24, pass 3: dx = (exp_shifted*sum_target_scaled - target)*dy
        dx = np.multiply(exp_shifted, sum_target_scaled, out=exp_shifted)
        dx = np.subtract(dx, target, out=dx)
        dx = np.multiply(dx, dy, out=dx)
        return dx, dtarget

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, target_rows),
        row_scalars=(dy_rows, m_rows, Z_rows, log_Z_rows),
        into=(dx_out, dtarget_out),
    )
