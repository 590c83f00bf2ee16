# Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
"""Each row divided by its Euclidean length. The tangents, and the gradients of the gradients.

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
    x_rows, rstd_rows = fields
    (y_dot_out,) = results

    def block(x, x_dot, rstd, y_dot_block=None):
        # step 14, pass 4: sum_x_dot_y_unscaled = sum(x*x_dot)
        sum_x_dot_y_unscaled = _rows.row_sum(x, x_dot)
        # step 14, pass 5: sum_x_dot_y = rstd*sum_x_dot_y_unscaled
        sum_x_dot_y = rstd * sum_x_dot_y_unscaled
        # step 14, pass 6: y_dot = (x_dot - x*rstd*sum_x_dot_y)*rstd
        y_dot = _rows.by_row(np.multiply, x, rstd * sum_x_dot_y, out=y_dot_block)
        y_dot = np.subtract(x_dot, y_dot, out=y_dot)
        y_dot = np.multiply(y_dot, rstd, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(rstd_rows,),
        into=(y_dot_out,),
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, rstd_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    # step 25, pass 12: mean_dy_y_scaled = 3*mean_dy_y*D
    part = 3.0 * D

    def block(x, dy, ddx, rstd, dx_block=None, ddy_block=None):
        # step 25, pass 7: rstd_scaled = rstd**2*D
        rstd_scaled = np.square(rstd) * D
        # step 15, pass 8: mean_dy_y_unscaled = mean(dy*x)
        mean_dy_y_unscaled = _rows.row_mean(dy, x, D)
        # step 25, pass 9: mean_ddx_y_unscaled = mean(ddx*x)
        mean_ddx_y_unscaled = _rows.row_mean(ddx, x, D)
        # step 25: mean_ddx_dy = mean(ddx*dy)
        mean_ddx_dy = _rows.row_mean(ddx, dy, D)
        # step 15, pass 10: mean_dy_y = mean_dy_y_unscaled*rstd
        mean_dy_y = mean_dy_y_unscaled * rstd
        # step 25, pass 11: mean_ddx_y = mean_ddx_y_unscaled*rstd
        mean_ddx_y = mean_ddx_y_unscaled * rstd
        # step 25, pass 12: mean_dy_y_scaled = 3*mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * part
        # step 30, pass 13: sum_ddx_y = mean_ddx_y*D
        sum_ddx_y = mean_ddx_y * D
        # step 25, pass 14: d2x = ((x*mean_dy_y_scaled*rstd - dy)*mean_ddx_y -
        #   ddx*mean_dy_y - x*mean_ddx_dy*rstd)*rstd_scaled
        d2x = _rows.by_row(np.multiply, x, mean_dy_y_scaled * rstd, out=dx_block)
        d2x = np.subtract(d2x, dy, out=d2x)
        d2x = np.multiply(d2x, mean_ddx_y, out=d2x)
        part_2 = _rows.by_row(np.multiply, ddx, mean_dy_y, out=ddy_block)
        d2x = np.subtract(d2x, part_2, out=d2x)
        part_3 = _rows.by_row(np.multiply, x, mean_ddx_dy * rstd, out=ddy_block)
        d2x = np.subtract(d2x, part_3, out=d2x)
        d2x = np.multiply(d2x, rstd_scaled, out=d2x)
        # step 30, pass 15: ddy = (ddx - x*rstd*sum_ddx_y)*rstd
        ddy = _rows.by_row(np.multiply, x, rstd * sum_ddx_y, out=ddy_block)
        ddy = np.subtract(ddx, ddy, out=ddy)
        ddy = np.multiply(ddy, rstd, out=ddy)
        return d2x, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(rstd_rows,),
        into=(dx_out, ddy_out),
    )
