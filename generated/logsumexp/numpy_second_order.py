# Made by lngen 0.1.0 from the definition of logsumexp.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
# Evidence: 1 output, 15 steps, 13 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""The logarithm of a row's sum of exponentials, one number a row. The tangents, and the gradients of the gradients.

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime import blocks as _blocks
from .._runtime import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs, written to their arrays."""
    (x_dot_rows,) = arguments
    x_rows, row_max_rows, sum_exp_rows = fields
    (y_dot_out,) = results

    def block(x, x_dot, row_max, sum_exp, y_dot_block, buffers):
        # step 2: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 21: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot, out=y_dot_block)
        # step 21: y_dot = sum_exp_shifted_x_dot/sum_exp
        np.divide(sum_exp_shifted_x_dot, sum_exp, out=y_dot_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, x_dot_rows, row_max_rows, sum_exp_rows),
        writes=(y_dot_out,),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows = arguments
    x_rows, row_max_rows, sum_exp_rows = fields
    dx_out, ddy_out = results

    def block(x, dy, ddx, row_max, sum_exp, ddy_block, dx_block, buffers, row_scalars):
        # step 36: sum_exp_scaled = dy/sum_exp
        sum_exp_scaled = np.divide(dy, sum_exp, out=row_scalars[0])
        # step 2: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 34: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted, out=ddy_block)
        # step 34: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/sum_exp
        sum_ddx_exp_shifted_scaled = np.divide(
            sum_ddx_exp_shifted, sum_exp, out=ddy_block
        )
        # step 36: dx = exp_shifted*sum_exp_scaled
        dx = np.multiply(exp_shifted, sum_exp_scaled, out=dx_block)
        # step 34: d2x = (ddx - sum_ddx_exp_shifted_scaled)*dx
        d2x = _rows.by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=buffers[0])
        np.multiply(d2x, dx, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, row_max_rows, sum_exp_rows),
        writes=(ddy_out, dx_out),
        buffers=1,
        row_scalars=1,
    )
