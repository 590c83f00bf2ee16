# Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
"""Each row divided by its mean fourth power, to the power 1/4. The outputs and the gradients.

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
    x_rows, gamma, eps = values
    y_out, scale_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma_wide, y_block=None):
        # step 1: mean_x4 = mean(x**4)
        part = np.square(x, out=y_block)
        mean_x4 = _rows.row_mean(part, part, D)
        # step 2: scale = 1/(mean_x4 + eps)**(1/4)
        scale = np.reciprocal(np.power(mean_x4 + eps, 0.25))
        # step 3: xhat = x*scale
        xhat = _rows.by_row(np.multiply, x, scale, out=y_block)
        # step 4: y = xhat*gamma
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        return y, scale[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        features=(gamma,),
        into=(y_out,),
        into_row_scalars=(scale_out,),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, scale_rows = fields
    dx_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    # step 11, pass 1: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(x, dy, scale, gamma_wide, dx_block=None, buffers=(None,)):
        dgamma = None
        # step 12, pass 3: dgamma = sum over rows of dy*x*scale
        if gamma is not None:
            part = np.multiply(dy, x, out=dx_block)
            dgamma = _rows.sum_rows(part, scale)
            # step 11, pass 1: mean_g_xhat_unscaled = mean(dy*x*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D)
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x, D)
        # step 5: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 11, pass 2: mean_g_xhat = mean_g_xhat_unscaled*scale
        mean_g_xhat = mean_g_xhat_unscaled * scale
        # step 11, pass 4: dx = (g - x**3*mean_g_xhat*scale**3)*scale
        dx = np.square(x, out=buffers[0])
        dx = np.multiply(dx, x, out=dx)
        dx = np.multiply(dx, mean_g_xhat * (np.square(scale) * scale), out=dx)
        dx = np.subtract(g, dx, out=dx_block)
        dx = np.multiply(dx, scale, out=dx)
        return dx, dgamma

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(scale_rows,),
        features=(gamma,),
        into=(dx_out,),
        buffers=1,
        feature_sums=1,
    )
