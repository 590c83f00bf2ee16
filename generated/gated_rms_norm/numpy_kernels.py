# Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
"""Root-mean-square normalization, then a gate: silu of another row. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, z_rows, gamma, eps = values
    y_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, z, gamma_wide, y_block=None, buffers=(None,)):
        # step 1: ms = mean(x**2)
        ms = _rows.row_mean(x, x, D)
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=buffers[0])
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
        # step 6: y = silu_z*xhat*gamma
        y = np.multiply(silu_z, xhat, out=xhat)
        if gamma is not None:
            y = _rows.by_feature(np.multiply, y, gamma_wide, out=y)
        return y, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows),
        features=(gamma,),
        into=(y_out,),
        into_row_scalars=(rstd_out,),
        buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    dx_out, dz_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x, z, dy, rstd, gamma_wide, dx_block=None, dz_block=None, buffers=(None,) * 2
    ):
        dgamma = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffers[0])
        # step 20: dgamma = sum over rows of dy*silu_z*xhat
        part = np.multiply(dy, silu_z, out=silu_z)
        if gamma is not None:
            part_2 = np.multiply(part, xhat, out=buffers[1])
            dgamma = _rows.sum_rows(part_2)
            # step 7: g = dy*silu_z*gamma
            g = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        else:
            g = part
        # step 13: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D)
        # step 19: dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
        dz = np.multiply(dy, sigmoid_z, out=buffers[1])
        dz = np.multiply(dz, xhat, out=dz)
        part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
        part_3 = np.multiply(part_3, z, out=part_3)
        part_3 = np.add(part_3, 1.0, out=part_3)
        dz = np.multiply(dz, part_3, out=part_3)
        if gamma is not None:
            dz = _rows.by_feature(np.multiply, dz, gamma_wide, out=dz)
        # step 13: dx = (g - xhat*mean_g_xhat)*rstd
        dx = np.multiply(xhat, mean_g_xhat, out=xhat)
        dx = np.subtract(g, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
        return dx, dz, dgamma

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, dy_rows),
        row_scalars=(rstd_rows,),
        features=(gamma,),
        into=(dx_out, dz_out),
        buffers=2,
        feature_sums=1,
    )
