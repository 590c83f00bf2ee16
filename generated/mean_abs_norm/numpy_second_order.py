# Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
"""Centred rows divided by their mean absolute deviation. The tangents, and the gradients of the gradients.

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
    x_rows, gamma, mu_rows, mu_residual_rows, scale_rows = fields
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
        scale,
        gamma_dot_wide,
        gamma_wide,
        beta_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 27: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if x_dot_rows is not None or gamma_dot is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
            # step 5: xhat = x_centred*scale
            xhat = _rows.by_row(np.multiply, x_centred, scale, out=buffers[0])
        # step 27: mean_xhat = mean(sign(xhat))
        if x_dot_rows is not None:
            part = np.sign(xhat, out=y_dot_block)
            mean_xhat = _rows.row_sum(part, one_over_D)
            # step 27: mean_x_dot_xhat = mean(sign(xhat)*x_dot)
            mean_x_dot_xhat = _rows.row_mean(part, x_dot, D)
        # step 27: y_dot = xhat*gamma_dot + (x_dot + (xhat*mean_xhat - 1)*mean_x_dot -
        #   xhat*mean_x_dot_xhat)*scale*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.multiply, xhat, mean_xhat, out=buffers[1])
            part_2 = np.subtract(part_2, 1.0, out=part_2)
            part_2 = np.multiply(part_2, mean_x_dot, out=part_2)
            part_2 = np.add(x_dot, part_2, out=part_2)
            part_3 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part_2 = np.subtract(part_2, part_3, out=part_3)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=part_2)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, scale, out=part_2)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part_2, out=y_dot)
        if x_dot_rows is not None and gamma_dot is None:
            y_dot = part_2
        if beta_dot is not None and (x_dot_rows is not None or gamma_dot is not None):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, scale_rows),
        features=(gamma_dot, gamma, beta_dot),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma, ddbeta = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, scale_rows = fields
    dx_out, _, dbeta_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_x_shifted = ddx_rows is not None or ddgamma is not None
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    needs_d2xhat = ddx_rows is not None and ddgamma is not None
    needs_ddy = ddx_rows is None and ddgamma is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        scale,
        gamma_wide,
        ddgamma_wide,
        ddbeta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 4,
    ):
        d2gamma = None
        # step 42: dmean_g = sum(-ddx*scale)
        if ddx_rows is not None:
            part = _rows.by_row(np.multiply, ddx, np.negative(scale), out=ddy_block)
            dmean_g = _rows.row_sum(part, ones)
        # step 2, pass 1: x_shifted = x - mu
        if needs_x_shifted:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.by_row(np.subtract, x_shifted, mu_residual, out=dx_block)
            # step 31, pass 9: mean_sign_xhat = mean(sign(x_centred))
            part_2 = np.sign(x_centred, out=buffers[0])
        if ddx_rows is not None:
            mean_sign_xhat = _rows.row_sum(part_2, one_over_D)
        # step 28: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[1])
        if needs_g_2:
            g = dy
        # step 32: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D)
            # step 29, pass 10: mean_g_xhat_unscaled = mean(g*x_centred)
            mean_g_xhat_unscaled = _rows.row_mean(g, x_centred, D)
            # step 29, pass 11: mean_g_xhat = mean_g_xhat_unscaled*scale
            mean_g_xhat = mean_g_xhat_unscaled * scale
            # step 43, pass 12: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = dmean_g / D
            # step 34, pass 13: dmean_g_xhat_unscaled = sum(ddx*(mean_sign_xhat -
            #   sign(x_centred)))
            part_3 = np.subtract(mean_sign_xhat, part_2, out=ddy_block)
            dmean_g_xhat_unscaled = _rows.row_sum(ddx, part_3)
            # step 36, pass 14: sum_ddx_g_xhat = sum((g + (mean_sign_xhat -
            #   sign(x_centred))*mean_g_xhat - mean_g)*ddx)
            part_4 = np.multiply(part_3, mean_g_xhat, out=part_3)
            part_4 = np.add(g, part_4, out=part_4)
            part_4 = np.subtract(part_4, mean_g, out=part_4)
            sum_ddx_g_xhat = _rows.row_sum(part_4, ddx)
            # step 34, pass 15: dmean_g_xhat = dmean_g_xhat_unscaled*scale
            dmean_g_xhat = dmean_g_xhat_unscaled * scale
            # step 43, pass 16: dmean_g_xhat_scaled = dmean_g_xhat/D
            dmean_g_xhat_scaled = dmean_g_xhat / D
            # step 43, pass 17: dg = ddx*scale + x_centred*dmean_g_xhat_scaled*scale +
            #   dmean_g_scaled
            dg = _rows.by_row(np.multiply, ddx, scale, out=ddy_block)
            part_5 = _rows.by_row(
                np.multiply, x_centred, dmean_g_xhat_scaled * scale, out=buffers[2]
            )
            dg = np.add(dg, part_5, out=dg)
            dg = np.add(dg, dmean_g_scaled, out=dg)
        # step 44: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_6 = np.multiply(dg, dy, out=buffers[2])
            d2gamma = _rows.sum_rows(part_6)
        # step 35, pass 18: d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled
        if ddgamma is not None:
            d2xhat = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if ddx_rows is not None:
            part_7 = np.multiply(g, dmean_g_xhat_scaled, out=buffers[1])
        if needs_d2xhat:
            d2xhat = np.add(d2xhat, part_7, out=part_7)
        if ddx_rows is not None and ddgamma is None:
            d2xhat = part_7
        # step 36: sum_d2xhat_x_centred = sum(d2xhat*x_centred)
        if needs_x_shifted:
            sum_d2xhat_x_centred = _rows.row_sum(d2xhat, x_centred)
        # step 47, pass 19: ddy = dg*gamma + x_centred*scale*ddgamma + ddbeta
        if needs_g:
            ddy = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if needs_g_2:
            ddy = dg
        if ddgamma is not None:
            part_8 = _rows.by_feature(
                np.multiply, x_centred, ddgamma_wide, out=x_centred
            )
            part_8 = _rows.by_row(np.multiply, part_8, scale, out=buffers[3])
        if needs_d2xhat:
            ddy = np.add(ddy, part_8, out=ddy)
        if needs_ddy:
            ddy = part_8
        if ddbeta is not None and (ddx_rows is not None or ddgamma is not None):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        # step 36: d2scale = sum_d2xhat_x_centred + sum_ddx_g_xhat
        if ddx_rows is not None:
            d2scale = sum_d2xhat_x_centred + sum_ddx_g_xhat
        if needs_ddy:
            d2scale = sum_d2xhat_x_centred
        # step 38: d2spread = -d2scale*scale**2
        if needs_x_shifted:
            d2spread = np.negative(d2scale * np.square(scale))
            # step 39, pass 20: d2spread_scaled = d2spread/D
            d2spread_scaled = d2spread / D
            # step 39, pass 21: d2x_centred = d2xhat*scale +
            #   sign(x_centred)*d2spread_scaled
            d2x_centred = _rows.by_row(np.multiply, d2xhat, scale, out=dx_block)
            part_9 = np.multiply(part_2, d2spread_scaled, out=part_2)
            d2x_centred = np.add(d2x_centred, part_9, out=d2x_centred)
            # step 40: d2mu = sum(-d2x_centred)
            part_10 = np.negative(d2x_centred, out=buffers[0])
            d2mu = _rows.row_sum(part_10, ones)
            # step 41, pass 22: d2mu_scaled = d2mu/D
            d2mu_scaled = d2mu / D
            # step 41, pass 23: d2x = d2x_centred + d2mu_scaled
            d2x = np.add(d2x_centred, d2mu_scaled, out=d2x_centred)
        else:
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        return d2x, ddy, d2gamma

    d2x, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(mu_rows, mu_residual_rows, scale_rows),
        features=(gamma, ddgamma, ddbeta),
        into=(dx_out, ddy_out),
        buffers=4,
        feature_sums=1,
    )
    if gamma is not None and ddx_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None:
        dbeta = np.full(features, 0.0, dtype)
    else:
        dbeta = None
    return d2x, d2gamma, dbeta, ddy
