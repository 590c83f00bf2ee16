# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
"""Root-mean-square normalization with a weight that is learned as its distance from one. The tangents, and the gradients of the gradients.

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
    x_dot_rows, w_dot = arguments
    x_rows, w, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_w_shifted_2 = w is not None and x_dot_rows is not None
    D = _rows.number(features, dtype)
    # step 19, pass 9: w_shifted_2 = w + 1
    if needs_w_shifted_2:
        w_shifted_2 = w + 1.0
    else:
        w_shifted_2 = None

    def block(
        x, x_dot, rstd, w_dot_wide, w_shifted_2_wide, y_dot_block=None, buffers=(None,)
    ):
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=buffers[0])
        # step 19: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 19, pass 10: y_dot = xhat*w_dot + (x_dot -
        #   xhat*mean_x_dot_xhat)*rstd*w_shifted_2
        if w_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, w_dot_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(x_dot, part, out=part)
        if needs_w_shifted_2:
            part = _rows.by_feature(np.multiply, part, w_shifted_2_wide, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and w_dot is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if w_dot is None:
            y_dot = part
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(rstd_rows,),
        features=(w_dot, w_shifted_2),
        into=(y_dot_out,),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddw = arguments
    x_rows, w, rstd_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_w_shifted_2 = w is not None and ddx_rows is not None
    needs_d2x = ddx_rows is not None and ddw is not None
    D = _rows.number(features, dtype)
    # step 20, pass 11: w_shifted_2 = w + 1
    if needs_w_shifted_2:
        w_shifted_2 = w + 1.0
    # step 32: mean_ddw_dy_xhat = mean(dy*xhat*ddw)
    if ddw is not None:
        ddw_over_D = ddw / D
    if w is None or ddx_rows is None:
        w_shifted_2 = None

    def block(
        x,
        dy,
        ddx,
        rstd,
        w_shifted_2_wide,
        ddw_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        d2w = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=ddy_block)
        # step 37: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D)
        # step 32: mean_ddw_dy_xhat = mean(dy*xhat*ddw)
        if ddw is not None:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddw_dy_xhat = _rows.row_sum(part, ddw_over_D)
        # step 20, pass 12: g = dy*w_shifted_2
        if needs_w_shifted_2:
            g = _rows.by_feature(np.multiply, dy, w_shifted_2_wide, out=dx_block)
        if w is None:
            g = dy
        # step 21: mean_g_xhat = mean(g*xhat)
        if ddx_rows is not None:
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 32: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D)
            # step 32, pass 13: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 37: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[0])
            dg = np.subtract(ddx, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 38: d2w = sum over rows of dg*dy
        if needs_w_shifted_2:
            part_2 = np.multiply(dg, dy, out=buffers[1])
            d2w = _rows.sum_rows(part_2)
        # step 32, pass 14: d2x = (dy*ddw + ((xhat*mean_g_xhat_scaled - g)*mean_ddx_xhat
        #   - xhat*mean_ddx_g - ddx*mean_g_xhat)*rstd - xhat*mean_ddw_dy_xhat)*rstd
        if ddw is not None:
            d2x = _rows.by_feature(np.multiply, dy, ddw_wide, out=buffers[1])
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
        if ddw is None:
            d2x = part_3
        else:
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddw_dy_xhat, out=buffers[2])
            d2x = np.subtract(d2x, part_6, out=dx_block)
        d2x = np.multiply(d2x, rstd, out=d2x)
        # step 41, pass 15: ddy = xhat*ddw + dg*w_shifted_2
        if ddw is not None:
            ddy = _rows.by_feature(np.multiply, xhat, ddw_wide, out=xhat)
        if needs_w_shifted_2:
            part_7 = _rows.by_feature(np.multiply, dg, w_shifted_2_wide, out=dg)
        if w is None:
            part_7 = dg
        if needs_d2x:
            ddy = np.add(ddy, part_7, out=ddy)
        if ddw is None:
            ddy = part_7
        return d2x, ddy, d2w

    d2x, ddy, d2w = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(rstd_rows,),
        features=(w_shifted_2, ddw),
        into=(dx_out, ddy_out),
        buffers=3,
        feature_sums=1,
    )
    if ddx_rows is None:
        d2w = np.full(features, 0.0, dtype)
    return d2x, d2w, ddy
