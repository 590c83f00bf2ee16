# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
"""Dropout, residual addition, then layer normalization; the sum is the second output. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import random as _random
from .._runtime.numpy import rows as _rows


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, residual_rows, seed, gamma, beta, p, eps = values
    y_out, h_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    # uniform_seed = uniform(seed)
    uniform_seed_rows = _random.uniform(seed, 0, call)
    p = np.asarray(p, dtype)
    eps = np.asarray(eps, dtype)
    # step 1, pass 1: p_shifted = 1/(1 - p)
    p_shifted = np.reciprocal(1.0 - p)

    def block(
        x, residual, uniform_seed, gamma_wide, beta_wide, y_block=None, h_block=None
    ):
        # step 1, pass 2: h = residual + where(uniform_seed >= p, x*p_shifted, 0)
        mask = uniform_seed >= p
        h = np.multiply(x, p_shifted, out=h_block)
        h = _rows.select(mask, h, 0.0, out=h)
        h = np.add(residual, h, out=h)
        # step 2: mu = mean(h)
        mu = _rows.row_sum(h, one_over_D)
        # step 3, pass 3: h_shifted = h - mu
        h_shifted = _rows.by_row(np.subtract, h, mu, out=y_block)
        # step 4: var = mean(h_shifted**2)
        var = _rows.row_mean(h_shifted, h_shifted, D)
        # step 3, pass 4: mu_residual = mean(h_shifted)
        mu_residual = _rows.residual(h_shifted, mu, var, D, far_from, one_over_D)
        # step 3, pass 5: h_centred = h_shifted - mu_residual
        h_centred = h_shifted
        # step 5: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 6: xhat = h_centred*rstd
        xhat = np.multiply(h_centred, rstd, out=h_centred)
        # step 7: y = xhat*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y)
        return y, h, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows, uniform_seed_rows),
        features=(gamma, beta),
        into=(y_out, h_out),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
    )


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    h_rows, seed, gamma, p, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dresidual_out, _, dbeta_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_gamma_over_D = gamma is not None and dy_rows is not None
    needs_mean_g_xhat_unscaled = gamma is None and dy_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # uniform_seed = uniform(seed)
    uniform_seed_rows = _random.uniform(seed, 0, call)
    p = np.asarray(p, dtype)
    # step 19, pass 10: p_shifted_2 = 1/(1 - p)
    p_shifted_2 = np.reciprocal(1.0 - p)
    # step 18, pass 11: mean_g_xhat_unscaled = mean(dy*h_centred*gamma)
    if needs_gamma_over_D:
        gamma_over_D = gamma / D

    def block(
        h,
        dy,
        dh,
        uniform_seed,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        dx_block=None,
        dresidual_block=None,
    ):
        dgamma = dbeta = None
        # step 3, pass 3: h_shifted = h - mu
        if dy_rows is not None:
            h_shifted = _rows.by_row(np.subtract, h, mu, out=dx_block)
            # step 3, pass 5: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
        # step 20, pass 13: dgamma = sum over rows of dy*h_centred*rstd
        if needs_gamma_over_D:
            part = np.multiply(dy, h_centred, out=dresidual_block)
            dgamma = _rows.sum_rows(part, rstd)
            # step 18, pass 11: mean_g_xhat_unscaled = mean(dy*h_centred*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D)
        if needs_mean_g_xhat_unscaled:
            mean_g_xhat_unscaled = _rows.row_mean(dy, h_centred, D)
        # step 8: g = dy*gamma
        if needs_gamma_over_D:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dresidual_block)
        if needs_mean_g_xhat_unscaled:
            g = dy
        # step 18: mean_g = mean(g)
        if dy_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D)
            # step 18, pass 12: mean_g_xhat = mean_g_xhat_unscaled*rstd
            mean_g_xhat = mean_g_xhat_unscaled * rstd
            # step 18, pass 14: dresidual = dh + (g - mean_g -
            #   h_centred*mean_g_xhat*rstd)*rstd
            dresidual = np.subtract(g, mean_g, out=dresidual_block)
            part_2 = np.multiply(h_centred, mean_g_xhat * rstd, out=h_centred)
            dresidual = np.subtract(dresidual, part_2, out=part_2)
            dresidual = _rows.by_row(np.multiply, dresidual, rstd, out=dresidual_block)
        if dy_rows is not None and dh_rows is not None:
            dresidual = np.add(dh, dresidual, out=dresidual)
        if dy_rows is None:
            dresidual = dh
        # step 19, pass 15: dx = where(uniform_seed >= p, dresidual*p_shifted_2, 0)
        mask = uniform_seed >= p
        dx = np.multiply(dresidual, p_shifted_2, out=dx_block)
        dx = _rows.select(mask, dx, 0.0, out=dx)
        # step 21: dbeta = sum over rows of dy
        if dbeta_out is not None and dy_rows is not None:
            dbeta = _rows.sum_rows(dy)
        if dy_rows is None:
            dresidual_result = _rows.filled(dh, dresidual_block, shape, dtype)
        else:
            dresidual_result = dresidual
        return dx, dresidual_result, dgamma, dbeta

    dx, dresidual_result, dgamma, dbeta = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, dh_rows, uniform_seed_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma,),
        into=(dx_out, dresidual_out),
        feature_sums=2,
    )
    if gamma is not None and dy_rows is None:
        dgamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None and dy_rows is None:
        dbeta = np.full(features, 0.0, dtype)
    return dx, dresidual_result, dgamma, dbeta
