# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it. The tangents, and the gradients of the gradients.

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
def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    similarity_dot_rows, scale_dot = arguments
    similarity_rows, positive_rows, scale, m_rows, Z_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if scale_dot is not None:
        scale_dot = np.asarray(scale_dot, dtype)
    # step 34, pass 3: mean_index_z_dot = mean(where(index() == positive, z_dot, 0))
    index = np.arange(features)

    def block(similarity, similarity_dot, positive, m, Z, buffers=(None,) * 4):
        # step 1: z = similarity*scale
        if scale is not None:
            z = np.multiply(similarity, scale, out=buffers[0])
        else:
            z = similarity
        # step 4: similarity_shifted = z - m
        similarity_shifted = np.subtract(z, m, out=buffers[0])
        # step 5: exp_shifted = exp(similarity_shifted)
        exp_shifted = np.exp(similarity_shifted, out=similarity_shifted)
        # step 24: z_dot = similarity*scale_dot + similarity_dot*scale
        if scale_dot is not None:
            z_dot = np.multiply(similarity, scale_dot, out=buffers[1])
        if scale is not None and similarity_dot_rows is not None:
            part = np.multiply(similarity_dot, scale, out=buffers[2])
        if scale is None:
            part = similarity_dot
        if similarity_dot_rows is not None and scale_dot is not None:
            z_dot = np.add(z_dot, part, out=z_dot)
        if scale_dot is None:
            z_dot = part
        # step 34, pass 3: mean_index_z_dot = mean(where(index() == positive, z_dot, 0))
        mask = index == positive
        part_2 = _rows.select(
            mask, z_dot, 0.0, out=_rows.memory(buffers[3], shape, dtype)
        )
        mean_index_z_dot = _rows.row_sum(part_2, one_over_D)
        # step 34, pass 4: mean_exp_shifted_z_dot = mean(exp_shifted*z_dot)
        mean_exp_shifted_z_dot = _rows.row_mean(exp_shifted, z_dot, D)
        # step 34, pass 5: y_dot = (mean_exp_shifted_z_dot/Z - mean_index_z_dot)*D
        y_dot = (mean_exp_shifted_z_dot / Z - mean_index_z_dot) * D
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(similarity_rows, similarity_dot_rows),
        row_scalars=(positive_rows, m_rows, Z_rows),
        into_row_scalars=(y_dot_out,),
        buffers=4,
    )


@np.errstate(under="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddsimilarity_rows, ddscale = arguments
    similarity_rows, positive_rows, scale, m_rows, Z_rows = fields
    dsimilarity_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_mean_ddsimilarity_dz = scale is not None and ddsimilarity_rows is not None
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if ddscale is not None:
        ddscale = np.asarray(ddscale, dtype)
    # step 37, pass 7: dz = exp_shifted*dy_scaled + where(index() == positive, -dy, 0)
    if scale is not None:
        index = np.arange(features)

    def block(
        similarity,
        ddsimilarity,
        positive,
        dy,
        m,
        Z,
        dsimilarity_block=None,
        buffers=(None,) * 4,
    ):
        d2scale = None
        # step 37, pass 6: dy_scaled = dy/Z
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
        # step 37, pass 7: dz = exp_shifted*dy_scaled + where(index() == positive, -dy,
        #   0)
        if scale is not None:
            dz = _rows.by_row(np.multiply, exp_shifted, dy_scaled, out=buffers[0])
            mask = index == positive
            part = np.negative(dy)
            part_2 = _rows.select(
                mask, part, 0.0, out=_rows.memory(buffers[1], shape, dtype)
            )
            dz = np.add(dz, part_2, out=dz)
        # step 63: mean_ddsimilarity_dz = mean(ddsimilarity*dz)
        if needs_mean_ddsimilarity_dz:
            mean_ddsimilarity_dz = _rows.row_mean(ddsimilarity, dz, D)
            # step 45: ddz = ddsimilarity*scale + similarity*ddscale
            ddz = np.multiply(ddsimilarity, scale, out=buffers[1])
        if scale is None:
            ddz = ddsimilarity
        if ddscale is not None:
            part_3 = np.multiply(similarity, ddscale, out=buffers[2])
        if ddsimilarity_rows is not None and ddscale is not None:
            ddz = np.add(ddz, part_3, out=ddz)
        if ddsimilarity_rows is None:
            ddz = part_3
        # step 54, pass 8: sum_ddz_exp_shifted = sum(ddz*exp_shifted)
        sum_ddz_exp_shifted = _rows.row_sum(ddz, exp_shifted)
        # step 65, pass 9: sum_ddz_index = sum(where(index() == positive, -ddz, 0))
        part_4 = np.negative(ddz, out=buffers[3])
        sum_ddz_index = _rows.entry(part_4, positive)
        # step 54, pass 10: sum_ddz_exp_shifted_scaled = sum_ddz_exp_shifted/Z
        sum_ddz_exp_shifted_scaled = sum_ddz_exp_shifted / Z
        # step 65, pass 11: ddy = sum_ddz_index + sum_ddz_exp_shifted/Z
        ddy = sum_ddz_index + sum_ddz_exp_shifted_scaled
        # step 54, pass 12: d2similarity_shifted = (ddz -
        #   sum_ddz_exp_shifted_scaled)*exp_shifted*dy_scaled
        d2similarity_shifted = np.subtract(
            ddz, sum_ddz_exp_shifted_scaled, out=buffers[1]
        )
        d2similarity_shifted = np.multiply(
            d2similarity_shifted, exp_shifted, out=exp_shifted
        )
        d2similarity_shifted = np.multiply(
            d2similarity_shifted, dy_scaled, out=d2similarity_shifted
        )
        # step 63: mean_d2similarity_shifted_simila =
        #   mean(d2similarity_shifted*similarity)
        if scale is not None:
            mean_d2similarity_shifted_simila = _rows.row_mean(
                d2similarity_shifted, similarity, D
            )
            # step 60: d2similarity = d2similarity_shifted*scale + dz*ddscale
            d2similarity = np.multiply(
                d2similarity_shifted, scale, out=d2similarity_shifted
            )
        else:
            d2similarity = d2similarity_shifted
        if ddscale is not None:
            part_5 = np.multiply(dz, ddscale, out=dz)
            d2similarity = np.add(d2similarity, part_5, out=d2similarity)
        # step 63, pass 13: mean_d2similarity_shifted_simila_2 =
        #   (mean_d2similarity_shifted_simila + mean_ddsimilarity_dz)*D
        if needs_mean_ddsimilarity_dz:
            mean_d2similarity_shifted_simila_2 = (
                mean_d2similarity_shifted_simila + mean_ddsimilarity_dz
            )
        if ddsimilarity_rows is None:
            mean_d2similarity_shifted_simila_2 = mean_d2similarity_shifted_simila
        if scale is not None:
            mean_d2similarity_shifted_simila_2 = mean_d2similarity_shifted_simila_2 * D
            # step 63, pass 14: d2scale = sum over rows of
            #   mean_d2similarity_shifted_simila_2
            d2scale = np.add.reduce(mean_d2similarity_shifted_simila_2, axis=None)
        return d2similarity, ddy[..., 0], d2scale

    d2similarity, ddy, d2scale = _blocks.each_block(
        block,
        call,
        rows=(similarity_rows, ddsimilarity_rows),
        row_scalars=(positive_rows, dy_rows, m_rows, Z_rows),
        into=(dsimilarity_out,),
        into_row_scalars=(ddy_out,),
        buffers=4,
        sums=1,
    )
    if scale is not None:
        d2scale = np.full((), d2scale, dtype)
    return d2similarity, d2scale, ddy
