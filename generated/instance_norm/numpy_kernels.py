# Made by lngen 0.1.0 from the definition of instance_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
# definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
"""Instance normalization: each row is one channel of one sample. The outputs and the gradients.

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
    x_rows, gamma_rows, beta_rows, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma, beta, y_block=None):
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
        # step 6, pass 4: y = x_centred*gamma*rstd + beta
        if gamma_rows is not None:
            part = gamma * rstd
        else:
            part = rstd
        y = np.multiply(x_centred, part, out=x_centred)
        if beta_rows is not None:
            y = np.add(y, beta, out=y)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(gamma_rows, beta_rows),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgamma_out, dbeta_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(x, dy, gamma, mu, mu_residual, rstd, dx_block=None, buffers=(None,)):
        dgamma = dbeta = None
        # step 17, pass 9: mean_g_unscaled = mean(dy)
        mean_g_unscaled = _rows.row_sum(dy, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 17, pass 10: mean_g_xhat_unscaled_unscaled = mean(dy*x_centred)
        mean_g_xhat_unscaled_unscaled = _rows.row_mean(dy, x_centred, D)
        # step 17, pass 11: mean_g_xhat_unscaled = mean_g_xhat_unscaled_unscaled*rstd
        mean_g_xhat_unscaled = mean_g_xhat_unscaled_unscaled * rstd
        # step 17, pass 12: mean_g = gamma*mean_g_unscaled
        if gamma_rows is not None:
            mean_g = gamma * mean_g_unscaled
        else:
            mean_g = mean_g_unscaled
        # step 17, pass 13: mean_g_xhat = gamma*mean_g_xhat_unscaled
        if gamma_rows is not None:
            mean_g_xhat = gamma * mean_g_xhat_unscaled
        else:
            mean_g_xhat = mean_g_xhat_unscaled
        # step 18, pass 14: dgamma = mean_g_xhat_unscaled*D
        if gamma_rows is not None:
            dgamma = mean_g_xhat_unscaled * D
        # step 19, pass 15: dbeta = mean_g_unscaled*D
        if dbeta_out is not None:
            dbeta = mean_g_unscaled * D
        # step 7: g = dy*gamma
        if gamma_rows is not None:
            g = _rows.by_row(np.multiply, dy, gamma, out=buffers[0])
        else:
            g = dy
        # step 17, pass 16: dx = (g - mean_g - x_centred*mean_g_xhat*rstd)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part = np.multiply(x_centred, mean_g_xhat * rstd, out=x_centred)
        dx = np.subtract(dx, part, out=part)
        dx = np.multiply(dx, rstd, out=dx)
        if gamma_rows is not None:
            dgamma = dgamma[..., 0]
        if dbeta_out is not None:
            dbeta = dbeta[..., 0]
        return dx, dgamma, dbeta

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(gamma_rows, mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out,),
        into_row_scalars=(dgamma_out, dbeta_out),
        buffers=1,
    )
