# Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has its steps, cost and evidence.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
"""The logarithm of a row's sum of exponentials, one number a row. The tangents, and the gradients of the gradients.

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
def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    x_rows, m_rows, Z_rows = fields
    (y_dot_out,) = results

    def block(x, x_dot, m, Z, buffers=(None,)):
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 25, pass 3: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot)
        # step 25, pass 4: y_dot = sum_exp_shifted_x_dot/Z
        y_dot = sum_exp_shifted_x_dot / Z
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(m_rows, Z_rows),
        into_row_scalars=(y_dot_out,),
        buffers=1,
    )


@np.errstate(under="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, m_rows, Z_rows = fields
    dx_out, ddy_out = results

    def block(x, ddx, dy, m, Z, dx_block=None, buffers=(None,)):
        # step 28, pass 5: dy_scaled = dy/Z
        dy_scaled = dy / Z
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 38, pass 6: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted)
        # step 38, pass 7: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z
        sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z
        # step 28, pass 9: dx = exp_shifted*dy_scaled
        dx = np.multiply(exp_shifted, dy_scaled, out=exp_shifted)
        # step 38, pass 10: d2x = (ddx - sum_ddx_exp_shifted_scaled)*dx
        d2x = _rows.by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=buffers[0])
        d2x = np.multiply(d2x, dx, out=dx)
        return d2x, sum_ddx_exp_shifted_scaled[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, ddx_rows),
        row_scalars=(dy_rows, m_rows, Z_rows),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=1,
    )
