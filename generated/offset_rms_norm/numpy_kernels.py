# Made by lngen 0.1.0 from the definition of offset_rms_norm.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
# Evidence: 1 output, 26 steps, 25 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Root-mean-square normalization with a weight that is learned as its distance from one. The outputs and the gradients.

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
    x_rows, w, eps = values
    y_out, rstd_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    # step 4: w_shifted = w + 1
    if w is not None:
        w_shifted = np.add(w, 1.0)
        w_shifted_wide = _rows.repeated(w_shifted)

    def block(x, rstd_block, y_block):
        # step 1: ms = mean(x**2)
        ms = _rows.row_mean(x, x, D, out=rstd_block)
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: y = xhat*w_shifted
        if w is not None:
            _rows.by_feature(np.multiply, xhat, w_shifted_wide, out=y_block)

    _blocks.each_block(block, call, reads=(x_rows,), writes=(rstd_out, y_out))


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, w, rstd_rows = fields
    dx_out, dw_out = results
    features, dtype = call.features, call.dtype
    D = _rows.number(features, dtype)
    # step 5: w_shifted_2 = w + 1
    if w is not None:
        w_shifted_2 = np.add(w, 1.0)
        # step 12: mean_g_xhat_unscaled = mean(dy*x*w_shifted_2)
        w_shifted_2_over_D = np.divide(w_shifted_2, D)
        w_shifted_2_wide = _rows.repeated(w_shifted_2)

    def block(x, dy, rstd, dx_block, buffers, row_scalars, sums):
        (dw_sums,) = sums
        # step 13: dw = sum over rows of dy*x*rstd
        if w is not None:
            part = np.multiply(dy, x, out=dx_block)
            _rows.add_rows(part, dw_sums, rstd)
            # step 12: mean_g_xhat_unscaled = mean(dy*x*w_shifted_2)
            mean_g_xhat_unscaled = _rows.row_sum(
                part, w_shifted_2_over_D, out=row_scalars[0]
            )
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x, D, out=row_scalars[0])
        # step 5: g = dy*w_shifted_2
        if w is not None:
            g = _rows.by_feature(np.multiply, dy, w_shifted_2_wide, out=dx_block)
        else:
            g = dy
        # step 12: mean_g_xhat = mean_g_xhat_unscaled*rstd
        mean_g_xhat = np.multiply(mean_g_xhat_unscaled, rstd, out=row_scalars[0])
        # step 12: dx = (g - x*mean_g_xhat*rstd)*rstd
        part_2 = np.multiply(mean_g_xhat, rstd, out=row_scalars[0])
        dx = _rows.by_row(np.multiply, x, part_2, out=buffers[0])
        dx = np.subtract(g, dx, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    (dw,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, rstd_rows),
        writes=(dx_out,),
        buffers=1,
        row_scalars=1,
        feature_sums=1,
    )
    if w is not None:
        _blocks.round_to(dw_out, ..., dw)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, w, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 4: w_shifted = w + 1
    if w is not None:
        w_shifted = np.add(w, 1.0)
    # step 1: ms = mean(x**2)
    ms = (vecdot(x, x) / D)[..., np.newaxis]
    # step 2: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 3: xhat = x*rstd
    xhat = x * rstd
    # step 4: y = xhat*w_shifted
    if w is not None:
        y = np.multiply(xhat, w_shifted, out=xhat)
    else:
        y = xhat
    rstd = rstd[..., 0]
    return y, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, w, rstd_rows = saved
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    D = _rows.number(features, dtype)
    # step 5: w_shifted_2 = w + 1
    if w is not None:
        w_shifted_2 = np.add(w, 1.0)
        # step 12: mean_g_xhat_unscaled = mean(dy*x*w_shifted_2)
        w_shifted_2_over_D = np.divide(w_shifted_2, D)
    rstd = rstd_rows[..., np.newaxis]
    # step 13: dw = sum over rows of dy*x*rstd
    if w is not None:
        part = dy * x
        dw = _rows.sum_of_rows(rstd.ravel(), part.reshape(-1, features))
        # step 12: mean_g_xhat_unscaled = mean(dy*x*w_shifted_2)
        mean_g_xhat_unscaled = vecdot(part, w_shifted_2_over_D)[..., np.newaxis]
    else:
        mean_g_xhat_unscaled = (vecdot(dy, x) / D)[..., np.newaxis]
    # step 5: g = dy*w_shifted_2
    if w is not None:
        g = dy * w_shifted_2
    else:
        g = dy
    # step 12: mean_g_xhat = mean_g_xhat_unscaled*rstd
    mean_g_xhat = mean_g_xhat_unscaled * rstd
    # step 12: dx = (g - x*mean_g_xhat*rstd)*rstd
    part_2 = mean_g_xhat * rstd
    dx = x * part_2
    dx = np.subtract(g, dx, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    if w is None:
        dw = None
    return dx, dw
