# Made by lngen 0.1.0 from the definition of logsumexp.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
# Evidence: 1 output, 15 steps, 13 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""The logarithm of a row's sum of exponentials, one number a row. The outputs and the gradients.

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime import blocks as _blocks
from .._runtime import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    (x_rows,) = values
    y_out, row_max_out, sum_exp_out = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, row_max_block, sum_exp_block, y_block, buffers):
        # step 1: row_max = max(x)
        row_max = _rows.shift(x, out=row_max_block)
        # step 2: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 4: sum_exp = sum(exp_shifted)
        sum_exp = _rows.row_sum(exp_shifted, ones, out=sum_exp_block)
        # step 5: log_sum_exp = log(sum_exp)
        log_sum_exp = np.log(sum_exp, out=y_block)
        # step 6: y = log_sum_exp + row_max
        np.add(log_sum_exp, row_max, out=y_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows,),
        writes=(row_max_out, sum_exp_out, y_out),
        buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, row_max_rows, sum_exp_rows = fields
    (dx_out,) = results

    def block(x, dy, row_max, sum_exp, dx_block, row_scalars):
        # step 13: sum_exp_scaled = dy/sum_exp
        sum_exp_scaled = np.divide(dy, sum_exp, out=row_scalars[0])
        # step 2: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 13: dx = exp_shifted*sum_exp_scaled
        np.multiply(exp_shifted, sum_exp_scaled, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, row_max_rows, sum_exp_rows),
        writes=(dx_out,),
        row_scalars=1,
    )


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    (x,) = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
    # step 1: row_max = max(x)
    row_max = _rows.shift(x)
    # step 2: x_shifted = x - row_max
    x_shifted = x - row_max
    # step 3: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted, out=x_shifted)
    # step 4: sum_exp = sum(exp_shifted)
    sum_exp = vecdot(exp_shifted, ones)[..., np.newaxis]
    # step 5: log_sum_exp = log(sum_exp)
    log_sum_exp = np.log(sum_exp)
    # step 6: y = log_sum_exp + row_max
    y = log_sum_exp + row_max
    row_max = row_max[..., 0]
    sum_exp = sum_exp[..., 0]
    y = y[..., 0]
    return y, row_max, sum_exp


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy_rows,) = arguments
    _, _, _, x, row_max_rows, sum_exp_rows = saved
    dy = dy_rows[..., np.newaxis]
    row_max = row_max_rows[..., np.newaxis]
    sum_exp = sum_exp_rows[..., np.newaxis]
    # step 13: sum_exp_scaled = dy/sum_exp
    sum_exp_scaled = dy / sum_exp
    # step 2: x_shifted = x - row_max
    x_shifted = x - row_max
    # step 3: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted, out=x_shifted)
    # step 13: dx = exp_shifted*sum_exp_scaled
    dx = np.multiply(exp_shifted, sum_exp_scaled, out=exp_shifted)
    return (dx,)
