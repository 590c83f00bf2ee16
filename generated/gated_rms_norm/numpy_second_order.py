# Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
"""Root-mean-square normalization, then a gate: silu of another row. The tangents, and the gradients of the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, z_dot_rows, gamma_dot = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x,
        z,
        x_dot,
        z_dot,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        y_dot_block=None,
        buffers=(None,) * 4,
    ):
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=buffers[0])
        # step 31: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=buffers[1])
        # step 5: silu_z = sigmoid_z*z
        if x_dot_rows is not None or gamma_dot is not None:
            silu_z = np.multiply(sigmoid_z, z, out=buffers[2])
        # step 31: y_dot = silu_z*xhat*gamma_dot + (x_dot -
        #   xhat*mean_x_dot_xhat)*silu_z*rstd*gamma + sigmoid_z*xhat*((1 - sigmoid_z)*z
        #   + 1)*z_dot*gamma
        if gamma_dot is not None:
            y_dot = np.multiply(silu_z, xhat, out=y_dot_block)
            y_dot = _rows.by_feature(np.multiply, y_dot, gamma_dot_wide, out=y_dot)
        if x_dot_rows is not None:
            part = _rows.by_row(np.multiply, xhat, mean_x_dot_xhat, out=buffers[3])
            part = np.subtract(x_dot, part, out=part)
            part = np.multiply(part, silu_z, out=silu_z)
        if gamma is not None and x_dot_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if x_dot_rows is not None and gamma_dot is None:
            y_dot = part
        if z_dot_rows is not None:
            part_2 = np.multiply(sigmoid_z, xhat, out=xhat)
            part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
            part_3 = np.multiply(part_3, z, out=part_3)
            part_3 = np.add(part_3, 1.0, out=part_3)
            part_2 = np.multiply(part_2, part_3, out=part_2)
            part_2 = np.multiply(part_2, z_dot, out=part_2)
        if gamma is not None and z_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=part_2)
        if z_dot_rows is not None and (x_dot_rows is not None or gamma_dot is not None):
            y_dot = np.add(y_dot, part_2, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None:
            y_dot = part_2
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, x_dot_rows, z_dot_rows),
        row_scalars=(rstd_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out,),
        buffers=4,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddz_rows, ddgamma = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    dx_out, dz_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_part = ddx_rows is not None or ddgamma is not None
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    needs_part_7 = gamma is not None and (ddx_rows is not None or ddz_rows is not None)
    needs_d2xhat_part = gamma is not None and ddz_rows is not None
    needs_mean_d2xhat_part_xhat = ddx_rows is not None or ddz_rows is not None
    needs_d2z = ddz_rows is not None and (ddx_rows is not None or ddgamma is not None)
    needs_ddy = ddgamma is not None and (ddx_rows is not None or ddz_rows is not None)
    D = _rows.number(features, dtype)
    # step 44: mean_ddgamma_dy_silu_z = mean(dy*silu_z*xhat*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = ddgamma / D

    def block(
        x,
        z,
        dy,
        ddx,
        ddz,
        rstd,
        gamma_wide,
        ddgamma_wide,
        dx_block=None,
        dz_block=None,
        ddy_block=None,
        buffers=(None,) * 10,
    ):
        d2gamma = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 49: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=ddy_block)
        # step 44: mean_ddgamma_dy_silu_z = mean(dy*silu_z*xhat*ddgamma)
        if needs_part:
            part = np.multiply(dy, silu_z, out=buffers[0])
        if ddgamma is not None:
            part_2 = np.multiply(part, xhat, out=buffers[1])
            mean_ddgamma_dy_silu_z = _rows.row_sum(part_2, ddgamma_over_D)
        # step 32: g = dy*silu_z*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, part, gamma_wide, out=buffers[1])
        if needs_g_2:
            g = part
        # step 33: mean_g_xhat = mean(g*xhat)
        if ddx_rows is not None:
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 44: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D)
            # step 36, pass 1: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 44, pass 2: mean_g_xhat_scaled_2 = 2*mean_g_xhat
            mean_g_xhat_scaled_2 = mean_g_xhat * 2.0
            # step 49: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[2])
            dg = np.subtract(ddx, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
            # step 60: d2gamma = sum over rows of (dg*silu_z + ddz*sigmoid_z*xhat*((1 -
            #   sigmoid_z)*z + 1))*dy
            part_3 = np.multiply(dg, silu_z, out=buffers[3])
        if ddz_rows is not None:
            part_4 = np.multiply(ddz, sigmoid_z, out=buffers[4])
            part_4 = np.multiply(part_4, xhat, out=part_4)
        part_5 = np.subtract(1.0, sigmoid_z, out=buffers[5])
        if ddz_rows is not None:
            part_6 = np.multiply(part_5, z, out=buffers[6])
            part_6 = np.add(part_6, 1.0, out=part_6)
            part_4 = np.multiply(part_4, part_6, out=part_4)
        if ddx_rows is not None and ddz_rows is not None:
            part_3 = np.add(part_3, part_4, out=part_3)
        if ddx_rows is None and ddz_rows is not None:
            part_3 = part_4
        if needs_part_7:
            part_7 = np.multiply(part_3, dy, out=buffers[7])
            d2gamma = _rows.sum_rows(part_7)
        # step 52: d2silu_z = (xhat*ddgamma + dg*gamma)*dy
        if ddgamma is not None:
            d2silu_z = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffers[7])
        if needs_g:
            part_8 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if needs_g_2:
            part_8 = dg
        if ddx_rows is not None and ddgamma is not None:
            d2silu_z = np.add(d2silu_z, part_8, out=part_8)
        if ddx_rows is not None and ddgamma is None:
            d2silu_z = part_8
        if needs_part:
            d2silu_z = np.multiply(d2silu_z, dy, out=buffers[2])
        # step 36, pass 3: d2xhat_part = ddz*dy*sigmoid_z*((1 - sigmoid_z)*z + 1)*gamma
        #   - ddx*mean_g_xhat_scaled
        if ddz_rows is not None:
            d2xhat_part = np.multiply(ddz, dy, out=buffers[7])
            d2xhat_part = np.multiply(d2xhat_part, sigmoid_z, out=d2xhat_part)
            d2xhat_part = np.multiply(d2xhat_part, part_6, out=d2xhat_part)
        if needs_d2xhat_part:
            d2xhat_part = _rows.by_feature(
                np.multiply, d2xhat_part, gamma_wide, out=d2xhat_part
            )
        if ddx_rows is not None and ddz_rows is None:
            d2xhat_part = 0.0
        if ddx_rows is not None:
            part_9 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=buffers[4])
            d2xhat_part = np.subtract(d2xhat_part, part_9, out=part_9)
        # step 44: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
        if needs_mean_d2xhat_part_xhat:
            mean_d2xhat_part_xhat = _rows.row_mean(d2xhat_part, xhat, D)
        # step 58: d2z = (d2silu_z + (1 - sigmoid_z)*ddz*dy*xhat*gamma + (1 -
        #   sigmoid_z)*(d2silu_z*z + ((1 - sigmoid_z)*z + 1 -
        #   silu_z)*ddz*dy*xhat*gamma))*sigmoid_z
        if ddz_rows is not None:
            d2z = np.multiply(part_5, ddz, out=buffers[8])
            d2z = np.multiply(d2z, dy, out=d2z)
            d2z = np.multiply(d2z, xhat, out=d2z)
        if needs_d2xhat_part:
            d2z = _rows.by_feature(np.multiply, d2z, gamma_wide, out=d2z)
        if needs_d2z:
            d2z = np.add(d2silu_z, d2z, out=d2z)
        if ddz_rows is None:
            d2z = d2silu_z
        if needs_part:
            part_10 = np.multiply(d2silu_z, z, out=buffers[9])
        if ddz_rows is not None:
            part_11 = np.subtract(part_6, silu_z, out=buffers[2])
            part_11 = np.multiply(part_11, ddz, out=part_11)
            part_11 = np.multiply(part_11, dy, out=part_11)
            part_11 = np.multiply(part_11, xhat, out=part_11)
        if needs_d2xhat_part:
            part_11 = _rows.by_feature(np.multiply, part_11, gamma_wide, out=part_11)
        if needs_d2z:
            part_10 = np.add(part_10, part_11, out=part_11)
        if ddx_rows is None and ddgamma is None:
            part_10 = part_11
        part_10 = np.multiply(part_5, part_10, out=part_5)
        d2z = np.add(d2z, part_10, out=buffers[2])
        d2z = np.multiply(d2z, sigmoid_z, out=sigmoid_z)
        # step 64: ddy = silu_z*xhat*ddgamma + (dg*silu_z + ddz*sigmoid_z*xhat*((1 -
        #   sigmoid_z)*z + 1))*gamma
        if ddgamma is not None:
            ddy = np.multiply(silu_z, xhat, out=silu_z)
            ddy = _rows.by_feature(np.multiply, ddy, ddgamma_wide, out=ddy)
        if needs_part_7:
            part_12 = _rows.by_feature(np.multiply, part_3, gamma_wide, out=buffers[2])
        if gamma is None:
            part_12 = part_3
        if needs_ddy:
            ddy = np.add(ddy, part_12, out=ddy)
        if ddgamma is None:
            ddy = part_12
        # step 44, pass 4: d2x = (d2xhat_part + dy*silu_z*ddgamma +
        #   ((xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd -
        #   xhat*mean_d2xhat_part_xhat - xhat*mean_ddgamma_dy_silu_z)*rstd
        if ddgamma is not None:
            d2x = _rows.by_feature(np.multiply, part, ddgamma_wide, out=part)
        if needs_ddy:
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        if ddgamma is None:
            d2x = d2xhat_part
        if ddx_rows is not None:
            part_13 = _rows.by_row(
                np.multiply, xhat, mean_g_xhat_scaled_2, out=buffers[5]
            )
            part_13 = np.subtract(part_13, g, out=buffers[1])
            part_13 = np.multiply(part_13, mean_ddx_xhat, out=part_13)
            part_14 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[5])
            part_13 = np.subtract(part_13, part_14, out=part_13)
            part_13 = np.multiply(part_13, rstd, out=part_13)
            d2x = np.add(d2x, part_13, out=buffers[0])
        if needs_mean_d2xhat_part_xhat:
            part_15 = _rows.by_row(
                np.multiply, xhat, mean_d2xhat_part_xhat, out=buffers[1]
            )
            d2x = np.subtract(d2x, part_15, out=buffers[0])
        if ddgamma is not None:
            part_16 = np.multiply(xhat, mean_ddgamma_dy_silu_z, out=xhat)
            d2x = np.subtract(d2x, part_16, out=part_16)
        d2x = np.multiply(d2x, rstd, out=dx_block)
        return d2x, d2z, ddy, d2gamma

    d2x, d2z, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, dy_rows, ddx_rows, ddz_rows),
        row_scalars=(rstd_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, dz_out, ddy_out),
        buffers=10,
        feature_sums=1,
    )
    if ddx_rows is None and ddz_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    return d2x, d2z, d2gamma, ddy
