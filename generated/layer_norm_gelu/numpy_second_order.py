# Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
"""Layer normalization, then the Gaussian error linear unit. The tangents, and the gradients of the gradients.

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


@np.errstate(under="ignore")
def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, gamma_dot, beta_dot = arguments
    x_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    # sqrt(2)/2
    constant_1 = dtype.type("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = dtype.type("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        x_dot,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        beta_wide,
        gamma_dot_wide,
        beta_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 3,
    ):
        # step 38, pass 11: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 38, pass 12: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_mean(x_dot, xhat, D)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffers[0])
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=buffers[0])
        # step 7, pass 4: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
        Phi_u = np.multiply(u, constant_1, out=buffers[1])
        Phi_u = _functions.erf(Phi_u, out=buffers[2])
        Phi_u = np.multiply(Phi_u, 0.5, out=buffers[1])
        Phi_u = np.add(Phi_u, 0.5, out=Phi_u)
        # step 38, pass 13: y_dot = (Phi_u +
        #   (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*(xhat*gamma_dot + (x_dot - mean_x_dot
        #   - xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot)
        y_dot = np.square(u, out=buffers[2])
        y_dot = np.multiply(y_dot, -0.5, out=y_dot)
        y_dot = np.exp(y_dot, out=y_dot)
        y_dot = np.multiply(y_dot, u, out=buffers[0])
        y_dot = np.multiply(y_dot, constant_2, out=y_dot)
        y_dot = np.add(Phi_u, y_dot, out=y_dot)
        if gamma_dot is not None:
            part = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=buffers[1])
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[2])
            part_3 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part_2 = np.subtract(part_2, part_3, out=part_3)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=part_2)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, rstd, out=part_2)
        if x_dot_rows is not None and gamma_dot is not None:
            part = np.add(part, part_2, out=part_2)
        if x_dot_rows is not None and gamma_dot is None:
            part = part_2
        if beta_dot is not None and (x_dot_rows is not None or gamma_dot is not None):
            part = _rows.by_feature(np.add, part, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None:
            part = beta_dot
        y_dot = np.multiply(y_dot, part, out=y_dot_block)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta, gamma_dot, beta_dot),
        into=(y_dot_out,),
        buffers=3,
    )


@np.errstate(under="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma, ddbeta = arguments
    x_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, _, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    # sqrt(2)/2
    constant_1 = dtype.type("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = dtype.type("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 69: mean_ddgamma_du = mean(du*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = ddgamma / D

    def block(
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        beta_wide,
        ddgamma_wide,
        ddbeta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 7,
    ):
        d2gamma = d2beta = None
        # step 52: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = _rows.by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 52: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=ddy_block)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=ddy_block)
        # step 7, pass 4: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
        Phi_u = np.multiply(u, constant_1, out=buffers[0])
        Phi_u = _functions.erf(Phi_u, out=buffers[1])
        Phi_u = np.multiply(Phi_u, 0.5, out=buffers[0])
        Phi_u = np.add(Phi_u, 0.5, out=Phi_u)
        # step 39, pass 14: du = (Phi_u + (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*dy
        part = np.square(u, out=buffers[1])
        part_2 = np.multiply(part, -0.5, out=buffers[2])
        part_2 = np.exp(part_2, out=part_2)
        part_3 = np.multiply(part_2, u, out=ddy_block)
        part_3 = np.multiply(part_3, constant_2, out=part_3)
        part_3 = np.add(Phi_u, part_3, out=part_3)
        if ddx_rows is not None or ddgamma is not None:
            du = np.multiply(part_3, dy, out=buffers[0])
        # step 69: mean_ddgamma_du = mean(du*ddgamma)
        if ddgamma is not None:
            mean_ddgamma_du = _rows.row_sum(du, ddgamma_over_D)
            # step 69: mean_ddgamma_du_xhat = mean(du*xhat*ddgamma)
            part_4 = np.multiply(du, xhat, out=buffers[3])
            mean_ddgamma_du_xhat = _rows.row_sum(part_4, ddgamma_over_D)
        # step 40: g = du*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, du, gamma_wide, out=buffers[3])
        if needs_g_2:
            g = du
        # step 41: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D)
            # step 42: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_mean(g, xhat, D)
            # step 69: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D)
            # step 60, pass 15: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 69, pass 16: mean_g_xhat_scaled_2 = 2*mean_g_xhat
            mean_g_xhat_scaled_2 = mean_g_xhat * 2.0
            # step 69, pass 17: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = mean_ddx * mean_g
            # step 52: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[4])
            part_5 = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[5])
            dg = np.subtract(dg, part_5, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 55: ddu = xhat*ddgamma + dg*gamma + ddbeta
        if ddgamma is not None:
            ddu = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffers[5])
        if needs_g:
            part_6 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[6])
        if needs_g_2:
            part_6 = dg
        if ddx_rows is not None and ddgamma is not None:
            ddu = np.add(ddu, part_6, out=ddu)
        if ddx_rows is not None and ddgamma is None:
            ddu = part_6
        if ddbeta is not None and (ddx_rows is not None or ddgamma is not None):
            ddu = _rows.by_feature(np.add, ddu, ddbeta_wide, out=buffers[5])
        if ddx_rows is None and ddgamma is None:
            ddu = ddbeta
        # step 59, pass 18: d2u = (sqrt(2)/(2*sqrt(pi)))*(2 - u**2)*ddu*dy*exp(-u**2/2)
        d2u = np.subtract(2.0, part, out=part)
        d2u = np.multiply(d2u, ddu, out=d2u)
        d2u = np.multiply(d2u, dy, out=d2u)
        d2u = np.multiply(d2u, part_2, out=d2u)
        d2u = np.multiply(d2u, constant_2, out=d2u)
        # step 71: d2gamma = sum over rows of d2u*xhat + dg*du
        if gamma is not None:
            part_7 = np.multiply(d2u, xhat, out=buffers[2])
        if needs_g:
            part_8 = np.multiply(dg, du, out=dg)
            part_7 = np.add(part_7, part_8, out=part_7)
        if gamma is not None:
            d2gamma = _rows.sum_rows(part_7)
        # step 72: d2beta = sum over rows of d2u
        if beta is not None:
            d2beta = _rows.sum_rows(d2u)
        # step 60, pass 19: d2xhat_part = d2u*gamma - ddx*mean_g_xhat_scaled
        if gamma is not None:
            d2xhat_part = _rows.by_feature(np.multiply, d2u, gamma_wide, out=d2u)
        else:
            d2xhat_part = d2u
        if ddx_rows is not None:
            part_9 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=buffers[2])
            d2xhat_part = np.subtract(d2xhat_part, part_9, out=d2xhat_part)
        # step 69: mean_d2xhat_part = mean(d2xhat_part)
        mean_d2xhat_part = _rows.row_sum(d2xhat_part, one_over_D)
        # step 69: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
        mean_d2xhat_part_xhat = _rows.row_mean(d2xhat_part, xhat, D)
        # step 73, pass 20: ddy = (Phi_u + (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*ddu
        ddy = np.multiply(part_3, ddu, out=part_3)
        # step 69, pass 21: d2x = (d2xhat_part + du*ddgamma + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat -
        #   xhat*mean_ddx_g)*rstd - mean_d2xhat_part - mean_ddgamma_du -
        #   xhat*mean_d2xhat_part_xhat - xhat*mean_ddgamma_du_xhat)*rstd
        if ddgamma is not None:
            d2x = _rows.by_feature(np.multiply, du, ddgamma_wide, out=du)
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        else:
            d2x = d2xhat_part
        if ddx_rows is not None:
            part_10 = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=buffers[2])
            part_11 = _rows.by_row(
                np.multiply, xhat, mean_g_xhat_scaled_2, out=buffers[4]
            )
            part_11 = np.add(part_11, mean_g, out=part_11)
            part_11 = np.subtract(part_11, g, out=buffers[3])
            part_11 = np.multiply(part_11, mean_ddx_xhat, out=part_11)
            part_10 = np.add(part_10, part_11, out=part_10)
            part_12 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[3])
            part_10 = np.subtract(part_10, part_12, out=part_10)
            part_10 = np.multiply(part_10, rstd, out=part_10)
            d2x = np.add(d2x, part_10, out=buffers[0])
        d2x = np.subtract(d2x, mean_d2xhat_part, out=buffers[0])
        if ddgamma is not None:
            d2x = np.subtract(d2x, mean_ddgamma_du, out=d2x)
        part_13 = _rows.by_row(np.multiply, xhat, mean_d2xhat_part_xhat, out=buffers[1])
        d2x = np.subtract(d2x, part_13, out=d2x)
        if ddgamma is not None:
            part_14 = np.multiply(xhat, mean_ddgamma_du_xhat, out=xhat)
            d2x = np.subtract(d2x, part_14, out=part_14)
        d2x = np.multiply(d2x, rstd, out=dx_block)
        return d2x, ddy, d2gamma, d2beta

    d2x, ddy, d2gamma, d2beta = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta, ddgamma, ddbeta),
        into=(dx_out, ddy_out),
        buffers=7,
        feature_sums=2,
    )
    return d2x, d2gamma, d2beta, ddy
