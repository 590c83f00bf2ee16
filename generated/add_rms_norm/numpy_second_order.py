# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
"""Residual addition, then root-mean-square normalization; the sum is the second output. The tangents, and the gradients of the gradients.

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
    x_dot_rows, residual_dot_rows, gamma_dot = arguments
    h_rows, gamma, rstd_rows = fields
    y_dot_out, h_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_h_dot = x_dot_rows is not None and residual_dot_rows is not None
    needs_mean_h_dot_xhat = x_dot_rows is not None or residual_dot_rows is not None
    D = _rows.number(features, dtype)

    def block(
        h,
        x_dot,
        residual_dot,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        y_dot_block=None,
        h_dot_block=None,
        buffers=(None,),
    ):
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=buffers[0])
        # step 15: h_dot = residual_dot + x_dot
        if needs_h_dot:
            h_dot = np.add(residual_dot, x_dot, out=h_dot_block)
        if x_dot_rows is None and residual_dot_rows is not None:
            h_dot = residual_dot
        if x_dot_rows is not None and residual_dot_rows is None:
            h_dot = x_dot
        if x_dot_rows is None and residual_dot_rows is None:
            h_dot = 0.0
        # step 22: mean_h_dot_xhat = mean(h_dot*xhat)
        if needs_mean_h_dot_xhat:
            mean_h_dot_xhat = _rows.row_mean(h_dot, xhat, D)
        # step 22: y_dot = xhat*gamma_dot + (h_dot - xhat*mean_h_dot_xhat)*rstd*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if needs_mean_h_dot_xhat:
            part = np.multiply(xhat, mean_h_dot_xhat, out=xhat)
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
        if gamma_dot is None:
            y_dot = part
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
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dh_rows, ddx_rows, ddresidual_rows, ddgamma = arguments
    h_rows, gamma, rstd_rows = fields
    dx_out, dresidual_out, _, ddy_out, ddh_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_ddgamma_over_D = dy_rows is not None and ddgamma is not None
    needs_g = (
        gamma is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_g_2 = gamma is None and dy_rows is not None
    needs_mean_g_xhat = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None
    )
    needs_d2x = (
        dy_rows is not None
        and ddgamma is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_d2x_2 = dy_rows is not None and ddgamma is None
    D = _rows.number(features, dtype)
    # step 37: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if needs_ddgamma_over_D:
        ddgamma_over_D = ddgamma / D

    def block(
        h,
        dy,
        ddx,
        ddresidual,
        rstd,
        gamma_wide,
        ddgamma_wide,
        dx_block=None,
        dresidual_block=None,
        ddy_block=None,
        ddh_block=None,
        buffers=(None,) * 3,
    ):
        ddy = ddh_result = d2gamma = None
        # step 4: xhat = h*rstd
        if dy_rows is not None:
            xhat = _rows.by_row(np.multiply, h, rstd, out=dresidual_block)
        # step 37: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if needs_ddgamma_over_D:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_sum(part, ddgamma_over_D)
        # step 23: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_g_2:
            g = dy
        # step 24: mean_g_xhat = mean(g*xhat)
        if needs_mean_g_xhat:
            mean_g_xhat = _rows.row_mean(g, xhat, D)
        # step 27: ddh = ddresidual + ddx
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddx, out=buffers[0])
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if ddx_rows is not None and ddresidual_rows is None:
            ddh = ddx
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 43: mean_ddh_xhat = mean(ddh*xhat)
        if needs_mean_g_xhat:
            mean_ddh_xhat = _rows.row_mean(ddh, xhat, D)
            # step 37: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_mean(ddh, g, D)
            # step 37, pass 5: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 43: dg = (ddh - xhat*mean_ddh_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddh_xhat, out=ddy_block)
            dg = np.subtract(ddh, dg, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffers[1])
        # step 44: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_2 = np.multiply(dg, dy, out=ddy_block)
            d2gamma = _rows.sum_rows(part_2)
        # step 37, pass 6: d2x = (dy*ddgamma + ((xhat*mean_g_xhat_scaled -
        #   g)*mean_ddh_xhat - xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd -
        #   xhat*mean_ddgamma_dy_xhat)*rstd
        if needs_ddgamma_over_D:
            d2x = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=ddy_block)
        if needs_mean_g_xhat:
            part_3 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[2])
            part_3 = np.subtract(part_3, g, out=dx_block)
            part_3 = np.multiply(part_3, mean_ddh_xhat, out=part_3)
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddh_g, out=buffers[2])
            part_3 = np.subtract(part_3, part_4, out=part_3)
            part_5 = _rows.by_row(np.multiply, ddh, mean_g_xhat, out=buffers[2])
            part_3 = np.subtract(part_3, part_5, out=part_3)
            part_3 = np.multiply(part_3, rstd, out=part_3)
        if needs_d2x:
            d2x = np.add(d2x, part_3, out=part_3)
        if needs_d2x_2:
            d2x = part_3
        if needs_ddgamma_over_D:
            part_6 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffers[2]
            )
            d2x = np.subtract(d2x, part_6, out=dx_block)
        if dy_rows is not None:
            d2x = np.multiply(d2x, rstd, out=d2x)
        else:
            d2x = 0.0
        # step 47: ddy = xhat*ddgamma + dg*gamma
        if needs_ddgamma_over_D:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if needs_g:
            part_7 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if needs_g_2:
            part_7 = dg
        if needs_d2x:
            ddy = np.add(ddy, part_7, out=ddy)
        if needs_d2x_2:
            ddy = part_7
        if dh_rows is not None and (ddx_rows is None or ddresidual_rows is None):
            ddh_result = _rows.filled(ddh, ddh_block, shape, dtype)
        if dh_rows is not None and ddx_rows is not None and ddresidual_rows is not None:
            ddh_result = ddh
        if dy_rows is None:
            dx = _rows.filled(0.0, dx_block, shape, dtype)
        else:
            dx = d2x
        dresidual = _rows.filled(d2x, dresidual_block, shape, dtype)
        return dx, dresidual, ddy, ddh_result, d2gamma

    dx, dresidual, ddy, ddh_result, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, ddx_rows, ddresidual_rows),
        row_scalars=(rstd_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, dresidual_out, ddy_out, ddh_out),
        buffers=3,
        feature_sums=1,
    )
    if (gamma is not None and dy_rows is None) or (
        ddx_rows is None and ddresidual_rows is None
    ):
        d2gamma = np.full(features, 0.0, dtype)
    return dx, dresidual, d2gamma, ddy, ddh_result
