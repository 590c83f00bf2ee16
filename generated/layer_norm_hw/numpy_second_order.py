# Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
# definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
"""Layer normalization over two axes, with a scale and a shift for every place. The tangents, and the gradients of the gradients.

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
    x_dot_rows, gamma_dot, beta_dot = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        x_dot,
        mu,
        mu_residual,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        beta_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 28: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if x_dot_rows is not None or gamma_dot is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=buffers[0])
        # step 28: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 28: y_dot = xhat*gamma_dot + (x_dot - mean_x_dot -
        #   xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[1])
            part_2 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(part, part_2, out=part_2)
        if gamma is not None and x_dot_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if x_dot_rows is not None and gamma_dot is None:
            y_dot = part
        if beta_dot is not None and (x_dot_rows is not None or gamma_dot is not None):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma_dot, gamma, beta_dot),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma, ddbeta = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, _, dbeta_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_x_shifted = ddx_rows is not None or ddgamma is not None
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    needs_d2x = ddx_rows is not None and ddgamma is not None
    needs_d2x_2 = ddx_rows is not None and ddgamma is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 44: mean_ddgamma_dy = mean(dy*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = ddgamma / D

    def block(
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        ddgamma_wide,
        ddbeta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        d2gamma = None
        # step 50: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D)
        # step 44: mean_ddgamma_dy = mean(dy*ddgamma)
        if ddgamma is not None:
            mean_ddgamma_dy = _rows.row_sum(dy, ddgamma_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if needs_x_shifted:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=ddy_block)
        # step 50: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D)
        # step 44: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if ddgamma is not None:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_sum(part, ddgamma_over_D)
        # step 29: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_g_2:
            g = dy
        # step 30: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D)
            # step 31: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 44: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D)
            # step 44, pass 12: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 44, pass 13: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = mean_ddx * mean_g
            # step 50: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            part_2 = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[0])
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[1])
            dg = np.subtract(part_2, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 51: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_3 = np.multiply(dg, dy, out=buffers[2])
            d2gamma = _rows.sum_rows(part_3)
        # step 44, pass 14: d2x = (dy*ddgamma + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g -
        #   (ddx - mean_ddx)*mean_g_xhat)*rstd - mean_ddgamma_dy -
        #   xhat*mean_ddgamma_dy_xhat)*rstd
        if ddgamma is not None:
            d2x = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if ddx_rows is not None:
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=buffers[3])
            part_5 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[4])
            part_5 = np.add(part_5, mean_g, out=part_5)
            part_5 = np.subtract(part_5, g, out=dx_block)
            part_5 = np.multiply(part_5, mean_ddx_xhat, out=part_5)
            part_4 = np.add(part_4, part_5, out=part_5)
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[3])
            part_4 = np.subtract(part_4, part_6, out=part_4)
            part_7 = np.multiply(part_2, mean_g_xhat, out=part_2)
            part_4 = np.subtract(part_4, part_7, out=part_4)
            part_4 = np.multiply(part_4, rstd, out=part_4)
        if needs_d2x:
            d2x = np.add(d2x, part_4, out=part_4)
        if needs_d2x_2:
            d2x = part_4
        if ddgamma is not None:
            d2x = np.subtract(d2x, mean_ddgamma_dy, out=dx_block)
            part_8 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffers[0]
            )
            d2x = np.subtract(d2x, part_8, out=d2x)
        if needs_x_shifted:
            d2x = np.multiply(d2x, rstd, out=d2x)
        # step 56: ddy = xhat*ddgamma + dg*gamma + ddbeta
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=xhat)
        if needs_g:
            part_9 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[0])
        if needs_g_2:
            part_9 = dg
        if needs_d2x:
            ddy = np.add(ddy, part_9, out=ddy)
        if needs_d2x_2:
            ddy = part_9
        if ddbeta is not None and (ddx_rows is not None or ddgamma is not None):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if ddx_rows is None and ddgamma is None:
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        return d2x, ddy, d2gamma

    d2x, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, ddgamma, ddbeta),
        into=(dx_out, ddy_out),
        buffers=5,
        feature_sums=1,
    )
    if gamma is not None and ddx_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None:
        dbeta = np.full(features, 0.0, dtype)
    else:
        dbeta = None
    return d2x, d2gamma, dbeta, ddy
