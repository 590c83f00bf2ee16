# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization. The outputs and the gradients.

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

    def block(x, z, gamma_wide, y_block=None):
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=y_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=silu_z)
        # step 4: ms = mean(h**2)
        ms = _rows.row_mean(h, h, D)
        # step 5: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 6: hhat = h*rstd
        hhat = np.multiply(h, rstd, out=h)
        # step 7: y = hhat*gamma
        if gamma is not None:
            y = _rows.by_feature(np.multiply, hhat, gamma_wide, out=hhat)
        else:
            y = hhat
        return y, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows),
        features=(gamma,),
        into=(y_out,),
        into_row_scalars=(rstd_out,),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    dx_out, dz_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    # step 14, pass 1: mean_g_hhat_unscaled = mean(dy*h*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(
        x, z, dy, rstd, gamma_wide, dx_block=None, dz_block=None, buffers=(None,) * 2
    ):
        dgamma = None
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=dx_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=buffers[0])
        # step 22, pass 3: dgamma = sum over rows of dy*h*rstd
        if gamma is not None:
            part = np.multiply(dy, h, out=buffers[1])
            dgamma = _rows.sum_rows(part, rstd)
            # step 14, pass 1: mean_g_hhat_unscaled = mean(dy*h*gamma)
            mean_g_hhat_unscaled = _rows.row_sum(part, gamma_over_D)
        else:
            mean_g_hhat_unscaled = _rows.row_mean(dy, h, D)
        # step 8: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[1])
        else:
            g = dy
        # step 14, pass 2: mean_g_hhat = mean_g_hhat_unscaled*rstd
        mean_g_hhat = mean_g_hhat_unscaled * rstd
        # step 14, pass 4: dh = (g - h*mean_g_hhat*rstd)*rstd
        dh = np.multiply(h, mean_g_hhat * rstd, out=h)
        dh = np.subtract(g, dh, out=dh)
        dh = np.multiply(dh, rstd, out=dh)
        # step 15: dx = dh*silu_z
        dx = np.multiply(dh, silu_z, out=silu_z)
        # step 21: dz = dh*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
        dz = np.multiply(dh, sigmoid_z, out=dh)
        dz = np.multiply(dz, x, out=dz)
        part_2 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
        part_2 = np.multiply(part_2, z, out=part_2)
        part_2 = np.add(part_2, 1.0, out=part_2)
        dz = np.multiply(dz, part_2, out=part_2)
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
