# Made by lngen 0.1.0 from the definition of mean_abs_norm.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 9 flops per row element; backward 3 row tensors (2 read, 1 written), 18 flops per row element.
# Evidence: 1 output, 17 steps, 32 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Centred rows divided by their mean absolute deviation. The outputs and the gradients.

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
    x_rows, gamma, beta, eps = values
    y_out, mu_out, mu_residual_out, scale_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)

    def block(x, mu_block, mu_residual_block, scale_block, y_block, buffers):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D, out=mu_block)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 2: mu_residual = mean(x_shifted)
        mu_residual = _rows.row_sum(x_shifted, one_over_D, out=mu_residual_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = np.subtract(x_shifted, mu_residual, out=y_block)
        # step 3: spread = mean(abs(x_centred))
        part = np.absolute(x_centred, out=buffers[0])
        spread = _rows.row_sum(part, one_over_D, out=scale_block)
        # step 4: scale = 1/(spread + eps)
        scale = np.add(spread, eps, out=scale_block)
        scale = np.reciprocal(scale, out=scale_block)
        # step 5: xhat = x_centred*scale
        xhat = np.multiply(x_centred, scale, out=y_block)
        # step 6: y = xhat*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            y = xhat
        if beta is not None:
            _rows.by_feature(np.add, y, beta_wide, out=y_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows,),
        writes=(mu_out, mu_residual_out, scale_out, y_out),
        buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, scale_rows = fields
    dx_out, dgamma_out, dbeta_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 19: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    gamma_wide = _rows.repeated(gamma)

    def block(x, dy, mu, mu_residual, scale, dx_block, buffers, row_scalars, sums):
        dgamma_sums, dbeta_sums = sums
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = np.subtract(x_shifted, mu_residual, out=dx_block)
        # step 20: dgamma = sum over rows of dy*x_centred*scale
        if gamma is not None:
            part = np.multiply(dy, x_centred, out=buffers[0])
            _rows.add_rows(part, dgamma_sums, scale)
        # step 21: dbeta = sum over rows of dy
        if dbeta_out is not None:
            _rows.add_rows(dy, dbeta_sums)
        # step 19: mean_xhat = mean(sign(x_centred))
        part_2 = np.sign(x_centred, out=buffers[1])
        mean_xhat = _rows.row_sum(part_2, one_over_D, out=row_scalars[0])
        # step 19: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
        if gamma is not None:
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalars[1])
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x_centred, D, out=row_scalars[1])
        # step 7: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 19: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[2])
        # step 19: mean_g_xhat = mean_g_xhat_unscaled*scale
        mean_g_xhat = np.multiply(mean_g_xhat_unscaled, scale, out=row_scalars[1])
        # step 19: dx = (g + (mean_xhat - sign(x_centred))*mean_g_xhat - mean_g)*scale
        dx = np.subtract(mean_xhat, part_2, out=buffers[0])
        dx = np.multiply(dx, mean_g_xhat, out=buffers[0])
        dx = np.add(g, dx, out=dx_block)
        dx = np.subtract(dx, mean_g, out=dx_block)
        np.multiply(dx, scale, out=dx_block)

    dgamma, dbeta = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, mu_rows, mu_residual_rows, scale_rows),
        writes=(dx_out,),
        buffers=2,
        row_scalars=3,
        feature_sums=2,
    )
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _blocks.round_to(dbeta_out, ..., dbeta)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, gamma, beta, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: mu = mean(x)
    mu = vecdot(x, one_over_D)[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: mu_residual = mean(x_shifted)
    mu_residual = vecdot(x_shifted, one_over_D)[..., np.newaxis]
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
    # step 3: spread = mean(abs(x_centred))
    part = np.absolute(x_centred)
    spread = vecdot(part, one_over_D)[..., np.newaxis]
    # step 4: scale = 1/(spread + eps)
    scale = spread + eps
    scale = np.reciprocal(scale)
    # step 5: xhat = x_centred*scale
    xhat = np.multiply(x_centred, scale, out=x_centred)
    # step 6: y = xhat*gamma + beta
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    if beta is not None:
        y = np.add(y, beta, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    scale = scale[..., 0]
    return y, mu, mu_residual, scale


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, dtypes, x, gamma, mu_rows, mu_residual_rows, scale_rows = saved
    wants_dbeta = dtypes[2] is not None
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 19: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    scale = scale_rows[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
    # step 20: dgamma = sum over rows of dy*x_centred*scale
    if gamma is not None:
        part = dy * x_centred
        dgamma = _rows.sum_of_rows(scale.ravel(), part.reshape(-1, features))
    # step 21: dbeta = sum over rows of dy
    if wants_dbeta:
        dbeta = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), dy.reshape(-1, features)
        )
    # step 19: mean_xhat = mean(sign(x_centred))
    part_2 = np.sign(x_centred)
    mean_xhat = vecdot(part_2, one_over_D)[..., np.newaxis]
    # step 19: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat_unscaled = (vecdot(dy, x_centred) / D)[..., np.newaxis]
    # step 7: g = dy*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    # step 19: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 19: mean_g_xhat = mean_g_xhat_unscaled*scale
    mean_g_xhat = mean_g_xhat_unscaled * scale
    # step 19: dx = (g + (mean_xhat - sign(x_centred))*mean_g_xhat - mean_g)*scale
    dx = np.subtract(mean_xhat, part_2, out=part_2)
    dx = np.multiply(dx, mean_g_xhat, out=dx)
    dx = np.add(g, dx, out=dx)
    dx = np.subtract(dx, mean_g, out=dx)
    dx = np.multiply(dx, scale, out=dx)
    if gamma is None:
        dgamma = None
    if not wants_dbeta:
        dbeta = None
    return dx, dgamma, dbeta
