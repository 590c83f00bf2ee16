# Made by lngen 0.1.0 from the definition of instance_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
# definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
"""Instance normalization: each row is one channel of one sample. The tangents, and the gradients of the gradients.

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
    x_rows, gamma_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        x_dot,
        gamma,
        gamma_dot,
        beta_dot,
        mu,
        mu_residual,
        rstd,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 28, pass 18: gamma_scaled = gamma*rstd
        if gamma_rows is not None and x_dot_rows is not None:
            gamma_scaled = gamma * rstd
        if gamma_rows is None and x_dot_rows is not None:
            gamma_scaled = rstd
        # step 28: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if x_dot_rows is not None or gamma_dot_rows is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=buffers[0])
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 28, pass 19: mean_x_dot_xhat_unscaled = mean(x_centred*x_dot)
        if x_dot_rows is not None:
            mean_x_dot_xhat_unscaled = _rows.row_mean(x_centred, x_dot, D)
            # step 28, pass 20: mean_x_dot_xhat = mean_x_dot_xhat_unscaled*rstd
            mean_x_dot_xhat = mean_x_dot_xhat_unscaled * rstd
        # step 28, pass 21: y_dot = x_centred*gamma_dot*rstd + (x_dot - mean_x_dot -
        #   x_centred*mean_x_dot_xhat*rstd)*gamma_scaled + beta_dot
        if gamma_dot_rows is not None:
            y_dot = _rows.by_row(
                np.multiply, x_centred, gamma_dot * rstd, out=y_dot_block
            )
        if x_dot_rows is not None:
            part = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[1])
            part_2 = np.multiply(x_centred, mean_x_dot_xhat * rstd, out=x_centred)
            part = np.subtract(part, part_2, out=part_2)
            part = np.multiply(part, gamma_scaled, out=part)
        if x_dot_rows is not None and gamma_dot_rows is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if x_dot_rows is not None and gamma_dot_rows is None:
            y_dot = part
        if beta_dot_rows is not None and (
            x_dot_rows is not None or gamma_dot_rows is not None
        ):
            y_dot = np.add(y_dot, beta_dot, out=y_dot_block)
        if x_dot_rows is None and gamma_dot_rows is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(
            gamma_rows,
            gamma_dot_rows,
            beta_dot_rows,
            mu_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma_rows, ddbeta_rows = arguments
    x_rows, gamma_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgamma_out, dbeta_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_mean_dy = ddx_rows is not None or ddgamma_rows is not None
    needs_g = gamma_rows is not None and ddx_rows is not None
    needs_g_2 = gamma_rows is None and ddx_rows is not None
    needs_d2x = ddx_rows is not None and ddgamma_rows is not None
    needs_d2x_2 = ddx_rows is not None and ddgamma_rows is None
    needs_d2x_3 = ddx_rows is None and ddgamma_rows is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        dy,
        ddx,
        gamma,
        ddgamma,
        ddbeta,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
        row_scalar_buffers=(None,) * 2,
    ):
        d2gamma = dbeta = None
        # step 33: mean_dy = mean(dy)
        if needs_mean_dy:
            mean_dy = _rows.row_sum(dy, one_over_D)
        # step 54: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if needs_mean_dy:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 32, pass 23: mean_dy_xhat_unscaled = mean(dy*x_centred)
            mean_dy_xhat_unscaled = _rows.row_mean(dy, x_centred, D)
        # step 54, pass 24: mean_ddx_xhat_unscaled = mean(ddx*x_centred)
        if ddx_rows is not None:
            mean_ddx_xhat_unscaled = _rows.row_mean(ddx, x_centred, D)
        # step 29: g = dy*gamma
        if needs_g:
            g = _rows.by_row(np.multiply, dy, gamma, out=dx_block)
        if needs_g_2:
            g = dy
        # step 48: mean_ddx_g = mean(ddx*g)
        if ddx_rows is not None:
            mean_ddx_g = _rows.row_mean(ddx, g, D)
        # step 32, pass 25: mean_dy_xhat = mean_dy_xhat_unscaled*rstd
        if needs_mean_dy:
            mean_dy_xhat = mean_dy_xhat_unscaled * rstd
        # step 54, pass 26: mean_ddx_xhat = mean_ddx_xhat_unscaled*rstd
        if ddx_rows is not None:
            mean_ddx_xhat = mean_ddx_xhat_unscaled * rstd
        # step 30, pass 27: mean_g = gamma*mean_dy
        if needs_g:
            mean_g = gamma * mean_dy
        if needs_g_2:
            mean_g = mean_dy
        # step 31, pass 28: mean_g_xhat = gamma*mean_dy_xhat
        if needs_g:
            mean_g_xhat = gamma * mean_dy_xhat
        if needs_g_2:
            mean_g_xhat = mean_dy_xhat
        # step 48, pass 29: mean_g_xhat_scaled = 3*mean_g_xhat
        if ddx_rows is not None:
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 48, pass 30: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = mean_ddx * mean_g
        # step 48, pass 31: mean_dy_scaled = ddgamma*mean_dy
        if ddgamma_rows is not None:
            mean_dy_scaled = ddgamma * mean_dy
            # step 48, pass 32: mean_dy_xhat_scaled = ddgamma*mean_dy_xhat
            mean_dy_xhat_scaled = ddgamma * mean_dy_xhat
        # step 55, pass 35: d2gamma_unscaled = sum((ddx - mean_ddx -
        #   x_centred*mean_ddx_xhat*rstd)*dy)
        if ddx_rows is not None:
            part = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[0])
            part_2 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_xhat * rstd, out=buffers[1]
            )
            part_2 = np.subtract(part, part_2, out=part_2)
        if needs_g:
            d2gamma_unscaled = _rows.row_sum(part_2, dy)
        # step 48, pass 33: d2x = (dy*ddgamma + (x_centred*mean_ddx_scaled*rstd +
        #   (x_centred*mean_g_xhat_scaled*rstd + mean_g - g)*mean_ddx_xhat -
        #   x_centred*mean_ddx_g*rstd - (ddx - mean_ddx)*mean_g_xhat)*rstd -
        #   mean_dy_scaled - x_centred*mean_dy_xhat_scaled*rstd)*rstd
        if ddgamma_rows is not None:
            d2x = _rows.by_row(np.multiply, dy, ddgamma, out=buffers[2])
        if ddx_rows is not None:
            part_3 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_scaled * rstd, out=buffers[3]
            )
            part_4 = _rows.by_row(
                np.multiply, x_centred, mean_g_xhat_scaled * rstd, out=buffers[4]
            )
            part_4 = np.add(part_4, mean_g, out=part_4)
            part_4 = np.subtract(part_4, g, out=dx_block)
            part_4 = np.multiply(part_4, mean_ddx_xhat, out=part_4)
            part_3 = np.add(part_3, part_4, out=part_4)
            part_5 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_g * rstd, out=buffers[3]
            )
            part_3 = np.subtract(part_3, part_5, out=part_3)
            part_6 = np.multiply(part, mean_g_xhat, out=part)
            part_3 = np.subtract(part_3, part_6, out=part_3)
            part_3 = np.multiply(part_3, rstd, out=part_3)
        if needs_d2x:
            d2x = np.add(d2x, part_3, out=part_3)
        if needs_d2x_2:
            d2x = part_3
        if ddgamma_rows is not None:
            d2x = np.subtract(d2x, mean_dy_scaled, out=dx_block)
            part_7 = _rows.by_row(
                np.multiply, x_centred, mean_dy_xhat_scaled * rstd, out=buffers[0]
            )
            d2x = np.subtract(d2x, part_7, out=d2x)
        if needs_mean_dy:
            d2x = np.multiply(d2x, rstd, out=d2x)
        # step 62, pass 34: ddy = x_centred*ddgamma*rstd + (ddx - mean_ddx -
        #   x_centred*mean_ddx_xhat*rstd)*gamma*rstd + ddbeta
        if ddgamma_rows is not None:
            ddy = np.multiply(x_centred, ddgamma * rstd, out=x_centred)
        if needs_g:
            part_8 = gamma * rstd
        if needs_g_2:
            part_8 = rstd
        if ddx_rows is not None:
            part_9 = _rows.by_row(np.multiply, part_2, part_8, out=buffers[0])
        if needs_d2x:
            ddy = np.add(ddy, part_9, out=ddy)
        if needs_d2x_2:
            ddy = part_9
        if ddbeta_rows is not None and (
            ddx_rows is not None or ddgamma_rows is not None
        ):
            ddy = np.add(ddy, ddbeta, out=ddy_block)
        # step 55, pass 36: d2gamma = d2gamma_unscaled*rstd
        if needs_g:
            d2gamma = d2gamma_unscaled * rstd
        if dbeta_out is not None:
            dbeta = _rows.filled(0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if needs_d2x_3:
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        if gamma_rows is not None and ddx_rows is None:
            d2gamma = _rows.filled(0.0, row_scalar_buffers[1], (*shape[:-1], 1), dtype)
        if needs_d2x_3:
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        if gamma_rows is not None:
            d2gamma = d2gamma[..., 0]
        if dbeta_out is not None:
            dbeta = dbeta[..., 0]
        return d2x, ddy, d2gamma, dbeta

    d2x, ddy, d2gamma, dbeta = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(
            gamma_rows,
            ddgamma_rows,
            ddbeta_rows,
            mu_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        into=(dx_out, ddy_out),
        into_row_scalars=(dgamma_out, dbeta_out),
        buffers=5,
        row_scalar_buffers=2,
    )
    return d2x, d2gamma, dbeta, ddy
