# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs. The tangents, and the gradients of the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, gamma_dot_rows, beta_dot_rows = arguments
    x_rows, gamma_rows, _, mu_residual_rows, rstd_rows = fields
    y_dot_out, mu_dot_out, var_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_mu = x_dot_rows is not None or gamma_dot_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)

    def block(
        x,
        x_dot,
        gamma,
        gamma_dot,
        beta_dot,
        mu_residual,
        rstd,
        y_dot_block=None,
        buffers=(None,) * 2,
        row_scalar_buffers=(None,) * 2,
    ):
        # step 1: mu = mean(x)
        if needs_mu:
            mu = _rows.row_sum(x, one_over_D)
        # step 21: mu_dot = mean(x_dot)
        if x_dot_rows is not None:
            mu_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 2: x_shifted = x - mu
        if needs_mu:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=buffers[0])
            # step 2, pass 4: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 22: x_centred_dot = x_dot - mu_dot
        if x_dot_rows is not None:
            x_centred_dot = _rows.by_row(np.subtract, x_dot, mu_dot, out=y_dot_block)
            # step 23: var_dot = mean(2*x_centred*x_centred_dot)
            part = np.multiply(x_centred, x_centred_dot, out=buffers[1])
            part = np.multiply(part, 2.0, out=part)
            var_dot = _rows.row_sum(part, one_over_D)
            # step 25: rstd_dot = -rstd**3*var_dot/2
            rstd_dot = np.square(rstd) * rstd * var_dot * -0.5
            # step 26: xhat_dot = x_centred_dot*rstd + x_centred*rstd_dot
            xhat_dot = np.multiply(x_centred_dot, rstd, out=x_centred_dot)
            part_2 = _rows.by_row(np.multiply, x_centred, rstd_dot, out=buffers[1])
            xhat_dot = np.add(xhat_dot, part_2, out=xhat_dot)
        # step 27, pass 23: y_dot = xhat_dot*gamma + x_centred*gamma_dot*rstd + beta_dot
        if gamma_rows is not None and x_dot_rows is not None:
            y_dot = np.multiply(xhat_dot, gamma, out=xhat_dot)
        if gamma_rows is None and x_dot_rows is not None:
            y_dot = xhat_dot
        if gamma_dot_rows is not None:
            part_3 = np.multiply(x_centred, gamma_dot * rstd, out=x_centred)
        if x_dot_rows is not None and gamma_dot_rows is not None:
            y_dot = np.add(y_dot, part_3, out=y_dot)
        if x_dot_rows is None and gamma_dot_rows is not None:
            y_dot = part_3
        if beta_dot_rows is not None and (
            x_dot_rows is not None or gamma_dot_rows is not None
        ):
            y_dot = np.add(y_dot, beta_dot, out=y_dot_block)
        if x_dot_rows is None:
            mu_dot_result = _rows.filled(
                0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype
            )
        else:
            mu_dot_result = mu_dot
        if x_dot_rows is None:
            var_dot_result = _rows.filled(
                0.0, row_scalar_buffers[1], (*shape[:-1], 1), dtype
            )
        else:
            var_dot_result = var_dot
        if x_dot_rows is None and gamma_dot_rows is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return y_dot, mu_dot_result[..., 0], var_dot_result[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(
            gamma_rows,
            gamma_dot_rows,
            beta_dot_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        into=(y_dot_out,),
        into_row_scalars=(mu_dot_out, var_dot_out),
        buffers=2,
        row_scalar_buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dmu_rows, dvar_rows, ddx_rows, ddgamma_rows, ddbeta_rows = arguments
    x_rows, gamma_rows, _, mu_residual_rows, rstd_rows = fields
    dx_out, dgamma_out, dbeta_out, ddy_out, ddmu_out, ddvar_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_part_2 = dvar_rows is not None and ddx_rows is not None
    needs_ddgamma_scaled = dy_rows is not None and ddgamma_rows is not None
    needs_mu = (
        (dy_rows is not None and ddx_rows is not None)
        or (dvar_rows is not None and ddx_rows is not None)
        or (dy_rows is not None and ddgamma_rows is not None)
    )
    needs_mean_dy = dy_rows is not None and (
        ddx_rows is not None or ddgamma_rows is not None
    )
    needs_g = gamma_rows is not None and dy_rows is not None and ddx_rows is not None
    needs_g_2 = gamma_rows is None and dy_rows is not None and ddx_rows is not None
    needs_mean_ddx_g = dy_rows is not None and ddx_rows is not None
    needs_mean_ddx_xhat_unscaled = ddx_rows is not None and (
        dy_rows is not None or dvar_rows is not None
    )
    needs_d2x = (
        dy_rows is not None and ddx_rows is not None and ddgamma_rows is not None
    )
    needs_d2x_2 = dy_rows is not None and ddx_rows is not None and ddgamma_rows is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 48, pass 35: mean_g_xhat_shifted = 2*dvar/D - mean_g_xhat*rstd**2
    if needs_part_2:
        part_2 = 2.0 / D

    def block(
        x,
        dy,
        ddx,
        gamma,
        dvar,
        ddgamma,
        ddbeta,
        mu_residual,
        rstd,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 4,
        row_scalar_buffers=(None,) * 4,
    ):
        ddy = d2gamma = dbeta = ddmu = ddvar = None
        # step 48, pass 24: ddgamma_scaled = ddgamma*rstd
        if needs_ddgamma_scaled:
            ddgamma_scaled = ddgamma * rstd
        # step 1: mu = mean(x)
        if needs_mu:
            mu = _rows.row_sum(x, one_over_D)
        # step 32: mean_dy = mean(dy)
        if needs_mean_dy:
            mean_dy = _rows.row_sum(dy, one_over_D)
        # step 54: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D)
        # step 28: g = dy*gamma
        if needs_g:
            g = _rows.by_row(np.multiply, dy, gamma, out=ddy_block)
        if needs_g_2:
            g = dy
        # step 48: mean_ddx_g = mean(ddx*g)
        if needs_mean_ddx_g:
            mean_ddx_g = _rows.row_mean(ddx, g, D)
        # step 29, pass 25: mean_g = gamma*mean_dy
        if needs_g:
            mean_g = gamma * mean_dy
        if needs_g_2:
            mean_g = mean_dy
        # step 48, pass 26: mean_ddx_g_scaled = mean_ddx_g*rstd**2
        if needs_mean_ddx_g:
            part = np.square(rstd)
            mean_ddx_g_scaled = mean_ddx_g * part
        # step 48, pass 27: mean_dy_scaled = ddgamma*mean_dy*rstd
        if needs_ddgamma_scaled:
            mean_dy_scaled = ddgamma * mean_dy * rstd
        # step 48, pass 28: mean_ddx_scaled = mean_ddx*mean_g*rstd**2
        if needs_mean_ddx_g:
            mean_ddx_scaled = mean_ddx * mean_g * part
        # step 2, pass 2: x_shifted = x - mu
        if needs_mu:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=buffers[0])
            # step 2, pass 4: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 31, pass 30: mean_dy_xhat_unscaled = mean(dy*x_centred)
        if needs_mean_dy:
            mean_dy_xhat_unscaled = _rows.row_mean(dy, x_centred, D)
        # step 54, pass 31: mean_ddx_xhat_unscaled = mean(ddx*x_centred)
        if needs_mean_ddx_xhat_unscaled:
            mean_ddx_xhat_unscaled = _rows.row_mean(ddx, x_centred, D)
        # step 31, pass 32: mean_dy_xhat = mean_dy_xhat_unscaled*rstd
        if needs_mean_dy:
            mean_dy_xhat = mean_dy_xhat_unscaled * rstd
        # step 54, pass 33: mean_ddx_xhat = mean_ddx_xhat_unscaled*rstd
        if needs_mean_ddx_xhat_unscaled:
            mean_ddx_xhat = mean_ddx_xhat_unscaled * rstd
        # step 30, pass 34: mean_g_xhat = gamma*mean_dy_xhat
        if needs_g:
            mean_g_xhat = gamma * mean_dy_xhat
        if needs_g_2:
            mean_g_xhat = mean_dy_xhat
        # step 48, pass 35: mean_g_xhat_shifted = 2*dvar/D - mean_g_xhat*rstd**2
        if needs_part_2:
            mean_g_xhat_shifted = dvar * part_2
        if dy_rows is not None and dvar_rows is None and ddx_rows is not None:
            mean_g_xhat_shifted = 0.0
        if needs_mean_ddx_g:
            mean_g_xhat_shifted = mean_g_xhat_shifted - mean_g_xhat * part
            # step 48, pass 36: mean_ddx_xhat_scaled = mean_ddx_xhat*rstd**2
            mean_ddx_xhat_scaled = mean_ddx_xhat * part
            # step 48, pass 37: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
        # step 48, pass 38: mean_dy_xhat_scaled = ddgamma*mean_dy_xhat*rstd
        if needs_ddgamma_scaled:
            mean_dy_xhat_scaled = ddgamma * mean_dy_xhat * rstd
        # step 66: ddvar = 2*mean_ddx_xhat/rstd
        if needs_part_2:
            ddvar = mean_ddx_xhat * 2.0 / rstd
        # step 55, pass 41: d2gamma_unscaled = sum((ddx - mean_ddx -
        #   x_centred*mean_ddx_xhat*rstd)*dy)
        if needs_mean_ddx_xhat_unscaled:
            part_3 = _rows.by_row(np.subtract, ddx, mean_ddx, out=dx_block)
        if needs_mean_ddx_g:
            part_4 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_xhat * rstd, out=buffers[1]
            )
            part_4 = np.subtract(part_3, part_4, out=part_4)
        if needs_g:
            d2gamma_unscaled = _rows.row_sum(part_4, dy)
        # step 48, pass 39: d2x = dy*ddgamma_scaled + x_centred*mean_ddx_scaled*rstd +
        #   (ddx - mean_ddx)*mean_g_xhat_shifted + (x_centred*mean_g_xhat_scaled*rstd +
        #   mean_g - g)*mean_ddx_xhat_scaled - mean_dy_scaled -
        #   x_centred*mean_ddx_g_scaled*rstd - x_centred*mean_dy_xhat_scaled*rstd
        if needs_ddgamma_scaled:
            d2x = _rows.by_row(np.multiply, dy, ddgamma_scaled, out=buffers[2])
        if needs_mean_ddx_g:
            part_5 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_scaled * rstd, out=buffers[3]
            )
        if needs_d2x:
            d2x = np.add(d2x, part_5, out=d2x)
        if needs_d2x_2:
            d2x = part_5
        if needs_mean_ddx_xhat_unscaled:
            part_6 = np.multiply(part_3, mean_g_xhat_shifted, out=part_3)
        if needs_mean_ddx_g:
            d2x = np.add(d2x, part_6, out=part_6)
        if dy_rows is None and dvar_rows is not None and ddx_rows is not None:
            d2x = part_6
        if needs_mean_ddx_g:
            part_7 = _rows.by_row(
                np.multiply, x_centred, mean_g_xhat_scaled * rstd, out=buffers[2]
            )
            part_7 = np.add(part_7, mean_g, out=part_7)
            part_7 = np.subtract(part_7, g, out=ddy_block)
            part_7 = np.multiply(part_7, mean_ddx_xhat_scaled, out=part_7)
            d2x = np.add(d2x, part_7, out=d2x)
        if needs_ddgamma_scaled:
            d2x = np.subtract(d2x, mean_dy_scaled, out=dx_block)
        if needs_mean_ddx_g:
            part_8 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_g_scaled * rstd, out=ddy_block
            )
            d2x = np.subtract(d2x, part_8, out=d2x)
        if needs_ddgamma_scaled:
            part_9 = _rows.by_row(
                np.multiply, x_centred, mean_dy_xhat_scaled * rstd, out=ddy_block
            )
            d2x = np.subtract(d2x, part_9, out=d2x)
            # step 62, pass 40: ddy = x_centred*ddgamma*rstd + (ddx - mean_ddx -
            #   x_centred*mean_ddx_xhat*rstd)*gamma*rstd + ddbeta
            ddy = _rows.by_row(np.multiply, x_centred, ddgamma_scaled, out=ddy_block)
        if needs_g:
            part_10 = gamma * rstd
        if needs_g_2:
            part_10 = rstd
        if needs_mean_ddx_g:
            part_11 = _rows.by_row(np.multiply, part_4, part_10, out=buffers[0])
        if needs_d2x:
            ddy = np.add(ddy, part_11, out=ddy)
        if needs_d2x_2:
            ddy = part_11
        if (
            dy_rows is not None
            and ddbeta_rows is not None
            and (ddx_rows is not None or ddgamma_rows is not None)
        ):
            ddy = np.add(ddy, ddbeta, out=ddy_block)
        # step 55, pass 42: d2gamma = d2gamma_unscaled*rstd
        if needs_g:
            d2gamma = d2gamma_unscaled * rstd
        if dbeta_out is not None:
            dbeta = _rows.filled(0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if dmu_rows is not None and ddx_rows is None:
            ddmu = _rows.filled(0.0, row_scalar_buffers[1], (*shape[:-1], 1), dtype)
        if dmu_rows is not None and ddx_rows is not None:
            ddmu = mean_ddx
        if dvar_rows is not None and ddx_rows is None:
            ddvar = _rows.filled(0.0, row_scalar_buffers[2], (*shape[:-1], 1), dtype)
        if (
            (dy_rows is None and ddx_rows is None)
            or (dy_rows is None and dvar_rows is None)
            or (ddx_rows is None and ddgamma_rows is None)
        ):
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        if gamma_rows is not None and (dy_rows is None or ddx_rows is None):
            d2gamma = _rows.filled(0.0, row_scalar_buffers[3], (*shape[:-1], 1), dtype)
        if dy_rows is not None and ddx_rows is None and ddgamma_rows is None:
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        if gamma_rows is not None:
            d2gamma = d2gamma[..., 0]
        if dbeta_out is not None:
            dbeta = dbeta[..., 0]
        if dmu_rows is not None:
            ddmu = ddmu[..., 0]
        if dvar_rows is not None:
            ddvar = ddvar[..., 0]
        return d2x, ddy, d2gamma, dbeta, ddmu, ddvar

    d2x, ddy, d2gamma, dbeta, ddmu, ddvar = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(
            gamma_rows,
            dvar_rows,
            ddgamma_rows,
            ddbeta_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        into=(dx_out, ddy_out),
        into_row_scalars=(dgamma_out, dbeta_out, ddmu_out, ddvar_out),
        buffers=4,
        row_scalar_buffers=4,
    )
    return d2x, d2gamma, dbeta, ddy, ddmu, ddvar
