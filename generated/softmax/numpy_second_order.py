# Made by lngen 0.1.0 from the definition of softmax.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 4 flops per row element.
# Evidence: 1 output, 31 steps, 20 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Softmax over the feature axis. The tangents, and the gradients of the gradients.

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
    (y_rows,) = fields
    (y_dot_out,) = results

    def block(y, x_dot, y_dot_block, row_scalars):
        # step 31: sum_x_dot_y = sum(x_dot*y)
        sum_x_dot_y = _rows.row_sum(x_dot, y, out=row_scalars[0])
        # step 31: y_dot = (x_dot - sum_x_dot_y)*y
        y_dot = _rows.by_row(np.subtract, x_dot, sum_x_dot_y, out=y_dot_block)
        np.multiply(y_dot, y, out=y_dot_block)

    _blocks.each_block(
        block, call, reads=(y_rows, x_dot_rows), writes=(y_dot_out,), row_scalars=1
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows = arguments
    (y_rows,) = fields
    dx_out, ddy_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)

    def block(y, dy, ddx, ddy_block, dx_block, buffers, row_scalars):
        # step 32: mean_dy_y = mean(dy*y)
        mean_dy_y = _rows.row_mean(dy, y, D, out=row_scalars[0])
        # step 51: mean_ddx_y = mean(ddx*y)
        mean_ddx_y = _rows.row_mean(ddx, y, D, out=row_scalars[1])
        # step 57: sum_ddx_y = sum(ddx*y)
        sum_ddx_y = _rows.row_sum(ddx, y, out=row_scalars[2])
        # step 34: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = np.multiply(mean_dy_y, D, out=row_scalars[0])
        # step 34: d2y_part = (dy - mean_dy_y_scaled)*ddx
        d2y_part = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=ddy_block)
        d2y_part = np.multiply(d2y_part, ddx, out=dx_block)
        # step 51: mean_d2y_part_y = mean(d2y_part*y)
        mean_d2y_part_y = _rows.row_mean(d2y_part, y, D, out=row_scalars[3])
        # step 57: ddy = (ddx - sum_ddx_y)*y
        ddy = _rows.by_row(np.subtract, ddx, sum_ddx_y, out=ddy_block)
        np.multiply(ddy, y, out=ddy_block)
        # step 51: d2x = (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddx_y -
        #   mean_d2y_part_y)*D)*y
        d2x = np.subtract(mean_dy_y_scaled, dy, out=buffers[0])
        d2x = np.multiply(d2x, mean_ddx_y, out=buffers[0])
        d2x = np.subtract(d2x, mean_d2y_part_y, out=buffers[0])
        d2x = np.multiply(d2x, D, out=buffers[0])
        d2x = np.add(d2y_part, d2x, out=dx_block)
        np.multiply(d2x, y, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(y_rows, dy_rows, ddx_rows),
        writes=(ddy_out, dx_out),
        buffers=1,
        row_scalars=4,
    )
