# Made by lngen 0.1.0 from the definition of mean_abs_norm.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 9 flops per row element; backward 3 row tensors (2 read, 1 written), 18 flops per row element.
# Evidence: 1 output, 17 steps, 32 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Centred rows divided by their mean absolute deviation. The tangents, and the gradients of the gradients.

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
    x_dot_rows, gamma_dot, beta_dot = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, scale_rows = fields
    (y_dot_out,) = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    gamma_dot_wide = _rows.repeated(gamma_dot)
    gamma_wide = _rows.repeated(gamma)
    beta_dot_wide = _rows.repeated(beta_dot)

    def block(x, x_dot, mu, mu_residual, scale, y_dot_block, buffers, row_scalars):
        # step 34: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D, out=row_scalars[0])
        # step 2: x_shifted = x - mu
        if x_dot_rows is not None or gamma_dot is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = np.subtract(x_shifted, mu_residual, out=y_dot_block)
            # step 5: xhat = x_centred*scale
            xhat = np.multiply(x_centred, scale, out=y_dot_block)
        # step 34: mean_xhat = mean(sign(xhat))
        if x_dot_rows is not None:
            part = np.sign(xhat, out=buffers[0])
            mean_xhat = _rows.row_sum(part, one_over_D, out=row_scalars[1])
            # step 34: mean_x_dot_xhat = mean(sign(xhat)*x_dot)
            mean_x_dot_xhat = _rows.row_mean(part, x_dot, D, out=row_scalars[2])
        # step 34: y_dot = xhat*gamma_dot + (x_dot + (xhat*mean_xhat - 1)*mean_x_dot -
        #   xhat*mean_x_dot_xhat)*scale*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=buffers[0])
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.multiply, xhat, mean_xhat, out=buffers[1])
            part_2 = np.subtract(part_2, 1.0, out=buffers[1])
            part_2 = np.multiply(part_2, mean_x_dot, out=buffers[1])
            part_2 = np.add(x_dot, part_2, out=buffers[1])
            part_3 = np.multiply(xhat, mean_x_dot_xhat, out=y_dot_block)
            part_2 = np.subtract(part_2, part_3, out=y_dot_block)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, scale, out=y_dot_block)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part_2, out=y_dot_block)
        if x_dot_rows is not None and gamma_dot is None:
            y_dot = part_2
        if beta_dot is not None and (x_dot_rows is not None or gamma_dot is not None):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None:
            y_dot = beta_dot
        if x_dot_rows is None and (gamma_dot is None or beta_dot is None):
            y_dot_block[...] = y_dot

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, x_dot_rows, mu_rows, mu_residual_rows, scale_rows),
        writes=(y_dot_out,),
        buffers=2,
        row_scalars=3,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows, ddgamma, ddbeta = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, scale_rows = fields
    dx_out, dgamma_out, dbeta_out, ddy_out = results
    features, dtype = call.features, call.dtype
    needs_x_shifted = ddx_rows is not None or ddgamma is not None
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    needs_d2xhat = ddx_rows is not None and ddgamma is not None
    needs_ddy = ddx_rows is None and ddgamma is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)
    ddgamma_wide = _rows.repeated(ddgamma)
    ddbeta_wide = _rows.repeated(ddbeta)

    def block(
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        scale,
        ddy_block,
        dx_block,
        buffers,
        row_scalars,
        sums,
    ):
        (d2gamma_sums,) = sums
        # step 49: dmean_g = sum(-ddx*scale)
        if ddx_rows is not None:
            part = np.negative(scale, out=row_scalars[0])
            part_2 = _rows.by_row(np.multiply, ddx, part, out=ddy_block)
            dmean_g = _rows.row_sum(part_2, ones, out=row_scalars[0])
        # step 2: x_shifted = x - mu
        if needs_x_shifted:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = _rows.by_row(np.subtract, x_shifted, mu_residual, out=dx_block)
            # step 5: xhat = x_centred*scale
            xhat = _rows.by_row(np.multiply, x_centred, scale, out=ddy_block)
        # step 38: mean_sign_xhat = mean(sign(xhat))
        if ddx_rows is not None:
            part_3 = np.sign(xhat, out=buffers[0])
            mean_sign_xhat = _rows.row_sum(part_3, one_over_D, out=row_scalars[1])
        # step 35: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[1])
        if needs_g_2:
            g = dy
        # step 39: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[2])
            # step 36: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalars[3])
            # step 50: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = np.divide(dmean_g, D, out=row_scalars[0])
            # step 41: dmean_g_xhat = sum(ddx*(mean_sign_xhat - sign(xhat))*scale)
            part_4 = np.subtract(mean_sign_xhat, part_3, out=buffers[0])
            part_5 = np.multiply(ddx, part_4, out=buffers[2])
            part_5 = np.multiply(part_5, scale, out=buffers[2])
            dmean_g_xhat = _rows.row_sum(part_5, ones, out=row_scalars[1])
            # step 43: sum_ddx_g_xhat = sum((g + (mean_sign_xhat -
            #   sign(xhat))*mean_g_xhat - mean_g)*ddx)
            part_6 = np.multiply(part_4, mean_g_xhat, out=buffers[0])
            part_6 = np.add(g, part_6, out=buffers[0])
            part_6 = np.subtract(part_6, mean_g, out=buffers[0])
            sum_ddx_g_xhat = _rows.row_sum(part_6, ddx, out=row_scalars[2])
            # step 50: dmean_g_xhat_scaled = dmean_g_xhat/D
            dmean_g_xhat_scaled = np.divide(dmean_g_xhat, D, out=row_scalars[1])
            # step 50: dg = xhat*dmean_g_xhat_scaled + ddx*scale + dmean_g_scaled
            dg = _rows.by_row(np.multiply, xhat, dmean_g_xhat_scaled, out=buffers[0])
            part_7 = _rows.by_row(np.multiply, ddx, scale, out=buffers[2])
            dg = np.add(dg, part_7, out=buffers[0])
            dg = np.add(dg, dmean_g_scaled, out=buffers[0])
        # step 51: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_8 = np.multiply(dg, dy, out=buffers[2])
            _rows.add_rows(part_8, d2gamma_sums)
        # step 42: d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled
        if ddgamma is not None:
            d2xhat = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if ddx_rows is not None:
            part_9 = np.multiply(g, dmean_g_xhat_scaled, out=buffers[1])
        if needs_d2xhat:
            d2xhat = np.add(d2xhat, part_9, out=buffers[1])
        if ddx_rows is not None and ddgamma is None:
            d2xhat = part_9
        # step 43: sum_d2xhat_x_centred = sum(d2xhat*x_centred)
        if needs_x_shifted:
            sum_d2xhat_x_centred = _rows.row_sum(d2xhat, x_centred, out=row_scalars[0])
        # step 54: ddy = xhat*ddgamma + dg*gamma + ddbeta
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if needs_g:
            part_10 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[0])
        if needs_g_2:
            part_10 = dg
        if needs_d2xhat:
            ddy = np.add(ddy, part_10, out=ddy_block)
        if gamma is not None and ddx_rows is not None and ddgamma is None:
            ddy = part_10
        if needs_g_2:
            ddy = part_10
        if ddbeta is not None and (ddx_rows is not None or ddgamma is not None):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if needs_ddy:
            ddy = ddbeta
        if ddgamma is None and (ddbeta is None or ddx_rows is None):
            ddy_block[...] = ddy
        # step 43: d2scale = sum_d2xhat_x_centred + sum_ddx_g_xhat
        if ddx_rows is not None:
            d2scale = np.add(sum_d2xhat_x_centred, sum_ddx_g_xhat, out=row_scalars[0])
        if ddx_rows is None and ddgamma is not None:
            d2scale = sum_d2xhat_x_centred
        # step 45: d2scale_scaled = d2scale*scale
        if needs_x_shifted:
            d2scale_scaled = np.multiply(d2scale, scale, out=row_scalars[0])
            # step 45: d2spread = -d2scale_scaled*scale
            d2spread = np.multiply(d2scale_scaled, scale, out=row_scalars[0])
            d2spread = np.negative(d2spread, out=row_scalars[0])
            # step 46: d2spread_scaled = d2spread/D
            d2spread_scaled = np.divide(d2spread, D, out=row_scalars[0])
            # step 46: d2x_centred = d2xhat*scale + sign(x_centred)*d2spread_scaled
            d2x_centred = _rows.by_row(np.multiply, d2xhat, scale, out=buffers[0])
            part_11 = np.sign(x_centred, out=dx_block)
            part_11 = np.multiply(part_11, d2spread_scaled, out=dx_block)
            d2x_centred = np.add(d2x_centred, part_11, out=dx_block)
            # step 47: d2mu = sum(-d2x_centred)
            part_12 = np.negative(d2x_centred, out=buffers[0])
            d2mu = _rows.row_sum(part_12, ones, out=row_scalars[0])
            # step 48: d2mu_scaled = d2mu/D
            d2mu_scaled = np.divide(d2mu, D, out=row_scalars[0])
            # step 48: d2x = d2x_centred + d2mu_scaled
            d2x = np.add(d2x_centred, d2mu_scaled, out=dx_block)
        if needs_ddy:
            d2x = 0.0
            dx_block[...] = d2x

    (d2gamma,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, mu_rows, mu_residual_rows, scale_rows),
        writes=(ddy_out, dx_out),
        buffers=3,
        row_scalars=4,
        feature_sums=1,
    )
    if gamma is not None and ddx_rows is None:
        d2gamma = 0.0
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., d2gamma)
    if dbeta_out is not None:
        _blocks.round_to(dbeta_out, ..., 0.0)
