# Made by lngen 0.1.0 from the definition of add_layer_norm.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 10 flops per row element; backward 5 row tensors (3 read, 2 written), 15 flops per row element.
# Evidence: exact 4 of 4, 50 digits 1 of 1, second derivation 4 of 4, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
# templates sha256:0c03a518bea7bdb46fd4373a87c5e764e4d56e1554d3a0b85a6cdfded06ada0d
"""Residual addition, then layer normalization; the sum is the second output. The tangents, and the gradients of the gradients.

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime import blocks as _blocks
from .._runtime import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs, written to their arrays."""
    dx_rows, dresidual_rows, dgamma, dbeta = arguments
    h_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    dy_out, dh_out = results
    features, dtype = call.features, call.dtype
    needs_mean_dh = dx_rows is not None or dresidual_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    dgamma_wide = _rows.repeated(dgamma)
    gamma_wide = _rows.repeated(gamma)
    dbeta_wide = _rows.repeated(dbeta)

    def block(
        h,
        dx,
        dresidual,
        mu,
        mu_residual,
        rstd,
        dh_block,
        dy_block,
        buffers,
        row_scalars,
    ):
        # step 3: h_shifted = h - mu
        if dx_rows is not None or dresidual_rows is not None or dgamma is not None:
            h_shifted = _rows.by_row(np.subtract, h, mu, out=dh_block)
            # step 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: xhat = h_centred*rstd
            xhat = _rows.by_row(np.multiply, h_centred, rstd, out=dy_block)
        # step 20: dh = dresidual + dx
        if dx_rows is not None and dresidual_rows is not None:
            dh = np.add(dresidual, dx, out=dh_block)
        if dx_rows is None and dresidual_rows is not None:
            dh = dresidual
        if dx_rows is not None and dresidual_rows is None:
            dh = dx
        if dx_rows is None and dresidual_rows is None:
            dh = 0.0
        # step 31: mean_dh = mean(dh)
        if needs_mean_dh:
            mean_dh = _rows.row_sum(dh, one_over_D, out=row_scalars[0])
            # step 31: mean_dh_xhat = mean(dh*xhat)
            mean_dh_xhat = _rows.row_mean(dh, xhat, D, out=row_scalars[1])
        if dx_rows is None or dresidual_rows is None:
            dh_block[...] = dh
        # step 31: dy = xhat*dgamma + (dh - mean_dh - xhat*mean_dh_xhat)*rstd*gamma +
        #   dbeta
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, xhat, dgamma_wide, out=buffers[0])
        if needs_mean_dh:
            part = _rows.by_row(np.subtract, dh, mean_dh, out=buffers[1])
            part_2 = np.multiply(xhat, mean_dh_xhat, out=dy_block)
            part = np.subtract(part, part_2, out=dy_block)
        if gamma is not None and (dx_rows is not None or dresidual_rows is not None):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if needs_mean_dh:
            part = np.multiply(part, rstd, out=dy_block)
        if dgamma is not None and (dx_rows is not None or dresidual_rows is not None):
            dy = np.add(dy, part, out=dy_block)
        if dgamma is None and (dx_rows is not None or dresidual_rows is not None):
            dy = part
        if dbeta is not None and (
            dx_rows is not None or dresidual_rows is not None or dgamma is not None
        ):
            dy = _rows.by_feature(np.add, dy, dbeta_wide, out=dy_block)
        if dx_rows is None and dresidual_rows is None and dgamma is None:
            dy = dbeta
        if (
            dx_rows is None
            and dresidual_rows is None
            and (dgamma is None or dbeta is None)
        ):
            dy_block[...] = dy

    _blocks.each_block(
        block,
        call,
        reads=(h_rows, dx_rows, dresidual_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(dh_out, dy_out),
        buffers=2,
        row_scalars=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, dh_rows, ddx_rows, ddresidual_rows, ddgamma, ddbeta = arguments
    h_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dresidual_out, dgamma_out, dbeta_out, ddy_out, ddh_out = results
    features, dtype = call.features, call.dtype
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
    needs_dx = (
        dy_rows is not None
        and ddgamma is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 63: mean_ddgamma_dy = mean(dy*ddgamma)
    if needs_ddgamma_over_D:
        ddgamma_over_D = np.divide(ddgamma, D)
    gamma_wide = _rows.repeated(gamma)
    ddgamma_wide = _rows.repeated(ddgamma)
    ddbeta_wide = _rows.repeated(ddbeta)

    def block(
        h,
        dy,
        ddx,
        ddresidual,
        mu,
        mu_residual,
        rstd,
        ddh_block,
        dx_block,
        ddy_block,
        buffers,
        row_scalars,
        sums,
    ):
        (dgamma_sums,) = sums
        # step 63: mean_ddgamma_dy = mean(dy*ddgamma)
        if needs_ddgamma_over_D:
            mean_ddgamma_dy = _rows.row_sum(dy, ddgamma_over_D, out=row_scalars[0])
        # step 3: h_shifted = h - mu
        if needs_h_shifted:
            h_shifted = _rows.by_row(np.subtract, h, mu, out=dx_block)
            # step 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: xhat = h_centred*rstd
            xhat = _rows.by_row(np.multiply, h_centred, rstd, out=ddy_block)
        # step 63: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if needs_ddgamma_over_D:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_sum(
                part, ddgamma_over_D, out=row_scalars[1]
            )
        # step 32: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_g_2:
            g = dy
        # step 33: mean_g = mean(g)
        if needs_mean_g:
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[2])
            # step 34: mean_g_2 = mean(g*xhat)
            mean_g_2 = _rows.row_mean(g, xhat, D, out=row_scalars[3])
        # step 39: ddh = ddresidual + ddx
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddx, out=buffers[0])
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if ddx_rows is not None and ddresidual_rows is None:
            ddh = ddx
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 61: mean_ddh = mean(ddh)
        if needs_mean_g:
            mean_ddh = _rows.row_sum(ddh, one_over_D, out=row_scalars[4])
            # step 61: mean_ddh_xhat = mean(ddh*xhat)
            mean_ddh_xhat = _rows.row_mean(ddh, xhat, D, out=row_scalars[5])
            # step 63: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_mean(ddh, g, D, out=row_scalars[6])
        if dh_rows is not None:
            ddh_block[...] = ddh
        # step 63: mean_g_2_scaled = 3*mean_g_2
        if needs_mean_g:
            mean_g_2_scaled = np.multiply(mean_g_2, 3.0, out=row_scalars[7])
            # step 63: mean_ddh_scaled = mean_ddh*mean_g
            mean_ddh_scaled = np.multiply(mean_ddh, mean_g, out=row_scalars[8])
            # step 61: dg = (ddh - mean_ddh - xhat*mean_ddh_xhat)*rstd
            part_2 = np.subtract(ddh, mean_ddh, out=buffers[0])
            dg = _rows.by_row(np.multiply, xhat, mean_ddh_xhat, out=buffers[1])
            dg = np.subtract(part_2, dg, out=buffers[1])
            dg = np.multiply(dg, rstd, out=buffers[1])
        # step 57: dgamma = sum over rows of dg*dy
        if needs_g:
            part_3 = np.multiply(dg, dy, out=buffers[2])
            _rows.add_rows(part_3, dgamma_sums)
        # step 63: dx = (dy*ddgamma + (xhat*mean_ddh_scaled + (xhat*mean_g_2_scaled +
        #   mean_g - g)*mean_ddh_xhat - xhat*mean_ddh_g - (ddh -
        #   mean_ddh)*mean_g_2)*rstd - mean_ddgamma_dy - xhat*mean_ddgamma_dy_xhat)*rstd
        if needs_ddgamma_over_D:
            dx = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if needs_mean_g:
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddh_scaled, out=buffers[3])
            part_5 = _rows.by_row(np.multiply, xhat, mean_g_2_scaled, out=buffers[4])
            part_5 = np.add(part_5, mean_g, out=buffers[4])
            part_5 = np.subtract(part_5, g, out=dx_block)
            part_5 = np.multiply(part_5, mean_ddh_xhat, out=dx_block)
            part_4 = np.add(part_4, part_5, out=dx_block)
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddh_g, out=buffers[3])
            part_4 = np.subtract(part_4, part_6, out=dx_block)
            part_7 = np.multiply(part_2, mean_g_2, out=buffers[0])
            part_4 = np.subtract(part_4, part_7, out=dx_block)
            part_4 = np.multiply(part_4, rstd, out=dx_block)
        if needs_dx:
            dx = np.add(dx, part_4, out=dx_block)
        if (
            dy_rows is not None
            and ddgamma is None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            dx = part_4
        if needs_ddgamma_over_D:
            dx = np.subtract(dx, mean_ddgamma_dy, out=dx_block)
            part_8 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffers[0]
            )
            dx = np.subtract(dx, part_8, out=dx_block)
        if needs_h_shifted:
            dx = np.multiply(dx, rstd, out=dx_block)
        if dy_rows is None or (
            ddx_rows is None and ddresidual_rows is None and ddgamma is None
        ):
            dx = 0.0
            dx_block[...] = dx
        # step 62: ddy = xhat*ddgamma + dg*gamma + ddbeta
        if needs_ddgamma_over_D:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if needs_g:
            part_9 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[0])
        if needs_g_2:
            part_9 = dg
        if needs_dx:
            ddy = np.add(ddy, part_9, out=ddy_block)
        if (
            gamma is not None
            and dy_rows is not None
            and ddgamma is None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            ddy = part_9
        if needs_g_2:
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
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddgamma is None
        ):
            ddy = ddbeta
        if (
            dy_rows is not None
            and ddgamma is None
            and (ddbeta is None or (ddx_rows is None and ddresidual_rows is None))
        ):
            ddy_block[...] = ddy

    (dgamma,) = _blocks.each_block(
        block,
        call,
        reads=(
            h_rows,
            dy_rows,
            ddx_rows,
            ddresidual_rows,
            mu_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        writes=(ddh_out, (dx_out, dresidual_out), ddy_out),
        buffers=5,
        row_scalars=9,
        feature_sums=1,
    )
    if gamma is not None and (
        dy_rows is None or (ddx_rows is None and ddresidual_rows is None)
    ):
        dgamma = 0.0
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _blocks.round_to(dbeta_out, ..., 0.0)
