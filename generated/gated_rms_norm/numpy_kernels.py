# Made by lngen 0.1.0 from the definition of gated_rms_norm.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 20 flops per row element.
# Evidence: 1 output, 39 steps, 34 first lines, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Root-mean-square normalization, then a gate: silu of another row. The outputs and the gradients.

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
    x_rows, z_rows, gamma, eps = values
    y_out, rstd_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)

    def block(x, z, rstd_block, y_block, buffers):
        # step 1: ms = mean(x**2)
        ms = _rows.row_mean(x, x, D, out=rstd_block)
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=buffers[0])
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffers[0])
        # step 6: y = silu_z*xhat*gamma
        y = np.multiply(silu_z, xhat, out=y_block)
        if gamma is not None:
            _rows.by_feature(np.multiply, y, gamma_wide, out=y_block)

    _blocks.each_block(
        block, call, reads=(x_rows, z_rows), writes=(rstd_out, y_out), buffers=1
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    dx_out, dz_out, dgamma_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)

    def block(x, z, dy, rstd, dz_block, dx_block, buffers, row_scalars, sums):
        (dgamma_sums,) = sums
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffers[0])
        # step 21: dgamma = sum over rows of dy*silu_z*xhat
        part = np.multiply(dy, silu_z, out=buffers[0])
        if gamma is not None:
            part_2 = np.multiply(part, xhat, out=buffers[1])
            _rows.add_rows(part_2, dgamma_sums)
            # step 7: g = dy*silu_z*gamma
            g = _rows.by_feature(np.multiply, part, gamma_wide, out=buffers[0])
        else:
            g = part
        # step 14: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalars[0])
        # step 20: dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
        dz = np.multiply(dy, sigmoid_z, out=buffers[1])
        dz = np.multiply(dz, xhat, out=buffers[1])
        part_3 = np.subtract(1.0, sigmoid_z, out=dz_block)
        part_3 = np.multiply(part_3, z, out=dz_block)
        part_3 = np.add(part_3, 1.0, out=dz_block)
        dz = np.multiply(dz, part_3, out=dz_block)
        if gamma is not None:
            _rows.by_feature(np.multiply, dz, gamma_wide, out=dz_block)
        # step 14: dx = (g - xhat*mean_g_xhat)*rstd
        dx = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(g, dx, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    (dgamma,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, z_rows, dy_rows, rstd_rows),
        writes=(dz_out, dx_out),
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
    # step 1: ms = mean(x**2)
    ms = (vecdot(x, x) / D)[..., np.newaxis]
    # step 2: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 3: xhat = x*rstd
    xhat = x * rstd
    # step 4: sigmoid_z = sigmoid(z)
    sigmoid_z = _functions.sigmoid(z)
    # step 5: silu_z = sigmoid_z*z
    silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
    # step 6: y = silu_z*xhat*gamma
    y = np.multiply(silu_z, xhat, out=silu_z)
    if gamma is not None:
        y = np.multiply(y, gamma, out=y)
    rstd = rstd[..., 0]
    return y, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, z, gamma, rstd_rows = saved
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    rstd = rstd_rows[..., np.newaxis]
    # step 3: xhat = x*rstd
    xhat = x * rstd
    # step 4: sigmoid_z = sigmoid(z)
    sigmoid_z = _functions.sigmoid(z)
    # step 5: silu_z = sigmoid_z*z
    silu_z = sigmoid_z * z
    # step 21: dgamma = sum over rows of dy*silu_z*xhat
    part = np.multiply(dy, silu_z, out=silu_z)
    if gamma is not None:
        part_2 = part * xhat
        dgamma = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), part_2.reshape(-1, features)
        )
        # step 7: g = dy*silu_z*gamma
        g = np.multiply(part, gamma, out=part)
    else:
        g = part
    # step 14: mean_g_xhat = mean(g*xhat)
    mean_g_xhat = (vecdot(g, xhat) / D)[..., np.newaxis]
    # step 20: dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
    dz = dy * sigmoid_z
    dz = np.multiply(dz, xhat, out=dz)
    part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
    part_3 = np.multiply(part_3, z, out=part_3)
    part_3 = np.add(part_3, 1.0, out=part_3)
    dz = np.multiply(dz, part_3, out=dz)
    if gamma is not None:
        dz = np.multiply(dz, gamma, out=dz)
    # step 14: dx = (g - xhat*mean_g_xhat)*rstd
    dx = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(g, dx, out=g)
    dx = np.multiply(dx, rstd, out=dx)
    if gamma is None:
        dgamma = None
    return dx, dz, dgamma
