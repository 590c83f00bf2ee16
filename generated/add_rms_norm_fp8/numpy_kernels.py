# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import casts as _casts
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, residual_rows, gamma, scale, eps = values
    y_out, h_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    eps = np.asarray(eps, dtype)
    # step 5, pass 1: scale_shifted = 1/scale
    if scale is not None:
        scale_shifted = np.reciprocal(scale)
    # step 5, pass 2: y = xhat*gamma*scale_shifted
    if gamma is not None and scale is not None:
        part = gamma * scale_shifted
    if gamma is not None and scale is None:
        part = gamma
    if gamma is None and scale is not None:
        part = scale_shifted

    def block(x, residual, y_block=None, h_block=None):
        # step 1: h = residual + x
        h = np.add(residual, x, out=h_block)
        # step 2: ms = mean(h**2)
        ms = _rows.row_mean(h, h, D)
        # step 3: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=y_block)
        # step 5, pass 2: y = xhat*gamma*scale_shifted
        if gamma is not None or scale is not None:
            y = np.multiply(xhat, part, out=xhat)
        else:
            y = xhat
        return _casts.cast(y, "float8_e4m3fn"), h, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows),
        into=(y_out, h_out),
        into_row_scalars=(rstd_out,),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    h_rows, gamma, scale, rstd_rows = fields
    dx_out, dresidual_out, _, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_scale = scale is not None and dy_rows is not None
    needs_part_2 = gamma is not None and scale is not None and dy_rows is not None
    needs_part_2_2 = gamma is not None and scale is None and dy_rows is not None
    needs_part_2_3 = gamma is None and scale is not None and dy_rows is not None
    D = _rows.number(features, dtype)
    if needs_scale:
        scale = np.asarray(scale, dtype)
        # step 6, pass 3: scale_shifted_2 = 1/scale
        scale_shifted_2 = np.reciprocal(scale)
    # step 6, pass 4: g = dy*gamma*scale_shifted_2
    if needs_part_2:
        part_2 = gamma * scale_shifted_2
    if needs_part_2_2:
        part_2 = gamma
    if needs_part_2_3:
        part_2 = scale_shifted_2
    # step 17, pass 13: dscale = -dscale_rows/scale**2
    if needs_scale:
        part_3 = np.square(scale)

    def block(h, dy, dh, rstd, dx_block=None, dresidual_block=None):
        dgamma_rows = dscale_rows = None
        # step 15, pass 9: dgamma_rows = sum over rows of dy*h*rstd
        if gamma is not None and dy_rows is not None:
            part = np.multiply(dy, h, out=dx_block)
            dgamma_rows = _rows.sum_rows(part, rstd)
        # step 17, pass 6: sum_dy_gamma_xhat_unscaled = sum(dy*h*gamma)
        if needs_part_2:
            sum_dy_gamma_xhat_unscaled = _rows.row_sum(part, gamma)
        if needs_part_2_3:
            sum_dy_gamma_xhat_unscaled = _rows.row_sum(dy, h)
        # step 6, pass 4: g = dy*gamma*scale_shifted_2
        if dy_rows is not None and (gamma is not None or scale is not None):
            g = np.multiply(dy, part_2, out=dx_block)
        if gamma is None and scale is None and dy_rows is not None:
            g = dy
        # step 12, pass 5: mean_g_xhat_unscaled = mean(g*h)
        if dy_rows is not None:
            mean_g_xhat_unscaled = _rows.row_mean(g, h, D)
            # step 12, pass 7: mean_g_xhat = mean_g_xhat_unscaled*rstd
            mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 17, pass 8: sum_dy_gamma_xhat = rstd*sum_dy_gamma_xhat_unscaled
        if needs_scale:
            sum_dy_gamma_xhat = rstd * sum_dy_gamma_xhat_unscaled
            # step 17, pass 10: dscale_rows = sum over rows of sum_dy_gamma_xhat
            dscale_rows = np.add.reduce(sum_dy_gamma_xhat, axis=None)
        # step 12, pass 11: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
        if dy_rows is not None:
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
        return dx_result, dresidual, dgamma_rows, dscale_rows

    dx_result, dresidual, dgamma_rows, dscale_rows = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, dh_rows),
        row_scalars=(rstd_rows,),
        into=(dx_out, dresidual_out),
        feature_sums=1,
        sums=1,
    )
    # step 15, pass 12: dgamma = dgamma_rows/scale
    if needs_part_2:
        dgamma = dgamma_rows / scale
    if needs_part_2_2:
        dgamma = dgamma_rows
    # step 17, pass 13: dscale = -dscale_rows/scale**2
    if needs_scale:
        dscale = np.negative(dscale_rows) / part_3
    if scale is not None and dy_rows is None:
        dscale = 0.0
    if gamma is not None and dy_rows is None:
        dgamma = np.full(features, 0.0, dtype)
    if scale is not None:
        dscale = np.full((), dscale, dtype)
    if gamma is None:
        dgamma = None
    if scale is None:
        dscale = None
    return dx_result, dresidual, dgamma, dscale
