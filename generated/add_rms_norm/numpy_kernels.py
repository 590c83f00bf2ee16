# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
"""Residual addition, then root-mean-square normalization; the sum is the second output. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, residual_rows, gamma, eps = values
    y_out, h_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, residual, gamma_wide, y_block=None, h_block=None):
        # step 1: h = residual + x
        h = np.add(residual, x, out=h_block)
        # step 2: ms = mean(h**2)
        ms = _rows.row_mean(h, h, D)
        # step 3: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=y_block)
        # step 5: y = xhat*gamma
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        return y, h, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows),
        features=(gamma,),
        into=(y_out, h_out),
        into_row_scalars=(rstd_out,),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    h_rows, gamma, rstd_rows = fields
    dx_out, dresidual_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_gamma_over_D = gamma is not None and dy_rows is not None
    needs_mean_g_xhat_unscaled = gamma is None and dy_rows is not None
    D = _rows.number(features, dtype)
    # step 12, pass 1: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma_over_D:
        gamma_over_D = gamma / D

    def block(h, dy, dh, rstd, gamma_wide, dx_block=None, dresidual_block=None):
        dgamma = None
        # step 14, pass 3: dgamma = sum over rows of dy*h*rstd
        if needs_gamma_over_D:
            part = np.multiply(dy, h, out=dx_block)
            dgamma = _rows.sum_rows(part, rstd)
            # step 12, pass 1: mean_g_xhat_unscaled = mean(dy*h*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D)
        if needs_mean_g_xhat_unscaled:
            mean_g_xhat_unscaled = _rows.row_mean(dy, h, D)
        # step 6: g = dy*gamma
        if needs_gamma_over_D:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_mean_g_xhat_unscaled:
            g = dy
        # step 12, pass 2: mean_g_xhat = mean_g_xhat_unscaled*rstd
        if dy_rows is not None:
            mean_g_xhat = mean_g_xhat_unscaled * rstd
            # step 12, pass 4: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
            dx = _rows.by_row(np.multiply, h, mean_g_xhat * rstd, out=dresidual_block)
            dx = np.subtract(g, dx, out=dx_block)
            dx = np.multiply(dx, rstd, out=dx)
        if dy_rows is not None and dh_rows is not None:
            dx = np.add(dh, dx, out=dx)
        if dy_rows is None:
            dx = dh
            dx_result = _rows.filled(dh, dx_block, shape, dtype)
        else:
            dx_result = dx
        dresidual = _rows.filled(dx, dresidual_block, shape, dtype)
        return dx_result, dresidual, dgamma

    dx_result, dresidual, dgamma = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, dh_rows),
        row_scalars=(rstd_rows,),
        features=(gamma,),
        into=(dx_out, dresidual_out),
        feature_sums=1,
    )
    if gamma is not None and dy_rows is None:
        dgamma = np.full(features, 0.0, dtype)
    return dx_result, dresidual, dgamma
