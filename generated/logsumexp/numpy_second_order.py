# Made by lngen 0.1.0 from the definition of logsumexp.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
# Evidence: exact 1 of 1, 50 digits 1 of 1, second derivation 1 of 1, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
# templates sha256:0c03a518bea7bdb46fd4373a87c5e764e4d56e1554d3a0b85a6cdfded06ada0d
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
    (dx_rows,) = arguments
    x_rows, row_max_rows, sum_exp_rows = fields
    (dy_out,) = results

    def block(x, dx, row_max, sum_exp, dy_block, buffers):
        # step 2: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 17: sum_dx_exp_shifted = sum(dx*exp_shifted)
        sum_dx_exp_shifted = _rows.row_sum(dx, exp_shifted, out=dy_block)
        # step 17: dy = sum_dx_exp_shifted/sum_exp
        np.divide(sum_dx_exp_shifted, sum_exp, out=dy_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dx_rows, row_max_rows, sum_exp_rows),
        writes=(dy_out,),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows = arguments
    x_rows, row_max_rows, sum_exp_rows = fields
    dx_out, ddy_out = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, dy, ddx, row_max, sum_exp, ddy_block, dx_block, buffers, row_scalars):
        # step 18: sum_exp_scaled = dy/sum_exp
        sum_exp_scaled = np.divide(dy, sum_exp, out=row_scalars[0])
        # step 25: sum_exp_shifted = 1/sum_exp
        sum_exp_shifted = np.reciprocal(sum_exp, out=ddy_block)
        # step 2: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 28: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted, out=row_scalars[1])
        # step 25: ddy = sum(ddx*exp_shifted*sum_exp_shifted)
        part = np.multiply(ddx, exp_shifted, out=buffers[0])
        part = np.multiply(part, sum_exp_shifted, out=buffers[0])
        _rows.row_sum(part, ones, out=ddy_block)
        # step 28: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/sum_exp
        sum_ddx_exp_shifted_scaled = np.divide(
            sum_ddx_exp_shifted, sum_exp, out=row_scalars[1]
        )
        # step 18: grad_x = exp_shifted*sum_exp_scaled
        grad_x = np.multiply(exp_shifted, sum_exp_scaled, out=dx_block)
        # step 28: dx = (ddx - sum_ddx_exp_shifted_scaled)*grad_x
        dx = _rows.by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=buffers[0])
        np.multiply(dx, grad_x, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, row_max_rows, sum_exp_rows),
        writes=(ddy_out, dx_out),
        buffers=1,
        row_scalars=2,
    )
