# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs. The outputs and the gradients.

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
    y_out, mu_out, var_out, mu_saved_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma, beta, y_block=None, row_scalar_buffers=(None,)):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D)
        # step 2, pass 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_mean(x_shifted, x_shifted, D)
        # step 2, pass 3: mu_residual = mean(x_shifted)
        mu_residual = _rows.residual(x_shifted, mu, var, D, far_from, one_over_D)
        # step 2, pass 4: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 6, pass 5: y = x_centred*gamma*rstd + beta
        if gamma_rows is not None:
            part = gamma * rstd
        else:
            part = rstd
        y = np.multiply(x_centred, part, out=x_centred)
        if beta_rows is not None:
            y = np.add(y, beta, out=y)
        mu_saved = _rows.filled(mu, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        return (
            y,
            mu[..., 0],
            var[..., 0],
            mu_saved[..., 0],
            mu_residual[..., 0],
            rstd[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(gamma_rows, beta_rows),
        into=(y_out,),
        into_row_scalars=(mu_out, var_out, mu_saved_out, mu_residual_out, rstd_out),
        row_scalar_buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dmu_rows, dvar_rows = arguments
    x_rows, gamma_rows, mu_saved_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgamma_out, dbeta_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_mean_g = gamma_rows is not None and dy_rows is not None
    needs_mean_g_2 = gamma_rows is None and dy_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 18, pass 11: dvar_scaled = 2*dvar/D
    if dvar_rows is not None:
        part = 2.0 / D

    def block(
        x,
        dy,
        gamma,
        dmu,
        dvar,
        mu_saved,
        mu_residual,
        rstd,
        dx_block=None,
        buffers=(None,) * 2,
        row_scalar_buffers=(None,) * 2,
    ):
        dgamma = dbeta = None
        # step 18, pass 10: dmu_scaled = dmu/D
        if dmu_rows is not None:
            dmu_scaled = dmu / D
        # step 18, pass 11: dvar_scaled = 2*dvar/D
        if dvar_rows is not None:
            dvar_scaled = dvar * part
        # step 18, pass 13: mean_g_unscaled = mean(dy)
        if dy_rows is not None:
            mean_g_unscaled = _rows.row_sum(dy, one_over_D)
        # step 2, pass 12: x_shifted = x - mu_saved
        if dy_rows is not None or dvar_rows is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu_saved, out=buffers[0])
            # step 2, pass 4: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 18, pass 14: mean_g_xhat_unscaled_unscaled = mean(dy*x_centred)
        if dy_rows is not None:
            mean_g_xhat_unscaled_unscaled = _rows.row_mean(dy, x_centred, D)
            # step 18, pass 15: mean_g_xhat_unscaled =
            #   mean_g_xhat_unscaled_unscaled*rstd
            mean_g_xhat_unscaled = mean_g_xhat_unscaled_unscaled * rstd
        # step 18, pass 16: mean_g = gamma*mean_g_unscaled
        if needs_mean_g:
            mean_g = gamma * mean_g_unscaled
        if needs_mean_g_2:
            mean_g = mean_g_unscaled
        # step 18, pass 17: mean_g_xhat = gamma*mean_g_xhat_unscaled
        if needs_mean_g:
            mean_g_xhat = gamma * mean_g_xhat_unscaled
        if needs_mean_g_2:
            mean_g_xhat = mean_g_xhat_unscaled
        # step 19, pass 18: dgamma = mean_g_xhat_unscaled*D
        if needs_mean_g:
            dgamma = mean_g_xhat_unscaled * D
        # step 20, pass 19: dbeta = mean_g_unscaled*D
        if dbeta_out is not None and dy_rows is not None:
            dbeta = mean_g_unscaled * D
        # step 7: g = dy*gamma
        if needs_mean_g:
            g = _rows.by_row(np.multiply, dy, gamma, out=buffers[1])
        if needs_mean_g_2:
            g = dy
        # step 18, pass 20: dx = x_centred*dvar_scaled + (g - mean_g -
        #   x_centred*mean_g_xhat*rstd)*rstd + dmu_scaled
        if dvar_rows is not None:
            dx = _rows.by_row(np.multiply, x_centred, dvar_scaled, out=dx_block)
        if dy_rows is not None:
            part_2 = np.subtract(g, mean_g, out=buffers[1])
            part_3 = np.multiply(x_centred, mean_g_xhat * rstd, out=x_centred)
            part_2 = np.subtract(part_2, part_3, out=part_3)
            part_2 = np.multiply(part_2, rstd, out=part_2)
        if dy_rows is not None and dvar_rows is not None:
            dx = np.add(dx, part_2, out=dx)
        if dy_rows is not None and dvar_rows is None:
            dx = part_2
        if dmu_rows is not None and (dy_rows is not None or dvar_rows is not None):
            dx = np.add(dx, dmu_scaled, out=dx_block)
        if gamma_rows is not None and dy_rows is None:
            dgamma = _rows.filled(0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if dbeta_out is not None and dy_rows is None:
            dbeta = _rows.filled(0.0, row_scalar_buffers[1], (*shape[:-1], 1), dtype)
        if dy_rows is None and dvar_rows is None:
            dx = _rows.filled(dmu_scaled, dx_block, shape, dtype)
        if gamma_rows is not None:
            dgamma = dgamma[..., 0]
        if dbeta_out is not None:
            dbeta = dbeta[..., 0]
        return dx, dgamma, dbeta

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(
            gamma_rows,
            dmu_rows,
            dvar_rows,
            mu_saved_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        into=(dx_out,),
        into_row_scalars=(dgamma_out, dbeta_out),
        buffers=2,
        row_scalar_buffers=2,
    )
