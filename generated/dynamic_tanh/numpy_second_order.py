# Made by lngen 0.1.0 from the definition of dynamic_tanh.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
# Evidence: 1 output, 18 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Dynamic tanh: an elementwise layer in the place of a norm. The tangents, and the gradients of the gradients.

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
    x_dot_rows, alpha_dot, gamma_dot, beta_dot = arguments
    x_rows, alpha, gamma = fields
    (y_dot_out,) = results
    needs_part = x_dot_rows is not None or alpha_dot is not None
    if (
        alpha_dot is not None
        or (alpha is not None and x_dot_rows is not None)
        or (alpha is not None and gamma_dot is not None)
    ):
        alpha_value = alpha
    if alpha is None and (x_dot_rows is not None or gamma_dot is not None):
        alpha_value = 0.5
    gamma_dot_wide = _rows.repeated(gamma_dot)
    gamma_wide = _rows.repeated(gamma)
    beta_dot_wide = _rows.repeated(beta_dot)

    def block(x, x_dot, y_dot_block, buffers):
        # step 1: u = x*alpha
        if x_dot_rows is not None or alpha_dot is not None or gamma_dot is not None:
            u = np.multiply(x, alpha_value, out=y_dot_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=y_dot_block)
        # step 17: y_dot = t*gamma_dot + (1 - t)*(t + 1)*(x*alpha_dot +
        #   x_dot*alpha)*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, t, gamma_dot_wide, out=buffers[0])
        if needs_part:
            part = np.subtract(1.0, t, out=buffers[1])
            part_2 = np.add(t, 1.0, out=y_dot_block)
            part = np.multiply(part, part_2, out=y_dot_block)
        if alpha_dot is not None:
            part_3 = np.multiply(x, alpha_dot, out=buffers[1])
        if x_dot_rows is not None:
            part_4 = np.multiply(x_dot, alpha_value, out=buffers[2])
        if x_dot_rows is not None and alpha_dot is not None:
            part_3 = np.add(part_3, part_4, out=buffers[1])
        if x_dot_rows is not None and alpha_dot is None:
            part_3 = part_4
        if needs_part:
            part = np.multiply(part, part_3, out=y_dot_block)
        if gamma is not None and (x_dot_rows is not None or alpha_dot is not None):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=y_dot_block)
        if gamma_dot is not None and (x_dot_rows is not None or alpha_dot is not None):
            y_dot = np.add(y_dot, part, out=y_dot_block)
        if (
            gamma is not None
            and gamma_dot is None
            and (x_dot_rows is not None or alpha_dot is not None)
        ):
            y_dot = part
        if gamma is None and (x_dot_rows is not None or alpha_dot is not None):
            y_dot = part
        if beta_dot is not None and (
            x_dot_rows is not None or alpha_dot is not None or gamma_dot is not None
        ):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and alpha_dot is None and gamma_dot is None:
            y_dot = beta_dot
        if (
            x_dot_rows is None
            and alpha_dot is None
            and (gamma_dot is None or beta_dot is None)
        ):
            y_dot_block[...] = y_dot

    _blocks.each_block(
        block, call, reads=(x_rows, x_dot_rows), writes=(y_dot_out,), buffers=3
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
    needs_du = ddalpha is not None or (alpha is not None and ddx_rows is not None)
    needs_mean_ddx_du = alpha is not None and ddx_rows is not None
    needs_part_4 = ddx_rows is not None or ddalpha is not None
    needs_d2x = ddx_rows is None and ddalpha is None and ddgamma is None
    if needs_alpha_value:
        alpha_value = alpha
    if alpha is None and (ddx_rows is not None or ddgamma is not None):
        alpha_value = 0.5
    if ddgamma is not None:
        ddgamma_value = ddgamma
    if ddgamma is None and (ddx_rows is not None or ddalpha is not None):
        ddgamma_value = 0.0
    D = _rows.number(features, dtype)
    # step 34: d2u = (1 - t)*(ddgamma - 2*ddu*t*gamma)*dy*(t + 1)
    if needs_part_6:
        part_6 = np.multiply(gamma, 2.0)
    if needs_part_6_2:
        part_6 = 2.0
    gamma_wide = _rows.repeated(gamma)
    if ddgamma is not None:
        ddgamma_value_wide = _rows.repeated(ddgamma_value)
    ddbeta_wide = _rows.repeated(ddbeta)

    def block(x, dy, ddx, dx_block, ddy_block, buffers, row_scalars, sums):
        d2gamma_sums, d2alpha_sums = sums
        # step 1: u = x*alpha
        if needs_u:
            u = np.multiply(x, alpha_value, out=dx_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=ddy_block)
            # step 18: du = (1 - t)*dy*(t + 1)*gamma
            part = np.subtract(1.0, t, out=dx_block)
        if needs_du:
            du = np.multiply(part, dy, out=buffers[0])
        if needs_u:
            part_2 = np.add(t, 1.0, out=buffers[1])
        if needs_du:
            du = np.multiply(du, part_2, out=buffers[0])
        if gamma is not None and (
            ddalpha is not None or (alpha is not None and ddx_rows is not None)
        ):
            du = _rows.by_feature(np.multiply, du, gamma_wide, out=buffers[0])
        # step 40: mean_ddx_du = mean(ddx*du)
        if needs_mean_ddx_du:
            mean_ddx_du = _rows.row_mean(ddx, du, D, out=row_scalars[0])
        # step 26: ddu = ddx*alpha + x*ddalpha
        if ddx_rows is not None:
            ddu = np.multiply(ddx, alpha_value, out=buffers[2])
        if ddalpha is not None:
            part_3 = np.multiply(x, ddalpha, out=buffers[3])
        if ddx_rows is not None and ddalpha is not None:
            ddu = np.add(ddu, part_3, out=buffers[2])
        if ddx_rows is None and ddalpha is not None:
            ddu = part_3
        # step 42: d2gamma = sum over rows of (1 - t)*ddu*dy*(t + 1)
        if needs_part_4:
            part_4 = np.multiply(part, ddu, out=buffers[4])
        if needs_part_6:
            part_5 = np.multiply(part_4, dy, out=buffers[5])
            part_5 = np.multiply(part_5, part_2, out=buffers[5])
            _rows.add_rows(part_5, d2gamma_sums)
        # step 34: d2u = (1 - t)*(ddgamma - 2*ddu*t*gamma)*dy*(t + 1)
        if needs_part_4:
            d2u = np.multiply(ddu, t, out=buffers[2])
            d2u = np.multiply(d2u, part_6, out=buffers[2])
            d2u = np.subtract(ddgamma_value, d2u, out=buffers[2])
        if ddx_rows is None and ddalpha is None and ddgamma is not None:
            d2u = ddgamma_value
        if needs_u:
            d2u = np.multiply(part, d2u, out=dx_block)
            d2u = np.multiply(d2u, dy, out=dx_block)
            d2u = np.multiply(d2u, part_2, out=dx_block)
        # step 40: mean_d2u_x = mean(d2u*x)
        if needs_alpha_value:
            mean_d2u_x = _rows.row_mean(d2u, x, D, out=row_scalars[1])
        # step 38: d2x = d2u*alpha + du*ddalpha
        if needs_u:
            d2x = np.multiply(d2u, alpha_value, out=dx_block)
        if ddalpha is not None:
            part_7 = np.multiply(du, ddalpha, out=buffers[0])
            d2x = np.add(d2x, part_7, out=dx_block)
        if needs_d2x:
            d2x = 0.0
            dx_block[...] = d2x
        # step 48: ddy = t*ddgamma + (1 - t)*ddu*(t + 1)*gamma + ddbeta
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
        if needs_d2x:
            ddy = ddbeta
        if ddgamma is None and (
            ddbeta is None or (ddx_rows is None and ddalpha is None)
        ):
            ddy_block[...] = ddy
        # step 40: mean_ddx_du_scaled = (mean_d2u_x + mean_ddx_du)*D
        if needs_mean_ddx_du:
            mean_ddx_du_scaled = np.add(mean_d2u_x, mean_ddx_du, out=row_scalars[0])
        if ddx_rows is None and (
            ddalpha is not None or (alpha is not None and ddgamma is not None)
        ):
            mean_ddx_du_scaled = mean_d2u_x
        if needs_alpha_value:
            mean_ddx_du_scaled = np.multiply(mean_ddx_du_scaled, D, out=row_scalars[0])
            # step 40: d2alpha = sum over rows of mean_ddx_du_scaled
            d2alpha_sums += np.add.reduce(mean_ddx_du_scaled, axis=None)

    d2gamma, d2alpha = _blocks.each_block(
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
        d2gamma = 0.0
    if alpha is not None and ddx_rows is None and ddalpha is None and ddgamma is None:
        d2alpha = 0.0
    if alpha is not None:
        _blocks.round_to(dalpha_out, ..., d2alpha)
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., d2gamma)
    if dbeta_out is not None:
        _blocks.round_to(dbeta_out, ..., 0.0)
