# Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
"""Rows of mean zero and unbiased variance one, without parameters. The tangents, and the gradients of the gradients.

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
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 22, pass 15: sum_x_dot_y_scaled = sum_x_dot_y/(D - 1)
    part = D - 1.0

    def block(x, x_dot, mu, mu_residual, rstd, y_dot_block=None, buffers=(None,)):
        # step 22: mean_x_dot = mean(x_dot)
        mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 22, pass 13: sum_x_dot_y_unscaled = sum(x_centred*x_dot)
        sum_x_dot_y_unscaled = _rows.row_sum(x_centred, x_dot)
        # step 22, pass 14: sum_x_dot_y = rstd*sum_x_dot_y_unscaled
        sum_x_dot_y = rstd * sum_x_dot_y_unscaled
        # step 22, pass 15: sum_x_dot_y_scaled = sum_x_dot_y/(D - 1)
        sum_x_dot_y_scaled = sum_x_dot_y / part
        # step 22, pass 16: y_dot = (x_dot - mean_x_dot -
        #   x_centred*rstd*sum_x_dot_y_scaled)*rstd
        y_dot = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[0])
        part_2 = np.multiply(x_centred, rstd * sum_x_dot_y_scaled, out=x_centred)
        y_dot = np.subtract(y_dot, part_2, out=part_2)
        y_dot = np.multiply(y_dot, rstd, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(y_dot_out,),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 36, pass 18: rstd_scaled = rstd**2*D/(D - 1)
    part = D - 1.0
    part_2 = D / part
    # step 36, pass 23: mean_dy_y_scaled = 3*mean_dy_y*D/(D - 1)
    part_3 = 3.0 * D / part

    def block(
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 2,
    ):
        # step 36, pass 18: rstd_scaled = rstd**2*D/(D - 1)
        rstd_scaled = np.square(rstd) * part_2
        # step 23: mean_dy = mean(dy)
        mean_dy = _rows.row_sum(dy, one_over_D)
        # step 36: mean_ddx = mean(ddx)
        mean_ddx = _rows.row_sum(ddx, one_over_D)
        # step 36: mean_ddx_dy = mean(ddx*dy)
        mean_ddx_dy = _rows.row_mean(ddx, dy, D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 24, pass 19: mean_dy_y_unscaled = mean(dy*x_centred)
        mean_dy_y_unscaled = _rows.row_mean(dy, x_centred, D)
        # step 36, pass 20: mean_ddx_y_unscaled = mean(ddx*x_centred)
        mean_ddx_y_unscaled = _rows.row_mean(ddx, x_centred, D)
        # step 24, pass 21: mean_dy_y = mean_dy_y_unscaled*rstd
        mean_dy_y = mean_dy_y_unscaled * rstd
        # step 36, pass 22: mean_ddx_y = mean_ddx_y_unscaled*rstd
        mean_ddx_y = mean_ddx_y_unscaled * rstd
        # step 36, pass 23: mean_dy_y_scaled = 3*mean_dy_y*D/(D - 1)
        mean_dy_y_scaled = mean_dy_y * part_3
        # step 36, pass 24: mean_ddx_scaled = mean_ddx*mean_dy
        mean_ddx_scaled = mean_ddx * mean_dy
        # step 42, pass 25: sum_ddx_y = mean_ddx_y*D
        sum_ddx_y = mean_ddx_y * D
        # step 42, pass 26: sum_ddx_y_scaled = sum_ddx_y/(D - 1)
        sum_ddx_y_scaled = sum_ddx_y / part
        # step 36, pass 27: d2x = (x_centred*mean_ddx_scaled*rstd +
        #   (x_centred*mean_dy_y_scaled*rstd + mean_dy - dy)*mean_ddx_y -
        #   x_centred*mean_ddx_dy*rstd - (ddx - mean_ddx)*mean_dy_y)*rstd_scaled
        d2x = _rows.by_row(np.multiply, x_centred, mean_ddx_scaled * rstd, out=dx_block)
        part_4 = _rows.by_row(
            np.multiply, x_centred, mean_dy_y_scaled * rstd, out=buffers[0]
        )
        part_4 = np.add(part_4, mean_dy, out=part_4)
        part_4 = np.subtract(part_4, dy, out=part_4)
        part_4 = np.multiply(part_4, mean_ddx_y, out=part_4)
        d2x = np.add(d2x, part_4, out=d2x)
        part_5 = _rows.by_row(
            np.multiply, x_centred, mean_ddx_dy * rstd, out=buffers[0]
        )
        d2x = np.subtract(d2x, part_5, out=d2x)
        part_6 = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[0])
        part_7 = _rows.by_row(np.multiply, part_6, mean_dy_y, out=buffers[1])
        d2x = np.subtract(d2x, part_7, out=d2x)
        d2x = np.multiply(d2x, rstd_scaled, out=d2x)
        # step 42, pass 28: ddy = (ddx - mean_ddx -
        #   x_centred*rstd*sum_ddx_y_scaled)*rstd
        ddy = np.multiply(x_centred, rstd * sum_ddx_y_scaled, out=x_centred)
        ddy = np.subtract(part_6, ddy, out=ddy)
        ddy = np.multiply(ddy, rstd, out=ddy)
        return d2x, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, ddy_out),
        buffers=2,
    )
