# Made by lngen 0.1.0 from the definition of logsumexp.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
# Evidence: 1 output, 21 steps, 15 first lines, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""The logarithm of a row's sum of exponentials, one number a row. The tangents, and the gradients of the gradients.

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
    x_rows, m_rows, Z_rows = fields
    (y_dot_out,) = results

    def block(x, x_dot, m, Z, y_dot_block, buffers):
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 28: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot, out=y_dot_block)
        # step 28: y_dot = sum_exp_shifted_x_dot/Z
        np.divide(sum_exp_shifted_x_dot, Z, out=y_dot_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, x_dot_rows, m_rows, Z_rows),
        writes=(y_dot_out,),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows = arguments
    x_rows, m_rows, Z_rows = fields
    dx_out, ddy_out = results

    def block(x, dy, ddx, m, Z, ddy_block, dx_block, buffers, row_scalars):
        # step 31: dy_scaled = dy/Z
        dy_scaled = np.divide(dy, Z, out=row_scalars[0])
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 42: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted, out=ddy_block)
        # step 42: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z
        sum_ddx_exp_shifted_scaled = np.divide(sum_ddx_exp_shifted, Z, out=ddy_block)
        # step 31: dx = exp_shifted*dy_scaled
        dx = np.multiply(exp_shifted, dy_scaled, out=dx_block)
        # step 42: d2x = (ddx - sum_ddx_exp_shifted_scaled)*dx
        d2x = _rows.by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=buffers[0])
        np.multiply(d2x, dx, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, m_rows, Z_rows),
        writes=(ddy_out, dx_out),
        buffers=1,
        row_scalars=1,
    )
