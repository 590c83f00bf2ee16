# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query. The outputs and the gradients.

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
    x_rows, position_rows, scale = values
    y_out, m_out, inv_sum_e_shifted_out = results
    shape, dtype, _ = call
    features = shape[-1]
    # -1e38
    constant_1 = dtype.type("-100000000000000000000000000000000000000")
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    # step 1: m = max(where(index() <= position, x*scale, -1e38))
    index = np.arange(features)

    def block(x, position, y_block=None, buffers=(None,)):
        # step 1: m = max(where(index() <= position, x*scale, -1e38))
        mask = index <= position
        if scale is not None:
            part = np.multiply(x, scale, out=y_block)
        else:
            part = x
        part_2 = _rows.select(
            mask, part, constant_1, out=_rows.memory(buffers[0], shape, dtype)
        )
        m = _rows.shift(part_2)
        # step 2: u = where(index() <= position, x*scale - m, 0)
        u = np.subtract(part, m, out=y_block)
        u = _rows.select(mask, u, 0.0, out=u)
        # step 3: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 4: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(mask, exp_u, 0.0, out=exp_u)
        # step 5: sum_e_shifted = sum(e_shifted)
        sum_e_shifted = _rows.row_sum(e_shifted, ones)
        # step 6: inv_sum_e_shifted = 1/sum_e_shifted
        inv_sum_e_shifted = np.reciprocal(sum_e_shifted)
        # step 7: y = e_shifted*inv_sum_e_shifted
        y = np.multiply(e_shifted, inv_sum_e_shifted, out=e_shifted)
        return y, m[..., 0], inv_sum_e_shifted[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(position_rows,),
        into=(y_out,),
        into_row_scalars=(m_out, inv_sum_e_shifted_out),
        buffers=1,
    )


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, position_rows, scale, m_rows, inv_sum_e_shifted_rows = fields
    dx_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    # step 2: u = where(index() <= position, x*scale - m, 0)
    index = np.arange(features)

    def block(x, dy, position, m, inv_sum_e_shifted, dx_block=None, buffers=(None,)):
        dscale = None
        # step 2: u = where(index() <= position, x*scale - m, 0)
        mask = index <= position
        if scale is not None:
            u = np.multiply(x, scale, out=dx_block)
        else:
            u = x
        u = np.subtract(u, m, out=dx_block)
        u = _rows.select(mask, u, 0.0, out=u)
        # step 3: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 4: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(
            mask, exp_u, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        # step 17, pass 1: sum_dy_y_unscaled = sum(dy*e_shifted)
        sum_dy_y_unscaled = _rows.row_sum(dy, e_shifted)
        # step 17, pass 2: sum_dy_y = inv_sum_e_shifted*sum_dy_y_unscaled
        sum_dy_y = inv_sum_e_shifted * sum_dy_y_unscaled
        # step 17: du = where(index() <= position, (dy -
        #   sum_dy_y)*exp_u*inv_sum_e_shifted, 0)
        du = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffers[0])
        du = np.multiply(du, exp_u, out=exp_u)
        du = np.multiply(du, inv_sum_e_shifted, out=du)
        du = _rows.select(mask, du, 0.0, out=du)
        # step 19: sum_du_index_x = sum(where(index() <= position, du*x, 0))
        if scale is not None:
            part = np.multiply(du, x, out=buffers[0])
            part = _rows.select(mask, part, 0.0, out=part)
            sum_du_index_x = _rows.row_sum(part, ones)
            # step 19: dscale = sum over rows of sum_du_index_x
            dscale = np.add.reduce(sum_du_index_x, axis=None)
            # step 18: dx = where(index() <= position, du*scale, 0)
            dx = np.multiply(du, scale, out=du)
        else:
            dx = du
        dx = _rows.select(mask, dx, 0.0, out=dx)
        return dx, dscale

    dx, dscale = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(dx_out,),
        buffers=1,
        sums=1,
    )
    if scale is not None:
        dscale = np.full((), dscale, dtype)
    return dx, dscale
