# Made by lngen 0.1.0 from the definition of add_layer_norm.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 10 flops per row element; backward 5 row tensors (3 read, 2 written), 15 flops per row element.
# Evidence: 2 outputs, 38 steps, 41 first lines, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Residual addition, then layer normalization; the sum is the second output. The outputs and the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from math import prod

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    x_rows, residual_rows, gamma, beta, eps = values
    y_out, h_out, mu_out, mu_residual_out, rstd_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)

    def block(x, residual, mu_block, h_block, mu_residual_block, rstd_block, y_block):
        # step 1: h = residual + x
        h = np.add(residual, x, out=h_block)
        # step 2: mu = mean(h)
        mu = _rows.row_sum(h, one_over_D, out=mu_block)
        # step 3: h_shifted = h - mu
        h_shifted = _rows.by_row(np.subtract, h, mu, out=y_block)
        # step 4: var = mean(h_shifted**2)
        var = _rows.row_mean(h_shifted, h_shifted, D, out=rstd_block)
        # step 3: mu_residual = mean(h_shifted)
        _rows.residual(
            h_shifted, mu, var, D, far_from, one_over_D, out=mu_residual_block
        )
        # step 3: h_centred = h_shifted - mu_residual
        h_centred = h_shifted
        # step 5: rstd = 1/sqrt(var + eps)
        rstd = np.add(var, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 6: xhat = h_centred*rstd
        xhat = np.multiply(h_centred, rstd, out=y_block)
        # step 7: y = xhat*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            y = xhat
        if beta is not None:
            _rows.by_feature(np.add, y, beta_wide, out=y_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, residual_rows),
        writes=(mu_out, h_out, mu_residual_out, rstd_out, y_out),
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    h_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dresidual_out, dgamma_out, dbeta_out = results
    features, dtype = call.features, call.dtype
    needs_gamma_over_D = gamma is not None and dy_rows is not None
    needs_mean_g_xhat_unscaled = gamma is None and dy_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 21: mean_g_xhat_unscaled = mean(dy*h_centred*gamma)
    if needs_gamma_over_D:
        gamma_over_D = np.divide(gamma, D)
    gamma_wide = _rows.repeated(gamma)

    def block(h, dy, dh, mu, mu_residual, rstd, dx_block, buffers, row_scalars, sums):
        dgamma_sums, dbeta_sums = sums
        # step 3: h_shifted = h - mu
        if dy_rows is not None:
            h_shifted = _rows.by_row(np.subtract, h, mu, out=dx_block)
            # step 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
        # step 23: dgamma = sum over rows of dy*h_centred*rstd
        if needs_gamma_over_D:
            part = np.multiply(dy, h_centred, out=buffers[0])
            _rows.add_rows(part, dgamma_sums, rstd)
        # step 24: dbeta = sum over rows of dy
        if dbeta_out is not None and dy_rows is not None:
            _rows.add_rows(dy, dbeta_sums)
        # step 21: mean_g_xhat_unscaled = mean(dy*h_centred*gamma)
        if needs_gamma_over_D:
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalars[0])
        if needs_mean_g_xhat_unscaled:
            mean_g_xhat_unscaled = _rows.row_mean(dy, h_centred, D, out=row_scalars[0])
        # step 8: g = dy*gamma
        if needs_gamma_over_D:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[0])
        if needs_mean_g_xhat_unscaled:
            g = dy
        # step 21: mean_g = mean(g)
        if dy_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[1])
            # step 21: mean_g_xhat = mean_g_xhat_unscaled*rstd
            mean_g_xhat = np.multiply(mean_g_xhat_unscaled, rstd, out=row_scalars[0])
            # step 21: dx = dh + (g - mean_g - h_centred*mean_g_xhat*rstd)*rstd
            dx = np.subtract(g, mean_g, out=buffers[0])
            part_2 = np.multiply(mean_g_xhat, rstd, out=row_scalars[0])
            part_3 = np.multiply(h_centred, part_2, out=dx_block)
            dx = np.subtract(dx, part_3, out=dx_block)
            dx = np.multiply(dx, rstd, out=dx_block)
        if dy_rows is not None and dh_rows is not None:
            dx = np.add(dh, dx, out=dx_block)
        if dy_rows is None:
            dx = dh
            dx_block[...] = dx

    dgamma, dbeta = _blocks.each_block(
        block,
        call,
        reads=(h_rows, dy_rows, dh_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=((dx_out, dresidual_out),),
        buffers=1,
        row_scalars=2,
        feature_sums=2,
    )
    if gamma is not None and dy_rows is None:
        dgamma = 0.0
    if dbeta_out is not None and dy_rows is None:
        dbeta = 0.0
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _blocks.round_to(dbeta_out, ..., dbeta)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, residual, gamma, beta, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: h = residual + x
    h = residual + x
    # step 2: mu = mean(h)
    mu = vecdot(h, one_over_D)[..., np.newaxis]
    # step 3: h_shifted = h - mu
    h_shifted = h - mu
    # step 4: var = mean(h_shifted**2)
    var = (vecdot(h_shifted, h_shifted) / D)[..., np.newaxis]
    # step 3: mu_residual = mean(h_shifted)
    mu_residual = _rows.residual(h_shifted, mu, var, D, far_from, one_over_D)
    # step 3: h_centred = h_shifted - mu_residual
    h_centred = h_shifted
    # step 5: rstd = 1/sqrt(var + eps)
    rstd = var + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 6: xhat = h_centred*rstd
    xhat = np.multiply(h_centred, rstd, out=h_centred)
    # step 7: y = xhat*gamma + beta
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    if beta is not None:
        y = np.add(y, beta, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, h, mu, mu_residual, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    dy, dh = arguments
    shape, dtype, dtypes, h, gamma, mu_rows, mu_residual_rows, rstd_rows = saved
    wants_dbeta = dtypes[3] is not None
    needs_gamma_over_D = gamma is not None and dy is not None
    needs_dgamma = gamma is not None and dy is None
    needs_dbeta = wants_dbeta and dy is None
    needs_mean_g_xhat_unscaled = gamma is None and dy is not None
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 21: mean_g_xhat_unscaled = mean(dy*h_centred*gamma)
    if needs_gamma_over_D:
        gamma_over_D = np.divide(gamma, D)
    if dy is not None:
        mu = mu_rows[..., np.newaxis]
        mu_residual = mu_residual_rows[..., np.newaxis]
        rstd = rstd_rows[..., np.newaxis]
        # step 3: h_shifted = h - mu
        h_shifted = h - mu
        # step 3: h_centred = h_shifted - mu_residual
        h_centred = _rows.less_residual(h_shifted, mu_residual)
    # step 23: dgamma = sum over rows of dy*h_centred*rstd
    if needs_gamma_over_D:
        part = dy * h_centred
        dgamma = _rows.sum_of_rows(rstd.ravel(), part.reshape(-1, features))
    if needs_dgamma:
        dgamma = 0.0
    # step 24: dbeta = sum over rows of dy
    if wants_dbeta and dy is not None:
        dbeta = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), dy.reshape(-1, features)
        )
    if needs_dbeta:
        dbeta = 0.0
    # step 21: mean_g_xhat_unscaled = mean(dy*h_centred*gamma)
    if needs_gamma_over_D:
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    if needs_mean_g_xhat_unscaled:
        mean_g_xhat_unscaled = (vecdot(dy, h_centred) / D)[..., np.newaxis]
    # step 8: g = dy*gamma
    if needs_gamma_over_D:
        g = dy * gamma
    if needs_mean_g_xhat_unscaled:
        g = dy
    # step 21: mean_g = mean(g)
    if dy is not None:
        mean_g = vecdot(g, one_over_D)[..., np.newaxis]
        # step 21: mean_g_xhat = mean_g_xhat_unscaled*rstd
        mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 21: dx = dh + (g - mean_g - h_centred*mean_g_xhat*rstd)*rstd
        dx = g - mean_g
        part_2 = mean_g_xhat * rstd
        part_3 = np.multiply(h_centred, part_2, out=h_centred)
        dx = np.subtract(dx, part_3, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
    if dy is not None and dh is not None:
        dx = np.add(dh, dx, out=dx)
    if dy is None:
        dx = dh
        dx = _rows.filled(dx, out=np.empty(shape, dtype))
    if needs_dgamma:
        dgamma = _rows.filled(dgamma, out=np.empty(features, dtype))
    if needs_dbeta:
        dbeta = _rows.filled(dbeta, out=np.empty(features, dtype))
    dresidual_result = dx.copy()
    if gamma is None:
        dgamma = None
    if not wants_dbeta:
        dbeta = None
    return dx, dresidual_result, dgamma, dbeta
