# Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
"""Centred rows divided by their mean absolute deviation. The outputs and the gradients.

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
    y_out, mu_out, mu_residual_out, scale_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma_wide, beta_wide, y_block=None, buffers=(None,)):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 2, pass 2: mu_residual = mean(x_shifted)
        mu_residual = _rows.row_sum(x_shifted, one_over_D)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
        # step 3: spread = mean(abs(x_centred))
        part = np.absolute(x_centred, out=buffers[0])
        spread = _rows.row_sum(part, one_over_D)
        # step 4: scale = 1/(spread + eps)
        scale = np.reciprocal(spread + eps)
        # step 5: xhat = x_centred*scale
        xhat = np.multiply(x_centred, scale, out=x_centred)
        # step 6: y = xhat*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y)
        return y, mu[..., 0], mu_residual[..., 0], scale[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        features=(gamma, beta),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, scale_out),
        buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, scale_rows = fields
    dx_out, _, dbeta_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 16, pass 5: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(
        x, dy, mu, mu_residual, scale, gamma_wide, dx_block=None, buffers=(None,) * 2
    ):
        dgamma = dbeta = None
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
        # step 17, pass 7: dgamma = sum over rows of dy*x_centred*scale
        if gamma is not None:
            part = np.multiply(dy, x_centred, out=buffers[0])
            dgamma = _rows.sum_rows(part, scale)
        # step 16, pass 4: mean_xhat = mean(sign(x_centred))
        part_2 = np.sign(x_centred, out=buffers[1])
        mean_xhat = _rows.row_sum(part_2, one_over_D)
        # step 16, pass 5: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
        if gamma is not None:
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D)
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x_centred, D)
        # step 7: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 16: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D)
        # step 16, pass 6: mean_g_xhat = mean_g_xhat_unscaled*scale
        mean_g_xhat = mean_g_xhat_unscaled * scale
        # step 16, pass 8: dx = (g + (mean_xhat - sign(x_centred))*mean_g_xhat -
        #   mean_g)*scale
        dx = np.subtract(mean_xhat, part_2, out=buffers[0])
        dx = np.multiply(dx, mean_g_xhat, out=dx)
        dx = np.add(g, dx, out=dx_block)
        dx = np.subtract(dx, mean_g, out=dx)
        dx = np.multiply(dx, scale, out=dx)
        # step 18: dbeta = sum over rows of dy
        if dbeta_out is not None:
            dbeta = _rows.sum_rows(dy)
        return dx, dgamma, dbeta

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(mu_rows, mu_residual_rows, scale_rows),
        features=(gamma,),
        into=(dx_out,),
        buffers=2,
        feature_sums=2,
    )
