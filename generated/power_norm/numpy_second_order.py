# Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
"""Each row divided by its mean fourth power, to the power 1/4. The tangents, and the gradients of the gradients.

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
    x_rows, gamma, scale_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x, x_dot, scale, gamma_dot_wide, gamma_wide, y_dot_block=None, buffers=(None,)
    ):
        # step 3: xhat = x*scale
        xhat = _rows.by_row(np.multiply, x, scale, out=buffers[0])
        # step 19: mean_x_dot_xhat = mean(x_dot*xhat**3)
        if x_dot_rows is not None:
            part = np.square(xhat, out=y_dot_block)
            part = np.multiply(part, xhat, out=part)
            mean_x_dot_xhat = _rows.row_mean(x_dot, part, D)
        # step 19: y_dot = xhat*gamma_dot + (x_dot - xhat*mean_x_dot_xhat)*scale*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part_2 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part_2 = np.subtract(x_dot, part_2, out=part_2)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=part_2)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, scale, out=part_2)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part_2, out=y_dot)
        if gamma_dot is None:
            y_dot = part_2
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(scale_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out,),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma = arguments
    x_rows, gamma, scale_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_g = gamma is not None and ddx_rows is not None
    needs_d2xhat = ddx_rows is not None and ddgamma is not None
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 29, pass 15: d2mean_x4_scaled = 4*d2mean_x4/D
    part_12 = 4.0 / D

    def block(
        x,
        dy,
        ddx,
        scale,
        gamma_wide,
        ddgamma_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        d2gamma = None
        # step 24, pass 6: dmean_g_xhat_unscaled = sum(-ddx*x**3)
        part = np.square(x, out=dx_block)
        part_2 = np.multiply(part, x, out=buffers[0])
        if ddx_rows is not None:
            part_3 = np.multiply(ddx, part_2, out=ddy_block)
            part_3 = np.negative(part_3, out=part_3)
            dmean_g_xhat_unscaled = _rows.row_sum(part_3, ones)
        # step 20: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[1])
        if gamma is None:
            g = dy
        # step 21, pass 5: mean_g_xhat_unscaled = mean(g*x)
        if ddx_rows is not None:
            mean_g_xhat_unscaled = _rows.row_mean(g, x, D)
            # step 21, pass 7: mean_g_xhat = mean_g_xhat_unscaled*scale
            mean_g_xhat = mean_g_xhat_unscaled * scale
        # step 24, pass 8: dmean_g_xhat = dmean_g_xhat_unscaled*scale**4
        part_4 = np.square(scale)
        part_5 = np.square(part_4)
        if ddx_rows is not None:
            dmean_g_xhat = dmean_g_xhat_unscaled * part_5
            # step 30, pass 9: dmean_g_xhat_scaled = dmean_g_xhat/D
            dmean_g_xhat_scaled = dmean_g_xhat / D
            # step 25, pass 10: mean_g_xhat_scaled = -3*mean_g_xhat*scale
            mean_g_xhat_scaled = mean_g_xhat * scale * -3.0
            # step 26, pass 14: sum_ddx_g_xhat = sum((g -
            #   x**3*mean_g_xhat*scale**3)*ddx)
            part_6 = _rows.by_row(
                np.multiply, part_2, mean_g_xhat * (part_4 * scale), out=ddy_block
            )
            part_6 = np.subtract(g, part_6, out=part_6)
            sum_ddx_g_xhat = _rows.row_sum(part_6, ddx)
            # step 30, pass 11: dg = ddx*scale + x*dmean_g_xhat_scaled*scale
            dg = _rows.by_row(np.multiply, ddx, scale, out=ddy_block)
            part_7 = _rows.by_row(
                np.multiply, x, dmean_g_xhat_scaled * scale, out=buffers[2]
            )
            dg = np.add(dg, part_7, out=dg)
        # step 31: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_8 = np.multiply(dg, dy, out=buffers[2])
            d2gamma = _rows.sum_rows(part_8)
        # step 25, pass 12: d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled +
        #   ddx*x**2*mean_g_xhat_scaled*scale**2
        if ddgamma is not None:
            d2xhat = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if ddx_rows is not None:
            part_9 = np.multiply(g, dmean_g_xhat_scaled, out=buffers[1])
        if needs_d2xhat:
            d2xhat = np.add(d2xhat, part_9, out=part_9)
        if ddgamma is None:
            d2xhat = part_9
        if ddx_rows is not None:
            part_10 = np.multiply(ddx, part, out=part)
            part_10 = np.multiply(part_10, mean_g_xhat_scaled * part_4, out=part_10)
            d2xhat = np.add(d2xhat, part_10, out=part_10)
        # step 26: sum_d2xhat_x = sum(d2xhat*x)
        sum_d2xhat_x = _rows.row_sum(d2xhat, x)
        # step 32, pass 13: ddy = dg*gamma + x*scale*ddgamma
        if needs_g:
            ddy = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if gamma is None:
            ddy = dg
        if ddgamma is not None:
            part_11 = _rows.by_feature(np.multiply, x, ddgamma_wide, out=buffers[1])
            part_11 = np.multiply(part_11, scale, out=part_11)
        if needs_d2xhat:
            ddy = np.add(ddy, part_11, out=ddy)
        if ddx_rows is None:
            ddy = part_11
        # step 26: d2scale = sum_d2xhat_x + sum_ddx_g_xhat
        if ddx_rows is not None:
            d2scale = sum_d2xhat_x + sum_ddx_g_xhat
        else:
            d2scale = sum_d2xhat_x
        # step 28: d2mean_x4 = -d2scale*scale**5/4
        d2mean_x4 = d2scale * (part_5 * scale) * -0.25
        # step 29, pass 15: d2mean_x4_scaled = 4*d2mean_x4/D
        d2mean_x4_scaled = d2mean_x4 * part_12
        # step 29, pass 16: d2x = d2xhat*scale + x**3*d2mean_x4_scaled
        d2x = np.multiply(d2xhat, scale, out=dx_block)
        part_13 = np.multiply(part_2, d2mean_x4_scaled, out=part_2)
        d2x = np.add(d2x, part_13, out=d2x)
        return d2x, ddy, d2gamma

    d2x, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(scale_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, ddy_out),
        buffers=3,
        feature_sums=1,
    )
    if ddx_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    return d2x, d2gamma, ddy
