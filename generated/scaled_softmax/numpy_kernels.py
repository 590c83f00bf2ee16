# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
"""Softmax with a learned inverse temperature. The outputs and the gradients.

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
    x_rows, scale = values
    y_out, m_out, inv_Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)

    def block(x, y_block=None):
        # step 1: m = max(x*scale)
        if scale is not None:
            part = np.multiply(x, scale, out=y_block)
        else:
            part = x
        m = _rows.shift(part)
        # step 2: u = x*scale - m
        u = np.subtract(part, m, out=y_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=u)
        # step 4: Z = sum(e_shifted)
        Z = _rows.row_sum(e_shifted, ones)
        # step 5: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=e_shifted)
        return y, m[..., 0], inv_Z[..., 0]

    return _blocks.each_block(
        block, call, rows=(x_rows,), into=(y_out,), into_row_scalars=(m_out, inv_Z_out)
    )


@np.errstate(under="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, scale, m_rows, inv_Z_rows = fields
    dx_out, _ = results
    _, dtype, _ = call
    if scale is not None:
        scale = np.asarray(scale, dtype)

    def block(x, dy, m, inv_Z, dx_block=None, buffers=(None,)):
        dscale = None
        # step 2: u = x*scale - m
        if scale is not None:
            u = np.multiply(x, scale, out=dx_block)
        else:
            u = x
        u = np.subtract(u, m, out=dx_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=u)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 14: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_sum(dy, y)
        # step 14: du = (dy - sum_dy_y)*y
        du = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffers[0])
        du = np.multiply(du, y, out=y)
        # step 18: sum_du_x = sum(du*x)
        if scale is not None:
            sum_du_x = _rows.row_sum(du, x)
            # step 18: dscale = sum over rows of sum_du_x
            dscale = np.add.reduce(sum_du_x, axis=None)
            # step 17: dx = du*scale
            dx = np.multiply(du, scale, out=du)
        else:
            dx = du
        return dx, dscale

    dx, dscale = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(m_rows, inv_Z_rows),
        into=(dx_out,),
        buffers=1,
        sums=1,
    )
    if scale is not None:
        dscale = np.full((), dscale, dtype)
    return dx, dscale
