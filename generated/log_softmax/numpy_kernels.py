# Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
"""The logarithm of softmax over the feature axis. The outputs and the gradients.

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
    (x_rows,) = values
    y_out, m_out, Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, y_block=None, buffers=(None,)):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=y_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 6: y = x_shifted - log_Z
        y = np.subtract(x_shifted, log_Z, out=x_shifted)
        return y, m[..., 0], Z[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        into=(y_out,),
        into_row_scalars=(m_out, Z_out),
        buffers=1,
    )


@np.errstate(under="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, m_rows, Z_rows = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, dy, m, Z, dx_block=None):
        # step 21, pass 1: sum_dy = sum(dy)
        sum_dy = _rows.row_sum(dy, ones)
        # step 21, pass 2: sum_dy_scaled = sum_dy/Z
        sum_dy_scaled = sum_dy / Z
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 21, pass 3: dx = dy - exp_shifted*sum_dy_scaled
        dx = np.multiply(exp_shifted, sum_dy_scaled, out=exp_shifted)
        dx = np.subtract(dy, dx, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(m_rows, Z_rows),
        into=(dx_out,),
    )
