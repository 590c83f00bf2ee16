# Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
"""Each row divided by its Euclidean length. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, eps = values
    y_out, rstd_out = results
    _, dtype, _ = call
    eps = np.asarray(eps, dtype)

    def block(x, y_block=None):
        # step 1: sum_x2 = sum(x**2)
        sum_x2 = _rows.row_sum(x, x)
        # step 2: rstd = 1/sqrt(sum_x2 + eps)
        rstd = np.reciprocal(np.sqrt(sum_x2 + eps))
        # step 3: y = x*rstd
        y = _rows.by_row(np.multiply, x, rstd, out=y_block)
        return y, rstd[..., 0]

    return _blocks.each_block(
        block, call, rows=(x_rows,), into=(y_out,), into_row_scalars=(rstd_out,)
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, rstd_rows = fields
    (dx_out,) = results

    def block(x, dy, rstd, dx_block=None):
        # step 9, pass 1: sum_dy_y_unscaled = sum(dy*x)
        sum_dy_y_unscaled = _rows.row_sum(dy, x)
        # step 9, pass 2: sum_dy_y = rstd*sum_dy_y_unscaled
        sum_dy_y = rstd * sum_dy_y_unscaled
        # step 9, pass 3: dx = (dy - x*rstd*sum_dy_y)*rstd
        dx = _rows.by_row(np.multiply, x, rstd * sum_dy_y, out=dx_block)
        dx = np.subtract(dy, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
        return (dx,)

    return _blocks.each_block(
        block, call, rows=(x_rows, dy_rows), row_scalars=(rstd_rows,), into=(dx_out,)
    )
