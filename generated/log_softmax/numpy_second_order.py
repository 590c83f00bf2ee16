# Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
"""The logarithm of softmax over the feature axis. The tangents, and the gradients of the gradients.

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

    def block(x, x_dot, m, Z, y_dot_block=None):
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=y_dot_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 28, pass 4: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot)
        # step 28, pass 5: log_Z_dot = sum_exp_shifted_x_dot/Z
        log_Z_dot = sum_exp_shifted_x_dot / Z
        # step 29: y_dot = x_dot - log_Z_dot
        y_dot = _rows.by_row(np.subtract, x_dot, log_Z_dot, out=y_dot_block)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(m_rows, Z_rows),
        into=(y_dot_out,),
    )


@np.errstate(under="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, m_rows, Z_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(x, dy, ddx, m, Z, dx_block=None, ddy_block=None):
        # step 30: mean_dy = mean(dy)
        mean_dy = _rows.row_sum(dy, one_over_D)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 40, pass 6: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted)
        # step 40, pass 7: mean_dy_scaled = mean_dy*D/Z
        mean_dy_scaled = mean_dy * D / Z
        # step 40, pass 8: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z
        sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z
        # step 40, pass 9: d2x = exp_shifted*(sum_ddx_exp_shifted_scaled -
        #   ddx)*mean_dy_scaled
        d2x = np.subtract(sum_ddx_exp_shifted_scaled, ddx, out=ddy_block)
        d2x = np.multiply(exp_shifted, d2x, out=exp_shifted)
        d2x = np.multiply(d2x, mean_dy_scaled, out=d2x)
        # step 45, pass 10: ddy = ddx - sum_ddx_exp_shifted_scaled
        ddy = _rows.by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=ddy_block)
        return d2x, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(m_rows, Z_rows),
        into=(dx_out, ddy_out),
    )
