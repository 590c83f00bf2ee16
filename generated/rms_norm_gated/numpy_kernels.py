# Made by lngen 0.1.0 from the definition of rms_norm_gated.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 19 flops per row element.
# Evidence: 1 output, 37 steps, 39 first lines, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""A gate, silu of another row, then root-mean-square normalization. The outputs and the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    x_rows, z_rows, gamma, eps = values
    y_out, rstd_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)

    def block(x, z, rstd_block, y_block):
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=y_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=y_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=y_block)
        # step 4: ms = mean(h**2)
        ms = _rows.row_mean(h, h, D, out=rstd_block)
        # step 5: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 6: hhat = h*rstd
        hhat = np.multiply(h, rstd, out=y_block)
        # step 7: y = hhat*gamma
        if gamma is not None:
            _rows.by_feature(np.multiply, hhat, gamma_wide, out=y_block)

    _blocks.each_block(block, call, reads=(x_rows, z_rows), writes=(rstd_out, y_out))


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    dx_out, dz_out, dgamma_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    # step 15: mean_g_hhat_unscaled = mean(dy*h*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    gamma_wide = _rows.repeated(gamma)

    def block(x, z, dy, rstd, dx_block, dz_block, buffers, row_scalars, sums):
        (dgamma_sums,) = sums
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=dx_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=buffers[0])
        # step 23: dgamma = sum over rows of dy*h*rstd
        if gamma is not None:
            part = np.multiply(dy, h, out=buffers[1])
            _rows.add_rows(part, dgamma_sums, rstd)
            # step 15: mean_g_hhat_unscaled = mean(dy*h*gamma)
            mean_g_hhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalars[0])
        else:
            mean_g_hhat_unscaled = _rows.row_mean(dy, h, D, out=row_scalars[0])
        # step 8: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[1])
        else:
            g = dy
        # step 15: mean_g_hhat = mean_g_hhat_unscaled*rstd
        mean_g_hhat = np.multiply(mean_g_hhat_unscaled, rstd, out=row_scalars[0])
        # step 15: dh = (g - h*mean_g_hhat*rstd)*rstd
        part_2 = np.multiply(mean_g_hhat, rstd, out=row_scalars[0])
        dh = np.multiply(h, part_2, out=buffers[0])
        dh = np.subtract(g, dh, out=buffers[0])
        dh = np.multiply(dh, rstd, out=buffers[0])
        # step 16: dx = dh*silu_z
        np.multiply(dh, silu_z, out=dx_block)
        # step 22: dz = dh*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
        dz = np.multiply(dh, sigmoid_z, out=buffers[0])
        dz = np.multiply(dz, x, out=buffers[0])
        part_3 = np.subtract(1.0, sigmoid_z, out=dz_block)
        part_3 = np.multiply(part_3, z, out=dz_block)
        part_3 = np.add(part_3, 1.0, out=dz_block)
        np.multiply(dz, part_3, out=dz_block)

    (dgamma,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, z_rows, dy_rows, rstd_rows),
        writes=(dx_out, dz_out),
        buffers=2,
        row_scalars=1,
        feature_sums=1,
    )
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, z, gamma, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: sigmoid_z = sigmoid(z)
    sigmoid_z = _functions.sigmoid(z)
    # step 2: silu_z = sigmoid_z*z
    silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
    # step 3: h = silu_z*x
    h = np.multiply(silu_z, x, out=silu_z)
    # step 4: ms = mean(h**2)
    ms = (vecdot(h, h) / D)[..., np.newaxis]
    # step 5: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 6: hhat = h*rstd
    hhat = np.multiply(h, rstd, out=h)
    # step 7: y = hhat*gamma
    if gamma is not None:
        y = np.multiply(hhat, gamma, out=hhat)
    else:
        y = hhat
    rstd = rstd[..., 0]
    return y, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, z, gamma, rstd_rows = saved
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    # step 15: mean_g_hhat_unscaled = mean(dy*h*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    rstd = rstd_rows[..., np.newaxis]
    # step 1: sigmoid_z = sigmoid(z)
    sigmoid_z = _functions.sigmoid(z)
    # step 2: silu_z = sigmoid_z*z
    silu_z = sigmoid_z * z
    # step 3: h = silu_z*x
    h = silu_z * x
    # step 23: dgamma = sum over rows of dy*h*rstd
    if gamma is not None:
        part = dy * h
        dgamma = _rows.sum_of_rows(rstd.ravel(), part.reshape(-1, features))
        # step 15: mean_g_hhat_unscaled = mean(dy*h*gamma)
        mean_g_hhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_hhat_unscaled = (vecdot(dy, h) / D)[..., np.newaxis]
    # step 8: g = dy*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    # step 15: mean_g_hhat = mean_g_hhat_unscaled*rstd
    mean_g_hhat = mean_g_hhat_unscaled * rstd
    # step 15: dh = (g - h*mean_g_hhat*rstd)*rstd
    part_2 = mean_g_hhat * rstd
    dh = np.multiply(h, part_2, out=h)
    dh = np.subtract(g, dh, out=dh)
    dh = np.multiply(dh, rstd, out=dh)
    # step 16: dx = dh*silu_z
    dx = np.multiply(dh, silu_z, out=silu_z)
    # step 22: dz = dh*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
    dz = np.multiply(dh, sigmoid_z, out=dh)
    dz = np.multiply(dz, x, out=dz)
    part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
    part_3 = np.multiply(part_3, z, out=part_3)
    part_3 = np.add(part_3, 1.0, out=part_3)
    dz = np.multiply(dz, part_3, out=dz)
    if gamma is None:
        dgamma = None
    return dx, dz, dgamma
