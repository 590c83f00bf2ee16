# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


@np.errstate(under="ignore")
def forward(values, results, call):
    """The outputs and the saved row scalars."""
    similarity_rows, positive_rows, scale = values
    y_out, m_out, Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)

    def block(similarity, positive, buffers=(None,)):
        # step 1: z = similarity*scale
        if scale is not None:
            z = np.multiply(similarity, scale, out=buffers[0])
        else:
            z = similarity
        # step 2: sum_where_z = sum(where(index() == positive, z, 0))
        sum_where_z = _rows.entry(z, positive)
        # step 3: m = max(z)
        m = _rows.shift(z)
        # step 4: similarity_shifted = z - m
        similarity_shifted = np.subtract(z, m, out=buffers[0])
        # step 5: exp_shifted = exp(similarity_shifted)
        exp_shifted = np.exp(similarity_shifted, out=similarity_shifted)
        # step 6: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones)
        # step 7: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 8: y = log_Z + m - sum_where_z
        y = log_Z + m - sum_where_z
        return y[..., 0], m[..., 0], Z[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(similarity_rows,),
        row_scalars=(positive_rows,),
        into_row_scalars=(y_out, m_out, Z_out),
        buffers=1,
    )


@np.errstate(under="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    similarity_rows, positive_rows, scale, m_rows, Z_rows = fields
    dsimilarity_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    if scale is not None:
        scale = np.asarray(scale, dtype)
    # step 21, pass 2: dz = exp_shifted*dy_scaled + where(index() == positive, -dy, 0)
    index = np.arange(features)

    def block(similarity, positive, dy, m, Z, dsimilarity_block=None, buffers=(None,)):
        dscale = None
        # step 21, pass 1: dy_scaled = dy/Z
        dy_scaled = dy / Z
        # step 1: z = similarity*scale
        if scale is not None:
            z = np.multiply(similarity, scale, out=dsimilarity_block)
        else:
            z = similarity
        # step 4: similarity_shifted = z - m
        similarity_shifted = np.subtract(z, m, out=dsimilarity_block)
        # step 5: exp_shifted = exp(similarity_shifted)
        exp_shifted = np.exp(similarity_shifted, out=similarity_shifted)
        # step 21, pass 2: dz = exp_shifted*dy_scaled + where(index() == positive, -dy,
        #   0)
        dz = np.multiply(exp_shifted, dy_scaled, out=exp_shifted)
        mask = index == positive
        part = np.negative(dy)
        part_2 = _rows.select(
            mask, part, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        dz = np.add(dz, part_2, out=dz)
        # step 23: sum_dz_similarity = sum(dz*similarity)
        if scale is not None:
            sum_dz_similarity = _rows.row_sum(dz, similarity)
            # step 23: dscale = sum over rows of sum_dz_similarity
            dscale = np.add.reduce(sum_dz_similarity, axis=None)
            # step 22: dsimilarity = dz*scale
            dsimilarity = np.multiply(dz, scale, out=dz)
        else:
            dsimilarity = dz
        return dsimilarity, dscale

    dsimilarity, dscale = _blocks.each_block(
        block,
        call,
        rows=(similarity_rows,),
        row_scalars=(positive_rows, dy_rows, m_rows, Z_rows),
        into=(dsimilarity_out,),
        buffers=1,
        sums=1,
    )
    if scale is not None:
        dscale = np.full((), dscale, dtype)
    return dsimilarity, dscale
