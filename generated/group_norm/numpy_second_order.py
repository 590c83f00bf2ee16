# Made by lngen 0.1.0 from the definition of group_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
"""Group normalization: each row is the channels of a group, with all that lies behind them. The tangents, and the gradients of the gradients.

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
        gamma,
        x_dot,
        gamma_dot,
        beta_dot,
        mu,
        mu_residual,
        rstd,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 28: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if x_dot_rows is not None or gamma_dot_rows is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=buffers[0])
        # step 28: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 28: y_dot = beta_dot + gamma_dot*xhat + (x_dot - mean_x_dot -
        #   xhat*mean_x_dot_xhat)*gamma*rstd
        if gamma_dot_rows is not None:
            y_dot = np.multiply(gamma_dot, xhat, out=y_dot_block)
        if gamma_dot_rows is not None and beta_dot_rows is not None:
            y_dot = np.add(beta_dot, y_dot, out=y_dot)
        if gamma_dot_rows is None and beta_dot_rows is not None:
            y_dot = beta_dot
        if x_dot_rows is not None:
            part = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[1])
            part_2 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(part, part_2, out=part_2)
        if gamma_rows is not None and x_dot_rows is not None:
            part = np.multiply(part, gamma, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and (
            beta_dot_rows is not None or gamma_dot_rows is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot_block)
        if gamma_dot_rows is None and beta_dot_rows is None:
            y_dot = part
        if x_dot_rows is None and gamma_dot_rows is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, gamma_rows, x_dot_rows, gamma_dot_rows, beta_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
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
    needs_x_shifted = ddx_rows is not None or ddgamma_rows is not None
    needs_g = gamma_rows is not None and ddx_rows is not None
    needs_g_2 = gamma_rows is None and ddx_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        gamma,
        dy,
        ddx,
        ddgamma,
        ddbeta,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        dgamma_block=None,
        dbeta_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        d2gamma = dbeta = None
        # step 50: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if needs_x_shifted:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 50: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D)
        # step 29: g = dy*gamma
        if needs_g:
            g = np.multiply(dy, gamma, out=buffers[0])
        if needs_g_2:
            g = dy
        # step 30: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D)
            # step 31: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 44: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D)
            # step 34, pass 8: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 44, pass 9: mean_g_xhat_scaled_2 = 2*mean_g_xhat
            mean_g_xhat_scaled_2 = mean_g_xhat * 2.0
            # step 44, pass 10: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = mean_ddx * mean_g
            # step 50: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.subtract, ddx, mean_ddx, out=ddy_block)
            part = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[1])
            dg = np.subtract(dg, part, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffers[1])
        # step 34, pass 11: d2xhat_part = ddgamma*dy - ddx*mean_g_xhat_scaled
        if ddgamma_rows is not None:
            d2xhat_part = np.multiply(ddgamma, dy, out=dgamma_block)
        if ddx_rows is not None and ddgamma_rows is None:
            d2xhat_part = 0.0
        if ddx_rows is not None:
            part_2 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=ddy_block)
            d2xhat_part = np.subtract(d2xhat_part, part_2, out=buffers[2])
        # step 44: mean_d2xhat_part = mean(d2xhat_part)
        if needs_x_shifted:
            mean_d2xhat_part = _rows.row_sum(d2xhat_part, one_over_D)
            # step 44: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
            mean_d2xhat_part_xhat = _rows.row_mean(d2xhat_part, xhat, D)
        # step 51: d2gamma = dg*dy
        if needs_g:
            d2gamma = np.multiply(dg, dy, out=dgamma_block)
        # step 56: ddy = ddbeta + ddgamma*xhat + dg*gamma
        if ddgamma_rows is not None:
            ddy = np.multiply(ddgamma, xhat, out=ddy_block)
        if ddgamma_rows is not None and ddbeta_rows is not None:
            ddy = np.add(ddbeta, ddy, out=ddy)
        if ddgamma_rows is None and ddbeta_rows is not None:
            ddy = ddbeta
        if needs_g:
            part_3 = np.multiply(dg, gamma, out=dg)
        if needs_g_2:
            part_3 = dg
        if ddx_rows is not None and (
            ddgamma_rows is not None or ddbeta_rows is not None
        ):
            ddy = np.add(ddy, part_3, out=ddy_block)
        if ddgamma_rows is None and ddbeta_rows is None:
            ddy = part_3
        # step 44, pass 12: d2x = (d2xhat_part + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat -
        #   xhat*mean_ddx_g)*rstd - mean_d2xhat_part - xhat*mean_d2xhat_part_xhat)*rstd
        if ddx_rows is not None:
            d2x = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=buffers[3])
            part_4 = _rows.by_row(
                np.multiply, xhat, mean_g_xhat_scaled_2, out=buffers[4]
            )
            part_4 = np.add(part_4, mean_g, out=part_4)
            part_4 = np.subtract(part_4, g, out=buffers[0])
            part_4 = np.multiply(part_4, mean_ddx_xhat, out=part_4)
            d2x = np.add(d2x, part_4, out=part_4)
            part_5 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[3])
            d2x = np.subtract(d2x, part_5, out=d2x)
            d2x = np.multiply(d2x, rstd, out=d2x)
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        if ddx_rows is None and ddgamma_rows is not None:
            d2x = d2xhat_part
        if needs_x_shifted:
            d2x = np.subtract(d2x, mean_d2xhat_part, out=buffers[0])
            part_6 = np.multiply(xhat, mean_d2xhat_part_xhat, out=xhat)
            d2x = np.subtract(d2x, part_6, out=part_6)
            d2x = np.multiply(d2x, rstd, out=d2x)
        if dbeta_out is not None:
            dbeta = _rows.filled(0.0, dbeta_block, shape, dtype)
        if gamma_rows is not None and ddx_rows is None:
            d2gamma = _rows.filled(0.0, dgamma_block, shape, dtype)
        if ddx_rows is None and ddgamma_rows is None:
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        return d2x, d2gamma, dbeta, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, gamma_rows, dy_rows, ddx_rows, ddgamma_rows, ddbeta_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, dgamma_out, dbeta_out, ddy_out),
        buffers=5,
    )
