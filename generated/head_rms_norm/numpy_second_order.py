# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
"""Root-mean-square normalization of queries or keys, with a weight for each head. The tangents, and the gradients of the gradients.

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
    x_dot_rows, weight_dot_rows = arguments
    x_rows, weight_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(x, weight, x_dot, weight_dot, rstd, y_dot_block=None, buffers=(None,)):
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=buffers[0])
        # step 19: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 19: y_dot = weight_dot*xhat + (x_dot - xhat*mean_x_dot_xhat)*weight*rstd
        if weight_dot_rows is not None:
            y_dot = np.multiply(weight_dot, xhat, out=y_dot_block)
        if x_dot_rows is not None:
            part = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(x_dot, part, out=part)
        if weight_rows is not None and x_dot_rows is not None:
            part = np.multiply(part, weight, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and weight_dot_rows is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if weight_dot_rows is None:
            y_dot = part
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, weight_rows, x_dot_rows, weight_dot_rows),
        row_scalars=(rstd_rows,),
        into=(y_dot_out,),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddweight_rows = arguments
    x_rows, weight_rows, rstd_rows = fields
    dx_out, dweight_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_g = weight_rows is not None and ddx_rows is not None
    D = _rows.number(features, dtype)

    def block(
        x,
        weight,
        dy,
        ddx,
        ddweight,
        rstd,
        dx_block=None,
        dweight_block=None,
        ddy_block=None,
        buffers=(None,) * 4,
    ):
        d2weight = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 36: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D)
        # step 20: g = dy*weight
        if needs_g:
            g = np.multiply(dy, weight, out=buffers[0])
        if weight_rows is None:
            g = dy
        # step 21: mean_g_xhat = mean(g*xhat)
        if ddx_rows is not None:
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 31: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D)
            # step 24, pass 1: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 31, pass 2: mean_g_xhat_scaled_2 = 2*mean_g_xhat
            mean_g_xhat_scaled_2 = mean_g_xhat * 2.0
            # step 36: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=ddy_block)
            dg = np.subtract(ddx, dg, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffers[1])
        # step 24, pass 3: d2xhat_part = ddweight*dy - ddx*mean_g_xhat_scaled
        if ddweight_rows is not None:
            d2xhat_part = np.multiply(ddweight, dy, out=dweight_block)
        else:
            d2xhat_part = 0.0
        if ddx_rows is not None:
            part = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=ddy_block)
            d2xhat_part = np.subtract(d2xhat_part, part, out=buffers[2])
        # step 31: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
        mean_d2xhat_part_xhat = _rows.row_mean(d2xhat_part, xhat, D)
        # step 37: d2weight = dg*dy
        if needs_g:
            d2weight = np.multiply(dg, dy, out=dweight_block)
        # step 38: ddy = ddweight*xhat + dg*weight
        if ddweight_rows is not None:
            ddy = np.multiply(ddweight, xhat, out=ddy_block)
        if needs_g:
            part_2 = np.multiply(dg, weight, out=dg)
        if weight_rows is None:
            part_2 = dg
        if ddx_rows is not None and ddweight_rows is not None:
            ddy = np.add(ddy, part_2, out=ddy)
        if ddweight_rows is None:
            ddy = part_2
        # step 31, pass 4: d2x = (d2xhat_part + ((xhat*mean_g_xhat_scaled_2 -
        #   g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - xhat*mean_d2xhat_part_xhat)*rstd
        if ddx_rows is not None:
            d2x = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled_2, out=buffers[3])
            d2x = np.subtract(d2x, g, out=buffers[0])
            d2x = np.multiply(d2x, mean_ddx_xhat, out=d2x)
            part_3 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[3])
            d2x = np.subtract(d2x, part_3, out=d2x)
            d2x = np.multiply(d2x, rstd, out=d2x)
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        else:
            d2x = d2xhat_part
        part_4 = np.multiply(xhat, mean_d2xhat_part_xhat, out=xhat)
        d2x = np.subtract(d2x, part_4, out=part_4)
        d2x = np.multiply(d2x, rstd, out=d2x)
        if ddx_rows is None:
            d2weight = _rows.filled(0.0, dweight_block, shape, dtype)
        return d2x, d2weight, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, weight_rows, dy_rows, ddx_rows, ddweight_rows),
        row_scalars=(rstd_rows,),
        into=(dx_out, dweight_out, ddy_out),
        buffers=4,
    )
