# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, slope_rows, position_rows = values
    y_out, m_out, inv_sum_e_shifted_out = results
    shape, dtype, _ = call
    features = shape[-1]
    # -1e38
    constant_1 = dtype.type("-100000000000000000000000000000000000000")
    ones = _rows.equal_weights(features, 1.0, dtype)
    # step 1: z = x + (index() - position)*slope
    index = np.arange(features)

    def block(x, slope, position, y_block=None, buffers=(None,)):
        # step 1: z = x + (index() - position)*slope
        part = index - position
        z = _rows.filled(part, y_block, shape, dtype)
        z = np.multiply(z, slope, out=z)
        z = np.add(x, z, out=z)
        # step 2: m = max(where(index() <= position, z, -1e38))
        mask = index <= position
        part_2 = _rows.select(
            mask, z, constant_1, out=_rows.memory(buffers[0], shape, dtype)
        )
        m = _rows.shift(part_2)
        # step 3: x_shifted = z - m
        x_shifted = np.subtract(z, m, out=z)
        # step 4: u = where(index() <= position, x_shifted, 0)
        u = _rows.select(mask, x_shifted, 0.0, out=x_shifted)
        # step 5: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 6: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(mask, exp_u, 0.0, out=exp_u)
        # step 7: sum_e_shifted = sum(e_shifted)
        sum_e_shifted = _rows.row_sum(e_shifted, ones)
        # step 8: inv_sum_e_shifted = 1/sum_e_shifted
        inv_sum_e_shifted = np.reciprocal(sum_e_shifted)
        # step 9: y = e_shifted*inv_sum_e_shifted
        y = np.multiply(e_shifted, inv_sum_e_shifted, out=e_shifted)
        return y, m[..., 0], inv_sum_e_shifted[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(slope_rows, position_rows),
        into=(y_out,),
        into_row_scalars=(m_out, inv_sum_e_shifted_out),
        buffers=1,
    )


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    # step 1: z = x + (index() - position)*slope
    index = np.arange(features)

    def block(
        x, dy, slope, position, m, inv_sum_e_shifted, dx_block=None, buffers=(None,)
    ):
        # step 1: z = x + (index() - position)*slope
        part = index - position
        z = _rows.filled(part, dx_block, shape, dtype)
        z = np.multiply(z, slope, out=z)
        z = np.add(x, z, out=z)
        # step 3: x_shifted = z - m
        x_shifted = np.subtract(z, m, out=z)
        # step 4: u = where(index() <= position, x_shifted, 0)
        mask = index <= position
        u = _rows.select(mask, x_shifted, 0.0, out=x_shifted)
        # step 5: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 6: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(
            mask, exp_u, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        # step 25, pass 1: sum_dy_y_unscaled = sum(dy*e_shifted)
        sum_dy_y_unscaled = _rows.row_sum(dy, e_shifted)
        # step 25, pass 2: sum_dy_y = inv_sum_e_shifted*sum_dy_y_unscaled
        sum_dy_y = inv_sum_e_shifted * sum_dy_y_unscaled
        # step 25: dx = where(index() <= position, (dy -
        #   sum_dy_y)*exp_u*inv_sum_e_shifted, 0)
        dx = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffers[0])
        dx = np.multiply(dx, exp_u, out=exp_u)
        dx = np.multiply(dx, inv_sum_e_shifted, out=dx)
        dx = _rows.select(mask, dx, 0.0, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(dx_out,),
        buffers=1,
    )
