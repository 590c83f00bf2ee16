# Made by lngen 0.1.0 from the definition of layer_norm_gelu.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# Cost: forward 2 row tensors (1 read, 1 written), 15 flops per row element; backward 3 row tensors (2 read, 1 written), 30 flops per row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
# templates sha256:0c03a518bea7bdb46fd4373a87c5e764e4d56e1554d3a0b85a6cdfded06ada0d
"""Layer normalization, then the Gaussian error linear unit. The tangents, and the gradients of the gradients.

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime import blocks as _blocks
from .._runtime import functions as _functions
from .._runtime import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs, written to their arrays."""
    dx_rows, dgamma, dbeta = arguments
    x_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    (dy_out,) = results
    features, dtype, scalar = call.features, call.dtype, call.dtype.type
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # 1/sqrt(pi)
    constant_2 = scalar("0.5641895835477562869480794515607725858441")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)
    dgamma_wide = _rows.repeated(dgamma)
    dbeta_wide = _rows.repeated(dbeta)

    def block(x, dx, mu, mu_residual, rstd, dy_block, buffers, row_scalars):
        # step 45: mean_dx = mean(dx)
        if dx_rows is not None:
            mean_dx = _rows.row_sum(dx, one_over_D, out=row_scalars[0])
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dy_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=dy_block)
        # step 45: mean_dx_xhat = mean(dx*xhat)
        if dx_rows is not None:
            mean_dx_xhat = _rows.row_mean(dx, xhat, D, out=row_scalars[1])
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffers[0])
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=buffers[0])
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffers[0])
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _functions.erf(u_2, out=buffers[1], work=(buffers[2],))
        # step 45: dy = (xhat*dgamma + (dx - mean_dx - xhat*mean_dx_xhat)*rstd*gamma +
        #   dbeta)*(erf_u_2/2 + (1/sqrt(pi))*exp(-u_2**2)*u_2 + 1/2)
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, xhat, dgamma_wide, out=buffers[2])
        if dx_rows is not None:
            part = _rows.by_row(np.subtract, dx, mean_dx, out=buffers[3])
            part_2 = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part = np.subtract(part, part_2, out=dy_block)
        if gamma is not None and dx_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if dx_rows is not None:
            part = np.multiply(part, rstd, out=dy_block)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part, out=dy_block)
        if dx_rows is not None and dgamma is None:
            dy = part
        if dbeta is not None and (dx_rows is not None or dgamma is not None):
            dy = _rows.by_feature(np.add, dy, dbeta_wide, out=dy_block)
        if dx_rows is None and dgamma is None:
            dy = dbeta
        part_3 = np.multiply(erf_u_2, 0.5, out=buffers[1])
        part_4 = np.square(u_2, out=buffers[3])
        part_4 = np.negative(part_4, out=buffers[3])
        part_4 = np.exp(part_4, out=buffers[3])
        part_4 = np.multiply(part_4, u_2, out=buffers[0])
        part_4 = np.multiply(part_4, constant_2, out=buffers[0])
        part_3 = np.add(part_3, part_4, out=buffers[0])
        part_3 = np.add(part_3, 0.5, out=buffers[0])
        np.multiply(dy, part_3, out=dy_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dx_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(dy_out,),
        buffers=4,
        row_scalars=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows, ddgamma, ddbeta = arguments
    x_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgamma_out, dbeta_out, ddy_out = results
    features, dtype, scalar = call.features, call.dtype, call.dtype.type
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    # sqrt(2)
    constant_3 = scalar("1.41421356237309504880168872420969807857")
    # 1/sqrt(pi)
    constant_4 = scalar("0.5641895835477562869480794515607725858441")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 86: mean_ddgamma_du = mean(du*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = np.divide(ddgamma, D)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)
    ddgamma_wide = _rows.repeated(ddgamma)
    ddbeta_wide = _rows.repeated(ddbeta)

    def block(
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        rstd,
        ddy_block,
        dx_block,
        buffers,
        row_scalars,
        sums,
    ):
        dgamma_sums, dbeta_sums = sums
        # step 81: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D, out=row_scalars[0])
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = _rows.by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 81: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D, out=row_scalars[1])
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=ddy_block)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=ddy_block)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffers[0])
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _functions.erf(u_2, out=buffers[1], work=(buffers[2],))
        # step 46: du = dy*(erf_u_2/2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
        part = np.multiply(erf_u_2, 0.5, out=buffers[1])
        part_2 = np.square(u_2, out=buffers[2])
        part_2 = np.negative(part_2, out=buffers[2])
        part_2 = np.exp(part_2, out=buffers[2])
        part_3 = np.multiply(part_2, u, out=buffers[3])
        part_3 = np.multiply(part_3, constant_2, out=buffers[3])
        part = np.add(part, part_3, out=buffers[1])
        part = np.add(part, 0.5, out=buffers[1])
        if ddx_rows is not None or ddgamma is not None:
            du = np.multiply(dy, part, out=buffers[3])
        # step 86: mean_ddgamma_du = mean(du*ddgamma)
        if ddgamma is not None:
            mean_ddgamma_du = _rows.row_sum(du, ddgamma_over_D, out=row_scalars[2])
            # step 86: mean_ddgamma_du_xhat = mean(du*xhat*ddgamma)
            part_4 = np.multiply(du, xhat, out=buffers[4])
            mean_ddgamma_du_xhat = _rows.row_sum(
                part_4, ddgamma_over_D, out=row_scalars[3]
            )
        # step 47: g = du*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, du, gamma_wide, out=buffers[4])
        if needs_g_2:
            g = du
        # step 48: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[4])
            # step 49: mean_g_2 = mean(g*xhat)
            mean_g_2 = _rows.row_mean(g, xhat, D, out=row_scalars[5])
            # step 86: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalars[6])
            # step 66: mean_g_2_scaled = mean_g_2*rstd
            mean_g_2_scaled = np.multiply(mean_g_2, rstd, out=row_scalars[7])
            # step 86: mean_g_2_scaled_2 = 2*mean_g_2
            mean_g_2_scaled_2 = np.multiply(mean_g_2, 2.0, out=row_scalars[5])
            # step 86: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = np.multiply(mean_ddx, mean_g, out=row_scalars[8])
            # step 81: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[5])
            part_5 = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[6])
            dg = np.subtract(dg, part_5, out=buffers[5])
            dg = np.multiply(dg, rstd, out=buffers[5])
        # step 82: ddu = xhat*ddgamma + dg*gamma + ddbeta
        if ddgamma is not None:
            ddu = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffers[6])
        if needs_g:
            part_6 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[7])
        if needs_g_2:
            part_6 = dg
        if ddx_rows is not None and ddgamma is not None:
            ddu = np.add(ddu, part_6, out=buffers[6])
        if gamma is not None and ddx_rows is not None and ddgamma is None:
            ddu = part_6
        if needs_g_2:
            ddu = part_6
        if ddbeta is not None and (ddx_rows is not None or ddgamma is not None):
            ddu = _rows.by_feature(np.add, ddu, ddbeta_wide, out=buffers[6])
        if ddx_rows is None and ddgamma is None:
            ddu = ddbeta
        # step 85: du_2 = (1/sqrt(pi))*(sqrt(2) - u*u_2)*ddu*dy*exp(-u_2**2)
        du_2 = np.multiply(u, u_2, out=ddy_block)
        du_2 = np.subtract(constant_3, du_2, out=ddy_block)
        du_2 = np.multiply(du_2, ddu, out=ddy_block)
        du_2 = np.multiply(du_2, dy, out=ddy_block)
        du_2 = np.multiply(du_2, part_2, out=ddy_block)
        du_2 = np.multiply(du_2, constant_4, out=buffers[0])
        # step 78: dgamma = sum over rows of dg*du + du_2*xhat
        if needs_g:
            part_7 = np.multiply(dg, du, out=ddy_block)
        if gamma is not None:
            part_8 = np.multiply(du_2, xhat, out=buffers[2])
        if needs_g:
            part_7 = np.add(part_7, part_8, out=ddy_block)
        if gamma is not None and ddx_rows is None:
            part_7 = part_8
        if gamma is not None:
            _rows.add_rows(part_7, dgamma_sums)
        # step 79: dbeta = sum over rows of du_2
        if beta is not None:
            _rows.add_rows(du_2, dbeta_sums)
        # step 66: g_7 = du_2*gamma - ddx*mean_g_2_scaled
        if gamma is not None:
            g_7 = _rows.by_feature(np.multiply, du_2, gamma_wide, out=buffers[0])
        else:
            g_7 = du_2
        if ddx_rows is not None:
            part_9 = _rows.by_row(np.multiply, ddx, mean_g_2_scaled, out=ddy_block)
            g_7 = np.subtract(g_7, part_9, out=buffers[0])
        # step 86: mean_g_7 = mean(g_7)
        mean_g_7 = _rows.row_sum(g_7, one_over_D, out=row_scalars[0])
        # step 86: mean_g_7_xhat = mean(g_7*xhat)
        mean_g_7_xhat = _rows.row_mean(g_7, xhat, D, out=row_scalars[7])
        # step 80: ddy = ddu*(erf_u_2/2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
        np.multiply(ddu, part, out=ddy_block)
        # step 86: dx = (g_7 + du*ddgamma + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_2_scaled_2 + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd
        #   - mean_ddgamma_du - mean_g_7 - xhat*mean_ddgamma_du_xhat -
        #   xhat*mean_g_7_xhat)*rstd
        if ddgamma is not None:
            dx = _rows.by_feature(np.multiply, du, ddgamma_wide, out=buffers[1])
            dx = np.add(g_7, dx, out=buffers[0])
        if ddx_rows is not None and ddgamma is None:
            dx = g_7
        if gamma is not None and ddx_rows is None and ddgamma is None:
            dx = g_7
        if gamma is None and ddx_rows is None:
            dx = g_7
        if ddx_rows is not None:
            part_10 = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=buffers[1])
            part_11 = _rows.by_row(np.multiply, xhat, mean_g_2_scaled_2, out=buffers[2])
            part_11 = np.add(part_11, mean_g, out=buffers[2])
            part_11 = np.subtract(part_11, g, out=buffers[2])
            part_11 = np.multiply(part_11, mean_ddx_xhat, out=buffers[2])
            part_10 = np.add(part_10, part_11, out=buffers[1])
            part_12 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[2])
            part_10 = np.subtract(part_10, part_12, out=buffers[1])
            part_10 = np.multiply(part_10, rstd, out=buffers[1])
            dx = np.add(dx, part_10, out=buffers[0])
        if ddgamma is not None:
            dx = np.subtract(dx, mean_ddgamma_du, out=buffers[0])
        dx = np.subtract(dx, mean_g_7, out=buffers[0])
        if ddgamma is not None:
            part_13 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_du_xhat, out=buffers[1]
            )
            dx = np.subtract(dx, part_13, out=buffers[0])
        part_14 = np.multiply(xhat, mean_g_7_xhat, out=dx_block)
        dx = np.subtract(dx, part_14, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    dgamma, dbeta = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(ddy_out, dx_out),
        buffers=8,
        row_scalars=9,
        feature_sums=2,
    )
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _blocks.round_to(dbeta_out, ..., dbeta)
