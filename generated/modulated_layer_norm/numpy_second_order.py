# Made by lngen 0.1.0 from the definition of modulated_layer_norm.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 10 flops per row element; backward 3 row tensors (2 read, 1 written), 21 flops per row element.
# Evidence: 1 output, 23 steps, 36 first lines, 2 identities, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Layer normalization whose output is gated by one number a row. The tangents, and the gradients of the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs, written to their arrays."""
    x_dot_rows, gate_dot_rows, gamma_dot, beta_dot = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)
    gamma_dot_wide = _rows.repeated(gamma_dot)
    beta_dot_wide = _rows.repeated(beta_dot)

    def block(
        x,
        gate,
        x_dot,
        gate_dot,
        mu,
        mu_residual,
        rstd,
        y_dot_block,
        buffers,
        row_scalars,
    ):
        # step 39: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D, out=row_scalars[0])
        # step 2: x_shifted = x - mu
        if x_dot_rows is not None or gate_dot_rows is not None or gamma_dot is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = np.multiply(x_centred, rstd, out=y_dot_block)
        # step 39: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D, out=row_scalars[1])
        # step 39: y_dot = (xhat*gamma + beta)*gate_dot + (xhat*gamma_dot + (x_dot -
        #   mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot)*gate
        if gamma is not None and gate_dot_rows is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffers[0])
        if gamma is None and gate_dot_rows is not None:
            y_dot = xhat
        if beta is not None and gate_dot_rows is not None:
            y_dot = _rows.by_feature(np.add, y_dot, beta_wide, out=buffers[0])
        if gate_dot_rows is not None:
            y_dot = np.multiply(y_dot, gate_dot, out=buffers[0])
        if gamma_dot is not None:
            part = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=buffers[1])
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[2])
            part_3 = np.multiply(xhat, mean_x_dot_xhat, out=y_dot_block)
            part_2 = np.subtract(part_2, part_3, out=y_dot_block)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, rstd, out=y_dot_block)
        if x_dot_rows is not None and gamma_dot is not None:
            part = np.add(part, part_2, out=y_dot_block)
        if x_dot_rows is not None and gamma_dot is None:
            part = part_2
        if beta_dot is not None and (x_dot_rows is not None or gamma_dot is not None):
            part = _rows.by_feature(np.add, part, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None and beta_dot is not None:
            part = beta_dot
        if gate_rows is not None and (
            x_dot_rows is not None or gamma_dot is not None or beta_dot is not None
        ):
            part = np.multiply(part, gate, out=y_dot_block)
        if gate_dot_rows is not None and (
            x_dot_rows is not None or gamma_dot is not None or beta_dot is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot_block)
        if gate_rows is not None and gate_dot_rows is None:
            y_dot = part
        if (
            gate_rows is None
            and beta_dot is not None
            and (x_dot_rows is not None or gamma_dot is not None)
        ):
            y_dot = part
        if (
            gate_rows is None
            and x_dot_rows is not None
            and gamma_dot is not None
            and beta_dot is None
        ):
            y_dot = part
        if gate_rows is None and x_dot_rows is None and beta_dot is None:
            y_dot = part
        if gate_rows is None and gamma_dot is None and beta_dot is None:
            y_dot = part
        if gate_rows is None and x_dot_rows is None and gamma_dot is None:
            y_dot = part
        if x_dot_rows is None and (
            (gamma_dot is None and beta_dot is None)
            or (gate_rows is None and gamma_dot is None)
            or (gate_rows is None and beta_dot is None)
        ):
            y_dot_block[...] = y_dot

    _blocks.each_block(
        block,
        call,
        reads=(
            x_rows,
            gate_rows,
            x_dot_rows,
            gate_dot_rows,
            mu_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        writes=(y_dot_out,),
        buffers=3,
        row_scalars=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows, ddgate_rows, ddgamma, ddbeta = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgate_out, dgamma_out, dbeta_out, ddy_out = results
    features, dtype = call.features, call.dtype
    needs_part_18 = (
        ddx_rows is not None or ddgate_rows is not None or ddgamma is not None
    )
    needs_sum_ddbeta_dy = gate_rows is not None and ddbeta is not None
    needs_part_4 = gate_rows is not None and ddgamma is not None
    needs_part_5 = gamma is not None and (
        ddx_rows is not None or ddgate_rows is not None
    )
    needs_g = gate_rows is not None and ddx_rows is not None
    needs_g_2 = gate_rows is None and gamma is not None and ddx_rows is not None
    needs_part_9 = gamma is not None and ddgate_rows is not None
    needs_part_10 = gate_rows is not None and gamma is not None and ddx_rows is not None
    needs_ddy = gate_rows is not None and ddgamma is not None and ddbeta is None
    needs_ddy_2 = ddx_rows is None and ddgamma is None and ddbeta is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 53: d2var_scaled = 2*d2var/D
    if needs_part_18:
        part_18 = np.divide(2.0, D)
    gamma_wide = _rows.repeated(gamma)
    ddgamma_wide = _rows.repeated(ddgamma)
    beta_wide = _rows.repeated(beta)

    def block(
        x,
        gate,
        dy,
        ddx,
        ddgate,
        mu,
        mu_residual,
        rstd,
        ddy_block,
        dgate_block,
        dx_block,
        buffers,
        row_scalars,
        sums,
    ):
        d2beta_rows_sums, d2gamma_sums = sums
        # step 47: dmean_product = ddgate*D
        if ddgate_rows is not None:
            dmean_product = np.multiply(ddgate, D, out=dgate_block)
        # step 63: d2beta_rows = sum over rows of dy*dmean_product
        if beta is not None and ddgate_rows is not None:
            _rows.add_rows(dy, d2beta_rows_sums, dmean_product)
        # step 49: dmean_product_scaled = dmean_product/D
        if ddgate_rows is not None:
            dmean_product_scaled = np.divide(dmean_product, D, out=dgate_block)
        # step 57: dmean_g = sum(-ddx*rstd)
        if ddx_rows is not None:
            part = np.negative(rstd, out=row_scalars[0])
            part_2 = _rows.by_row(np.multiply, ddx, part, out=ddy_block)
            dmean_g = _rows.row_sum(part_2, ones, out=row_scalars[1])
        # step 59: sum_ddbeta_dy = sum(dy*ddbeta)
        if needs_sum_ddbeta_dy:
            sum_ddbeta_dy = _rows.row_sum(dy, ddbeta, out=row_scalars[2])
        # step 2: x_shifted = x - mu
        if needs_part_18:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=ddy_block)
        # step 48: dmean_g_xhat = sum(-ddx*xhat*rstd)
        if ddx_rows is not None:
            part_3 = np.multiply(ddx, xhat, out=buffers[0])
            part_3 = np.multiply(part_3, part, out=buffers[0])
            dmean_g_xhat = _rows.row_sum(part_3, ones, out=row_scalars[0])
        # step 59: sum_ddgamma_dy_xhat = sum(dy*xhat*ddgamma)
        if needs_part_4:
            part_4 = np.multiply(dy, xhat, out=buffers[0])
            sum_ddgamma_dy_xhat = _rows.row_sum(part_4, ddgamma, out=row_scalars[3])
        # step 40: g = dy*gate*gamma
        if needs_part_5:
            part_5 = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[0])
        if gamma is None and (ddx_rows is not None or ddgate_rows is not None):
            part_5 = dy
        if needs_g:
            g = _rows.by_row(np.multiply, part_5, gate, out=buffers[1])
        if needs_g_2:
            g = part_5
        if gate_rows is None and gamma is None and ddx_rows is not None:
            g = part_5
        # step 42: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[4])
            # step 41: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalars[5])
            # step 58: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = np.divide(dmean_g, D, out=row_scalars[1])
            # step 58: dmean_g_xhat_scaled = dmean_g_xhat/D
            dmean_g_xhat_scaled = np.divide(dmean_g_xhat, D, out=row_scalars[0])
            # step 49: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = np.multiply(mean_g_xhat, rstd, out=row_scalars[6])
            # step 50: sum_ddx_g_xhat = sum((g - mean_g - xhat*mean_g_xhat)*ddx)
            part_6 = _rows.by_row(np.subtract, g, mean_g, out=buffers[2])
            part_7 = _rows.by_row(np.multiply, xhat, mean_g_xhat, out=buffers[3])
            part_6 = np.subtract(part_6, part_7, out=buffers[2])
            sum_ddx_g_xhat = _rows.row_sum(part_6, ddx, out=row_scalars[4])
            # step 58: dg = xhat*dmean_g_xhat_scaled + ddx*rstd + dmean_g_scaled
            dg = _rows.by_row(np.multiply, xhat, dmean_g_xhat_scaled, out=buffers[2])
            part_8 = _rows.by_row(np.multiply, ddx, rstd, out=buffers[3])
            dg = np.add(dg, part_8, out=buffers[2])
            dg = np.add(dg, dmean_g_scaled, out=buffers[2])
        # step 61: d2gamma = sum over rows of (xhat*dmean_product_scaled + dg*gate)*dy
        if needs_part_9:
            part_9 = _rows.by_row(
                np.multiply, xhat, dmean_product_scaled, out=buffers[3]
            )
        if needs_part_10:
            part_10 = _rows.by_row(np.multiply, dg, gate, out=buffers[4])
        if needs_g_2:
            part_10 = dg
        if gamma is not None and ddx_rows is not None and ddgate_rows is not None:
            part_9 = np.add(part_9, part_10, out=buffers[3])
        if (
            gate_rows is not None
            and gamma is not None
            and ddx_rows is not None
            and ddgate_rows is None
        ):
            part_9 = part_10
        if needs_g_2:
            part_9 = part_10
        if needs_part_5:
            part_9 = np.multiply(part_9, dy, out=buffers[3])
            _rows.add_rows(part_9, d2gamma_sums)
        # step 59: sum_dg_dy_gamma = sum(dg*dy*gamma)
        if needs_part_10:
            part_11 = np.multiply(dg, dy, out=buffers[3])
            sum_dg_dy_gamma = _rows.row_sum(part_11, gamma, out=row_scalars[1])
        if gate_rows is not None and gamma is None and ddx_rows is not None:
            sum_dg_dy_gamma = _rows.row_sum(dg, dy, out=row_scalars[1])
        # step 49: d2xhat = g*dmean_g_xhat_scaled + dy*gate*ddgamma +
        #   dy*dmean_product_scaled*gamma - ddx*mean_g_xhat_scaled
        if ddx_rows is not None:
            d2xhat = np.multiply(g, dmean_g_xhat_scaled, out=buffers[1])
        if ddgamma is not None:
            part_12 = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[3])
        if needs_part_4:
            part_12 = np.multiply(part_12, gate, out=buffers[3])
        if ddx_rows is not None and ddgamma is not None:
            d2xhat = np.add(d2xhat, part_12, out=buffers[1])
        if gate_rows is not None and ddx_rows is None and ddgamma is not None:
            d2xhat = part_12
        if gate_rows is None and ddx_rows is None and ddgamma is not None:
            d2xhat = part_12
        if ddgate_rows is not None:
            part_13 = np.multiply(part_5, dmean_product_scaled, out=buffers[0])
        if ddgate_rows is not None and (ddx_rows is not None or ddgamma is not None):
            d2xhat = np.add(d2xhat, part_13, out=buffers[0])
        if ddx_rows is None and ddgate_rows is not None and ddgamma is None:
            d2xhat = part_13
        if ddx_rows is not None:
            part_14 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=buffers[3])
            d2xhat = np.subtract(d2xhat, part_14, out=buffers[0])
        # step 50: sum_d2xhat_x_centred = sum(d2xhat*x_centred)
        if needs_part_18:
            sum_d2xhat_x_centred = _rows.row_sum(d2xhat, x_centred, out=row_scalars[0])
        # step 64: ddy = gate*ddbeta + xhat*gate*ddgamma + dg*gate*gamma + (xhat*gamma +
        #   beta)*dmean_product_scaled
        if needs_sum_ddbeta_dy:
            ddy = np.multiply(ddbeta, gate, out=buffers[1])
        if gate_rows is None and ddbeta is not None:
            ddy = ddbeta
        if ddgamma is not None:
            part_15 = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffers[4])
        if needs_part_4:
            part_15 = np.multiply(part_15, gate, out=buffers[4])
        if ddgamma is not None and ddbeta is not None:
            ddy = np.add(ddy, part_15, out=buffers[1])
        if needs_ddy:
            ddy = part_15
        if gate_rows is None and ddgamma is not None and ddbeta is None:
            ddy = part_15
        if gamma is not None and ddx_rows is not None:
            part_16 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[2])
        if gamma is None and ddx_rows is not None:
            part_16 = dg
        if needs_g:
            part_16 = np.multiply(part_16, gate, out=buffers[2])
        if ddx_rows is not None and (ddgamma is not None or ddbeta is not None):
            ddy = np.add(ddy, part_16, out=buffers[1])
        if (
            gate_rows is not None
            and ddx_rows is not None
            and ddgamma is None
            and ddbeta is None
        ):
            ddy = part_16
        if (
            gate_rows is None
            and gamma is not None
            and ddgamma is None
            and ddbeta is None
        ):
            ddy = part_16
        if gate_rows is None and gamma is None and ddbeta is None:
            ddy = part_16
        if needs_part_9:
            part_17 = _rows.by_feature(np.multiply, xhat, gamma_wide, out=ddy_block)
        if gamma is None and ddgate_rows is not None:
            part_17 = xhat
        if beta is not None and ddgate_rows is not None:
            part_17 = _rows.by_feature(np.add, part_17, beta_wide, out=ddy_block)
        if ddgate_rows is not None:
            part_17 = np.multiply(part_17, dmean_product_scaled, out=ddy_block)
        if ddgate_rows is not None and (
            ddx_rows is not None or ddgamma is not None or ddbeta is not None
        ):
            ddy = np.add(ddy, part_17, out=ddy_block)
        if needs_ddy_2:
            ddy = part_17
        if ddgate_rows is None:
            ddy_block[...] = ddy
        # step 50: d2rstd = sum_d2xhat_x_centred + sum_ddx_g_xhat
        if ddx_rows is not None:
            d2rstd = np.add(sum_d2xhat_x_centred, sum_ddx_g_xhat, out=row_scalars[0])
        if ddx_rows is None and (ddgate_rows is not None or ddgamma is not None):
            d2rstd = sum_d2xhat_x_centred
        # step 52: d2rstd_scaled = d2rstd*rstd
        if needs_part_18:
            d2rstd_scaled = np.multiply(d2rstd, rstd, out=row_scalars[0])
            # step 52: d2var = -d2rstd_scaled*rstd**2/2
            d2var = np.square(rstd, out=row_scalars[4])
            d2var = np.multiply(d2rstd_scaled, d2var, out=row_scalars[0])
            d2var = np.multiply(d2var, -0.5, out=row_scalars[0])
            # step 53: d2var_scaled = 2*d2var/D
            d2var_scaled = np.multiply(d2var, part_18, out=row_scalars[0])
        # step 59: d2gate = sum_ddbeta_dy + sum_ddgamma_dy_xhat + sum_dg_dy_gamma
        if gate_rows is not None and ddgamma is not None and ddbeta is not None:
            d2gate = np.add(sum_ddbeta_dy, sum_ddgamma_dy_xhat, out=dgate_block)
        if gate_rows is not None and ddgamma is None and ddbeta is not None:
            d2gate = sum_ddbeta_dy
        if needs_ddy:
            d2gate = sum_ddgamma_dy_xhat
        if (
            gate_rows is not None
            and ddx_rows is not None
            and (ddgamma is not None or ddbeta is not None)
        ):
            d2gate = np.add(d2gate, sum_dg_dy_gamma, out=dgate_block)
        if (
            gate_rows is not None
            and gamma is None
            and ddx_rows is not None
            and ddbeta is None
        ):
            d2gate = sum_dg_dy_gamma
        if needs_ddy_2:
            d2gate = 0.0
        if (
            gate_rows is not None
            and gamma is not None
            and ddx_rows is not None
            and ddgamma is None
            and ddbeta is None
        ):
            d2gate = sum_dg_dy_gamma
        if gate_rows is not None and (
            (ddgamma is None and ddbeta is None)
            or (ddx_rows is None and ddgamma is None)
            or (ddx_rows is None and ddbeta is None)
        ):
            dgate_block[...] = d2gate
        # step 53: d2x_centred = x_centred*d2var_scaled + d2xhat*rstd
        if needs_part_18:
            d2x_centred = np.multiply(x_centred, d2var_scaled, out=dx_block)
            part_19 = np.multiply(d2xhat, rstd, out=buffers[0])
            d2x_centred = np.add(d2x_centred, part_19, out=dx_block)
            # step 54: d2mu = sum(-d2x_centred)
            part_20 = np.negative(d2x_centred, out=buffers[0])
            d2mu = _rows.row_sum(part_20, ones, out=row_scalars[0])
            # step 55: d2mu_scaled = d2mu/D
            d2mu_scaled = np.divide(d2mu, D, out=row_scalars[0])
            # step 55: d2x = d2x_centred + d2mu_scaled
            d2x = np.add(d2x_centred, d2mu_scaled, out=dx_block)
        if ddx_rows is None and ddgate_rows is None and ddgamma is None:
            d2x = 0.0
            dx_block[...] = d2x

    d2beta_rows, d2gamma = _blocks.each_block(
        block,
        call,
        reads=(
            x_rows,
            gate_rows,
            dy_rows,
            ddx_rows,
            ddgate_rows,
            mu_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        writes=(ddy_out, dgate_out, dx_out),
        buffers=5,
        row_scalars=7,
        feature_sums=2,
    )
    if gamma is not None and ddx_rows is None and ddgate_rows is None:
        d2gamma = 0.0
    # step 63: d2beta = d2beta_rows/D
    if beta is not None and ddgate_rows is not None:
        d2beta = np.divide(d2beta_rows, D)
    if beta is not None and ddgate_rows is None:
        d2beta = 0.0
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., d2gamma)
    if beta is not None:
        _blocks.round_to(dbeta_out, ..., d2beta)
