# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization. The tangents, and the gradients of the gradients.

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
    needs_mean_h_dot_hhat = x_dot_rows is not None or z_dot_rows is not None
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
        buffers=(None,) * 3,
    ):
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=y_dot_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffers[0])
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=buffers[1])
        # step 6: hhat = h*rstd
        hhat = np.multiply(h, rstd, out=h)
        # step 27: h_dot = silu_z*x_dot + sigmoid_z*x*((1 - sigmoid_z)*z + 1)*z_dot
        if x_dot_rows is not None:
            h_dot = np.multiply(silu_z, x_dot, out=silu_z)
        if z_dot_rows is not None:
            part = np.multiply(sigmoid_z, x, out=buffers[2])
            part_2 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
            part_2 = np.multiply(part_2, z, out=part_2)
            part_2 = np.add(part_2, 1.0, out=part_2)
            part = np.multiply(part, part_2, out=part_2)
            part = np.multiply(part, z_dot, out=buffers[2])
        if x_dot_rows is not None and z_dot_rows is not None:
            h_dot = np.add(h_dot, part, out=h_dot)
        if x_dot_rows is None and z_dot_rows is not None:
            h_dot = part
        # step 34: mean_h_dot_hhat = mean(h_dot*hhat)
        if needs_mean_h_dot_hhat:
            mean_h_dot_hhat = _rows.row_mean(h_dot, hhat, D)
        # step 34: y_dot = hhat*gamma_dot + (h_dot - hhat*mean_h_dot_hhat)*rstd*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, hhat, gamma_dot_wide, out=y_dot_block)
        if needs_mean_h_dot_hhat:
            part_3 = np.multiply(hhat, mean_h_dot_hhat, out=hhat)
            part_3 = np.subtract(h_dot, part_3, out=buffers[0])
        if gamma is not None and (x_dot_rows is not None or z_dot_rows is not None):
            part_3 = _rows.by_feature(np.multiply, part_3, gamma_wide, out=part_3)
        if needs_mean_h_dot_hhat:
            part_3 = np.multiply(part_3, rstd, out=part_3)
        if gamma_dot is not None and (x_dot_rows is not None or z_dot_rows is not None):
            y_dot = np.add(y_dot, part_3, out=y_dot)
        if gamma_dot is None:
            y_dot = part_3
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, x_dot_rows, z_dot_rows),
        row_scalars=(rstd_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out,),
        buffers=3,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddz_rows, ddgamma = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    dx_out, dz_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_g = gamma is not None and (ddx_rows is not None or ddz_rows is not None)
    needs_mean_g_hhat = ddx_rows is not None or ddz_rows is not None
    needs_d2h = ddgamma is not None and (ddx_rows is not None or ddz_rows is not None)
    D = _rows.number(features, dtype)
    # step 50: mean_ddgamma_dy_hhat = mean(dy*hhat*ddgamma)
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
        buffers=(None,) * 9,
    ):
        d2gamma = None
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=ddy_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=dx_block)
        # step 6: hhat = h*rstd
        hhat = _rows.by_row(np.multiply, h, rstd, out=buffers[0])
        # step 50: mean_ddgamma_dy_hhat = mean(dy*hhat*ddgamma)
        if ddgamma is not None:
            part = np.multiply(dy, hhat, out=dx_block)
            mean_ddgamma_dy_hhat = _rows.row_sum(part, ddgamma_over_D)
        # step 35: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if gamma is None:
            g = dy
        # step 36: mean_g_hhat = mean(g*hhat)
        if needs_mean_g_hhat:
            mean_g_hhat = _rows.row_mean(g, hhat, D)
        # step 40: ddh = ddx*silu_z + ddz*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
        if ddx_rows is not None:
            ddh = np.multiply(ddx, silu_z, out=buffers[1])
        if ddz_rows is not None:
            part_2 = np.multiply(ddz, sigmoid_z, out=buffers[2])
            part_2 = np.multiply(part_2, x, out=part_2)
        part_3 = np.subtract(1.0, sigmoid_z, out=buffers[3])
        if ddz_rows is not None:
            part_4 = np.multiply(part_3, z, out=buffers[4])
            part_4 = np.add(part_4, 1.0, out=part_4)
            part_2 = np.multiply(part_2, part_4, out=part_2)
        if ddx_rows is not None and ddz_rows is not None:
            ddh = np.add(ddh, part_2, out=ddh)
        if ddx_rows is None and ddz_rows is not None:
            ddh = part_2
        # step 63: mean_ddh_hhat = mean(ddh*hhat)
        if needs_mean_g_hhat:
            mean_ddh_hhat = _rows.row_mean(ddh, hhat, D)
            # step 50: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_mean(ddh, g, D)
            # step 50, pass 5: mean_g_hhat_scaled = 3*mean_g_hhat
            mean_g_hhat_scaled = mean_g_hhat * 3.0
            # step 37: dh = (g - hhat*mean_g_hhat)*rstd
            dh = _rows.by_row(np.multiply, hhat, mean_g_hhat, out=buffers[5])
            dh = np.subtract(g, dh, out=dh)
            dh = np.multiply(dh, rstd, out=dh)
            # step 63: dg = (ddh - hhat*mean_ddh_hhat)*rstd
            dg = _rows.by_row(np.multiply, hhat, mean_ddh_hhat, out=buffers[6])
            dg = np.subtract(ddh, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 64: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_5 = np.multiply(dg, dy, out=buffers[7])
            d2gamma = _rows.sum_rows(part_5)
        # step 50, pass 6: d2h = (dy*ddgamma + ((hhat*mean_g_hhat_scaled -
        #   g)*mean_ddh_hhat - hhat*mean_ddh_g - ddh*mean_g_hhat)*rstd -
        #   hhat*mean_ddgamma_dy_hhat)*rstd
        if ddgamma is not None:
            d2h = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[7])
        if needs_mean_g_hhat:
            part_6 = _rows.by_row(np.multiply, hhat, mean_g_hhat_scaled, out=buffers[8])
            part_6 = np.subtract(part_6, g, out=dx_block)
            part_6 = np.multiply(part_6, mean_ddh_hhat, out=part_6)
            part_7 = _rows.by_row(np.multiply, hhat, mean_ddh_g, out=buffers[8])
            part_6 = np.subtract(part_6, part_7, out=part_6)
            part_8 = np.multiply(ddh, mean_g_hhat, out=buffers[1])
            part_6 = np.subtract(part_6, part_8, out=part_6)
            part_6 = np.multiply(part_6, rstd, out=part_6)
        if needs_d2h:
            d2h = np.add(d2h, part_6, out=part_6)
        if ddgamma is None:
            d2h = part_6
        else:
            part_9 = _rows.by_row(
                np.multiply, hhat, mean_ddgamma_dy_hhat, out=buffers[1]
            )
            d2h = np.subtract(d2h, part_9, out=dx_block)
        d2h = np.multiply(d2h, rstd, out=d2h)
        # step 52: d2silu_z = d2h*x + ddx*dh
        d2silu_z = np.multiply(d2h, x, out=buffers[1])
        if ddx_rows is not None:
            part_10 = np.multiply(ddx, dh, out=buffers[2])
            d2silu_z = np.add(d2silu_z, part_10, out=d2silu_z)
        # step 51: d2x = d2h*silu_z + ddz*dh*sigmoid_z*((1 - sigmoid_z)*z + 1)
        d2x = np.multiply(d2h, silu_z, out=d2h)
        if ddz_rows is not None:
            part_11 = np.multiply(ddz, dh, out=buffers[2])
            part_11 = np.multiply(part_11, sigmoid_z, out=part_11)
            part_11 = np.multiply(part_11, part_4, out=part_11)
            d2x = np.add(d2x, part_11, out=d2x)
            # step 58: d2z = (d2silu_z + (1 - sigmoid_z)*ddz*dh*x + (1 -
            #   sigmoid_z)*(d2silu_z*z + ((1 - sigmoid_z)*z + 1 -
            #   silu_z)*ddz*dh*x))*sigmoid_z
            d2z = np.multiply(part_3, ddz, out=buffers[2])
            d2z = np.multiply(d2z, dh, out=d2z)
            d2z = np.multiply(d2z, x, out=d2z)
            d2z = np.add(d2silu_z, d2z, out=d2z)
        else:
            d2z = d2silu_z
        part_12 = np.multiply(d2silu_z, z, out=buffers[7])
        if ddz_rows is not None:
            part_13 = np.subtract(part_4, silu_z, out=silu_z)
            part_13 = np.multiply(part_13, ddz, out=part_13)
            part_13 = np.multiply(part_13, dh, out=part_13)
            part_13 = np.multiply(part_13, x, out=part_13)
            part_12 = np.add(part_12, part_13, out=part_13)
        part_12 = np.multiply(part_3, part_12, out=ddy_block)
        d2z = np.add(d2z, part_12, out=part_12)
        d2z = np.multiply(d2z, sigmoid_z, out=sigmoid_z)
        # step 67: ddy = hhat*ddgamma + dg*gamma
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, hhat, ddgamma_wide, out=ddy_block)
        if needs_g:
            part_14 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[0])
        if gamma is None:
            part_14 = dg
        if needs_d2h:
            ddy = np.add(ddy, part_14, out=ddy)
        if ddgamma is None:
            ddy = part_14
        return d2x, d2z, ddy, d2gamma

    d2x, d2z, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, dy_rows, ddx_rows, ddz_rows),
        row_scalars=(rstd_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, dz_out, ddy_out),
        buffers=9,
        feature_sums=1,
    )
    if ddx_rows is None and ddz_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    return d2x, d2z, d2gamma, ddy
