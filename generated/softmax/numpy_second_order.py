# Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
"""Softmax over the feature axis. The tangents, and the gradients of the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    (y_rows,) = fields
    (y_dot_out,) = results

    def block(y, x_dot, y_dot_block=None):
        # step 25: sum_x_dot_y = sum(x_dot*y)
        sum_x_dot_y = _rows.row_sum(x_dot, y)
        # step 25: y_dot = (x_dot - sum_x_dot_y)*y
        y_dot = _rows.by_row(np.subtract, x_dot, sum_x_dot_y, out=y_dot_block)
        y_dot = np.multiply(y_dot, y, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(block, call, rows=(y_rows, x_dot_rows), into=(y_dot_out,))


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    (y_rows,) = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(y, dy, ddx, dx_block=None, ddy_block=None, buffers=(None,)):
        # step 26: mean_dy_y = mean(dy*y)
        mean_dy_y = _rows.row_mean(dy, y, D)
        # step 38: mean_ddx_y = mean(ddx*y)
        mean_ddx_y = _rows.row_mean(ddx, y, D)
        # step 28, pass 1: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * D
        # step 43, pass 2: sum_ddx_y = mean_ddx_y*D
        sum_ddx_y = mean_ddx_y * D
        # step 28, pass 3: d2y_part = (dy - mean_dy_y_scaled)*ddx
        d2y_part = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=ddy_block)
        d2y_part = np.multiply(d2y_part, ddx, out=dx_block)
        # step 38: mean_d2y_part_y = mean(d2y_part*y)
        mean_d2y_part_y = _rows.row_mean(d2y_part, y, D)
        # step 43: ddy = (ddx - sum_ddx_y)*y
        ddy = _rows.by_row(np.subtract, ddx, sum_ddx_y, out=ddy_block)
        ddy = np.multiply(ddy, y, out=ddy)
        # step 38, pass 4: d2x = (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddx_y -
        #   mean_d2y_part_y)*D)*y
        d2x = np.subtract(mean_dy_y_scaled, dy, out=buffers[0])
        d2x = np.multiply(d2x, mean_ddx_y, out=d2x)
        d2x = np.subtract(d2x, mean_d2y_part_y, out=d2x)
        d2x = np.multiply(d2x, D, out=d2x)
        d2x = np.add(d2y_part, d2x, out=d2y_part)
        d2x = np.multiply(d2x, y, out=d2x)
        return d2x, ddy

    return _blocks.each_block(
        block, call, rows=(y_rows, dy_rows, ddx_rows), into=(dx_out, ddy_out), buffers=1
    )
