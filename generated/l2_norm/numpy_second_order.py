# Made by lngen 0.1.0 from the definition of l2_norm.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 3 flops per row element; backward 3 row tensors (2 read, 1 written), 6 flops per row element.
# Evidence: 1 output, 24 steps, 15 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Each row divided by its Euclidean length. The tangents, and the gradients of the gradients.

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
    x_rows, rstd_rows = fields
    (y_dot_out,) = results

    def block(x, x_dot, rstd, y_dot_block, row_scalars):
        # step 18: sum_x_dot_y_unscaled = sum(x*x_dot)
        sum_x_dot_y_unscaled = _rows.row_sum(x, x_dot, out=row_scalars[0])
        # step 18: sum_x_dot_y = rstd*sum_x_dot_y_unscaled
        sum_x_dot_y = np.multiply(rstd, sum_x_dot_y_unscaled, out=row_scalars[0])
        # step 18: y_dot = (x_dot - x*rstd*sum_x_dot_y)*rstd
        part = np.multiply(rstd, sum_x_dot_y, out=row_scalars[0])
        y_dot = _rows.by_row(np.multiply, x, part, out=y_dot_block)
        y_dot = np.subtract(x_dot, y_dot, out=y_dot_block)
        np.multiply(y_dot, rstd, out=y_dot_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, x_dot_rows, rstd_rows),
        writes=(y_dot_out,),
        row_scalars=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows = arguments
    x_rows, rstd_rows = fields
    dx_out, ddy_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    # step 36: mean_dy_y_scaled = 3*mean_dy_y*D
    part = np.multiply(3.0, D)

    def block(x, dy, ddx, rstd, dx_block, ddy_block, row_scalars):
        # step 36: rstd_scaled = rstd**2*D
        rstd_scaled = np.square(rstd, out=row_scalars[0])
        rstd_scaled = np.multiply(rstd_scaled, D, out=row_scalars[0])
        # step 19: mean_dy_y_unscaled = mean(dy*x)
        mean_dy_y_unscaled = _rows.row_mean(dy, x, D, out=row_scalars[1])
        # step 36: mean_ddx_y_unscaled = mean(ddx*x)
        mean_ddx_y_unscaled = _rows.row_mean(ddx, x, D, out=row_scalars[2])
        # step 36: mean_ddx_dy = mean(ddx*dy)
        mean_ddx_dy = _rows.row_mean(ddx, dy, D, out=row_scalars[3])
        # step 42: sum_ddx_y_unscaled = sum(ddx*x)
        sum_ddx_y_unscaled = _rows.row_sum(ddx, x, out=row_scalars[4])
        # step 19: mean_dy_y = mean_dy_y_unscaled*rstd
        mean_dy_y = np.multiply(mean_dy_y_unscaled, rstd, out=row_scalars[1])
        # step 36: mean_ddx_y = mean_ddx_y_unscaled*rstd
        mean_ddx_y = np.multiply(mean_ddx_y_unscaled, rstd, out=row_scalars[2])
        # step 42: sum_ddx_y = rstd*sum_ddx_y_unscaled
        sum_ddx_y = np.multiply(rstd, sum_ddx_y_unscaled, out=row_scalars[4])
        # step 36: mean_dy_y_scaled = 3*mean_dy_y*D
        mean_dy_y_scaled = np.multiply(mean_dy_y, part, out=row_scalars[5])
        # step 36: d2x = ((x*mean_dy_y_scaled*rstd - dy)*mean_ddx_y - ddx*mean_dy_y -
        #   x*mean_ddx_dy*rstd)*rstd_scaled
        part_2 = np.multiply(mean_dy_y_scaled, rstd, out=row_scalars[5])
        d2x = _rows.by_row(np.multiply, x, part_2, out=dx_block)
        d2x = np.subtract(d2x, dy, out=dx_block)
        d2x = np.multiply(d2x, mean_ddx_y, out=dx_block)
        part_3 = _rows.by_row(np.multiply, ddx, mean_dy_y, out=ddy_block)
        d2x = np.subtract(d2x, part_3, out=dx_block)
        part_4 = np.multiply(mean_ddx_dy, rstd, out=row_scalars[1])
        part_5 = _rows.by_row(np.multiply, x, part_4, out=ddy_block)
        d2x = np.subtract(d2x, part_5, out=dx_block)
        np.multiply(d2x, rstd_scaled, out=dx_block)
        # step 42: ddy = (ddx - x*rstd*sum_ddx_y)*rstd
        part_6 = np.multiply(rstd, sum_ddx_y, out=row_scalars[0])
        ddy = _rows.by_row(np.multiply, x, part_6, out=ddy_block)
        ddy = np.subtract(ddx, ddy, out=ddy_block)
        np.multiply(ddy, rstd, out=ddy_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, rstd_rows),
        writes=(dx_out, ddy_out),
        row_scalars=6,
    )
