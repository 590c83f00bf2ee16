# Made by lngen 0.1.0 from the definition of dynamic_tanh.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
# Evidence: exact 4 of 4, 50 digits 1 of 1, second derivation 4 of 4, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# templates sha256:0c03a518bea7bdb46fd4373a87c5e764e4d56e1554d3a0b85a6cdfded06ada0d
"""Dynamic tanh: an elementwise layer in the place of a norm. The tangents, and the gradients of the gradients.

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime import blocks as _blocks
from .._runtime import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs, written to their arrays."""
    dx_rows, dalpha, dgamma, dbeta = arguments
    x_rows, alpha, gamma = fields
    (dy_out,) = results
    needs_part = dx_rows is not None or dalpha is not None
    if (
        dalpha is not None
        or (alpha is not None and dx_rows is not None)
        or (alpha is not None and dgamma is not None)
    ):
        alpha_value = alpha
    if alpha is None and (dx_rows is not None or dgamma is not None):
        alpha_value = 0.5
    dgamma_wide = _rows.repeated(dgamma)
    gamma_wide = _rows.repeated(gamma)
    dbeta_wide = _rows.repeated(dbeta)

    def block(x, dx, dy_block, buffers):
        # step 1: u = x*alpha
        if dx_rows is not None or dalpha is not None or dgamma is not None:
            u = np.multiply(x, alpha_value, out=dy_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=dy_block)
        # step 17: dy = t*dgamma + (1 - t)*(dx*alpha + x*dalpha)*(t + 1)*gamma + dbeta
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, t, dgamma_wide, out=buffers[0])
        if needs_part:
            part = np.subtract(1.0, t, out=buffers[1])
        if dx_rows is not None:
            part_2 = np.multiply(dx, alpha_value, out=buffers[2])
        if dalpha is not None:
            part_3 = np.multiply(x, dalpha, out=buffers[3])
        if dx_rows is not None and dalpha is not None:
            part_2 = np.add(part_2, part_3, out=buffers[2])
        if dx_rows is None and dalpha is not None:
            part_2 = part_3
        if needs_part:
            part = np.multiply(part, part_2, out=buffers[1])
            part_4 = np.add(t, 1.0, out=dy_block)
            part = np.multiply(part, part_4, out=dy_block)
        if gamma is not None and (dx_rows is not None or dalpha is not None):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if dgamma is not None and (dx_rows is not None or dalpha is not None):
            dy = np.add(dy, part, out=dy_block)
        if (
            gamma is not None
            and dgamma is None
            and (dx_rows is not None or dalpha is not None)
        ):
            dy = part
        if gamma is None and (dx_rows is not None or dalpha is not None):
            dy = part
        if dbeta is not None and (
            dx_rows is not None or dalpha is not None or dgamma is not None
        ):
            dy = _rows.by_feature(np.add, dy, dbeta_wide, out=dy_block)
        if dx_rows is None and dalpha is None and dgamma is None:
            dy = dbeta
        if dx_rows is None and dalpha is None and (dgamma is None or dbeta is None):
            dy_block[...] = dy

    _blocks.each_block(
        block, call, reads=(x_rows, dx_rows), writes=(dy_out,), buffers=4
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows, ddalpha, ddgamma, ddbeta = arguments
    x_rows, alpha, gamma = fields
    dx_out, dalpha_out, dgamma_out, dbeta_out, ddy_out = results
    features, dtype = call.features, call.dtype
    needs_alpha_value = (
        ddalpha is not None
        or (alpha is not None and ddx_rows is not None)
        or (alpha is not None and ddgamma is not None)
    )
    needs_part_6 = gamma is not None and (ddx_rows is not None or ddalpha is not None)
    needs_part_6_2 = gamma is None and (ddx_rows is not None or ddalpha is not None)
    needs_u = ddx_rows is not None or ddalpha is not None or ddgamma is not None
    needs_g = ddalpha is not None or (alpha is not None and ddx_rows is not None)
    needs_mean_ddx_g = alpha is not None and ddx_rows is not None
    needs_part_4 = ddx_rows is not None or ddalpha is not None
    needs_dx = ddx_rows is None and ddalpha is None and ddgamma is None
    if needs_alpha_value:
        alpha_value = alpha
    if alpha is None and (ddx_rows is not None or ddgamma is not None):
        alpha_value = 0.5
    if ddgamma is not None:
        ddgamma_value = ddgamma
    if ddgamma is None and (ddx_rows is not None or ddalpha is not None):
        ddgamma_value = 0.0
    D = _rows.number(features, dtype)
    # step 45: g_4 = (1 - t)*(ddgamma - 2*dg*t*gamma)*dy*(t + 1)
    if needs_part_6:
        part_6 = np.multiply(gamma, 2.0)
    if needs_part_6_2:
        part_6 = 2.0
    gamma_wide = _rows.repeated(gamma)
    if ddgamma is not None:
        ddgamma_value_wide = _rows.repeated(ddgamma_value)
    ddbeta_wide = _rows.repeated(ddbeta)

    def block(x, dy, ddx, dx_block, ddy_block, buffers, row_scalars, sums):
        dgamma_sums, dalpha_sums = sums
        # step 1: u = x*alpha
        if needs_u:
            u = np.multiply(x, alpha_value, out=dx_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=ddy_block)
            # step 18: g = (1 - t)*dy*(t + 1)*gamma
            part = np.subtract(1.0, t, out=dx_block)
        if needs_g:
            g = np.multiply(part, dy, out=buffers[0])
        if needs_u:
            part_2 = np.add(t, 1.0, out=buffers[1])
        if needs_g:
            g = np.multiply(g, part_2, out=buffers[0])
        if gamma is not None and (
            ddalpha is not None or (alpha is not None and ddx_rows is not None)
        ):
            g = _rows.by_feature(np.multiply, g, gamma_wide, out=buffers[0])
        # step 35: mean_ddx_g = mean(ddx*g)
        if needs_mean_ddx_g:
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalars[0])
        # step 40: dg = ddx*alpha + x*ddalpha
        if ddx_rows is not None:
            dg = np.multiply(ddx, alpha_value, out=buffers[2])
        if ddalpha is not None:
            part_3 = np.multiply(x, ddalpha, out=buffers[3])
        if ddx_rows is not None and ddalpha is not None:
            dg = np.add(dg, part_3, out=buffers[2])
        if ddx_rows is None and ddalpha is not None:
            dg = part_3
        # step 46: dgamma = sum over rows of (1 - t)*dg*dy*(t + 1)
        if needs_part_4:
            part_4 = np.multiply(part, dg, out=buffers[4])
        if needs_part_6:
            part_5 = np.multiply(part_4, dy, out=buffers[5])
            part_5 = np.multiply(part_5, part_2, out=buffers[5])
            _rows.add_rows(part_5, dgamma_sums)
        # step 45: g_4 = (1 - t)*(ddgamma - 2*dg*t*gamma)*dy*(t + 1)
        if needs_part_4:
            g_4 = np.multiply(dg, t, out=buffers[2])
            g_4 = np.multiply(g_4, part_6, out=buffers[2])
            g_4 = np.subtract(ddgamma_value, g_4, out=buffers[2])
        if ddx_rows is None and ddalpha is None and ddgamma is not None:
            g_4 = ddgamma_value
        if needs_u:
            g_4 = np.multiply(part, g_4, out=dx_block)
            g_4 = np.multiply(g_4, dy, out=dx_block)
            g_4 = np.multiply(g_4, part_2, out=dx_block)
        # step 35: mean_g_4_x = mean(g_4*x)
        if needs_alpha_value:
            mean_g_4_x = _rows.row_mean(g_4, x, D, out=row_scalars[1])
        # step 43: dx = g*ddalpha + g_4*alpha
        if ddalpha is not None:
            dx = np.multiply(g, ddalpha, out=buffers[0])
        if needs_u:
            part_7 = np.multiply(g_4, alpha_value, out=dx_block)
        if ddalpha is not None:
            dx = np.add(dx, part_7, out=dx_block)
        if ddalpha is None and (ddx_rows is not None or ddgamma is not None):
            dx = part_7
        if needs_dx:
            dx = 0.0
            dx_block[...] = dx
        # step 47: ddy = t*ddgamma + (1 - t)*dg*(t + 1)*gamma + ddbeta
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, t, ddgamma_value_wide, out=ddy_block)
        if needs_part_4:
            part_8 = np.multiply(part_4, part_2, out=buffers[0])
        if needs_part_6:
            part_8 = _rows.by_feature(np.multiply, part_8, gamma_wide, out=buffers[0])
        if ddgamma is not None and (ddx_rows is not None or ddalpha is not None):
            ddy = np.add(ddy, part_8, out=ddy_block)
        if (
            gamma is not None
            and ddgamma is None
            and (ddx_rows is not None or ddalpha is not None)
        ):
            ddy = part_8
        if needs_part_6_2:
            ddy = part_8
        if ddbeta is not None and (
            ddx_rows is not None or ddalpha is not None or ddgamma is not None
        ):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if needs_dx:
            ddy = ddbeta
        if ddgamma is None and (
            ddbeta is None or (ddx_rows is None and ddalpha is None)
        ):
            ddy_block[...] = ddy
        # step 35: mean_g_4_x_scaled = (mean_ddx_g + mean_g_4_x)*D
        if needs_mean_ddx_g:
            mean_g_4_x_scaled = np.add(mean_ddx_g, mean_g_4_x, out=row_scalars[0])
        if ddx_rows is None and (
            ddalpha is not None or (alpha is not None and ddgamma is not None)
        ):
            mean_g_4_x_scaled = mean_g_4_x
        if needs_alpha_value:
            mean_g_4_x_scaled = np.multiply(mean_g_4_x_scaled, D, out=row_scalars[0])
            # step 35: dalpha = sum over rows of mean_g_4_x_scaled
            dalpha_sums += np.add.reduce(mean_g_4_x_scaled, axis=None)

    dgamma, dalpha = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows),
        writes=(dx_out, ddy_out),
        buffers=6,
        row_scalars=2,
        feature_sums=1,
        sums=1,
    )
    if gamma is not None and ddx_rows is None and ddalpha is None:
        dgamma = 0.0
    if alpha is not None and ddx_rows is None and ddalpha is None and ddgamma is None:
        dalpha = 0.0
    if alpha is not None:
        _blocks.round_to(dalpha_out, ..., dalpha)
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _blocks.round_to(dbeta_out, ..., 0.0)
