# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
"""Root-mean-square normalization with a weight that is learned as its distance from one. The outputs and the gradients.

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
    x_rows, w, eps = values
    y_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 4, pass 1: w_shifted = w + 1
    if w is not None:
        w_shifted = w + 1.0
    else:
        w_shifted = None

    def block(x, w_shifted_wide, y_block=None):
        # step 1: ms = mean(x**2)
        ms = _rows.row_mean(x, x, D)
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4, pass 2: y = xhat*w_shifted
        if w is not None:
            y = _rows.by_feature(np.multiply, xhat, w_shifted_wide, out=xhat)
        else:
            y = xhat
        return y, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        features=(w_shifted,),
        into=(y_out,),
        into_row_scalars=(rstd_out,),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, w, rstd_rows = fields
    dx_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    # step 5, pass 3: w_shifted_2 = w + 1
    if w is not None:
        w_shifted_2 = w + 1.0
        # step 11, pass 5: mean_g_xhat_unscaled = mean(dy*x*w_shifted_2)
        w_shifted_2_over_D = w_shifted_2 / D
    else:
        w_shifted_2 = None

    def block(x, dy, rstd, w_shifted_2_wide, dx_block=None, buffers=(None,)):
        dw = None
        # step 12, pass 7: dw = sum over rows of dy*x*rstd
        if w is not None:
            part = np.multiply(dy, x, out=dx_block)
            dw = _rows.sum_rows(part, rstd)
            # step 11, pass 5: mean_g_xhat_unscaled = mean(dy*x*w_shifted_2)
            mean_g_xhat_unscaled = _rows.row_sum(part, w_shifted_2_over_D)
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x, D)
        # step 5, pass 4: g = dy*w_shifted_2
        if w is not None:
            g = _rows.by_feature(np.multiply, dy, w_shifted_2_wide, out=dx_block)
        else:
            g = dy
        # step 11, pass 6: mean_g_xhat = mean_g_xhat_unscaled*rstd
        mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 11, pass 8: dx = (g - x*mean_g_xhat*rstd)*rstd
        dx = _rows.by_row(np.multiply, x, mean_g_xhat * rstd, out=buffers[0])
        dx = np.subtract(g, dx, out=dx_block)
        dx = np.multiply(dx, rstd, out=dx)
        return dx, dw

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(rstd_rows,),
        features=(w_shifted_2,),
        into=(dx_out,),
        buffers=1,
        feature_sums=1,
    )
