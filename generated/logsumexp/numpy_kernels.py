# Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has its steps, cost and evidence.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
"""The logarithm of a row's sum of exponentials, one number a row. The outputs and the gradients.

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

    def block(x, buffers=(None,)):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 6: y = log_Z + m
        y = log_Z + m
        return y[..., 0], m[..., 0], Z[..., 0]

    return _blocks.each_block(
        block, call, rows=(x_rows,), into_row_scalars=(y_out, m_out, Z_out), buffers=1
    )


@np.errstate(under="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, m_rows, Z_rows = fields
    (dx_out,) = results

    def block(x, dy, m, Z, dx_block=None):
        # step 17, pass 1: dy_scaled = dy/Z
        dy_scaled = dy / Z
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 17, pass 2: dx = exp_shifted*dy_scaled
        dx = np.multiply(exp_shifted, dy_scaled, out=exp_shifted)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(dy_rows, m_rows, Z_rows),
        into=(dx_out,),
    )
