# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
"""Layer normalization with a scale and a shift for every entry, from elsewhere. The tangents, and the gradients of the gradients.

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
    x_dot_rows, scale_dot_rows, shift_dot_rows = arguments
    x_rows, scale_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        scale,
        x_dot,
        scale_dot,
        shift_dot,
        mu,
        mu_residual,
        rstd,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 28: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if x_dot_rows is not None or scale_dot_rows is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=buffers[0])
        # step 28: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 28: y_dot = shift_dot + scale_dot*xhat + (x_dot - mean_x_dot -
        #   xhat*mean_x_dot_xhat)*(scale + 1)*rstd
        if scale_dot_rows is not None:
            y_dot = np.multiply(scale_dot, xhat, out=y_dot_block)
        if scale_dot_rows is not None and shift_dot_rows is not None:
            y_dot = np.add(shift_dot, y_dot, out=y_dot)
        if scale_dot_rows is None and shift_dot_rows is not None:
            y_dot = shift_dot
        if x_dot_rows is not None:
            part = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[1])
            part_2 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(part, part_2, out=part_2)
            part_3 = np.add(scale, 1.0, out=buffers[1])
            part = np.multiply(part, part_3, out=part)
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and (
            scale_dot_rows is not None or shift_dot_rows is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot_block)
        if scale_dot_rows is None and shift_dot_rows is None:
            y_dot = part
        if x_dot_rows is None and scale_dot_rows is None:
            y_dot = _rows.filled(shift_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, scale_rows, x_dot_rows, scale_dot_rows, shift_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddscale_rows, ddshift_rows = arguments
    x_rows, scale_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dscale_out, dshift_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_x_shifted = ddx_rows is not None or ddscale_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        scale,
        dy,
        ddx,
        ddscale,
        ddshift,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        dscale_block=None,
        dshift_block=None,
        ddy_block=None,
        buffers=(None,) * 4,
    ):
        # step 50: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if needs_x_shifted:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dshift_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 50: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D)
            # step 29: g = dy*(scale + 1)
            part = np.add(scale, 1.0, out=dx_block)
            g = np.multiply(dy, part, out=buffers[0])
            # step 30: mean_g = mean(g)
            mean_g = _rows.row_sum(g, one_over_D)
            # step 31: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 44: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D)
            # step 34, pass 8: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 44, pass 9: mean_g_xhat_scaled_2 = 2*mean_g_xhat
            mean_g_xhat_scaled_2 = mean_g_xhat * 2.0
            # step 44, pass 10: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = mean_ddx * mean_g
            # step 50: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.subtract, ddx, mean_ddx, out=dscale_block)
            part_2 = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=ddy_block)
            dg = np.subtract(dg, part_2, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffers[1])
        # step 34, pass 11: d2xhat_part = ddscale*dy - ddx*mean_g_xhat_scaled
        if ddscale_rows is not None:
            d2xhat_part = np.multiply(ddscale, dy, out=dscale_block)
        if ddx_rows is not None and ddscale_rows is None:
            d2xhat_part = 0.0
        if ddx_rows is not None:
            part_3 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=ddy_block)
            d2xhat_part = np.subtract(d2xhat_part, part_3, out=buffers[2])
        # step 44: mean_d2xhat_part = mean(d2xhat_part)
        if needs_x_shifted:
            mean_d2xhat_part = _rows.row_sum(d2xhat_part, one_over_D)
            # step 44: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
            mean_d2xhat_part_xhat = _rows.row_mean(d2xhat_part, xhat, D)
        # step 51: d2scale = dg*dy
        if ddx_rows is not None:
            d2scale = np.multiply(dg, dy, out=dscale_block)
        # step 56: ddy = ddshift + ddscale*xhat + dg*(scale + 1)
        if ddscale_rows is not None:
            ddy = np.multiply(ddscale, xhat, out=ddy_block)
        if ddscale_rows is not None and ddshift_rows is not None:
            ddy = np.add(ddshift, ddy, out=ddy)
        if ddscale_rows is None and ddshift_rows is not None:
            ddy = ddshift
        if ddx_rows is not None:
            part_4 = np.multiply(dg, part, out=dg)
        if ddx_rows is not None and (
            ddscale_rows is not None or ddshift_rows is not None
        ):
            ddy = np.add(ddy, part_4, out=ddy_block)
        if ddscale_rows is None and ddshift_rows is None:
            ddy = part_4
        # step 44, pass 12: d2x = (d2xhat_part + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat -
        #   xhat*mean_ddx_g)*rstd - mean_d2xhat_part - xhat*mean_d2xhat_part_xhat)*rstd
        if ddx_rows is not None:
            d2x = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=dx_block)
            part_5 = _rows.by_row(
                np.multiply, xhat, mean_g_xhat_scaled_2, out=buffers[3]
            )
            part_5 = np.add(part_5, mean_g, out=part_5)
            part_5 = np.subtract(part_5, g, out=g)
            part_5 = np.multiply(part_5, mean_ddx_xhat, out=part_5)
            d2x = np.add(d2x, part_5, out=d2x)
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[0])
            d2x = np.subtract(d2x, part_6, out=d2x)
            d2x = np.multiply(d2x, rstd, out=d2x)
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        if ddx_rows is None and ddscale_rows is not None:
            d2x = d2xhat_part
        if needs_x_shifted:
            d2x = np.subtract(d2x, mean_d2xhat_part, out=dx_block)
            part_7 = np.multiply(xhat, mean_d2xhat_part_xhat, out=xhat)
            d2x = np.subtract(d2x, part_7, out=part_7)
            d2x = _rows.by_row(np.multiply, d2x, rstd, out=dx_block)
        dshift = _rows.filled(0.0, dshift_block, shape, dtype)
        if ddx_rows is None:
            d2scale = _rows.filled(0.0, dscale_block, shape, dtype)
        if ddx_rows is None and ddscale_rows is None:
            ddy = _rows.filled(ddshift, ddy_block, shape, dtype)
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        return d2x, d2scale, dshift, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, scale_rows, dy_rows, ddx_rows, ddscale_rows, ddshift_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, dscale_out, dshift_out, ddy_out),
        buffers=4,
    )
