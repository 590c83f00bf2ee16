# Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
# Evidence: 1 output, 37 steps, 35 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Layer normalization with a scale and a shift for every entry, from elsewhere. The outputs and the gradients.

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
    x_rows, scale_rows, shift_rows, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)

    def block(
        x, scale, shift, mu_block, mu_residual_block, rstd_block, y_block, buffers
    ):
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
        # step 6: y = shift + (scale + 1)*xhat
        y = np.add(scale, 1.0, out=buffers[0])
        y = np.multiply(y, xhat, out=y_block)
        np.add(shift, y, out=y_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, scale_rows, shift_rows),
        writes=(mu_out, mu_residual_out, rstd_out, y_out),
        buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, scale_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dscale_out, dshift_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        scale,
        dy,
        mu,
        mu_residual,
        rstd,
        dscale_block,
        dshift_block,
        dx_block,
        buffers,
        row_scalars,
    ):
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dscale_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = _rows.by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 7: g = dy*(scale + 1)
        g = np.add(scale, 1.0, out=dscale_block)
        g = np.multiply(dy, g, out=buffers[0])
        # step 20: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[0])
        # step 20: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalars[1])
        # step 21: dscale = dy*xhat
        np.multiply(dy, xhat, out=dscale_block)
        dshift_block[...] = dy
        # step 20: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(dx, part, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, scale_rows, dy_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(dscale_out, dshift_out, dx_out),
        buffers=1,
        row_scalars=2,
    )


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, scale, shift, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
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
    # step 6: y = shift + (scale + 1)*xhat
    y = scale + 1.0
    y = np.multiply(y, xhat, out=y)
    y = np.add(shift, y, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, mu, mu_residual, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, scale, mu_rows, mu_residual_rows, rstd_rows = saved
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    rstd = rstd_rows[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = _rows.less_residual(x_shifted, mu_residual)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 7: g = dy*(scale + 1)
    g = scale + 1.0
    g = np.multiply(dy, g, out=g)
    # step 20: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 20: mean_g_xhat = mean(g*xhat)
    mean_g_xhat = (vecdot(g, xhat) / D)[..., np.newaxis]
    # step 21: dscale = dy*xhat
    dscale = dy * xhat
    dy = _rows.filled(dy, out=np.empty(shape, dtype))
    # step 20: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
    dx = np.subtract(g, mean_g, out=g)
    part = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(dx, part, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    return dx, dscale, dy
