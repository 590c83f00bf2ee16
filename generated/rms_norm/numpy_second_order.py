# Made by lngen 0.1.0 from the definition of rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
# definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
"""Root-mean-square normalization over the feature axis. The tangents, and the gradients of the gradients.

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
    x_dot_rows, gamma_dot = arguments
    x_rows, gamma, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x, x_dot, rstd, gamma_dot_wide, gamma_wide, y_dot_block=None, buffers=(None,)
    ):
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=buffers[0])
        # step 19: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 19: y_dot = xhat*gamma_dot + (x_dot - xhat*mean_x_dot_xhat)*rstd*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(x_dot, part, out=part)
        if gamma is not None and x_dot_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if gamma_dot is None:
            y_dot = part
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(rstd_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out,),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma = arguments
    x_rows, gamma, rstd_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_g = gamma is not None and ddx_rows is not None
    needs_d2x = ddx_rows is not None and ddgamma is not None
    D = _rows.number(features, dtype)
    # step 32: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = ddgamma / D

    def block(
        x,
        dy,
        ddx,
        rstd,
        gamma_wide,
        ddgamma_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        d2gamma = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=ddy_block)
        # step 37: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D)
        # step 32: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if ddgamma is not None:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_sum(part, ddgamma_over_D)
        # step 20: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if gamma is None:
            g = dy
        # step 21: mean_g_xhat = mean(g*xhat)
        if ddx_rows is not None:
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 32: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D)
            # step 32, pass 5: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 37: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[0])
            dg = np.subtract(ddx, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 38: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_2 = np.multiply(dg, dy, out=buffers[1])
            d2gamma = _rows.sum_rows(part_2)
        # step 32, pass 6: d2x = (dy*ddgamma + ((xhat*mean_g_xhat_scaled -
        #   g)*mean_ddx_xhat - xhat*mean_ddx_g - ddx*mean_g_xhat)*rstd -
        #   xhat*mean_ddgamma_dy_xhat)*rstd
        if ddgamma is not None:
            d2x = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[1])
        if ddx_rows is not None:
            part_3 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[2])
            part_3 = np.subtract(part_3, g, out=dx_block)
            part_3 = np.multiply(part_3, mean_ddx_xhat, out=part_3)
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[2])
            part_3 = np.subtract(part_3, part_4, out=part_3)
            part_5 = _rows.by_row(np.multiply, ddx, mean_g_xhat, out=buffers[2])
            part_3 = np.subtract(part_3, part_5, out=part_3)
            part_3 = np.multiply(part_3, rstd, out=part_3)
        if needs_d2x:
            d2x = np.add(d2x, part_3, out=part_3)
        if ddgamma is None:
            d2x = part_3
        else:
            part_6 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffers[2]
            )
            d2x = np.subtract(d2x, part_6, out=dx_block)
        d2x = np.multiply(d2x, rstd, out=d2x)
        # step 41: ddy = xhat*ddgamma + dg*gamma
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=xhat)
        if needs_g:
            part_7 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if gamma is None:
            part_7 = dg
        if needs_d2x:
            ddy = np.add(ddy, part_7, out=ddy)
        if ddgamma is None:
            ddy = part_7
        return d2x, ddy, d2gamma

    d2x, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(rstd_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, ddy_out),
        buffers=3,
        feature_sums=1,
    )
    if ddx_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    return d2x, d2gamma, ddy
