# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
"""Dynamic tanh: an elementwise layer in the place of a norm. The tangents, and the gradients of the gradients.

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
    x_dot_rows, alpha_dot, gamma_dot, beta_dot = arguments
    x_rows, alpha, gamma = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    needs_part = x_dot_rows is not None or alpha_dot is not None
    if (
        alpha_dot is not None
        or (alpha is not None and x_dot_rows is not None)
        or (alpha is not None and gamma_dot is not None)
    ):
        alpha_value = np.asarray(alpha, dtype)
    if alpha is None and (x_dot_rows is not None or gamma_dot is not None):
        alpha_value = 0.5
    if alpha_dot is not None:
        alpha_dot = np.asarray(alpha_dot, dtype)

    def block(
        x,
        x_dot,
        gamma_dot_wide,
        gamma_wide,
        beta_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 3,
    ):
        # step 1: u = x*alpha
        if x_dot_rows is not None or alpha_dot is not None or gamma_dot is not None:
            u = np.multiply(x, alpha_value, out=y_dot_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=buffers[0])
        # step 17: y_dot = t*gamma_dot + (1 - t)*(t + 1)*(x*alpha_dot +
        #   x_dot*alpha)*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, t, gamma_dot_wide, out=y_dot_block)
        if needs_part:
            part = np.subtract(1.0, t, out=buffers[1])
            part_2 = np.add(t, 1.0, out=t)
            part = np.multiply(part, part_2, out=part_2)
        if alpha_dot is not None:
            part_3 = np.multiply(x, alpha_dot, out=buffers[1])
        if x_dot_rows is not None:
            part_4 = np.multiply(x_dot, alpha_value, out=buffers[2])
        if x_dot_rows is not None and alpha_dot is not None:
            part_3 = np.add(part_3, part_4, out=part_3)
        if x_dot_rows is not None and alpha_dot is None:
            part_3 = part_4
        if needs_part:
            part = np.multiply(part, part_3, out=part)
        if gamma is not None and (x_dot_rows is not None or alpha_dot is not None):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if gamma_dot is not None and (x_dot_rows is not None or alpha_dot is not None):
            y_dot = np.add(y_dot, part, out=y_dot)
        if gamma_dot is None and (x_dot_rows is not None or alpha_dot is not None):
            y_dot = part
        if beta_dot is not None and (
            x_dot_rows is not None or alpha_dot is not None or gamma_dot is not None
        ):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and alpha_dot is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        features=(gamma_dot, gamma, beta_dot),
        into=(y_dot_out,),
        buffers=3,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddalpha, ddgamma, ddbeta = arguments
    x_rows, alpha, gamma = fields
    dx_out, _, _, dbeta_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_alpha_value = (
        ddalpha is not None
        or (alpha is not None and ddx_rows is not None)
        or (alpha is not None and ddgamma is not None)
    )
    needs_ddgamma_value = ddgamma is None and (
        ddx_rows is not None or ddalpha is not None
    )
    needs_part_6 = gamma is not None and (ddx_rows is not None or ddalpha is not None)
    needs_ddgamma_value_2 = ddx_rows is None and ddalpha is None and ddgamma is None
    needs_u = ddx_rows is not None or ddalpha is not None or ddgamma is not None
    needs_du = ddalpha is not None or (alpha is not None and ddx_rows is not None)
    needs_mean_ddx_du = alpha is not None and ddx_rows is not None
    needs_part_4 = ddx_rows is not None or ddalpha is not None
    D = _rows.number(features, dtype)
    if needs_alpha_value:
        alpha_value = np.asarray(alpha, dtype)
    if alpha is None and (ddx_rows is not None or ddgamma is not None):
        alpha_value = 0.5
    if ddalpha is not None:
        ddalpha = np.asarray(ddalpha, dtype)
    if ddgamma is not None:
        ddgamma_value = ddgamma
    if needs_ddgamma_value:
        ddgamma_value = 0.0
    # step 33: d2u = (1 - t)*(ddgamma - 2*ddu*t*gamma)*dy*(t + 1)
    if needs_part_6:
        part_6 = gamma * 2.0
    if gamma is None and (ddx_rows is not None or ddalpha is not None):
        part_6 = 2.0
    if needs_ddgamma_value_2:
        ddgamma_value = None

    def block(
        x,
        dy,
        ddx,
        gamma_wide,
        ddgamma_value_wide,
        ddbeta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 6,
    ):
        d2gamma = d2alpha = None
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
            du = np.multiply(du, part_2, out=du)
        if gamma is not None and (
            ddalpha is not None or (alpha is not None and ddx_rows is not None)
        ):
            du = _rows.by_feature(np.multiply, du, gamma_wide, out=du)
        # step 39: mean_ddx_du = mean(ddx*du)
        if needs_mean_ddx_du:
            mean_ddx_du = _rows.row_mean(ddx, du, D)
        # step 26: ddu = ddx*alpha + x*ddalpha
        if ddx_rows is not None:
            ddu = np.multiply(ddx, alpha_value, out=buffers[2])
        if ddalpha is not None:
            part_3 = np.multiply(x, ddalpha, out=buffers[3])
        if ddx_rows is not None and ddalpha is not None:
            ddu = np.add(ddu, part_3, out=ddu)
        if ddx_rows is None and ddalpha is not None:
            ddu = part_3
        # step 41: d2gamma = sum over rows of (1 - t)*ddu*dy*(t + 1)
        if needs_part_4:
            part_4 = np.multiply(part, ddu, out=buffers[4])
        if needs_part_6:
            part_5 = np.multiply(part_4, dy, out=buffers[5])
            part_5 = np.multiply(part_5, part_2, out=part_5)
            d2gamma = _rows.sum_rows(part_5)
        # step 33: d2u = (1 - t)*(ddgamma - 2*ddu*t*gamma)*dy*(t + 1)
        if needs_part_4:
            d2u = np.multiply(ddu, t, out=buffers[2])
            d2u = np.multiply(d2u, part_6, out=d2u)
            d2u = np.subtract(ddgamma_value, d2u, out=d2u)
        if ddx_rows is None and ddalpha is None and ddgamma is not None:
            d2u = ddgamma_value
        if needs_u:
            d2u = np.multiply(part, d2u, out=part)
            d2u = np.multiply(d2u, dy, out=d2u)
            d2u = np.multiply(d2u, part_2, out=d2u)
        # step 39: mean_d2u_x = mean(d2u*x)
        if needs_alpha_value:
            mean_d2u_x = _rows.row_mean(d2u, x, D)
        # step 37: d2x = d2u*alpha + du*ddalpha
        if needs_u:
            d2x = np.multiply(d2u, alpha_value, out=d2u)
        if ddalpha is not None:
            part_7 = np.multiply(du, ddalpha, out=du)
            d2x = np.add(d2x, part_7, out=d2x)
        # step 47: ddy = t*ddgamma + (1 - t)*ddu*(t + 1)*gamma + ddbeta
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, t, ddgamma_value_wide, out=t)
        if needs_part_4:
            part_8 = np.multiply(part_4, part_2, out=buffers[0])
        if needs_part_6:
            part_8 = _rows.by_feature(np.multiply, part_8, gamma_wide, out=part_8)
        if ddgamma is not None and (ddx_rows is not None or ddalpha is not None):
            ddy = np.add(ddy, part_8, out=ddy)
        if needs_ddgamma_value:
            ddy = part_8
        if ddbeta is not None and (
            ddx_rows is not None or ddalpha is not None or ddgamma is not None
        ):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        # step 39, pass 1: mean_ddx_du_scaled = (mean_d2u_x + mean_ddx_du)*D
        if needs_mean_ddx_du:
            mean_ddx_du_scaled = mean_d2u_x + mean_ddx_du
        if ddx_rows is None and (
            ddalpha is not None or (alpha is not None and ddgamma is not None)
        ):
            mean_ddx_du_scaled = mean_d2u_x
        if needs_alpha_value:
            mean_ddx_du_scaled = mean_ddx_du_scaled * D
            # step 39, pass 2: d2alpha = sum over rows of mean_ddx_du_scaled
            d2alpha = np.add.reduce(mean_ddx_du_scaled, axis=None)
        if needs_ddgamma_value_2:
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        return d2x, ddy, d2gamma, d2alpha

    d2x, ddy, d2gamma, d2alpha = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        features=(gamma, ddgamma_value, ddbeta),
        into=(dx_out, ddy_out),
        buffers=6,
        feature_sums=1,
        sums=1,
    )
    if alpha is not None and ddx_rows is None and ddalpha is None and ddgamma is None:
        d2alpha = 0.0
    if alpha is not None:
        d2alpha = np.full((), d2alpha, dtype)
    if gamma is not None and ddx_rows is None and ddalpha is None:
        d2gamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None:
        dbeta = np.full(features, 0.0, dtype)
    else:
        dbeta = None
    return d2x, d2alpha, d2gamma, dbeta, ddy
