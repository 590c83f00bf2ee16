# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
# mypy: ignore-errors
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def finite_or_zero(u):
    """The number that exponents are shifted by: inf - inf would be NaN."""
    return tl.where(tl.abs(u) == float("inf"), 0.0, u)


@triton.jit
def over_programs(place, inside, programs, width, AT_ONCE: tl.constexpr, A: tl.constexpr):
    """Add up the partial sums of all programs, in the same order each time."""
    total = tl.zeros([AT_ONCE, place.shape[1]], A)
    for first in range(0, programs, AT_ONCE):
        program = first + tl.arange(0, AT_ONCE)[:, None].to(tl.int64)
        total += tl.load(place + program*width, inside & (program < programs), 0.0)
    return tl.sum(total, 0, keep_dims=True)


@triton.jit(do_not_specialize=["rows"])
def info_nce_forward(
    similarity_ptr,
    positive_ptr,
    scale_ptr,
    y_ptr,
    m_ptr,
    Z_ptr,
    similarity_stride,
    similarity_step,
    positive_stride,
    rows,
    D,
    HAS_scale: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """z = scale*similarity
    sum_where_z = sum(where(index() == positive, z, 0))
    m = max(z)
    exp_shifted = exp(z - m)
    Z = sum(exp_shifted)
    log_Z = log(Z)
    y = m + log_Z - sum_where_z
    """
    similarity_stride = similarity_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    similarity_step = tl.cast(similarity_step, tl.int64)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        similarity_row = similarity_ptr + row*similarity_stride
        positive = tl.load(positive_ptr + row*positive_stride, there, 0).to(tl.int64)
        inside_there = there & (positive >= 0) & (positive < D)
        similarity_there = tl.load(
            similarity_row + positive*similarity_step, inside_there, 0
        ).to(A)
        z_there = similarity_there*scale  # step 1
        sum_where_z = tl.where(inside_there, z_there, 0.0)  # step 2
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            similarity = tl.load(similarity_row + d*similarity_step, inside, 0).to(A)
            z = similarity*scale  # step 1
            m_max = tl.maximum(m_max, tl.where(inside, z, -float("inf")))
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 3: max(z)
        sum_where_z_shifted = sum_where_z - m  # step 2, pass 1: offsets
        Z_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            similarity = tl.load(similarity_row + d*similarity_step, inside, 0).to(A)
            z = similarity*scale  # step 1
            similarity_shifted = z - m  # step 4
            exp_shifted = tl.exp(similarity_shifted)  # step 5
            Z_sum += tl.where(inside, exp_shifted, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 6: sum(exp_shifted)
        log_Z = tl.log(Z)  # step 7
        y = log_Z - sum_where_z_shifted  # step 8, pass 2: offsets
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(Z_ptr + row, Z, there)


@triton.jit(do_not_specialize=["rows"])
def info_nce_backward(
    similarity_ptr,
    positive_ptr,
    dy_ptr,
    m_ptr,
    Z_ptr,
    scale_ptr,
    dsimilarity_ptr,
    sums_ptr,
    similarity_stride,
    similarity_step,
    positive_stride,
    dy_stride,
    rows,
    D,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
    dz = dy*p + where(index() == positive, -dy, 0)
    dsimilarity = scale*dz
    dscale = sum_rows(sum(dz*similarity))
    """
    similarity_stride = similarity_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    similarity_step = tl.cast(similarity_step, tl.int64)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 1
    if HAS_scale:
        dscale = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        similarity_row = similarity_ptr + row*similarity_stride
        dsimilarity_row = dsimilarity_ptr + row*D
        positive = tl.load(positive_ptr + row*positive_stride, there, 0).to(tl.int64)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        dy_scaled = dy/Z  # step 21, pass 3: once a row
        if HAS_scale:
            sum_dz_similarity_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            similarity = tl.load(similarity_row + d*similarity_step, inside, 0).to(A)
            z = similarity*scale  # step 1
            similarity_shifted = z - m  # step 4
            exp_shifted = tl.exp(similarity_shifted)  # step 5
            # step 21, pass 4: once a row
            dz = exp_shifted*dy_scaled + tl.where(d == positive, -dy, 0)
            dsimilarity = dz*scale  # step 22
            if HAS_scale:
                sum_dz_similarity_sum += tl.where(inside, dz*similarity, 0.0)
            tl.store(dsimilarity_row + d, dsimilarity, inside)
        if HAS_scale:
            # step 23: sum(dz*similarity)
            sum_dz_similarity = tl.sum(sum_dz_similarity_sum, 1, keep_dims=True)
            dscale += tl.where(there, sum_dz_similarity, 0.0)  # step 23
    if HAS_scale:
        tl.store(sums_ptr, tl.sum(dscale))


@triton.jit(do_not_specialize=["programs"])
def info_nce_backward_totals(
    sums_ptr,
    dscale_ptr,
    programs,
    D,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    if HAS_scale:
        # step 23
        dscale = over_programs(
            sums_ptr + tl.zeros([1, 1], tl.int32), True, programs, 1, AT_ONCE, A
        )
        tl.store(dscale_ptr + tl.zeros([1, 1], tl.int32), dscale)


@triton.jit(do_not_specialize=["rows"])
def info_nce_jvp(
    similarity_ptr,
    positive_ptr,
    similarity_dot_ptr,
    m_ptr,
    Z_ptr,
    scale_ptr,
    scale_dot_ptr,
    y_dot_ptr,
    similarity_stride,
    similarity_step,
    positive_stride,
    similarity_dot_stride,
    similarity_dot_step,
    rows,
    D,
    HAS_scale: tl.constexpr,
    HAS_scale_dot: tl.constexpr,
    HAS_similarity_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """z_dot = scale_dot*similarity + scale*similarity_dot
    p = exp_shifted/Z
    y_dot = D*(mean(p*z_dot) - mean(where(index() == positive, z_dot, 0)))
    """
    similarity_stride = similarity_stride // EVEN * EVEN
    similarity_dot_stride = similarity_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    similarity_step = tl.cast(similarity_step, tl.int64)
    similarity_dot_step = tl.cast(similarity_dot_step, tl.int64)
    length = tl.cast(D, A)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_scale_dot:
        scale_dot = tl.load(scale_dot_ptr).to(A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        similarity_row = similarity_ptr + row*similarity_stride
        if HAS_similarity_dot:
            similarity_dot_row = similarity_dot_ptr + row*similarity_dot_stride
        positive = tl.load(positive_ptr + row*positive_stride, there, 0).to(tl.int64)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        mean_index_z_dot_sum = tl.zeros([ROWS, TILE], A)
        mean_exp_shifted_z_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            similarity = tl.load(similarity_row + d*similarity_step, inside, 0).to(A)
            if HAS_similarity_dot:
                similarity_dot = tl.load(
                    similarity_dot_row + d*similarity_dot_step, inside, 0
                ).to(A)
            z = similarity*scale  # step 1
            similarity_shifted = z - m  # step 4
            exp_shifted = tl.exp(similarity_shifted)  # step 5
            z_dot = 0.0
            if HAS_scale_dot:
                z_dot += similarity*scale_dot  # step 24
            if HAS_similarity_dot:
                z_dot += similarity_dot*scale  # step 24
            mean_index_z_dot_sum += tl.where(
                inside, tl.where(d == positive, z_dot, 0), 0.0
            )
            mean_exp_shifted_z_dot_sum += tl.where(inside, exp_shifted*z_dot, 0.0)
        # step 34, pass 5: mean(where(index() == positive, z_dot, 0))
        mean_index_z_dot = tl.sum(mean_index_z_dot_sum, 1, keep_dims=True)/length
        # step 34, pass 6: mean(exp_shifted*z_dot)
        mean_exp_shifted_z_dot = tl.sum(
            mean_exp_shifted_z_dot_sum, 1, keep_dims=True
        )/length
        y_dot = (mean_exp_shifted_z_dot/Z - mean_index_z_dot)*length  # step 34, pass 7
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def info_nce_backward_backward(
    similarity_ptr,
    positive_ptr,
    dy_ptr,
    ddsimilarity_ptr,
    m_ptr,
    Z_ptr,
    scale_ptr,
    ddscale_ptr,
    dsimilarity_ptr,
    ddy_ptr,
    sums_ptr,
    similarity_stride,
    similarity_step,
    positive_stride,
    dy_stride,
    ddsimilarity_stride,
    ddsimilarity_step,
    rows,
    D,
    HAS_ddscale: tl.constexpr,
    HAS_ddsimilarity: tl.constexpr,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
    dz = dy*p + where(index() == positive, -dy, 0)
    ddz = ddscale*similarity + scale*ddsimilarity
    d2similarity_shifted = dy*p*(ddz - sum(ddz*p))
    d2similarity = scale*d2similarity_shifted + ddscale*dz
    d2scale = sum_rows(D*(mean(d2similarity_shifted*similarity) +
        mean(ddsimilarity*dz)))
    ddy = sum(ddz*p) + sum(where(index() == positive, -ddz, 0))
    """
    similarity_stride = similarity_stride // EVEN * EVEN
    ddsimilarity_stride = ddsimilarity_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    similarity_step = tl.cast(similarity_step, tl.int64)
    ddsimilarity_step = tl.cast(ddsimilarity_step, tl.int64)
    length = tl.cast(D, A)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_ddscale:
        ddscale = tl.load(ddscale_ptr).to(A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 1
    if HAS_scale:
        d2scale = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        similarity_row = similarity_ptr + row*similarity_stride
        if HAS_ddsimilarity:
            ddsimilarity_row = ddsimilarity_ptr + row*ddsimilarity_stride
        dsimilarity_row = dsimilarity_ptr + row*D
        positive = tl.load(positive_ptr + row*positive_stride, there, 0).to(tl.int64)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        dy_scaled = dy/Z  # step 37, pass 8: once a row
        inside_there = there & (positive >= 0) & (positive < D)
        similarity_there = tl.load(
            similarity_row + positive*similarity_step, inside_there, 0
        ).to(A)
        if HAS_ddsimilarity:
            ddsimilarity_there = tl.load(
                ddsimilarity_row + positive*ddsimilarity_step, inside_there, 0
            ).to(A)
        ddz_there = 0.0
        if HAS_ddsimilarity:
            ddz_there += ddsimilarity_there*scale  # step 45
        if HAS_ddscale:
            ddz_there += similarity_there*ddscale  # step 45
        sum_ddz_index = tl.where(inside_there, -ddz_there, 0.0)  # step 65, pass 11
        sum_ddz_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddsimilarity and HAS_scale:
            mean_ddsimilarity_dz_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            similarity = tl.load(similarity_row + d*similarity_step, inside, 0).to(A)
            if HAS_ddsimilarity:
                ddsimilarity = tl.load(
                    ddsimilarity_row + d*ddsimilarity_step, inside, 0
                ).to(A)
            z = similarity*scale  # step 1
            similarity_shifted = z - m  # step 4
            exp_shifted = tl.exp(similarity_shifted)  # step 5
            if HAS_ddscale or (HAS_ddsimilarity and HAS_scale):
                # step 37, pass 9: once a row
                dz = exp_shifted*dy_scaled + tl.where(d == positive, -dy, 0)
            ddz = 0.0
            if HAS_ddsimilarity:
                ddz += ddsimilarity*scale  # step 45
            if HAS_ddscale:
                ddz += similarity*ddscale  # step 45
            sum_ddz_exp_shifted_sum += tl.where(inside, ddz*exp_shifted, 0.0)
            if HAS_ddsimilarity and HAS_scale:
                mean_ddsimilarity_dz_sum += tl.where(inside, ddsimilarity*dz, 0.0)
        # step 54, pass 10: sum(ddz*exp_shifted)
        sum_ddz_exp_shifted = tl.sum(sum_ddz_exp_shifted_sum, 1, keep_dims=True)
        if HAS_ddsimilarity and HAS_scale:
            # step 63: mean(ddsimilarity*dz)
            mean_ddsimilarity_dz = tl.sum(
                mean_ddsimilarity_dz_sum, 1, keep_dims=True
            )/length
        sum_ddz_exp_shifted_scaled = sum_ddz_exp_shifted/Z  # step 54, pass 12
        ddy = sum_ddz_index + sum_ddz_exp_shifted/Z  # step 65, pass 13: written out
        if HAS_scale:
            mean_d2similarity_shifted_simila_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            similarity = tl.load(similarity_row + d*similarity_step, inside, 0).to(A)
            if HAS_ddsimilarity:
                ddsimilarity = tl.load(
                    ddsimilarity_row + d*ddsimilarity_step, inside, 0
                ).to(A)
            z = similarity*scale  # step 1
            similarity_shifted = z - m  # step 4
            exp_shifted = tl.exp(similarity_shifted)  # step 5
            if HAS_ddscale or (HAS_ddsimilarity and HAS_scale):
                # step 37, pass 9: once a row
                dz = exp_shifted*dy_scaled + tl.where(d == positive, -dy, 0)
            ddz = 0.0
            if HAS_ddsimilarity:
                ddz += ddsimilarity*scale  # step 45
            if HAS_ddscale:
                ddz += similarity*ddscale  # step 45
            # step 54, pass 14: once a row
            d2similarity_shifted = (
                ddz - sum_ddz_exp_shifted_scaled
            )*exp_shifted*dy_scaled
            d2similarity = d2similarity_shifted*scale  # step 60
            if HAS_ddscale:
                d2similarity += dz*ddscale  # step 60
            if HAS_scale:
                mean_d2similarity_shifted_simila_sum += tl.where(
                    inside, d2similarity_shifted*similarity, 0.0
                )
            tl.store(dsimilarity_row + d, d2similarity, inside)
        if HAS_scale:
            # step 63: mean(d2similarity_shifted*similarity)
            mean_d2similarity_shifted_simila = tl.sum(
                mean_d2similarity_shifted_simila_sum, 1, keep_dims=True
            )/length
            mean_d2similarity_shifted_simila_2_part = mean_d2similarity_shifted_simila
        if HAS_ddsimilarity and HAS_scale:
            mean_d2similarity_shifted_simila_2_part += mean_ddsimilarity_dz
        if HAS_scale:
            # step 63, pass 15: once a row
            mean_d2similarity_shifted_simila_2 = (
                mean_d2similarity_shifted_simila_2_part*length
            )
            # step 63, pass 16: once a row
            d2scale += tl.where(there, mean_d2similarity_shifted_simila_2, 0.0)
        tl.store(ddy_ptr + row, ddy, there)
    if HAS_scale:
        tl.store(sums_ptr, tl.sum(d2scale))


@triton.jit(do_not_specialize=["programs"])
def info_nce_backward_backward_totals(
    sums_ptr,
    dscale_ptr,
    programs,
    D,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    if HAS_scale:
        # step 63, pass 16: once a row
        d2scale = over_programs(
            sums_ptr + tl.zeros([1, 1], tl.int32), True, programs, 1, AT_ONCE, A
        )
        tl.store(dscale_ptr + tl.zeros([1, 1], tl.int32), d2scale)
