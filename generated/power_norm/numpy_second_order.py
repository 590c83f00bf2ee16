# Made by lngen 0.1.0 from the definition of power_norm.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
# Evidence: 1 output, 12 steps, 22 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Each row divided by its mean fourth power, to the power 1/4. The tangents, and the gradients of the gradients.

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
    x_dot_rows, gamma_dot = arguments
    x_rows, gamma, scale_rows = fields
    (y_dot_out,) = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    gamma_dot_wide = _rows.repeated(gamma_dot)
    gamma_wide = _rows.repeated(gamma)

    def block(x, x_dot, scale, y_dot_block, buffers, row_scalars):
        # step 3: xhat = x*scale
        xhat = _rows.by_row(np.multiply, x, scale, out=y_dot_block)
        # step 23: mean_x_dot_xhat = mean(x_dot*xhat**3)
        if x_dot_rows is not None:
            part = np.square(xhat, out=buffers[0])
            part = np.multiply(part, xhat, out=buffers[0])
            mean_x_dot_xhat = _rows.row_mean(x_dot, part, D, out=row_scalars[0])
        # step 23: y_dot = xhat*gamma_dot + (x_dot - xhat*mean_x_dot_xhat)*scale*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=buffers[0])
        if x_dot_rows is not None:
            part_2 = np.multiply(xhat, mean_x_dot_xhat, out=y_dot_block)
            part_2 = np.subtract(x_dot, part_2, out=y_dot_block)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, scale, out=y_dot_block)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part_2, out=y_dot_block)
        if gamma_dot is None:
            y_dot = part_2
        if x_dot_rows is None:
            y_dot_block[...] = y_dot

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, x_dot_rows, scale_rows),
        writes=(y_dot_out,),
        buffers=1,
        row_scalars=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows, ddgamma = arguments
    x_rows, gamma, scale_rows = fields
    dx_out, dgamma_out, ddy_out = results
    features, dtype = call.features, call.dtype
    needs_g = gamma is not None and ddx_rows is not None
    needs_d2xhat = ddx_rows is not None and ddgamma is not None
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 33: d2mean_x4_scaled = 4*d2mean_x4/D
    part_15 = np.divide(4.0, D)
    gamma_wide = _rows.repeated(gamma)
    ddgamma_wide = _rows.repeated(ddgamma)

    def block(x, dy, ddx, scale, ddy_block, dx_block, buffers, row_scalars, sums):
        (d2gamma_sums,) = sums
        # step 28: dmean_g_xhat_unscaled = sum(-ddx*x**3)
        part = np.square(x, out=ddy_block)
        part_2 = np.multiply(part, x, out=dx_block)
        if ddx_rows is not None:
            part_3 = np.multiply(ddx, part_2, out=buffers[0])
            part_3 = np.negative(part_3, out=buffers[0])
            dmean_g_xhat_unscaled = _rows.row_sum(part_3, ones, out=row_scalars[0])
        # step 24: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[0])
        if gamma is None:
            g = dy
        # step 25: mean_g_xhat_unscaled = mean(g*x)
        if ddx_rows is not None:
            mean_g_xhat_unscaled = _rows.row_mean(g, x, D, out=row_scalars[1])
            # step 25: mean_g_xhat = mean_g_xhat_unscaled*scale
            mean_g_xhat = np.multiply(mean_g_xhat_unscaled, scale, out=row_scalars[1])
        # step 28: dmean_g_xhat = dmean_g_xhat_unscaled*scale**4
        part_4 = np.square(scale, out=row_scalars[2])
        part_5 = np.square(part_4, out=row_scalars[3])
        if ddx_rows is not None:
            dmean_g_xhat = np.multiply(
                dmean_g_xhat_unscaled, part_5, out=row_scalars[0]
            )
            # step 34: dmean_g_xhat_scaled = dmean_g_xhat/D
            dmean_g_xhat_scaled = np.divide(dmean_g_xhat, D, out=row_scalars[0])
            # step 29: mean_g_xhat_scaled = -3*mean_g_xhat*scale
            mean_g_xhat_scaled = np.multiply(mean_g_xhat, scale, out=row_scalars[4])
            mean_g_xhat_scaled = np.multiply(
                mean_g_xhat_scaled, -3.0, out=row_scalars[4]
            )
            # step 30: sum_ddx_g_xhat = sum((g - x**3*mean_g_xhat*scale**3)*ddx)
            part_6 = np.multiply(part_4, scale, out=row_scalars[5])
            part_6 = np.multiply(mean_g_xhat, part_6, out=row_scalars[1])
            part_7 = _rows.by_row(np.multiply, part_2, part_6, out=buffers[1])
            part_7 = np.subtract(g, part_7, out=buffers[1])
            sum_ddx_g_xhat = _rows.row_sum(part_7, ddx, out=row_scalars[1])
            # step 34: dg = ddx*scale + x*dmean_g_xhat_scaled*scale
            dg = _rows.by_row(np.multiply, ddx, scale, out=buffers[1])
            part_8 = np.multiply(dmean_g_xhat_scaled, scale, out=row_scalars[5])
            part_9 = _rows.by_row(np.multiply, x, part_8, out=buffers[2])
            dg = np.add(dg, part_9, out=buffers[1])
        # step 35: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_10 = np.multiply(dg, dy, out=buffers[2])
            _rows.add_rows(part_10, d2gamma_sums)
        # step 29: d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled +
        #   ddx*x**2*mean_g_xhat_scaled*scale**2
        if ddgamma is not None:
            d2xhat = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if ddx_rows is not None:
            part_11 = np.multiply(g, dmean_g_xhat_scaled, out=buffers[0])
        if needs_d2xhat:
            d2xhat = np.add(d2xhat, part_11, out=buffers[0])
        if ddgamma is None:
            d2xhat = part_11
        if ddx_rows is not None:
            part_12 = np.multiply(ddx, part, out=ddy_block)
            part_13 = np.multiply(mean_g_xhat_scaled, part_4, out=row_scalars[0])
            part_12 = np.multiply(part_12, part_13, out=ddy_block)
            d2xhat = np.add(d2xhat, part_12, out=buffers[0])
        # step 30: sum_d2xhat_x = sum(d2xhat*x)
        sum_d2xhat_x = _rows.row_sum(d2xhat, x, out=row_scalars[0])
        # step 36: ddy = dg*gamma + x*scale*ddgamma
        if needs_g:
            ddy = _rows.by_feature(np.multiply, dg, gamma_wide, out=ddy_block)
        if gamma is None:
            ddy = dg
        if ddgamma is not None:
            part_14 = _rows.by_feature(np.multiply, x, ddgamma_wide, out=buffers[1])
            part_14 = np.multiply(part_14, scale, out=buffers[1])
        if needs_d2xhat:
            ddy = np.add(ddy, part_14, out=ddy_block)
        if ddx_rows is None:
            ddy = part_14
        if gamma is None or ddx_rows is None:
            ddy_block[...] = ddy
        # step 30: d2scale = sum_d2xhat_x + sum_ddx_g_xhat
        if ddx_rows is not None:
            d2scale = np.add(sum_d2xhat_x, sum_ddx_g_xhat, out=row_scalars[0])
        else:
            d2scale = sum_d2xhat_x
        # step 32: d2scale_scaled = d2scale*scale
        d2scale_scaled = np.multiply(d2scale, scale, out=row_scalars[0])
        # step 32: d2mean_x4 = -d2scale_scaled*scale**4/4
        d2mean_x4 = np.multiply(d2scale_scaled, part_5, out=row_scalars[0])
        d2mean_x4 = np.multiply(d2mean_x4, -0.25, out=row_scalars[0])
        # step 33: d2mean_x4_scaled = 4*d2mean_x4/D
        d2mean_x4_scaled = np.multiply(d2mean_x4, part_15, out=row_scalars[0])
        # step 33: d2x = d2xhat*scale + x**3*d2mean_x4_scaled
        d2x = np.multiply(d2xhat, scale, out=buffers[0])
        part_16 = np.multiply(part_2, d2mean_x4_scaled, out=dx_block)
        np.add(d2x, part_16, out=dx_block)

    (d2gamma,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, scale_rows),
        writes=(ddy_out, dx_out),
        buffers=3,
        row_scalars=6,
        feature_sums=1,
    )
    if ddx_rows is None:
        d2gamma = 0.0
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., d2gamma)
