# Made by lngen 0.1.0 from the definition of power_norm.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
# Evidence: 1 output, 12 steps, 22 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Each row divided by its mean fourth power, to the power 1/4. The outputs and the gradients.

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
    x_rows, gamma, eps = values
    y_out, scale_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)

    def block(x, scale_block, y_block):
        # step 1: mean_x4 = mean(x**4)
        part = np.square(x, out=y_block)
        mean_x4 = _rows.row_mean(part, part, D, out=scale_block)
        # step 2: scale = 1/(mean_x4 + eps)**(1/4)
        scale = np.add(mean_x4, eps, out=scale_block)
        scale = np.power(scale, 0.25, out=scale_block)
        scale = np.reciprocal(scale, out=scale_block)
        # step 3: xhat = x*scale
        xhat = _rows.by_row(np.multiply, x, scale, out=y_block)
        # step 4: y = xhat*gamma
        if gamma is not None:
            _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)

    _blocks.each_block(block, call, reads=(x_rows,), writes=(scale_out, y_out))


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, scale_rows = fields
    dx_out, dgamma_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    # step 12: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    gamma_wide = _rows.repeated(gamma)

    def block(x, dy, scale, dx_block, buffers, row_scalars, sums):
        (dgamma_sums,) = sums
        # step 13: dgamma = sum over rows of dy*x*scale
        if gamma is not None:
            part = np.multiply(dy, x, out=dx_block)
            _rows.add_rows(part, dgamma_sums, scale)
            # step 12: mean_g_xhat_unscaled = mean(dy*x*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalars[0])
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x, D, out=row_scalars[0])
        # step 5: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 12: mean_g_xhat = mean_g_xhat_unscaled*scale
        mean_g_xhat = np.multiply(mean_g_xhat_unscaled, scale, out=row_scalars[0])
        # step 12: dx = (g - x**3*mean_g_xhat*scale**3)*scale
        dx = np.square(x, out=buffers[0])
        dx = np.multiply(dx, x, out=buffers[0])
        part_2 = np.square(scale, out=row_scalars[1])
        part_2 = np.multiply(part_2, scale, out=row_scalars[1])
        part_2 = np.multiply(mean_g_xhat, part_2, out=row_scalars[0])
        dx = np.multiply(dx, part_2, out=buffers[0])
        dx = np.subtract(g, dx, out=dx_block)
        np.multiply(dx, scale, out=dx_block)

    (dgamma,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, scale_rows),
        writes=(dx_out,),
        buffers=1,
        row_scalars=2,
        feature_sums=1,
    )
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, gamma, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: mean_x4 = mean(x**4)
    part = np.square(x)
    mean_x4 = (vecdot(part, part) / D)[..., np.newaxis]
    # step 2: scale = 1/(mean_x4 + eps)**(1/4)
    scale = mean_x4 + eps
    scale = np.power(scale, 0.25)
    scale = np.reciprocal(scale)
    # step 3: xhat = x*scale
    xhat = x * scale
    # step 4: y = xhat*gamma
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    scale = scale[..., 0]
    return y, scale


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, gamma, scale_rows = saved
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    # step 12: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    scale = scale_rows[..., np.newaxis]
    # step 13: dgamma = sum over rows of dy*x*scale
    if gamma is not None:
        part = dy * x
        dgamma = _rows.sum_of_rows(scale.ravel(), part.reshape(-1, features))
        # step 12: mean_g_xhat_unscaled = mean(dy*x*gamma)
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat_unscaled = (vecdot(dy, x) / D)[..., np.newaxis]
    # step 5: g = dy*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    # step 12: mean_g_xhat = mean_g_xhat_unscaled*scale
    mean_g_xhat = mean_g_xhat_unscaled * scale
    # step 12: dx = (g - x**3*mean_g_xhat*scale**3)*scale
    dx = np.square(x)
    dx = np.multiply(dx, x, out=dx)
    part_2 = np.square(scale)
    part_2 = part_2 * scale
    part_2 = mean_g_xhat * part_2
    dx = np.multiply(dx, part_2, out=dx)
    dx = np.subtract(g, dx, out=dx)
    dx = np.multiply(dx, scale, out=dx)
    if gamma is None:
        dgamma = None
    return dx, dgamma
