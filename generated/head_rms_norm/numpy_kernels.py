# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
"""Root-mean-square normalization of queries or keys, with a weight for each head. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, weight_rows, eps = values
    y_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, weight, y_block=None):
        # step 1: ms = mean(x**2)
        ms = _rows.row_mean(x, x, D)
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: y = weight*xhat
        if weight_rows is not None:
            y = np.multiply(weight, xhat, out=xhat)
        else:
            y = xhat
        return y, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, weight_rows),
        into=(y_out,),
        into_row_scalars=(rstd_out,),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, weight_rows, rstd_rows = fields
    dx_out, dweight_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(x, weight, dy, rstd, dx_block=None, dweight_block=None, buffers=(None,)):
        dweight = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 5: g = dy*weight
        if weight_rows is not None:
            g = np.multiply(dy, weight, out=buffers[0])
        else:
            g = dy
        # step 11: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D)
        # step 12: dweight = dy*xhat
        if weight_rows is not None:
            dweight = np.multiply(dy, xhat, out=dweight_block)
        # step 11: dx = (g - xhat*mean_g_xhat)*rstd
        dx = np.multiply(xhat, mean_g_xhat, out=xhat)
        dx = np.subtract(g, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
        return dx, dweight

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, weight_rows, dy_rows),
        row_scalars=(rstd_rows,),
        into=(dx_out, dweight_out),
        buffers=1,
    )
