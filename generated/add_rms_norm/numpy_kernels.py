# Made by lngen 0.1.0 from the definition of add_rms_norm.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 5 flops per row element; backward 5 row tensors (3 read, 2 written), 10 flops per row element.
# Evidence: 2 outputs, 26 steps, 31 first lines, 1 identity, 3 gradients, 2 tangents, 5 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Residual addition, then root-mean-square normalization; the sum is the second output. The outputs and the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    x_rows, residual_rows, gamma, eps = values
    y_out, h_out, rstd_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)

    def block(x, residual, h_block, rstd_block, y_block):
        # step 1: h = residual + x
        h = np.add(residual, x, out=h_block)
        # step 2: ms = mean(h**2)
        ms = _rows.row_mean(h, h, D, out=rstd_block)
        # step 3: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=y_block)
        # step 5: y = xhat*gamma
        if gamma is not None:
            _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)

    _blocks.each_block(
        block, call, reads=(x_rows, residual_rows), writes=(h_out, rstd_out, y_out)
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    h_rows, gamma, rstd_rows = fields
    dx_out, dresidual_out, dgamma_out = results
    features, dtype = call.features, call.dtype
    needs_gamma_over_D = gamma is not None and dy_rows is not None
    needs_mean_g_xhat_unscaled = gamma is None and dy_rows is not None
    D = _rows.number(features, dtype)
    # step 13: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma_over_D:
        gamma_over_D = np.divide(gamma, D)
    gamma_wide = _rows.repeated(gamma)

    def block(h, dy, dh, rstd, dx_block, buffers, row_scalars, sums):
        (dgamma_sums,) = sums
        # step 15: dgamma = sum over rows of dy*h*rstd
        if needs_gamma_over_D:
            part = np.multiply(dy, h, out=dx_block)
            _rows.add_rows(part, dgamma_sums, rstd)
            # step 13: mean_g_xhat_unscaled = mean(dy*h*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalars[0])
        if needs_mean_g_xhat_unscaled:
            mean_g_xhat_unscaled = _rows.row_mean(dy, h, D, out=row_scalars[0])
        # step 6: g = dy*gamma
        if needs_gamma_over_D:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_mean_g_xhat_unscaled:
            g = dy
        # step 13: mean_g_xhat = mean_g_xhat_unscaled*rstd
        if dy_rows is not None:
            mean_g_xhat = np.multiply(mean_g_xhat_unscaled, rstd, out=row_scalars[0])
            # step 13: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
            part_2 = np.multiply(mean_g_xhat, rstd, out=row_scalars[0])
            dx = _rows.by_row(np.multiply, h, part_2, out=buffers[0])
            dx = np.subtract(g, dx, out=dx_block)
            dx = np.multiply(dx, rstd, out=dx_block)
        if dy_rows is not None and dh_rows is not None:
            dx = np.add(dh, dx, out=dx_block)
        if dy_rows is None:
            dx = dh
            dx_block[...] = dx

    (dgamma,) = _blocks.each_block(
        block,
        call,
        reads=(h_rows, dy_rows, dh_rows, rstd_rows),
        writes=((dx_out, dresidual_out),),
        buffers=1,
        row_scalars=1,
        feature_sums=1,
    )
    if gamma is not None and dy_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, residual, gamma, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: h = residual + x
    h = residual + x
    # step 2: ms = mean(h**2)
    ms = (vecdot(h, h) / D)[..., np.newaxis]
    # step 3: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 4: xhat = h*rstd
    xhat = h * rstd
    # step 5: y = xhat*gamma
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    rstd = rstd[..., 0]
    return y, h, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    dy, dh = arguments
    shape, dtype, _, h, gamma, rstd_rows = saved
    needs_gamma_over_D = gamma is not None and dy is not None
    needs_dgamma = gamma is not None and dy is None
    needs_mean_g_xhat_unscaled = gamma is None and dy is not None
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    # step 13: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma_over_D:
        gamma_over_D = np.divide(gamma, D)
    if dy is not None:
        rstd = rstd_rows[..., np.newaxis]
    # step 15: dgamma = sum over rows of dy*h*rstd
    if needs_gamma_over_D:
        part = dy * h
        dgamma = _rows.sum_of_rows(rstd.ravel(), part.reshape(-1, features))
    if needs_dgamma:
        dgamma = 0.0
    # step 13: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma_over_D:
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    if needs_mean_g_xhat_unscaled:
        mean_g_xhat_unscaled = (vecdot(dy, h) / D)[..., np.newaxis]
    # step 6: g = dy*gamma
    if needs_gamma_over_D:
        g = dy * gamma
    if needs_mean_g_xhat_unscaled:
        g = dy
    # step 13: mean_g_xhat = mean_g_xhat_unscaled*rstd
    if dy is not None:
        mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 13: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
        part_2 = mean_g_xhat * rstd
        dx = h * part_2
        dx = np.subtract(g, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
    if dy is not None and dh is not None:
        dx = np.add(dh, dx, out=dx)
    if dy is None:
        dx = dh
        dx = _rows.filled(dx, out=np.empty(shape, dtype))
    if needs_dgamma:
        dgamma = _rows.filled(dgamma, out=np.empty(features, dtype))
    dresidual_result = dx.copy()
    if gamma is None:
        dgamma = None
    return dx, dresidual_result, dgamma
