# Made by lngen 0.1.0 from the definition of offset_rms_norm.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
# Evidence: 1 output, 26 steps, 25 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Root-mean-square normalization with a weight that is learned as its distance from one. The tangents, and the gradients of the gradients.

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
    x_dot_rows, w_dot = arguments
    x_rows, w, rstd_rows = fields
    (y_dot_out,) = results
    features, dtype = call.features, call.dtype
    needs_w_shifted_2 = w is not None and x_dot_rows is not None
    D = _rows.number(features, dtype)
    # step 23: w_shifted_2 = w + 1
    if needs_w_shifted_2:
        w_shifted_2 = np.add(w, 1.0)
    w_dot_wide = _rows.repeated(w_dot)
    if needs_w_shifted_2:
        w_shifted_2_wide = _rows.repeated(w_shifted_2)

    def block(x, x_dot, rstd, y_dot_block, buffers, row_scalars):
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_dot_block)
        # step 23: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D, out=row_scalars[0])
        # step 23: y_dot = xhat*w_dot + (x_dot - xhat*mean_x_dot_xhat)*rstd*w_shifted_2
        if w_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, w_dot_wide, out=buffers[0])
        if x_dot_rows is not None:
            part = np.multiply(xhat, mean_x_dot_xhat, out=y_dot_block)
            part = np.subtract(x_dot, part, out=y_dot_block)
        if needs_w_shifted_2:
            part = _rows.by_feature(
                np.multiply, part, w_shifted_2_wide, out=y_dot_block
            )
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=y_dot_block)
        if x_dot_rows is not None and w_dot is not None:
            y_dot = np.add(y_dot, part, out=y_dot_block)
        if w_dot is None:
            y_dot = part
        if x_dot_rows is None:
            y_dot_block[...] = y_dot

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, x_dot_rows, rstd_rows),
        writes=(y_dot_out,),
        buffers=1,
        row_scalars=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows, ddw = arguments
    x_rows, w, rstd_rows = fields
    dx_out, dw_out, ddy_out = results
    features, dtype = call.features, call.dtype
    needs_w_shifted_2 = w is not None and ddx_rows is not None
    needs_d2x = ddx_rows is not None and ddw is not None
    D = _rows.number(features, dtype)
    # step 24: w_shifted_2 = w + 1
    if needs_w_shifted_2:
        w_shifted_2 = np.add(w, 1.0)
    # step 43: mean_ddw_dy_xhat = mean(dy*xhat*ddw)
    if ddw is not None:
        ddw_over_D = np.divide(ddw, D)
    if needs_w_shifted_2:
        w_shifted_2_wide = _rows.repeated(w_shifted_2)
    ddw_wide = _rows.repeated(ddw)

    def block(x, dy, ddx, rstd, dx_block, ddy_block, buffers, row_scalars, sums):
        (d2w_sums,) = sums
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=ddy_block)
        # step 49: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D, out=row_scalars[0])
        # step 43: mean_ddw_dy_xhat = mean(dy*xhat*ddw)
        if ddw is not None:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddw_dy_xhat = _rows.row_sum(part, ddw_over_D, out=row_scalars[1])
        # step 24: g = dy*w_shifted_2
        if needs_w_shifted_2:
            g = _rows.by_feature(np.multiply, dy, w_shifted_2_wide, out=dx_block)
        if w is None:
            g = dy
        # step 25: mean_g_xhat = mean(g*xhat)
        if ddx_rows is not None:
            mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalars[2])
            # step 43: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalars[3])
            # step 43: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = np.multiply(mean_g_xhat, 3.0, out=row_scalars[4])
            # step 49: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[0])
            dg = np.subtract(ddx, dg, out=buffers[0])
            dg = np.multiply(dg, rstd, out=buffers[0])
        # step 50: d2w = sum over rows of dg*dy
        if needs_w_shifted_2:
            part_2 = np.multiply(dg, dy, out=buffers[1])
            _rows.add_rows(part_2, d2w_sums)
        # step 43: d2x = (dy*ddw + ((xhat*mean_g_xhat_scaled - g)*mean_ddx_xhat -
        #   xhat*mean_ddx_g - ddx*mean_g_xhat)*rstd - xhat*mean_ddw_dy_xhat)*rstd
        if ddw is not None:
            d2x = _rows.by_feature(np.multiply, dy, ddw_wide, out=buffers[1])
        if ddx_rows is not None:
            part_3 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[2])
            part_3 = np.subtract(part_3, g, out=dx_block)
            part_3 = np.multiply(part_3, mean_ddx_xhat, out=dx_block)
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[2])
            part_3 = np.subtract(part_3, part_4, out=dx_block)
            part_5 = _rows.by_row(np.multiply, ddx, mean_g_xhat, out=buffers[2])
            part_3 = np.subtract(part_3, part_5, out=dx_block)
            part_3 = np.multiply(part_3, rstd, out=dx_block)
        if needs_d2x:
            d2x = np.add(d2x, part_3, out=dx_block)
        if ddw is None:
            d2x = part_3
        else:
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddw_dy_xhat, out=buffers[2])
            d2x = np.subtract(d2x, part_6, out=dx_block)
        np.multiply(d2x, rstd, out=dx_block)
        # step 53: ddy = xhat*ddw + dg*w_shifted_2
        if ddw is not None:
            ddy = _rows.by_feature(np.multiply, xhat, ddw_wide, out=ddy_block)
        if needs_w_shifted_2:
            part_7 = _rows.by_feature(np.multiply, dg, w_shifted_2_wide, out=buffers[0])
        if w is None:
            part_7 = dg
        if needs_d2x:
            ddy = np.add(ddy, part_7, out=ddy_block)
        if w is not None and ddw is None:
            ddy = part_7
        if w is None:
            ddy = part_7
        if ddw is None:
            ddy_block[...] = ddy

    (d2w,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, rstd_rows),
        writes=(dx_out, ddy_out),
        buffers=3,
        row_scalars=5,
        feature_sums=1,
    )
    if ddx_rows is None:
        d2w = 0.0
    if w is not None:
        _blocks.round_to(dw_out, ..., d2w)
