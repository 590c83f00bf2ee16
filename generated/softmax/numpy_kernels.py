# Made by lngen 0.1.0 from the definition of softmax.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 4 flops per row element.
# Evidence: 1 output, 31 steps, 20 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Softmax over the feature axis. The outputs and the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    (x_rows,) = values
    (y_out,) = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, y_block, row_scalars):
        # step 1: m = max(x)
        m = _rows.shift(x, out=row_scalars[0])
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=y_block)
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=y_block)
        # step 4: Z = sum(e_shifted)
        Z = _rows.row_sum(e_shifted, ones, out=row_scalars[0])
        # step 5: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z, out=row_scalars[0])
        # step 6: y = e_shifted*inv_Z
        np.multiply(e_shifted, inv_Z, out=y_block)

    _blocks.each_block(block, call, reads=(x_rows,), writes=(y_out,), row_scalars=1)


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    (y_rows,) = fields
    (dx_out,) = results

    def block(y, dy, dx_block, row_scalars):
        # step 22: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_sum(dy, y, out=row_scalars[0])
        # step 22: dx = (dy - sum_dy_y)*y
        dx = _rows.by_row(np.subtract, dy, sum_dy_y, out=dx_block)
        np.multiply(dx, y, out=dx_block)

    _blocks.each_block(
        block, call, reads=(y_rows, dy_rows), writes=(dx_out,), row_scalars=1
    )


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    (x,) = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
    # step 1: m = max(x)
    m = _rows.shift(x)
    # step 2: x_shifted = x - m
    x_shifted = x - m
    # step 3: e_shifted = exp(x_shifted)
    e_shifted = np.exp(x_shifted, out=x_shifted)
    # step 4: Z = sum(e_shifted)
    Z = vecdot(e_shifted, ones)[..., np.newaxis]
    # step 5: inv_Z = 1/Z
    inv_Z = np.reciprocal(Z)
    # step 6: y = e_shifted*inv_Z
    y = np.multiply(e_shifted, inv_Z, out=e_shifted)
    return (y,)


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, _, _, y = saved
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    # step 22: sum_dy_y = sum(dy*y)
    sum_dy_y = vecdot(dy, y)[..., np.newaxis]
    # step 22: dx = (dy - sum_dy_y)*y
    dx = dy - sum_dy_y
    dx = np.multiply(dx, y, out=dx)
    return (dx,)
