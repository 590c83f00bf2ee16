# Made by lngen 0.1.0 from the definition of log_softmax.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 5 flops per row element.
# Evidence: 1 output, 17 steps, 17 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""The logarithm of softmax over the feature axis. The tangents, and the gradients of the gradients.

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

    def block(x, x_dot, row_max, sum_exp, y_dot_block, row_scalars):
        # step 2: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=y_dot_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=y_dot_block)
        # step 27: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot, out=row_scalars[0])
        # step 27: log_sum_exp_dot = sum_exp_shifted_x_dot/sum_exp
        log_sum_exp_dot = np.divide(sum_exp_shifted_x_dot, sum_exp, out=row_scalars[0])
        # step 24: y_dot = x_dot - log_sum_exp_dot
        _rows.by_row(np.subtract, x_dot, log_sum_exp_dot, out=y_dot_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, x_dot_rows, row_max_rows, sum_exp_rows),
        writes=(y_dot_out,),
        row_scalars=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows = arguments
    x_rows, row_max_rows, sum_exp_rows = fields
    dx_out, ddy_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(x, dy, ddx, row_max, sum_exp, dx_block, ddy_block, row_scalars):
        # step 28: mean_dy = mean(dy)
        mean_dy = _rows.row_sum(dy, one_over_D, out=row_scalars[0])
        # step 2: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 42: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted, out=row_scalars[1])
        # step 42: sum_exp_scaled = mean_dy*D/sum_exp
        sum_exp_scaled = np.multiply(mean_dy, D, out=row_scalars[0])
        sum_exp_scaled = np.divide(sum_exp_scaled, sum_exp, out=row_scalars[0])
        # step 42: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/sum_exp
        sum_ddx_exp_shifted_scaled = np.divide(
            sum_ddx_exp_shifted, sum_exp, out=row_scalars[1]
        )
        # step 42: d2x = exp_shifted*(sum_ddx_exp_shifted_scaled - ddx)*sum_exp_scaled
        d2x = np.subtract(sum_ddx_exp_shifted_scaled, ddx, out=ddy_block)
        d2x = np.multiply(exp_shifted, d2x, out=dx_block)
        np.multiply(d2x, sum_exp_scaled, out=dx_block)
        # step 43: ddy = ddx - sum_ddx_exp_shifted_scaled
        _rows.by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=ddy_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, row_max_rows, sum_exp_rows),
        writes=(dx_out, ddy_out),
        row_scalars=2,
    )
