# Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
# definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
"""Layer normalization over two axes, with a scale and a shift for every place. The outputs and the gradients.

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
    x_rows, gamma, beta, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma_wide, beta_wide, y_block=None):
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
        # step 6: y = xhat*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        features=(gamma, beta),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, _, dbeta_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 17, pass 8: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(x, dy, mu, mu_residual, rstd, gamma_wide, dx_block=None, buffers=(None,)):
        dgamma = dbeta = None
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 18, pass 10: dgamma = sum over rows of dy*x_centred*rstd
        if gamma is not None:
            part = np.multiply(dy, x_centred, out=buffers[0])
            dgamma = _rows.sum_rows(part, rstd)
            # step 17, pass 8: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D)
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x_centred, D)
        # step 7: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[0])
        else:
            g = dy
        # step 17: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D)
        # step 17, pass 9: mean_g_xhat = mean_g_xhat_unscaled*rstd
        mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 17, pass 11: dx = (g - mean_g - x_centred*mean_g_xhat*rstd)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part_2 = np.multiply(x_centred, mean_g_xhat * rstd, out=x_centred)
        dx = np.subtract(dx, part_2, out=part_2)
        dx = np.multiply(dx, rstd, out=dx)
        # step 19: dbeta = sum over rows of dy
        if dbeta_out is not None:
            dbeta = _rows.sum_rows(dy)
        return dx, dgamma, dbeta

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma,),
        into=(dx_out,),
        buffers=1,
        feature_sums=2,
    )
