# Made by lngen 0.1.0 from the definition of layer_norm_gelu.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# Cost: forward 2 row tensors (1 read, 1 written), 15 flops per row element; backward 3 row tensors (2 read, 1 written), 30 flops per row element.
# Evidence: 1 output, 47 steps, 43 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Layer normalization, then the Gaussian error linear unit. The outputs and the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from math import prod

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    x_rows, gamma, beta, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    features, dtype, scalar = call.features, call.dtype, call.dtype.type
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)

    def block(x, mu_block, mu_residual_block, rstd_block, y_block, buffers):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D, out=mu_block)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_mean(x_shifted, x_shifted, D, out=rstd_block)
        # step 2: mu_residual = mean(x_shifted)
        _rows.residual(
            x_shifted, mu, var, D, far_from, one_over_D, out=mu_residual_block
        )
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.add(var, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=y_block)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=y_block)
        # step 7: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
        Phi_u = np.multiply(u, constant_1, out=buffers[0])
        Phi_u = _functions.erf(Phi_u, out=buffers[1], work=(buffers[2],))
        Phi_u = np.multiply(Phi_u, 0.5, out=buffers[0])
        Phi_u = np.add(Phi_u, 0.5, out=buffers[0])
        # step 9: y = Phi_u*u
        np.multiply(Phi_u, u, out=y_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows,),
        writes=(mu_out, mu_residual_out, rstd_out, y_out),
        buffers=3,
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgamma_out, dbeta_out = results
    features, dtype, scalar = call.features, call.dtype, call.dtype.type
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 27: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)

    def block(x, dy, mu, mu_residual, rstd, dx_block, buffers, row_scalars, sums):
        dgamma_sums, dbeta_sums = sums
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=dx_block)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffers[0])
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=buffers[0])
        # step 7: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
        Phi_u = np.multiply(u, constant_1, out=buffers[1])
        Phi_u = _functions.erf(Phi_u, out=buffers[2], work=(buffers[3],))
        Phi_u = np.multiply(Phi_u, 0.5, out=buffers[1])
        Phi_u = np.add(Phi_u, 0.5, out=buffers[1])
        # step 13: du = (Phi_u + (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*dy
        du = np.square(u, out=buffers[2])
        du = np.multiply(du, -0.5, out=buffers[2])
        du = np.exp(du, out=buffers[2])
        du = np.multiply(du, u, out=buffers[0])
        du = np.multiply(du, constant_2, out=buffers[0])
        du = np.add(Phi_u, du, out=buffers[0])
        du = np.multiply(du, dy, out=buffers[0])
        # step 28: dgamma = sum over rows of du*xhat
        if gamma is not None:
            part = np.multiply(du, xhat, out=buffers[1])
            _rows.add_rows(part, dgamma_sums)
        # step 29: dbeta = sum over rows of du
        if beta is not None:
            _rows.add_rows(du, dbeta_sums)
        # step 27: mean_g_xhat = mean(du*xhat*gamma)
        if gamma is not None:
            mean_g_xhat = _rows.row_sum(part, gamma_over_D, out=row_scalars[0])
        else:
            mean_g_xhat = _rows.row_mean(du, xhat, D, out=row_scalars[0])
        # step 14: g = du*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, du, gamma_wide, out=buffers[0])
        else:
            g = du
        # step 27: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[1])
        # step 27: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part_2 = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(dx, part_2, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    dgamma, dbeta = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(dx_out,),
        buffers=4,
        row_scalars=2,
        feature_sums=2,
    )
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _blocks.round_to(dbeta_out, ..., dbeta)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, gamma, beta, eps = values
    features = shape[-1]
    scalar = dtype.type
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: mu = mean(x)
    mu = vecdot(x, one_over_D)[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 3: var = mean(x_shifted**2)
    var = (vecdot(x_shifted, x_shifted) / D)[..., np.newaxis]
    # step 2: mu_residual = mean(x_shifted)
    mu_residual = _rows.residual(x_shifted, mu, var, D, far_from, one_over_D)
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = x_shifted
    # step 4: rstd = 1/sqrt(var + eps)
    rstd = var + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 6: u = xhat*gamma + beta
    if gamma is not None:
        u = np.multiply(xhat, gamma, out=xhat)
    else:
        u = xhat
    if beta is not None:
        u = np.add(u, beta, out=u)
    # step 7: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
    Phi_u = u * constant_1
    Phi_u = _functions.erf(Phi_u)
    Phi_u = np.multiply(Phi_u, 0.5, out=Phi_u)
    Phi_u = np.add(Phi_u, 0.5, out=Phi_u)
    # step 9: y = Phi_u*u
    y = np.multiply(Phi_u, u, out=Phi_u)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, mu, mu_residual, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = saved
    rows = prod(shape[:-1])
    features = shape[-1]
    scalar = dtype.type
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 27: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    rstd = rstd_rows[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = _rows.less_residual(x_shifted, mu_residual)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 6: u = xhat*gamma + beta
    if gamma is not None:
        u = xhat * gamma
    else:
        u = xhat
    if beta is not None:
        u = u + beta
    # step 7: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
    Phi_u = u * constant_1
    Phi_u = _functions.erf(Phi_u)
    Phi_u = np.multiply(Phi_u, 0.5, out=Phi_u)
    Phi_u = np.add(Phi_u, 0.5, out=Phi_u)
    # step 13: du = (Phi_u + (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*dy
    du = np.square(u)
    du = np.multiply(du, -0.5, out=du)
    du = np.exp(du, out=du)
    du = np.multiply(du, u, out=du)
    du = np.multiply(du, constant_2, out=du)
    du = np.add(Phi_u, du, out=Phi_u)
    du = np.multiply(du, dy, out=du)
    # step 28: dgamma = sum over rows of du*xhat
    if gamma is not None:
        part = du * xhat
        dgamma = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), part.reshape(-1, features)
        )
    # step 29: dbeta = sum over rows of du
    if beta is not None:
        dbeta = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), du.reshape(-1, features)
        )
    # step 27: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        mean_g_xhat = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat = (vecdot(du, xhat) / D)[..., np.newaxis]
    # step 14: g = du*gamma
    if gamma is not None:
        g = np.multiply(du, gamma, out=du)
    else:
        g = du
    # step 27: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 27: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
    dx = np.subtract(g, mean_g, out=g)
    part_2 = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(dx, part_2, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    if gamma is None:
        dgamma = None
    if beta is None:
        dbeta = None
    return dx, dgamma, dbeta
