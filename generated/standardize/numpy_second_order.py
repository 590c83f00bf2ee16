# Made by lngen 0.1.0 from the definition of standardize.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 10 flops per row element.
# Evidence: 1 output, 35 steps, 23 first lines, 2 identities, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4, 5; derivation.md says of what.
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Rows of mean zero and unbiased variance one, without parameters. The tangents, and the gradients of the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs, written to their arrays."""
    (x_dot_rows,) = arguments
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 31: sum_x_dot_y_scaled = sum_x_dot_y/(D - 1)
    part = np.subtract(D, 1.0)

    def block(x, x_dot, mu, mu_residual, rstd, y_dot_block, buffers, row_scalars):
        # step 31: mean_x_dot = mean(x_dot)
        mean_x_dot = _rows.row_sum(x_dot, one_over_D, out=row_scalars[0])
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 31: sum_x_dot_y_unscaled = sum(x_centred*x_dot)
        sum_x_dot_y_unscaled = _rows.row_sum(x_centred, x_dot, out=row_scalars[1])
        # step 31: sum_x_dot_y = rstd*sum_x_dot_y_unscaled
        sum_x_dot_y = np.multiply(rstd, sum_x_dot_y_unscaled, out=row_scalars[1])
        # step 31: sum_x_dot_y_scaled = sum_x_dot_y/(D - 1)
        sum_x_dot_y_scaled = np.divide(sum_x_dot_y, part, out=row_scalars[1])
        # step 31: y_dot = (x_dot - mean_x_dot - x_centred*rstd*sum_x_dot_y_scaled)*rstd
        y_dot = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[0])
        part_2 = np.multiply(rstd, sum_x_dot_y_scaled, out=row_scalars[0])
        part_3 = np.multiply(x_centred, part_2, out=y_dot_block)
        y_dot = np.subtract(y_dot, part_3, out=y_dot_block)
        np.multiply(y_dot, rstd, out=y_dot_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, x_dot_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(y_dot_out,),
        buffers=1,
        row_scalars=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows = arguments
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, ddy_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 55: rstd_scaled = rstd**2*D/(D - 1)
    part = np.subtract(D, 1.0)
    part_2 = np.divide(D, part)
    # step 55: mean_dy_y_scaled = 3*mean_dy_y*D/(D - 1)
    part_3 = np.multiply(3.0, D)
    part_3 = np.divide(part_3, part)

    def block(
        x, dy, ddx, mu, mu_residual, rstd, dx_block, ddy_block, buffers, row_scalars
    ):
        # step 55: rstd_scaled = rstd**2*D/(D - 1)
        rstd_scaled = np.square(rstd, out=row_scalars[0])
        rstd_scaled = np.multiply(rstd_scaled, part_2, out=row_scalars[0])
        # step 32: mean_dy = mean(dy)
        mean_dy = _rows.row_sum(dy, one_over_D, out=row_scalars[1])
        # step 55: mean_ddx = mean(ddx)
        mean_ddx = _rows.row_sum(ddx, one_over_D, out=row_scalars[2])
        # step 55: mean_ddx_dy = mean(ddx*dy)
        mean_ddx_dy = _rows.row_mean(ddx, dy, D, out=row_scalars[3])
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 33: mean_dy_y_unscaled = mean(dy*x_centred)
        mean_dy_y_unscaled = _rows.row_mean(dy, x_centred, D, out=row_scalars[4])
        # step 55: mean_ddx_y_unscaled = mean(ddx*x_centred)
        mean_ddx_y_unscaled = _rows.row_mean(ddx, x_centred, D, out=row_scalars[5])
        # step 63: sum_ddx_y_unscaled = sum(ddx*x_centred)
        sum_ddx_y_unscaled = _rows.row_sum(ddx, x_centred, out=row_scalars[6])
        # step 33: mean_dy_y = mean_dy_y_unscaled*rstd
        mean_dy_y = np.multiply(mean_dy_y_unscaled, rstd, out=row_scalars[4])
        # step 55: mean_ddx_y = mean_ddx_y_unscaled*rstd
        mean_ddx_y = np.multiply(mean_ddx_y_unscaled, rstd, out=row_scalars[5])
        # step 63: sum_ddx_y = rstd*sum_ddx_y_unscaled
        sum_ddx_y = np.multiply(rstd, sum_ddx_y_unscaled, out=row_scalars[6])
        # step 55: mean_dy_y_scaled = 3*mean_dy_y*D/(D - 1)
        mean_dy_y_scaled = np.multiply(mean_dy_y, part_3, out=row_scalars[7])
        # step 55: mean_ddx_scaled = mean_ddx*mean_dy
        mean_ddx_scaled = np.multiply(mean_ddx, mean_dy, out=row_scalars[8])
        # step 63: sum_ddx_y_scaled = sum_ddx_y/(D - 1)
        sum_ddx_y_scaled = np.divide(sum_ddx_y, part, out=row_scalars[6])
        # step 55: d2x = (x_centred*mean_ddx_scaled*rstd +
        #   (x_centred*mean_dy_y_scaled*rstd + mean_dy - dy)*mean_ddx_y -
        #   x_centred*mean_ddx_dy*rstd - (ddx - mean_ddx)*mean_dy_y)*rstd_scaled
        part_4 = np.multiply(mean_ddx_scaled, rstd, out=row_scalars[8])
        d2x = _rows.by_row(np.multiply, x_centred, part_4, out=dx_block)
        part_5 = np.multiply(mean_dy_y_scaled, rstd, out=row_scalars[7])
        part_6 = _rows.by_row(np.multiply, x_centred, part_5, out=buffers[0])
        part_6 = np.add(part_6, mean_dy, out=buffers[0])
        part_6 = np.subtract(part_6, dy, out=buffers[0])
        part_6 = np.multiply(part_6, mean_ddx_y, out=buffers[0])
        d2x = np.add(d2x, part_6, out=dx_block)
        part_7 = np.multiply(mean_ddx_dy, rstd, out=row_scalars[1])
        part_8 = _rows.by_row(np.multiply, x_centred, part_7, out=buffers[0])
        d2x = np.subtract(d2x, part_8, out=dx_block)
        part_9 = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[0])
        part_10 = _rows.by_row(np.multiply, part_9, mean_dy_y, out=buffers[1])
        d2x = np.subtract(d2x, part_10, out=dx_block)
        np.multiply(d2x, rstd_scaled, out=dx_block)
        # step 63: ddy = (ddx - mean_ddx - x_centred*rstd*sum_ddx_y_scaled)*rstd
        part_11 = np.multiply(rstd, sum_ddx_y_scaled, out=row_scalars[0])
        ddy = np.multiply(x_centred, part_11, out=ddy_block)
        ddy = np.subtract(part_9, ddy, out=ddy_block)
        np.multiply(ddy, rstd, out=ddy_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(dx_out, ddy_out),
        buffers=2,
        row_scalars=9,
    )
