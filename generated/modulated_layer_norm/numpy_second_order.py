# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
"""Layer normalization whose output is gated by one number a row. The tangents, and the gradients of the gradients.

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
    x_dot_rows, gate_dot_rows, gamma_dot, beta_dot = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        x_dot,
        gate,
        gate_dot,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        beta_wide,
        gamma_dot_wide,
        beta_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 3,
    ):
        # step 30: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if x_dot_rows is not None or gate_dot_rows is not None or gamma_dot is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=buffers[0])
        # step 30: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 30: y_dot = (xhat*gamma + beta)*gate_dot + (xhat*gamma_dot + (x_dot -
        #   mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot)*gate
        if gamma is not None and gate_dot_rows is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_dot_block)
        if gamma is None and gate_dot_rows is not None:
            y_dot = xhat
        if beta is not None and gate_dot_rows is not None:
            y_dot = _rows.by_feature(np.add, y_dot, beta_wide, out=y_dot_block)
        if gate_dot_rows is not None:
            y_dot = np.multiply(y_dot, gate_dot, out=y_dot_block)
        if gamma_dot is not None:
            part = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=buffers[1])
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[2])
            part_3 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part_2 = np.subtract(part_2, part_3, out=part_3)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=part_2)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, rstd, out=part_2)
        if x_dot_rows is not None and gamma_dot is not None:
            part = np.add(part, part_2, out=part_2)
        if x_dot_rows is not None and gamma_dot is None:
            part = part_2
        if beta_dot is not None and (x_dot_rows is not None or gamma_dot is not None):
            part = _rows.by_feature(np.add, part, beta_dot_wide, out=buffers[0])
        if x_dot_rows is None and gamma_dot is None and beta_dot is not None:
            part = beta_dot
        if gate_rows is not None and (
            x_dot_rows is not None or gamma_dot is not None or beta_dot is not None
        ):
            part = np.multiply(part, gate, out=buffers[0])
        if gate_dot_rows is not None and (
            x_dot_rows is not None or gamma_dot is not None or beta_dot is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot)
        if gate_dot_rows is None:
            y_dot = part
        if gate_rows is None and x_dot_rows is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(gate_rows, gate_dot_rows, mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta, gamma_dot, beta_dot),
        into=(y_dot_out,),
        buffers=3,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgate_rows, ddgamma, ddbeta = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgate_out, _, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_part_18 = (
        ddx_rows is not None or ddgate_rows is not None or ddgamma is not None
    )
    needs_d2beta_rows = beta is not None and ddgate_rows is not None
    needs_sum_ddbeta_dy = gate_rows is not None and ddbeta is not None
    needs_part_4 = gate_rows is not None and ddgamma is not None
    needs_part_5 = gamma is not None and (
        ddx_rows is not None or ddgate_rows is not None
    )
    needs_g = gate_rows is not None and ddx_rows is not None
    needs_part_9 = gamma is not None and ddgate_rows is not None
    needs_part_10 = gate_rows is not None and gamma is not None and ddx_rows is not None
    needs_ddy = ddx_rows is None and ddgamma is None and ddbeta is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 44, pass 16: d2var_scaled = 2*d2var/D
    if needs_part_18:
        part_18 = 2.0 / D

    def block(
        x,
        dy,
        ddx,
        gate,
        ddgate,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        ddgamma_wide,
        beta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
        row_scalar_buffers=(None,),
    ):
        d2gate = d2beta_rows = d2gamma = None
        # step 38: dmean_product = ddgate*D
        if ddgate_rows is not None:
            dmean_product = ddgate * D
        # step 54, pass 12: d2beta_rows = sum over rows of dy*dmean_product
        if needs_d2beta_rows:
            d2beta_rows = _rows.sum_rows(dy, dmean_product)
        # step 40, pass 8: dmean_product_scaled = dmean_product/D
        if ddgate_rows is not None:
            dmean_product_scaled = dmean_product / D
        # step 48: dmean_g = sum(-ddx*rstd)
        if ddx_rows is not None:
            part = np.negative(rstd)
            part_2 = _rows.by_row(np.multiply, ddx, part, out=ddy_block)
            dmean_g = _rows.row_sum(part_2, ones)
        # step 50: sum_ddbeta_dy = sum(dy*ddbeta)
        if needs_sum_ddbeta_dy:
            sum_ddbeta_dy = _rows.row_sum(dy, ddbeta)
        # step 2, pass 1: x_shifted = x - mu
        if needs_part_18:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=buffers[0])
        # step 39: dmean_g_xhat = sum(-ddx*xhat*rstd)
        if ddx_rows is not None:
            part_3 = np.multiply(ddx, xhat, out=ddy_block)
            part_3 = np.multiply(part_3, part, out=part_3)
            dmean_g_xhat = _rows.row_sum(part_3, ones)
        # step 50: sum_ddgamma_dy_xhat = sum(dy*xhat*ddgamma)
        if needs_part_4:
            part_4 = np.multiply(dy, xhat, out=ddy_block)
            sum_ddgamma_dy_xhat = _rows.row_sum(part_4, ddgamma)
        # step 31: g = dy*gate*gamma
        if needs_part_5:
            part_5 = _rows.by_feature(np.multiply, dy, gamma_wide, out=ddy_block)
        if gamma is None and (ddx_rows is not None or ddgate_rows is not None):
            part_5 = dy
        if needs_g:
            g = _rows.by_row(np.multiply, part_5, gate, out=buffers[1])
        if gate_rows is None and ddx_rows is not None:
            g = part_5
        # step 33: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D)
            # step 32: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 49, pass 9: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = dmean_g / D
            # step 49, pass 10: dmean_g_xhat_scaled = dmean_g_xhat/D
            dmean_g_xhat_scaled = dmean_g_xhat / D
            # step 40, pass 11: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 41: sum_ddx_g_xhat = sum((g - mean_g - xhat*mean_g_xhat)*ddx)
            part_6 = _rows.by_row(np.subtract, g, mean_g, out=buffers[2])
            part_7 = _rows.by_row(np.multiply, xhat, mean_g_xhat, out=buffers[3])
            part_6 = np.subtract(part_6, part_7, out=part_6)
            sum_ddx_g_xhat = _rows.row_sum(part_6, ddx)
            # step 49, pass 13: dg = xhat*dmean_g_xhat_scaled + ddx*rstd +
            #   dmean_g_scaled
            dg = _rows.by_row(np.multiply, xhat, dmean_g_xhat_scaled, out=buffers[2])
            part_8 = _rows.by_row(np.multiply, ddx, rstd, out=buffers[3])
            dg = np.add(dg, part_8, out=dg)
            dg = np.add(dg, dmean_g_scaled, out=dg)
        # step 52, pass 17: d2gamma = sum over rows of (xhat*dmean_product_scaled +
        #   dg*gate)*dy
        if needs_part_9:
            part_9 = _rows.by_row(
                np.multiply, xhat, dmean_product_scaled, out=buffers[3]
            )
        if needs_part_10:
            part_10 = _rows.by_row(np.multiply, dg, gate, out=buffers[4])
        if gate_rows is None and gamma is not None and ddx_rows is not None:
            part_10 = dg
        if gamma is not None and ddx_rows is not None and ddgate_rows is not None:
            part_9 = np.add(part_9, part_10, out=part_9)
        if gamma is not None and ddx_rows is not None and ddgate_rows is None:
            part_9 = part_10
        if needs_part_5:
            part_9 = np.multiply(part_9, dy, out=buffers[3])
            d2gamma = _rows.sum_rows(part_9)
        # step 50: sum_dg_dy_gamma = sum(dg*dy*gamma)
        if needs_part_10:
            part_11 = np.multiply(dg, dy, out=buffers[3])
            sum_dg_dy_gamma = _rows.row_sum(part_11, gamma)
        if gate_rows is not None and gamma is None and ddx_rows is not None:
            sum_dg_dy_gamma = _rows.row_sum(dg, dy)
        # step 40, pass 14: d2xhat = g*dmean_g_xhat_scaled + dy*gate*ddgamma +
        #   dy*dmean_product_scaled*gamma - ddx*mean_g_xhat_scaled
        if ddx_rows is not None:
            d2xhat = np.multiply(g, dmean_g_xhat_scaled, out=buffers[1])
        if ddgamma is not None:
            part_12 = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[3])
        if needs_part_4:
            part_12 = np.multiply(part_12, gate, out=part_12)
        if ddx_rows is not None and ddgamma is not None:
            d2xhat = np.add(d2xhat, part_12, out=d2xhat)
        if ddx_rows is None and ddgamma is not None:
            d2xhat = part_12
        if ddgate_rows is not None:
            part_13 = _rows.by_row(
                np.multiply, part_5, dmean_product_scaled, out=buffers[4]
            )
        if ddgate_rows is not None and (ddx_rows is not None or ddgamma is not None):
            d2xhat = np.add(d2xhat, part_13, out=buffers[1])
        if ddx_rows is None and ddgate_rows is not None and ddgamma is None:
            d2xhat = part_13
        if ddx_rows is not None:
            part_14 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=ddy_block)
            d2xhat = np.subtract(d2xhat, part_14, out=d2xhat)
        # step 41: sum_d2xhat_x_centred = sum(d2xhat*x_centred)
        if needs_part_18:
            sum_d2xhat_x_centred = _rows.row_sum(d2xhat, x_centred)
        # step 55, pass 15: ddy = gate*ddbeta + xhat*gate*ddgamma + dg*gate*gamma +
        #   (xhat*gamma + beta)*dmean_product_scaled
        if needs_sum_ddbeta_dy:
            ddy = np.multiply(ddbeta, gate, out=ddy_block)
        if gate_rows is None and ddbeta is not None:
            ddy = ddbeta
        if ddgamma is not None:
            part_15 = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffers[4])
        if needs_part_4:
            part_15 = np.multiply(part_15, gate, out=part_15)
        if ddgamma is not None and ddbeta is not None:
            ddy = np.add(ddy, part_15, out=ddy_block)
        if ddgamma is not None and ddbeta is None:
            ddy = part_15
        if gamma is not None and ddx_rows is not None:
            part_16 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if gamma is None and ddx_rows is not None:
            part_16 = dg
        if needs_g:
            part_16 = np.multiply(part_16, gate, out=part_16)
        if ddx_rows is not None and (ddgamma is not None or ddbeta is not None):
            ddy = np.add(ddy, part_16, out=ddy_block)
        if ddx_rows is not None and ddgamma is None and ddbeta is None:
            ddy = part_16
        if needs_part_9:
            part_17 = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        if gamma is None and ddgate_rows is not None:
            part_17 = xhat
        if needs_d2beta_rows:
            part_17 = _rows.by_feature(np.add, part_17, beta_wide, out=part_17)
        if ddgate_rows is not None:
            part_17 = np.multiply(part_17, dmean_product_scaled, out=part_17)
        if ddgate_rows is not None and (
            ddx_rows is not None or ddgamma is not None or ddbeta is not None
        ):
            ddy = np.add(ddy, part_17, out=ddy_block)
        if needs_ddy:
            ddy = part_17
        # step 41: d2rstd = sum_d2xhat_x_centred + sum_ddx_g_xhat
        if ddx_rows is not None:
            d2rstd = sum_d2xhat_x_centred + sum_ddx_g_xhat
        if ddx_rows is None and (ddgate_rows is not None or ddgamma is not None):
            d2rstd = sum_d2xhat_x_centred
        # step 43: d2var = -d2rstd*rstd**3/2
        if needs_part_18:
            d2var = d2rstd * (np.square(rstd) * rstd) * -0.5
            # step 44, pass 16: d2var_scaled = 2*d2var/D
            d2var_scaled = d2var * part_18
        # step 50: d2gate = sum_ddbeta_dy + sum_ddgamma_dy_xhat + sum_dg_dy_gamma
        if gate_rows is not None and ddgamma is not None and ddbeta is not None:
            d2gate = sum_ddbeta_dy + sum_ddgamma_dy_xhat
        if gate_rows is not None and ddgamma is None and ddbeta is not None:
            d2gate = sum_ddbeta_dy
        if gate_rows is not None and ddgamma is not None and ddbeta is None:
            d2gate = sum_ddgamma_dy_xhat
        if (
            gate_rows is not None
            and ddx_rows is not None
            and (ddgamma is not None or ddbeta is not None)
        ):
            d2gate = d2gate + sum_dg_dy_gamma
        if (
            gate_rows is not None
            and ddx_rows is not None
            and ddgamma is None
            and ddbeta is None
        ):
            d2gate = sum_dg_dy_gamma
        # step 44, pass 18: d2x_centred = x_centred*d2var_scaled + d2xhat*rstd
        if needs_part_18:
            d2x_centred = np.multiply(x_centred, d2var_scaled, out=x_centred)
            part_19 = np.multiply(d2xhat, rstd, out=buffers[1])
            d2x_centred = np.add(d2x_centred, part_19, out=d2x_centred)
            # step 45: d2mu = sum(-d2x_centred)
            part_20 = np.negative(d2x_centred, out=buffers[1])
            d2mu = _rows.row_sum(part_20, ones)
            # step 46, pass 19: d2mu_scaled = d2mu/D
            d2mu_scaled = d2mu / D
            # step 46, pass 20: d2x = d2x_centred + d2mu_scaled
            d2x = np.add(d2x_centred, d2mu_scaled, out=d2x_centred)
        if needs_ddy:
            d2gate = _rows.filled(0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if gate_rows is None and ddx_rows is None and ddgamma is None:
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        if ddx_rows is None and ddgate_rows is None and ddgamma is None:
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        if gate_rows is not None:
            d2gate = d2gate[..., 0]
        return d2x, ddy, d2gate, d2beta_rows, d2gamma

    d2x, ddy, d2gate, d2beta_rows, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(gate_rows, ddgate_rows, mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, ddgamma, beta),
        into=(dx_out, ddy_out),
        into_row_scalars=(dgate_out,),
        buffers=5,
        row_scalar_buffers=1,
        feature_sums=2,
    )
    # step 54, pass 21: d2beta = d2beta_rows/D
    if needs_d2beta_rows:
        d2beta = d2beta_rows / D
    if gamma is not None and ddx_rows is None and ddgate_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    if beta is not None and ddgate_rows is None:
        d2beta = np.full(features, 0.0, dtype)
    if beta is None:
        d2beta = None
    return d2x, d2gate, d2gamma, d2beta, ddy
