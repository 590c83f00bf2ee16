# Made by lngen 0.1.0 from the definition of ada_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
"""Layer normalization with a scale and a shift for each sample. The outputs and the gradients.

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
    x_rows, scale_rows, shift_rows, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, scale, shift, y_block=None, buffers=(None,)):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_mean(x_shifted, x_shifted, D)
        # step 2, pass 2: mu_residual = mean(x_shifted)
        mu_residual = _rows.residual(x_shifted, mu, var, D, far_from, one_over_D)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 6: y = shift + (scale + 1)*xhat
        if scale_rows is not None:
            y = np.add(scale, 1.0, out=buffers[0])
            y = np.multiply(y, xhat, out=xhat)
        else:
            y = xhat
        if shift_rows is not None:
            y = np.add(shift, y, out=y)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, scale_rows, shift_rows),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
        buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, scale_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dscale_out, dshift_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        scale,
        dy,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        dscale_block=None,
        dshift_block=None,
        buffers=(None,),
    ):
        dscale = dshift = None
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 7: g = dy*(scale + 1)
        if scale_rows is not None:
            g = np.add(scale, 1.0, out=dscale_block)
            g = np.multiply(dy, g, out=buffers[0])
        else:
            g = dy
        # step 17: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D)
        # step 17: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D)
        # step 18: dscale = dy*xhat
        if scale_rows is not None:
            dscale = np.multiply(dy, xhat, out=dscale_block)
        # step 17: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part = np.multiply(xhat, mean_g_xhat, out=xhat)
        dx = np.subtract(dx, part, out=part)
        dx = np.multiply(dx, rstd, out=dx)
        if dshift_out is not None:
            dshift = _rows.filled(dy, dshift_block, shape, dtype)
        return dx, dscale, dshift

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, scale_rows, dy_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, dscale_out, dshift_out),
        buffers=1,
    )
