# Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
"""Residual addition, then layer normalization; the sum is the second output. The tangents, and the gradients of the gradients.

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
    x_dot_rows, residual_dot_rows, gamma_dot, beta_dot = arguments
    h_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    y_dot_out, h_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_h_dot = x_dot_rows is not None and residual_dot_rows is not None
    needs_mean_h_dot = x_dot_rows is not None or residual_dot_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        h,
        x_dot,
        residual_dot,
        mu,
        mu_residual,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        beta_dot_wide,
        y_dot_block=None,
        h_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 3, pass 1: h_shifted = h - mu
        if (
            x_dot_rows is not None
            or residual_dot_rows is not None
            or gamma_dot is not None
        ):
            h_shifted = _rows.by_row(np.subtract, h, mu, out=h_dot_block)
            # step 3, pass 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: xhat = h_centred*rstd
            xhat = _rows.by_row(np.multiply, h_centred, rstd, out=buffers[0])
        # step 22: h_dot = residual_dot + x_dot
        if needs_h_dot:
            h_dot = np.add(residual_dot, x_dot, out=h_dot_block)
        if x_dot_rows is None and residual_dot_rows is not None:
            h_dot = residual_dot
        if x_dot_rows is not None and residual_dot_rows is None:
            h_dot = x_dot
        if x_dot_rows is None and residual_dot_rows is None:
            h_dot = 0.0
        # step 31: mean_h_dot = mean(h_dot)
        if needs_mean_h_dot:
            mean_h_dot = _rows.row_sum(h_dot, one_over_D)
            # step 31: mean_h_dot_xhat = mean(h_dot*xhat)
            mean_h_dot_xhat = _rows.row_mean(h_dot, xhat, D)
        # step 31: y_dot = xhat*gamma_dot + (h_dot - mean_h_dot -
        #   xhat*mean_h_dot_xhat)*rstd*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if needs_mean_h_dot:
            part = _rows.by_row(np.subtract, h_dot, mean_h_dot, out=buffers[1])
            part_2 = np.multiply(xhat, mean_h_dot_xhat, out=xhat)
            part = np.subtract(part, part_2, out=part_2)
        if gamma is not None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if needs_mean_h_dot:
            part = np.multiply(part, rstd, out=part)
        if gamma_dot is not None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot)
        if gamma_dot is None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            y_dot = part
        if beta_dot is not None and (
            x_dot_rows is not None
            or residual_dot_rows is not None
            or gamma_dot is not None
        ):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None or residual_dot_rows is None:
            h_dot_result = _rows.filled(h_dot, h_dot_block, shape, dtype)
        else:
            h_dot_result = h_dot
        if x_dot_rows is None and residual_dot_rows is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return y_dot, h_dot_result

    return _blocks.each_block(
        block,
        call,
        rows=(h_rows, x_dot_rows, residual_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma_dot, gamma, beta_dot),
        into=(y_dot_out, h_dot_out),
        buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dh_rows, ddx_rows, ddresidual_rows, ddgamma, ddbeta = arguments
    h_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dresidual_out, _, dbeta_out, ddy_out, ddh_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_ddgamma_over_D = dy_rows is not None and ddgamma is not None
    needs_h_shifted = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None or ddgamma is not None
    )
    needs_g = (
        gamma is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_g_2 = (
        gamma is None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_mean_g = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None
    )
    needs_d2x = (
        dy_rows is not None
        and ddgamma is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_d2x_2 = (
        dy_rows is not None
        and ddgamma is None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_d2x_3 = dy_rows is None or (
        ddx_rows is None and ddresidual_rows is None and ddgamma is None
    )
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 49: mean_ddgamma_dy = mean(dy*ddgamma)
    if needs_ddgamma_over_D:
        ddgamma_over_D = ddgamma / D

    def block(
        h,
        dy,
        ddx,
        ddresidual,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        ddgamma_wide,
        ddbeta_wide,
        dx_block=None,
        dresidual_block=None,
        ddy_block=None,
        ddh_block=None,
        buffers=(None,) * 5,
    ):
        ddy = ddh_result = d2gamma = None
        # step 49: mean_ddgamma_dy = mean(dy*ddgamma)
        if needs_ddgamma_over_D:
            mean_ddgamma_dy = _rows.row_sum(dy, ddgamma_over_D)
        # step 3, pass 1: h_shifted = h - mu
        if needs_h_shifted:
            h_shifted = _rows.by_row(np.subtract, h, mu, out=dx_block)
            # step 3, pass 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: xhat = h_centred*rstd
            xhat = _rows.by_row(np.multiply, h_centred, rstd, out=dresidual_block)
        # step 49: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if needs_ddgamma_over_D:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_sum(part, ddgamma_over_D)
        # step 32: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_g_2:
            g = dy
        # step 33: mean_g = mean(g)
        if needs_mean_g:
            mean_g = _rows.row_sum(g, one_over_D)
            # step 34: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_mean(g, xhat, D)
        # step 37: ddh = ddresidual + ddx
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddx, out=buffers[0])
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if ddx_rows is not None and ddresidual_rows is None:
            ddh = ddx
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 56: mean_ddh = mean(ddh)
        if needs_mean_g:
            mean_ddh = _rows.row_sum(ddh, one_over_D)
            # step 56: mean_ddh_xhat = mean(ddh*xhat)
            mean_ddh_xhat = _rows.row_mean(ddh, xhat, D)
            # step 49: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_mean(ddh, g, D)
            # step 49, pass 12: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 49, pass 13: mean_ddh_scaled = mean_ddh*mean_g
            mean_ddh_scaled = mean_ddh * mean_g
            # step 56: dg = (ddh - mean_ddh - xhat*mean_ddh_xhat)*rstd
            part_2 = _rows.by_row(np.subtract, ddh, mean_ddh, out=ddy_block)
            dg = _rows.by_row(np.multiply, xhat, mean_ddh_xhat, out=buffers[1])
            dg = np.subtract(part_2, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 57: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_3 = np.multiply(dg, dy, out=buffers[2])
            d2gamma = _rows.sum_rows(part_3)
        # step 49, pass 14: d2x = (dy*ddgamma + (xhat*mean_ddh_scaled +
        #   (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddh_xhat - xhat*mean_ddh_g -
        #   (ddh - mean_ddh)*mean_g_xhat)*rstd - mean_ddgamma_dy -
        #   xhat*mean_ddgamma_dy_xhat)*rstd
        if needs_ddgamma_over_D:
            d2x = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if needs_mean_g:
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddh_scaled, out=buffers[3])
            part_5 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[4])
            part_5 = np.add(part_5, mean_g, out=part_5)
            part_5 = np.subtract(part_5, g, out=dx_block)
            part_5 = np.multiply(part_5, mean_ddh_xhat, out=part_5)
            part_4 = np.add(part_4, part_5, out=part_5)
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddh_g, out=buffers[3])
            part_4 = np.subtract(part_4, part_6, out=part_4)
            part_7 = np.multiply(part_2, mean_g_xhat, out=part_2)
            part_4 = np.subtract(part_4, part_7, out=part_4)
            part_4 = np.multiply(part_4, rstd, out=part_4)
        if needs_d2x:
            d2x = np.add(d2x, part_4, out=part_4)
        if needs_d2x_2:
            d2x = part_4
        if needs_ddgamma_over_D:
            d2x = np.subtract(d2x, mean_ddgamma_dy, out=dx_block)
            part_8 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=ddy_block
            )
            d2x = np.subtract(d2x, part_8, out=d2x)
        if needs_h_shifted:
            d2x = np.multiply(d2x, rstd, out=d2x)
        else:
            d2x = 0.0
        # step 62: ddy = xhat*ddgamma + dg*gamma + ddbeta
        if needs_ddgamma_over_D:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if needs_g:
            part_9 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if needs_g_2:
            part_9 = dg
        if needs_d2x:
            ddy = np.add(ddy, part_9, out=ddy)
        if needs_d2x_2:
            ddy = part_9
        if (
            dy_rows is not None
            and ddbeta is not None
            and (
                ddx_rows is not None
                or ddresidual_rows is not None
                or ddgamma is not None
            )
        ):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if dh_rows is not None and (ddx_rows is None or ddresidual_rows is None):
            ddh_result = _rows.filled(ddh, ddh_block, shape, dtype)
        if dh_rows is not None and ddx_rows is not None and ddresidual_rows is not None:
            ddh_result = ddh
        if needs_d2x_3:
            dx = _rows.filled(0.0, dx_block, shape, dtype)
        else:
            dx = d2x
        dresidual = _rows.filled(d2x, dresidual_block, shape, dtype)
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddgamma is None
        ):
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        return dx, dresidual, ddy, ddh_result, d2gamma

    dx, dresidual, ddy, ddh_result, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, ddx_rows, ddresidual_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, ddgamma, ddbeta),
        into=(dx_out, dresidual_out, ddy_out, ddh_out),
        buffers=5,
        feature_sums=1,
    )
    if gamma is not None and (
        dy_rows is None or (ddx_rows is None and ddresidual_rows is None)
    ):
        d2gamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None:
        dbeta = np.full(features, 0.0, dtype)
    else:
        dbeta = None
    return dx, dresidual, d2gamma, dbeta, ddy, ddh_result
