# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits. The tangents, and the gradients of the gradients.

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
    x_dot_rows, residual_dot_rows, gamma_dot, scale_dot = arguments
    h_rows, gamma, scale, rstd_rows = fields
    y_dot_out, h_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_h_dot = x_dot_rows is not None and residual_dot_rows is not None
    needs_mean_h_dot_xhat = x_dot_rows is not None or residual_dot_rows is not None
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if scale_dot is not None:
        scale_dot = np.asarray(scale_dot, dtype)
    # step 26, pass 15: scale_shifted_2 = 1/scale
    if scale is not None:
        scale_shifted_2 = np.reciprocal(scale)
    # step 26, pass 16: scale_dot_scaled = scale_dot/scale
    if scale_dot is not None:
        scale_dot_scaled = scale_dot / scale
    # step 26, pass 17: y_dot = (xhat*gamma_dot + (h_dot -
    #   xhat*mean_h_dot_xhat)*rstd*gamma - xhat*gamma*scale_dot_scaled)*scale_shifted_2
    if gamma is not None and scale_dot is not None:
        part_2 = gamma * scale_dot_scaled
    if gamma is None and scale_dot is not None:
        part_2 = scale_dot_scaled

    def block(
        h,
        x_dot,
        residual_dot,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        y_dot_block=None,
        h_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=buffers[0])
        # step 18: h_dot = residual_dot + x_dot
        if needs_h_dot:
            h_dot = np.add(residual_dot, x_dot, out=h_dot_block)
        if x_dot_rows is None and residual_dot_rows is not None:
            h_dot = residual_dot
        if x_dot_rows is not None and residual_dot_rows is None:
            h_dot = x_dot
        if x_dot_rows is None and residual_dot_rows is None:
            h_dot = 0.0
        # step 26: mean_h_dot_xhat = mean(h_dot*xhat)
        if needs_mean_h_dot_xhat:
            mean_h_dot_xhat = _rows.row_mean(h_dot, xhat, D)
        # step 26, pass 17: y_dot = (xhat*gamma_dot + (h_dot -
        #   xhat*mean_h_dot_xhat)*rstd*gamma -
        #   xhat*gamma*scale_dot_scaled)*scale_shifted_2
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if needs_mean_h_dot_xhat:
            part = _rows.by_row(np.multiply, xhat, mean_h_dot_xhat, out=buffers[1])
            part = np.subtract(h_dot, part, out=part)
        if gamma is not None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if needs_mean_h_dot_xhat:
            part = np.multiply(part, rstd, out=part)
        if gamma_dot is not None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot)
        if gamma_dot is None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            y_dot = part
        if x_dot_rows is None and residual_dot_rows is None and gamma_dot is None:
            y_dot = 0.0
        if scale_dot is not None:
            part_3 = np.multiply(xhat, part_2, out=xhat)
            y_dot = np.subtract(y_dot, part_3, out=y_dot_block)
        if scale is not None:
            y_dot = np.multiply(y_dot, scale_shifted_2, out=y_dot_block)
        if x_dot_rows is None or residual_dot_rows is None:
            h_dot_result = _rows.filled(h_dot, h_dot_block, shape, dtype)
        else:
            h_dot_result = h_dot
        return y_dot, h_dot_result

    return _blocks.each_block(
        block,
        call,
        rows=(h_rows, x_dot_rows, residual_dot_rows),
        row_scalars=(rstd_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out, h_dot_out),
        buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dh_rows, ddx_rows, ddresidual_rows, ddgamma, ddscale = arguments
    h_rows, gamma, scale, rstd_rows = fields
    dx_out, dresidual_out, _, _, ddy_out, ddh_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_scale = scale is not None and dy_rows is not None
    needs_ddscale = dy_rows is not None and ddscale is not None
    needs_gamma_over_D = (
        gamma is not None and dy_rows is not None and ddscale is not None
    )
    needs_ddgamma_over_D = dy_rows is not None and ddgamma is not None
    needs_part_3 = (
        gamma is not None
        and scale is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_part_3_2 = (
        gamma is not None
        and scale is None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_part_3_3 = (
        gamma is None
        and scale is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_part_6 = scale is not None and dy_rows is not None and ddgamma is not None
    needs_part_6_2 = scale is None and dy_rows is not None and ddgamma is not None
    needs_part_12 = gamma is None and dy_rows is not None and ddscale is not None
    needs_mean_g_xhat = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None
    )
    needs_d2scale_rows = (
        scale is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    D = _rows.number(features, dtype)
    if needs_scale:
        scale = np.asarray(scale, dtype)
    if needs_ddscale:
        ddscale = np.asarray(ddscale, dtype)
    # step 27, pass 18: scale_shifted_2 = 1/scale
    if needs_scale:
        scale_shifted_2 = np.reciprocal(scale)
        # step 48, pass 19: ddscale_scaled = ddscale/scale**2
        part = np.square(scale)
    if needs_ddscale:
        ddscale_scaled = ddscale / part
        # step 64, pass 20: ddscale_scaled_2 = ddscale/scale
        ddscale_scaled_2 = ddscale / scale
    # step 29: mean_dy_gamma_xhat = mean(dy*xhat*gamma)
    if needs_gamma_over_D:
        gamma_over_D = gamma / D
    # step 48: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if needs_ddgamma_over_D:
        ddgamma_over_D = ddgamma / D
    # step 27, pass 21: g = dy*gamma*scale_shifted_2
    if needs_part_3:
        part_3 = gamma * scale_shifted_2
    if needs_part_3_2:
        part_3 = gamma
    if needs_part_3_3:
        part_3 = scale_shifted_2
    # step 48, pass 27: d2x = (xhat*mean_dy_gamma_xhat_scaled_2 +
    #   dy*ddgamma*scale_shifted_2 + ((xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat -
    #   xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd - xhat*mean_ddgamma_dy_xhat_scaled -
    #   dy*gamma*ddscale_scaled)*rstd
    if needs_part_6:
        part_6 = ddgamma * scale_shifted_2
    if needs_part_6_2:
        part_6 = ddgamma
    if needs_gamma_over_D:
        part_12 = gamma * ddscale_scaled
    if needs_part_12:
        part_12 = ddscale_scaled
    # step 64, pass 28: ddy = (xhat*ddgamma + dg*gamma -
    #   xhat*gamma*ddscale_scaled_2)*scale_shifted_2
    if needs_gamma_over_D:
        part_15 = gamma * ddscale_scaled_2
    if needs_part_12:
        part_15 = ddscale_scaled_2
    if ddgamma is None or dy_rows is None:
        part_6 = None

    def block(
        h,
        dy,
        ddx,
        ddresidual,
        rstd,
        part_6_wide,
        ddgamma_wide,
        gamma_wide,
        dx_block=None,
        dresidual_block=None,
        ddy_block=None,
        ddh_block=None,
        buffers=(None,) * 4,
    ):
        ddy = ddh_result = sum_rows_dy_xhat = d2gamma_rows = sum_rows_product = None
        d2scale_rows = None
        # step 4: xhat = h*rstd
        if dy_rows is not None:
            xhat = _rows.by_row(np.multiply, h, rstd, out=dresidual_block)
        # step 34: sum_rows_dy_xhat = sum over rows of dy*xhat
        if dy_rows is not None and (
            ddgamma is not None or (gamma is not None and ddscale is not None)
        ):
            part_2 = np.multiply(dy, xhat, out=dx_block)
        if needs_part_6:
            sum_rows_dy_xhat = _rows.sum_rows(part_2)
        # step 29: mean_dy_gamma_xhat = mean(dy*xhat*gamma)
        if needs_gamma_over_D:
            mean_dy_gamma_xhat = _rows.row_sum(part_2, gamma_over_D)
        if needs_part_12:
            mean_dy_gamma_xhat = _rows.row_mean(dy, xhat, D)
        # step 48: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if needs_ddgamma_over_D:
            mean_ddgamma_dy_xhat = _rows.row_sum(part_2, ddgamma_over_D)
        # step 27, pass 21: g = dy*gamma*scale_shifted_2
        if dy_rows is not None and (
            (gamma is not None and ddx_rows is not None)
            or (scale is not None and ddresidual_rows is not None)
            or (gamma is not None and ddresidual_rows is not None)
            or (scale is not None and ddx_rows is not None)
        ):
            g = np.multiply(dy, part_3, out=dx_block)
        if gamma is None and scale is None and dy_rows is not None:
            g = dy
        # step 28: mean_g_xhat = mean(g*xhat)
        if needs_mean_g_xhat:
            mean_g_xhat = _rows.row_mean(g, xhat, D)
        # step 32: ddh = ddresidual + ddx
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddx, out=buffers[0])
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if ddx_rows is not None and ddresidual_rows is None:
            ddh = ddx
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 54: mean_ddh_xhat = mean(ddh*xhat)
        if needs_mean_g_xhat:
            mean_ddh_xhat = _rows.row_mean(ddh, xhat, D)
            # step 48: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_mean(ddh, g, D)
        # step 35, pass 22: mean_dy_gamma_xhat_scaled = mean_dy_gamma_xhat*D
        if needs_ddscale:
            mean_dy_gamma_xhat_scaled = mean_dy_gamma_xhat * D
            # step 35, pass 26: sum_rows_product = sum over rows of
            #   mean_dy_gamma_xhat_scaled
            sum_rows_product = np.add.reduce(mean_dy_gamma_xhat_scaled, axis=None)
        # step 48, pass 23: mean_g_xhat_scaled = 3*mean_g_xhat
        if needs_mean_g_xhat:
            mean_g_xhat_scaled = mean_g_xhat * 3.0
        # step 48, pass 24: mean_ddgamma_dy_xhat_scaled = mean_ddgamma_dy_xhat/scale
        if needs_part_6:
            mean_ddgamma_dy_xhat_scaled = mean_ddgamma_dy_xhat / scale
        if needs_part_6_2:
            mean_ddgamma_dy_xhat_scaled = mean_ddgamma_dy_xhat
        # step 48, pass 25: mean_dy_gamma_xhat_scaled_2 =
        #   mean_dy_gamma_xhat*ddscale/scale**2
        if needs_ddscale:
            mean_dy_gamma_xhat_scaled_2 = mean_dy_gamma_xhat * ddscale_scaled
        # step 54: dg = (ddh - xhat*mean_ddh_xhat)*rstd
        if needs_mean_g_xhat:
            dg = _rows.by_row(np.multiply, xhat, mean_ddh_xhat, out=ddy_block)
            dg = np.subtract(ddh, dg, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffers[1])
        if (
            gamma is not None
            and dy_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddscale is not None
        ):
            dg = 0.0
        # step 57, pass 29: d2gamma_rows = sum over rows of (dg - xhat*ddscale/scale)*dy
        if needs_gamma_over_D:
            part_4 = np.multiply(xhat, ddscale_scaled_2, out=ddy_block)
            part_4 = np.subtract(dg, part_4, out=part_4)
        if (
            gamma is not None
            and dy_rows is not None
            and ddscale is None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            part_4 = dg
        if (
            gamma is not None
            and dy_rows is not None
            and (
                ddx_rows is not None
                or ddresidual_rows is not None
                or ddscale is not None
            )
        ):
            part_4 = np.multiply(part_4, dy, out=ddy_block)
            d2gamma_rows = _rows.sum_rows(part_4)
        # step 60: sum_dg_dy_gamma = sum(dg*dy*gamma)
        if needs_part_3:
            part_5 = np.multiply(dg, dy, out=ddy_block)
            sum_dg_dy_gamma = _rows.row_sum(part_5, gamma)
        if needs_part_3_3:
            sum_dg_dy_gamma = _rows.row_sum(dg, dy)
        # step 60, pass 30: d2scale_rows = sum over rows of sum_dg_dy_gamma
        if needs_d2scale_rows:
            d2scale_rows = np.add.reduce(sum_dg_dy_gamma, axis=None)
        # step 48, pass 27: d2x = (xhat*mean_dy_gamma_xhat_scaled_2 +
        #   dy*ddgamma*scale_shifted_2 + ((xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat -
        #   xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd - xhat*mean_ddgamma_dy_xhat_scaled -
        #   dy*gamma*ddscale_scaled)*rstd
        if needs_ddscale:
            d2x = _rows.by_row(
                np.multiply, xhat, mean_dy_gamma_xhat_scaled_2, out=ddy_block
            )
        if needs_ddgamma_over_D:
            part_7 = _rows.by_feature(np.multiply, dy, part_6_wide, out=buffers[2])
        if dy_rows is not None and ddgamma is not None and ddscale is not None:
            d2x = np.add(d2x, part_7, out=d2x)
        if dy_rows is not None and ddgamma is not None and ddscale is None:
            d2x = part_7
        if needs_mean_g_xhat:
            part_8 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[3])
            part_8 = np.subtract(part_8, g, out=dx_block)
            part_8 = np.multiply(part_8, mean_ddh_xhat, out=part_8)
            part_9 = _rows.by_row(np.multiply, xhat, mean_ddh_g, out=buffers[3])
            part_8 = np.subtract(part_8, part_9, out=part_8)
            part_10 = _rows.by_row(np.multiply, ddh, mean_g_xhat, out=buffers[3])
            part_8 = np.subtract(part_8, part_10, out=part_8)
            part_8 = np.multiply(part_8, rstd, out=part_8)
        if dy_rows is not None and (
            (ddx_rows is not None and ddgamma is not None)
            or (ddresidual_rows is not None and ddscale is not None)
            or (ddx_rows is not None and ddscale is not None)
            or (ddresidual_rows is not None and ddgamma is not None)
        ):
            d2x = np.add(d2x, part_8, out=part_8)
        if dy_rows is not None and ddgamma is None and ddscale is None:
            d2x = part_8
        if needs_ddgamma_over_D:
            part_11 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat_scaled, out=buffers[3]
            )
            d2x = np.subtract(d2x, part_11, out=dx_block)
        if needs_ddscale:
            part_13 = np.multiply(dy, part_12, out=buffers[2])
            d2x = np.subtract(d2x, part_13, out=dx_block)
        if dy_rows is not None:
            d2x = np.multiply(d2x, rstd, out=d2x)
        else:
            d2x = 0.0
        # step 64, pass 28: ddy = (xhat*ddgamma + dg*gamma -
        #   xhat*gamma*ddscale_scaled_2)*scale_shifted_2
        if needs_ddgamma_over_D:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if (
            gamma is not None
            and dy_rows is not None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            part_14 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if (
            gamma is None
            and dy_rows is not None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            part_14 = dg
        if (
            dy_rows is not None
            and ddgamma is not None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            ddy = np.add(ddy, part_14, out=ddy)
        if (
            dy_rows is not None
            and ddgamma is None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            ddy = part_14
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddgamma is None
        ):
            ddy = 0.0
        if needs_ddscale:
            part_16 = np.multiply(xhat, part_15, out=xhat)
            ddy = np.subtract(ddy, part_16, out=part_16)
        if needs_scale:
            ddy = np.multiply(ddy, scale_shifted_2, out=ddy_block)
        if dh_rows is not None and (ddx_rows is None or ddresidual_rows is None):
            ddh_result = _rows.filled(ddh, ddh_block, shape, dtype)
        if dh_rows is not None and ddx_rows is not None and ddresidual_rows is not None:
            ddh_result = ddh
        if dy_rows is None:
            dx = _rows.filled(0.0, dx_block, shape, dtype)
        else:
            dx = d2x
        dresidual = _rows.filled(d2x, dresidual_block, shape, dtype)
        return (
            dx,
            dresidual,
            ddy,
            ddh_result,
            sum_rows_dy_xhat,
            d2gamma_rows,
            sum_rows_product,
            d2scale_rows,
        )

    (
        dx,
        dresidual,
        ddy,
        ddh_result,
        sum_rows_dy_xhat,
        d2gamma_rows,
        sum_rows_product,
        d2scale_rows,
    ) = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, ddx_rows, ddresidual_rows),
        row_scalars=(rstd_rows,),
        features=(part_6, ddgamma, gamma),
        into=(dx_out, dresidual_out, ddy_out, ddh_out),
        buffers=4,
        feature_sums=2,
        sums=2,
    )
    # step 57, pass 31: d2gamma = d2gamma_rows/scale
    if (
        gamma is not None
        and dy_rows is not None
        and (
            ddscale is not None
            or (scale is not None and ddx_rows is not None)
            or (scale is not None and ddresidual_rows is not None)
        )
    ):
        d2gamma = d2gamma_rows / scale
    if needs_part_3_2:
        d2gamma = d2gamma_rows
    # step 60: sum_ddgamma_sum_rows_dy_xhat = sum(ddgamma*sum_rows_dy_xhat)
    if needs_part_6:
        sum_ddgamma_sum_rows_dy_xhat = np.vecdot(ddgamma, sum_rows_dy_xhat)
    # step 60, pass 32: d2scale = (2*ddscale*sum_rows_product/scale - d2scale_rows -
    #   sum_ddgamma_sum_rows_dy_xhat)/scale**2
    if needs_ddscale:
        d2scale = 2.0 * (ddscale * sum_rows_product) / scale
    if (
        scale is not None
        and dy_rows is not None
        and ddscale is None
        and (ddx_rows is not None or ddresidual_rows is not None)
    ):
        d2scale = 0.0
    if needs_d2scale_rows:
        d2scale = d2scale - d2scale_rows
    if (
        scale is not None
        and dy_rows is not None
        and ddx_rows is None
        and ddresidual_rows is None
        and ddscale is None
    ):
        d2scale = 0.0
    if needs_part_6:
        d2scale = d2scale - sum_ddgamma_sum_rows_dy_xhat
    if needs_scale:
        d2scale = d2scale / part
    if scale is not None and dy_rows is None:
        d2scale = 0.0
    if (gamma is not None and dy_rows is None) or (
        ddx_rows is None and ddresidual_rows is None and ddscale is None
    ):
        d2gamma = np.full(features, 0.0, dtype)
    if scale is not None:
        d2scale = np.full((), d2scale, dtype)
    if gamma is None:
        d2gamma = None
    if scale is None:
        d2scale = None
    return dx, dresidual, d2gamma, d2scale, ddy, ddh_result
