# Made by lngen 0.1.0 from the definition of l2_norm.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 3 flops per row element; backward 3 row tensors (2 read, 1 written), 6 flops per row element.
# Evidence: 1 output, 24 steps, 15 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Each row divided by its Euclidean length. The outputs and the gradients.

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
    x_rows, eps = values
    y_out, rstd_out = results

    def block(x, rstd_block, y_block):
        # step 1: sum_x2 = sum(x**2)
        sum_x2 = _rows.row_sum(x, x, out=rstd_block)
        # step 2: rstd = 1/sqrt(sum_x2 + eps)
        rstd = np.add(sum_x2, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 3: y = x*rstd
        _rows.by_row(np.multiply, x, rstd, out=y_block)

    _blocks.each_block(block, call, reads=(x_rows,), writes=(rstd_out, y_out))


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, rstd_rows = fields
    (dx_out,) = results

    def block(x, dy, rstd, dx_block, row_scalars):
        # step 10: sum_dy_y_unscaled = sum(dy*x)
        sum_dy_y_unscaled = _rows.row_sum(dy, x, out=row_scalars[0])
        # step 10: sum_dy_y = rstd*sum_dy_y_unscaled
        sum_dy_y = np.multiply(rstd, sum_dy_y_unscaled, out=row_scalars[0])
        # step 10: dx = (dy - x*rstd*sum_dy_y)*rstd
        part = np.multiply(rstd, sum_dy_y, out=row_scalars[0])
        dx = _rows.by_row(np.multiply, x, part, out=dx_block)
        dx = np.subtract(dy, dx, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    _blocks.each_block(
        block, call, reads=(x_rows, dy_rows, rstd_rows), writes=(dx_out,), row_scalars=1
    )


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, eps = values
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    eps = np.asarray(eps, dtype)
    # step 1: sum_x2 = sum(x**2)
    sum_x2 = vecdot(x, x)[..., np.newaxis]
    # step 2: rstd = 1/sqrt(sum_x2 + eps)
    rstd = sum_x2 + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 3: y = x*rstd
    y = x * rstd
    rstd = rstd[..., 0]
    return y, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, _, _, x, rstd_rows = saved
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    rstd = rstd_rows[..., np.newaxis]
    # step 10: sum_dy_y_unscaled = sum(dy*x)
    sum_dy_y_unscaled = vecdot(dy, x)[..., np.newaxis]
    # step 10: sum_dy_y = rstd*sum_dy_y_unscaled
    sum_dy_y = rstd * sum_dy_y_unscaled
    # step 10: dx = (dy - x*rstd*sum_dy_y)*rstd
    part = rstd * sum_dy_y
    dx = x * part
    dx = np.subtract(dy, dx, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    return (dx,)
