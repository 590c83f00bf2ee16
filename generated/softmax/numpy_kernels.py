# Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
"""Softmax over the feature axis. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


@np.errstate(under="ignore")
def forward(values, results, call):
    """The outputs and the saved row scalars."""
    (x_rows,) = values
    (y_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, y_block=None):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=y_block)
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 4: Z = sum(e_shifted)
        Z = _rows.row_sum(e_shifted, ones)
        # step 5: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=e_shifted)
        return (y,)

    return _blocks.each_block(block, call, rows=(x_rows,), into=(y_out,))


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (y_rows,) = fields
    (dx_out,) = results

    def block(y, dy, dx_block=None):
        # step 18: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_sum(dy, y)
        # step 18: dx = (dy - sum_dy_y)*y
        dx = _rows.by_row(np.subtract, dy, sum_dy_y, out=dx_block)
        dx = np.multiply(dx, y, out=dx)
        return (dx,)

    return _blocks.each_block(block, call, rows=(y_rows, dy_rows), into=(dx_out,))
