# Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
# definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
# mypy: ignore-errors
"""Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def add_to(place, value, inside):
    """Add the entries of some rows to sums in memory that this program alone has."""
    tl.store(place, tl.load(place, inside, 0.0) + tl.sum(value, 0, keep_dims=True), inside)


@triton.jit
def over_programs(place, inside, programs, width, AT_ONCE: tl.constexpr, A: tl.constexpr):
    """Add up the partial sums of all programs, in the same order each time."""
    total = tl.zeros([AT_ONCE, place.shape[1]], A)
    for first in range(0, programs, AT_ONCE):
        program = first + tl.arange(0, AT_ONCE)[:, None].to(tl.int64)
        total += tl.load(place + program*width, inside & (program < programs), 0.0)
    return tl.sum(total, 0, keep_dims=True)


@triton.jit(do_not_specialize=["rows"])
def rms_norm_rotary_forward(
    a_ptr,
    b_ptr,
    cosine_ptr,
    sine_ptr,
    weight_0_ptr,
    weight_1_ptr,
    eps: tl.float64,
    y_0_ptr,
    y_1_ptr,
    rstd_ptr,
    a_stride_b,
    a_stride_h,
    a_stride_t,
    a_step,
    b_stride_b,
    b_stride_h,
    b_stride_t,
    b_step,
    cosine_stride_t,
    cosine_step,
    sine_stride_t,
    sine_step,
    y_0_stride_b,
    y_0_stride_h,
    y_0_stride_t,
    y_0_step,
    y_1_stride_b,
    y_1_stride_h,
    y_1_stride_t,
    y_1_step,
    h_size,
    t_size,
    rows,
    D,
    HAS_weight_0: tl.constexpr,
    HAS_weight_1: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """a = at(x, s=0)
    b = at(x, s=1)
    weight_0 = at(weight, s=0)
    weight_1 = at(weight, s=1)
    mu = mean(a**2 + b**2)
    rstd = 1/sqrt(mu/2 + eps)
    ahat = rstd*a
    u = weight_0*ahat
    bhat = rstd*b
    v = weight_1*bhat
    y_0 = cosine*u - sine*v
    y_1 = cosine*v + sine*u
    y = join(y_0, y_1)
    """
    a_stride_b = a_stride_b // EVEN * EVEN
    a_stride_h = a_stride_h // EVEN * EVEN
    a_stride_t = a_stride_t // EVEN * EVEN
    b_stride_b = b_stride_b // EVEN * EVEN
    b_stride_h = b_stride_h // EVEN * EVEN
    b_stride_t = b_stride_t // EVEN * EVEN
    cosine_stride_t = cosine_stride_t // EVEN * EVEN
    sine_stride_t = sine_stride_t // EVEN * EVEN
    y_0_stride_b = y_0_stride_b // EVEN * EVEN
    y_0_stride_h = y_0_stride_h // EVEN * EVEN
    y_0_stride_t = y_0_stride_t // EVEN * EVEN
    y_1_stride_b = y_1_stride_b // EVEN * EVEN
    y_1_stride_h = y_1_stride_h // EVEN * EVEN
    y_1_stride_t = y_1_stride_t // EVEN * EVEN
    D = D // EVEN * EVEN
    a_step = tl.cast(a_step, tl.int64)
    b_step = tl.cast(b_step, tl.int64)
    cosine_step = tl.cast(cosine_step, tl.int64)
    sine_step = tl.cast(sine_step, tl.int64)
    y_0_step = tl.cast(y_0_step, tl.int64)
    y_1_step = tl.cast(y_1_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*t_size)
        h_index = row // t_size % h_size
        t_index = row % t_size
        a_row = a_ptr + b_index*a_stride_b + h_index*a_stride_h + t_index*a_stride_t
        b_row = b_ptr + b_index*b_stride_b + h_index*b_stride_h + t_index*b_stride_t
        cosine_row = cosine_ptr + t_index*cosine_stride_t
        sine_row = sine_ptr + t_index*sine_stride_t
        y_0_row = (
            y_0_ptr + b_index*y_0_stride_b + h_index*y_0_stride_h + t_index*y_0_stride_t
        )
        y_1_row = (
            y_1_ptr + b_index*y_1_stride_b + h_index*y_1_stride_h + t_index*y_1_stride_t
        )
        mu_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            total = a*a + b*b  # step 1
            mu_sum += tl.where(inside, total, 0.0)
        mu = tl.sum(mu_sum, 1, keep_dims=True)/length  # step 2: mean(total)
        rstd = tl.rsqrt(0.5*mu + eps)  # step 3
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            weight_0 = (
                tl.load(weight_0_ptr + d, d < D, 0).to(A) if HAS_weight_0 else 1.0
            )
            weight_1 = (
                tl.load(weight_1_ptr + d, d < D, 0).to(A) if HAS_weight_1 else 1.0
            )
            ahat = a*rstd  # step 4
            u = ahat*weight_0  # step 5
            bhat = b*rstd  # step 6
            v = bhat*weight_1  # step 7
            y_0 = cosine*u - sine*v  # step 8
            y_1 = cosine*v + sine*u  # step 9
            tl.store(y_0_row + d*y_0_step, y_0, inside)
            tl.store(y_1_row + d*y_1_step, y_1, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def rms_norm_rotary_backward(
    a_ptr,
    b_ptr,
    cosine_ptr,
    sine_ptr,
    dy_0_ptr,
    dy_1_ptr,
    rstd_ptr,
    weight_0_ptr,
    weight_1_ptr,
    da_ptr,
    db_ptr,
    sums_ptr,
    a_stride_b,
    a_stride_h,
    a_stride_t,
    a_step,
    b_stride_b,
    b_stride_h,
    b_stride_t,
    b_step,
    cosine_stride_t,
    cosine_step,
    sine_stride_t,
    sine_step,
    dy_0_stride_b,
    dy_0_stride_h,
    dy_0_stride_t,
    dy_0_step,
    dy_1_stride_b,
    dy_1_stride_h,
    dy_1_stride_t,
    dy_1_step,
    da_stride_b,
    da_stride_h,
    da_stride_t,
    da_step,
    db_stride_b,
    db_stride_h,
    db_stride_t,
    db_step,
    h_size,
    t_size,
    rows,
    D,
    HAS_dy_0: tl.constexpr,
    HAS_dy_1: tl.constexpr,
    HAS_weight_0: tl.constexpr,
    HAS_weight_1: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dy_0 = at(dy, s=0)
    dy_1 = at(dy, s=1)
    dv = cosine*dy_1 - dy_0*sine
    dbhat = weight_1*dv
    du = cosine*dy_0 + dy_1*sine
    dahat = weight_0*du
    dtotal = -rstd**3*(mean(a*dahat) + mean(b*dbhat))/4
    da = rstd*dahat + 2*a*dtotal
    db = rstd*dbhat + 2*b*dtotal
    dweight_0 = sum_rows(ahat*du)
    dweight_1 = sum_rows(bhat*dv)
    dx = join(da, db)
    dweight = join(dweight_0, dweight_1)
    """
    a_stride_b = a_stride_b // EVEN * EVEN
    a_stride_h = a_stride_h // EVEN * EVEN
    a_stride_t = a_stride_t // EVEN * EVEN
    b_stride_b = b_stride_b // EVEN * EVEN
    b_stride_h = b_stride_h // EVEN * EVEN
    b_stride_t = b_stride_t // EVEN * EVEN
    cosine_stride_t = cosine_stride_t // EVEN * EVEN
    sine_stride_t = sine_stride_t // EVEN * EVEN
    dy_0_stride_b = dy_0_stride_b // EVEN * EVEN
    dy_0_stride_h = dy_0_stride_h // EVEN * EVEN
    dy_0_stride_t = dy_0_stride_t // EVEN * EVEN
    dy_1_stride_b = dy_1_stride_b // EVEN * EVEN
    dy_1_stride_h = dy_1_stride_h // EVEN * EVEN
    dy_1_stride_t = dy_1_stride_t // EVEN * EVEN
    da_stride_b = da_stride_b // EVEN * EVEN
    da_stride_h = da_stride_h // EVEN * EVEN
    da_stride_t = da_stride_t // EVEN * EVEN
    db_stride_b = db_stride_b // EVEN * EVEN
    db_stride_h = db_stride_h // EVEN * EVEN
    db_stride_t = db_stride_t // EVEN * EVEN
    D = D // EVEN * EVEN
    a_step = tl.cast(a_step, tl.int64)
    b_step = tl.cast(b_step, tl.int64)
    cosine_step = tl.cast(cosine_step, tl.int64)
    sine_step = tl.cast(sine_step, tl.int64)
    dy_0_step = tl.cast(dy_0_step, tl.int64)
    dy_1_step = tl.cast(dy_1_step, tl.int64)
    da_step = tl.cast(da_step, tl.int64)
    db_step = tl.cast(db_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 2*D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        weight_0 = tl.load(weight_0_ptr + d, d < D, 0).to(A) if HAS_weight_0 else 1.0
        weight_1 = tl.load(weight_1_ptr + d, d < D, 0).to(A) if HAS_weight_1 else 1.0
        if HAS_weight_0:
            dweight_0 = tl.zeros([ROWS, TILE], A)
        if HAS_weight_1:
            dweight_1 = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_weight_0:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
            if HAS_weight_1:
                tl.store(sums_ptr + D + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*t_size)
        h_index = row // t_size % h_size
        t_index = row % t_size
        a_row = a_ptr + b_index*a_stride_b + h_index*a_stride_h + t_index*a_stride_t
        b_row = b_ptr + b_index*b_stride_b + h_index*b_stride_h + t_index*b_stride_t
        cosine_row = cosine_ptr + t_index*cosine_stride_t
        sine_row = sine_ptr + t_index*sine_stride_t
        if HAS_dy_0:
            dy_0_row = (
                dy_0_ptr
                + b_index*dy_0_stride_b
                + h_index*dy_0_stride_h
                + t_index*dy_0_stride_t
            )
        if HAS_dy_1:
            dy_1_row = (
                dy_1_ptr
                + b_index*dy_1_stride_b
                + h_index*dy_1_stride_h
                + t_index*dy_1_stride_t
            )
        da_row = (
            da_ptr + b_index*da_stride_b + h_index*da_stride_h + t_index*da_stride_t
        )
        db_row = (
            db_ptr + b_index*db_stride_b + h_index*db_stride_h + t_index*db_stride_t
        )
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_a_dahat_sum = tl.zeros([ROWS, TILE], A)
        mean_b_dbhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            if HAS_dy_0:
                dy_0 = tl.load(dy_0_row + d*dy_0_step, inside, 0).to(A)
            if HAS_dy_1:
                dy_1 = tl.load(dy_1_row + d*dy_1_step, inside, 0).to(A)
            if not WHOLE:
                weight_0 = (
                    tl.load(weight_0_ptr + d, d < D, 0).to(A) if HAS_weight_0 else 1.0
                )
            if not WHOLE:
                weight_1 = (
                    tl.load(weight_1_ptr + d, d < D, 0).to(A) if HAS_weight_1 else 1.0
                )
            if HAS_weight_0:
                ahat = a*rstd  # step 4
            if HAS_weight_1:
                bhat = b*rstd  # step 6
            dv = 0.0
            if HAS_dy_1:
                dv += cosine*dy_1  # step 12
            if HAS_dy_0:
                dv -= dy_0*sine  # step 12
            dbhat = dv*weight_1  # step 13
            du = 0.0
            if HAS_dy_0:
                du += cosine*dy_0  # step 10
            if HAS_dy_1:
                du += dy_1*sine  # step 10
            dahat = du*weight_0  # step 11
            mean_a_dahat_sum += tl.where(inside, a*dahat, 0.0)
            mean_b_dbhat_sum += tl.where(inside, b*dbhat, 0.0)
            if HAS_weight_0:
                if WHOLE:
                    dweight_0 += tl.where(inside, ahat*du, 0.0)  # step 25
                else:
                    add_to(sums_ptr + d, tl.where(inside, ahat*du, 0.0), d < D)
            if HAS_weight_1:
                if WHOLE:
                    dweight_1 += tl.where(inside, bhat*dv, 0.0)  # step 26
                else:
                    add_to(sums_ptr + D + d, tl.where(inside, bhat*dv, 0.0), d < D)
        mean_a_dahat = tl.sum(mean_a_dahat_sum, 1, keep_dims=True)/length  # step 18
        mean_b_dbhat = tl.sum(mean_b_dbhat_sum, 1, keep_dims=True)/length  # step 18
        # step 18, pass 3: once a row
        mean_b_dbhat_scaled = -0.25*(mean_a_dahat + mean_b_dbhat)*(rstd*rstd*rstd)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            if HAS_dy_0:
                dy_0 = tl.load(dy_0_row + d*dy_0_step, inside, 0).to(A)
            if HAS_dy_1:
                dy_1 = tl.load(dy_1_row + d*dy_1_step, inside, 0).to(A)
            if not WHOLE:
                weight_0 = (
                    tl.load(weight_0_ptr + d, d < D, 0).to(A) if HAS_weight_0 else 1.0
                )
            if not WHOLE:
                weight_1 = (
                    tl.load(weight_1_ptr + d, d < D, 0).to(A) if HAS_weight_1 else 1.0
                )
            dv = 0.0
            if HAS_dy_1:
                dv += cosine*dy_1  # step 12
            if HAS_dy_0:
                dv -= dy_0*sine  # step 12
            dbhat = dv*weight_1  # step 13
            du = 0.0
            if HAS_dy_0:
                du += cosine*dy_0  # step 10
            if HAS_dy_1:
                du += dy_1*sine  # step 10
            dahat = du*weight_0  # step 11
            dtotal = mean_b_dbhat_scaled  # step 18, pass 6: once a row
            da = dahat*rstd + 2*a*dtotal  # step 21
            db = dbhat*rstd + 2*b*dtotal  # step 24
            tl.store(da_row + d*da_step, da, inside)
            tl.store(db_row + d*db_step, db, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_weight_0:
            tl.store(sums_ptr + d, tl.sum(dweight_0, 0, keep_dims=True), d < D)
        if HAS_weight_1:
            tl.store(sums_ptr + D + d, tl.sum(dweight_1, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def rms_norm_rotary_backward_totals(
    sums_ptr,
    dweight_0_ptr,
    dweight_1_ptr,
    programs,
    D,
    HAS_weight_0: tl.constexpr,
    HAS_weight_1: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if HAS_weight_0:
            dweight_0 = over_programs(sums_ptr + d, d < D, programs, 2*D, AT_ONCE, A)
        if HAS_weight_1:
            dweight_1 = over_programs(
                sums_ptr + D + d, d < D, programs, 2*D, AT_ONCE, A
            )
        if HAS_weight_0:
            tl.store(dweight_0_ptr + d, dweight_0, inside)
        if HAS_weight_1:
            tl.store(dweight_1_ptr + d, dweight_1, inside)


@triton.jit(do_not_specialize=["rows"])
def rms_norm_rotary_jvp(
    a_ptr,
    b_ptr,
    cosine_ptr,
    sine_ptr,
    a_dot_ptr,
    b_dot_ptr,
    rstd_ptr,
    weight_0_ptr,
    weight_1_ptr,
    weight_0_dot_ptr,
    weight_1_dot_ptr,
    y_0_dot_ptr,
    y_1_dot_ptr,
    a_stride_b,
    a_stride_h,
    a_stride_t,
    a_step,
    b_stride_b,
    b_stride_h,
    b_stride_t,
    b_step,
    cosine_stride_t,
    cosine_step,
    sine_stride_t,
    sine_step,
    a_dot_stride_b,
    a_dot_stride_h,
    a_dot_stride_t,
    a_dot_step,
    b_dot_stride_b,
    b_dot_stride_h,
    b_dot_stride_t,
    b_dot_step,
    y_0_dot_stride_b,
    y_0_dot_stride_h,
    y_0_dot_stride_t,
    y_0_dot_step,
    y_1_dot_stride_b,
    y_1_dot_stride_h,
    y_1_dot_stride_t,
    y_1_dot_step,
    h_size,
    t_size,
    rows,
    D,
    HAS_a_dot: tl.constexpr,
    HAS_b_dot: tl.constexpr,
    HAS_weight_0: tl.constexpr,
    HAS_weight_0_dot: tl.constexpr,
    HAS_weight_1: tl.constexpr,
    HAS_weight_1_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """a_dot = at(x_dot, s=0)
    b_dot = at(x_dot, s=1)
    weight_0_dot = at(weight_dot, s=0)
    weight_1_dot = at(weight_dot, s=1)
    rstd_dot = -rstd**3*mean(2*a*a_dot + 2*b*b_dot)/4
    u_dot = weight_0_dot*ahat + weight_0*(rstd_dot*a + rstd*a_dot)
    v_dot = weight_1_dot*bhat + weight_1*(rstd_dot*b + rstd*b_dot)
    y_0_dot = cosine*u_dot - sine*v_dot
    y_1_dot = cosine*v_dot + sine*u_dot
    y_dot = join(y_0_dot, y_1_dot)
    """
    a_stride_b = a_stride_b // EVEN * EVEN
    a_stride_h = a_stride_h // EVEN * EVEN
    a_stride_t = a_stride_t // EVEN * EVEN
    b_stride_b = b_stride_b // EVEN * EVEN
    b_stride_h = b_stride_h // EVEN * EVEN
    b_stride_t = b_stride_t // EVEN * EVEN
    cosine_stride_t = cosine_stride_t // EVEN * EVEN
    sine_stride_t = sine_stride_t // EVEN * EVEN
    a_dot_stride_b = a_dot_stride_b // EVEN * EVEN
    a_dot_stride_h = a_dot_stride_h // EVEN * EVEN
    a_dot_stride_t = a_dot_stride_t // EVEN * EVEN
    b_dot_stride_b = b_dot_stride_b // EVEN * EVEN
    b_dot_stride_h = b_dot_stride_h // EVEN * EVEN
    b_dot_stride_t = b_dot_stride_t // EVEN * EVEN
    y_0_dot_stride_b = y_0_dot_stride_b // EVEN * EVEN
    y_0_dot_stride_h = y_0_dot_stride_h // EVEN * EVEN
    y_0_dot_stride_t = y_0_dot_stride_t // EVEN * EVEN
    y_1_dot_stride_b = y_1_dot_stride_b // EVEN * EVEN
    y_1_dot_stride_h = y_1_dot_stride_h // EVEN * EVEN
    y_1_dot_stride_t = y_1_dot_stride_t // EVEN * EVEN
    D = D // EVEN * EVEN
    a_step = tl.cast(a_step, tl.int64)
    b_step = tl.cast(b_step, tl.int64)
    cosine_step = tl.cast(cosine_step, tl.int64)
    sine_step = tl.cast(sine_step, tl.int64)
    a_dot_step = tl.cast(a_dot_step, tl.int64)
    b_dot_step = tl.cast(b_dot_step, tl.int64)
    y_0_dot_step = tl.cast(y_0_dot_step, tl.int64)
    y_1_dot_step = tl.cast(y_1_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*t_size)
        h_index = row // t_size % h_size
        t_index = row % t_size
        if HAS_a_dot or HAS_b_dot or HAS_weight_0_dot:
            a_row = a_ptr + b_index*a_stride_b + h_index*a_stride_h + t_index*a_stride_t
        if HAS_a_dot or HAS_b_dot or HAS_weight_1_dot:
            b_row = b_ptr + b_index*b_stride_b + h_index*b_stride_h + t_index*b_stride_t
        cosine_row = cosine_ptr + t_index*cosine_stride_t
        sine_row = sine_ptr + t_index*sine_stride_t
        if HAS_a_dot:
            a_dot_row = (
                a_dot_ptr
                + b_index*a_dot_stride_b
                + h_index*a_dot_stride_h
                + t_index*a_dot_stride_t
            )
        if HAS_b_dot:
            b_dot_row = (
                b_dot_ptr
                + b_index*b_dot_stride_b
                + h_index*b_dot_stride_h
                + t_index*b_dot_stride_t
            )
        y_0_dot_row = (
            y_0_dot_ptr
            + b_index*y_0_dot_stride_b
            + h_index*y_0_dot_stride_h
            + t_index*y_0_dot_stride_t
        )
        y_1_dot_row = (
            y_1_dot_ptr
            + b_index*y_1_dot_stride_b
            + h_index*y_1_dot_stride_h
            + t_index*y_1_dot_stride_t
        )
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_a_dot or HAS_b_dot:
            mean_a_a_dot_b_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_a_dot or HAS_b_dot or HAS_weight_0_dot:
                a = tl.load(a_row + d*a_step, inside, 0).to(A)
            if HAS_a_dot or HAS_b_dot or HAS_weight_1_dot:
                b = tl.load(b_row + d*b_step, inside, 0).to(A)
            if HAS_a_dot:
                a_dot = tl.load(a_dot_row + d*a_dot_step, inside, 0).to(A)
            if HAS_b_dot:
                b_dot = tl.load(b_dot_row + d*b_dot_step, inside, 0).to(A)
            if HAS_a_dot or HAS_b_dot:
                mean_a_a_dot_b_part = 0.0
            if HAS_a_dot:
                mean_a_a_dot_b_part += 2*a*a_dot
            if HAS_b_dot:
                mean_a_a_dot_b_part += 2*b*b_dot
            if HAS_a_dot or HAS_b_dot:
                mean_a_a_dot_b_sum += tl.where(inside, mean_a_a_dot_b_part, 0.0)
        if HAS_a_dot or HAS_b_dot:
            # step 31: mean(2*a*a_dot + 2*b*b_dot)
            mean_a_a_dot_b = tl.sum(mean_a_a_dot_b_sum, 1, keep_dims=True)/length
            rstd_dot = -0.25*mean_a_a_dot_b*(rstd*rstd*rstd)  # step 31
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_a_dot or HAS_b_dot or HAS_weight_0_dot:
                a = tl.load(a_row + d*a_step, inside, 0).to(A)
            if HAS_a_dot or HAS_b_dot or HAS_weight_1_dot:
                b = tl.load(b_row + d*b_step, inside, 0).to(A)
            cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            if HAS_a_dot:
                a_dot = tl.load(a_dot_row + d*a_dot_step, inside, 0).to(A)
            if HAS_b_dot:
                b_dot = tl.load(b_dot_row + d*b_dot_step, inside, 0).to(A)
            if HAS_a_dot or HAS_b_dot:
                weight_0 = (
                    tl.load(weight_0_ptr + d, d < D, 0).to(A) if HAS_weight_0 else 1.0
                )
                weight_1 = (
                    tl.load(weight_1_ptr + d, d < D, 0).to(A) if HAS_weight_1 else 1.0
                )
            if HAS_weight_0_dot:
                weight_0_dot = tl.load(weight_0_dot_ptr + d, d < D, 0).to(A)
            if HAS_weight_1_dot:
                weight_1_dot = tl.load(weight_1_dot_ptr + d, d < D, 0).to(A)
            if HAS_weight_0_dot:
                ahat = a*rstd  # step 4
            if HAS_weight_1_dot:
                bhat = b*rstd  # step 6
            if HAS_a_dot or HAS_b_dot:
                u_dot_part = 0.0
            if HAS_a_dot:
                u_dot_part += a_dot*rstd
            if HAS_a_dot or HAS_b_dot:
                u_dot_part += a*rstd_dot
            if HAS_a_dot or HAS_b_dot or HAS_weight_0_dot:
                u_dot = 0.0
            if HAS_weight_0_dot:
                u_dot += ahat*weight_0_dot  # step 34
            if HAS_a_dot or HAS_b_dot:
                u_dot += u_dot_part*weight_0  # step 34
                v_dot_part = 0.0
            if HAS_b_dot:
                v_dot_part += b_dot*rstd
            if HAS_a_dot or HAS_b_dot:
                v_dot_part += b*rstd_dot
            if HAS_a_dot or HAS_b_dot or HAS_weight_1_dot:
                v_dot = 0.0
            if HAS_weight_1_dot:
                v_dot += bhat*weight_1_dot  # step 37
            if HAS_a_dot or HAS_b_dot:
                v_dot += v_dot_part*weight_1  # step 37
            y_0_dot = 0.0
            if HAS_a_dot or HAS_b_dot or HAS_weight_0_dot:
                y_0_dot += cosine*u_dot  # step 38
            if HAS_a_dot or HAS_b_dot or HAS_weight_1_dot:
                y_0_dot -= sine*v_dot  # step 38
            y_1_dot = 0.0
            if HAS_a_dot or HAS_b_dot or HAS_weight_1_dot:
                y_1_dot += cosine*v_dot  # step 39
            if HAS_a_dot or HAS_b_dot or HAS_weight_0_dot:
                y_1_dot += sine*u_dot  # step 39
            tl.store(y_0_dot_row + d*y_0_dot_step, y_0_dot, inside)
            tl.store(y_1_dot_row + d*y_1_dot_step, y_1_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def rms_norm_rotary_backward_backward(
    a_ptr,
    b_ptr,
    cosine_ptr,
    sine_ptr,
    dy_0_ptr,
    dy_1_ptr,
    dda_ptr,
    ddb_ptr,
    rstd_ptr,
    weight_0_ptr,
    weight_1_ptr,
    ddweight_0_ptr,
    ddweight_1_ptr,
    da_ptr,
    db_ptr,
    ddy_0_ptr,
    ddy_1_ptr,
    sums_ptr,
    a_stride_b,
    a_stride_h,
    a_stride_t,
    a_step,
    b_stride_b,
    b_stride_h,
    b_stride_t,
    b_step,
    cosine_stride_t,
    cosine_step,
    sine_stride_t,
    sine_step,
    dy_0_stride_b,
    dy_0_stride_h,
    dy_0_stride_t,
    dy_0_step,
    dy_1_stride_b,
    dy_1_stride_h,
    dy_1_stride_t,
    dy_1_step,
    dda_stride_b,
    dda_stride_h,
    dda_stride_t,
    dda_step,
    ddb_stride_b,
    ddb_stride_h,
    ddb_stride_t,
    ddb_step,
    da_stride_b,
    da_stride_h,
    da_stride_t,
    da_step,
    db_stride_b,
    db_stride_h,
    db_stride_t,
    db_step,
    ddy_0_stride_b,
    ddy_0_stride_h,
    ddy_0_stride_t,
    ddy_0_step,
    ddy_1_stride_b,
    ddy_1_stride_h,
    ddy_1_stride_t,
    ddy_1_step,
    h_size,
    t_size,
    rows,
    D,
    HAS_dda: tl.constexpr,
    HAS_ddb: tl.constexpr,
    HAS_ddweight_0: tl.constexpr,
    HAS_ddweight_1: tl.constexpr,
    HAS_dy_0: tl.constexpr,
    HAS_dy_1: tl.constexpr,
    HAS_weight_0: tl.constexpr,
    HAS_weight_1: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dy_0 = at(dy, s=0)
    dy_1 = at(dy, s=1)
    dda = at(ddx, s=0)
    ddb = at(ddx, s=1)
    ddweight_0 = at(ddweight, s=0)
    ddweight_1 = at(ddweight, s=1)
    dv = cosine*dy_1 - dy_0*sine
    dbhat = weight_1*dv
    du = cosine*dy_0 + dy_1*sine
    dahat = weight_0*du
    mean_a_dahat = mean(a*dahat)
    mean_b_dbhat = mean(b*dbhat)
    dtotal = -rstd**3*(mean_a_dahat + mean_b_dbhat)/4
    ddtotal = 2*a*dda + 2*b*ddb
    ddahat = rstd*dda - rstd**2*ahat*mean(ddtotal)/4
    ddu = weight_0*ddahat + ddweight_0*ahat
    ddbhat = rstd*ddb - rstd**2*bhat*mean(ddtotal)/4
    ddv = weight_1*ddbhat + ddweight_1*bhat
    d2total = -0.0625*rstd**3*(4*mean(dahat*dda) + 4*mean(dbhat*ddb) +
        4*mean(ddweight_0*a*du) + 4*mean(ddweight_1*b*dv) -
        3*rstd**2*mean(ddtotal)*(mean_a_dahat + mean_b_dbhat))
    d2a = 2*a*d2total + rstd*ddweight_0*du + 2*dda*dtotal -
        rstd**3*dahat*mean(ddtotal)/4
    d2b = 2*b*d2total + rstd*ddweight_1*dv + 2*ddb*dtotal -
        rstd**3*dbhat*mean(ddtotal)/4
    d2weight_0 = sum_rows(ddahat*du)
    d2weight_1 = sum_rows(ddbhat*dv)
    ddy_0 = cosine*ddu - ddv*sine
    ddy_1 = cosine*ddv + ddu*sine
    d2x = join(d2a, d2b)
    d2weight = join(d2weight_0, d2weight_1)
    ddy = join(ddy_0, ddy_1)
    """
    a_stride_b = a_stride_b // EVEN * EVEN
    a_stride_h = a_stride_h // EVEN * EVEN
    a_stride_t = a_stride_t // EVEN * EVEN
    b_stride_b = b_stride_b // EVEN * EVEN
    b_stride_h = b_stride_h // EVEN * EVEN
    b_stride_t = b_stride_t // EVEN * EVEN
    cosine_stride_t = cosine_stride_t // EVEN * EVEN
    sine_stride_t = sine_stride_t // EVEN * EVEN
    dy_0_stride_b = dy_0_stride_b // EVEN * EVEN
    dy_0_stride_h = dy_0_stride_h // EVEN * EVEN
    dy_0_stride_t = dy_0_stride_t // EVEN * EVEN
    dy_1_stride_b = dy_1_stride_b // EVEN * EVEN
    dy_1_stride_h = dy_1_stride_h // EVEN * EVEN
    dy_1_stride_t = dy_1_stride_t // EVEN * EVEN
    dda_stride_b = dda_stride_b // EVEN * EVEN
    dda_stride_h = dda_stride_h // EVEN * EVEN
    dda_stride_t = dda_stride_t // EVEN * EVEN
    ddb_stride_b = ddb_stride_b // EVEN * EVEN
    ddb_stride_h = ddb_stride_h // EVEN * EVEN
    ddb_stride_t = ddb_stride_t // EVEN * EVEN
    da_stride_b = da_stride_b // EVEN * EVEN
    da_stride_h = da_stride_h // EVEN * EVEN
    da_stride_t = da_stride_t // EVEN * EVEN
    db_stride_b = db_stride_b // EVEN * EVEN
    db_stride_h = db_stride_h // EVEN * EVEN
    db_stride_t = db_stride_t // EVEN * EVEN
    ddy_0_stride_b = ddy_0_stride_b // EVEN * EVEN
    ddy_0_stride_h = ddy_0_stride_h // EVEN * EVEN
    ddy_0_stride_t = ddy_0_stride_t // EVEN * EVEN
    ddy_1_stride_b = ddy_1_stride_b // EVEN * EVEN
    ddy_1_stride_h = ddy_1_stride_h // EVEN * EVEN
    ddy_1_stride_t = ddy_1_stride_t // EVEN * EVEN
    D = D // EVEN * EVEN
    a_step = tl.cast(a_step, tl.int64)
    b_step = tl.cast(b_step, tl.int64)
    cosine_step = tl.cast(cosine_step, tl.int64)
    sine_step = tl.cast(sine_step, tl.int64)
    dy_0_step = tl.cast(dy_0_step, tl.int64)
    dy_1_step = tl.cast(dy_1_step, tl.int64)
    dda_step = tl.cast(dda_step, tl.int64)
    ddb_step = tl.cast(ddb_step, tl.int64)
    da_step = tl.cast(da_step, tl.int64)
    db_step = tl.cast(db_step, tl.int64)
    ddy_0_step = tl.cast(ddy_0_step, tl.int64)
    ddy_1_step = tl.cast(ddy_1_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 2*D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_dda or HAS_ddb:
            weight_0 = (
                tl.load(weight_0_ptr + d, d < D, 0).to(A) if HAS_weight_0 else 1.0
            )
            weight_1 = (
                tl.load(weight_1_ptr + d, d < D, 0).to(A) if HAS_weight_1 else 1.0
            )
        if HAS_ddweight_0:
            ddweight_0 = tl.load(ddweight_0_ptr + d, d < D, 0).to(A)
        if HAS_ddweight_1:
            ddweight_1 = tl.load(ddweight_1_ptr + d, d < D, 0).to(A)
        if (HAS_dda and HAS_weight_0) or (HAS_ddb and HAS_weight_0):
            d2weight_0 = tl.zeros([ROWS, TILE], A)
        if (HAS_dda and HAS_weight_1) or (HAS_ddb and HAS_weight_1):
            d2weight_1 = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if (HAS_dda and HAS_weight_0) or (HAS_ddb and HAS_weight_0):
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
            if (HAS_dda and HAS_weight_1) or (HAS_ddb and HAS_weight_1):
                tl.store(sums_ptr + D + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*t_size)
        h_index = row // t_size % h_size
        t_index = row % t_size
        a_row = a_ptr + b_index*a_stride_b + h_index*a_stride_h + t_index*a_stride_t
        b_row = b_ptr + b_index*b_stride_b + h_index*b_stride_h + t_index*b_stride_t
        if (
            HAS_dda
            or HAS_ddb
            or (HAS_ddweight_0 and HAS_dy_0)
            or (HAS_ddweight_1 and HAS_dy_1)
        ):
            cosine_row = cosine_ptr + t_index*cosine_stride_t
        if (
            HAS_dda
            or HAS_ddb
            or (HAS_ddweight_0 and HAS_dy_1)
            or (HAS_ddweight_1 and HAS_dy_0)
        ):
            sine_row = sine_ptr + t_index*sine_stride_t
        if (
            (HAS_dda and HAS_dy_0)
            or (HAS_ddb and HAS_dy_0)
            or (HAS_ddweight_0 and HAS_dy_0)
            or (HAS_ddweight_1 and HAS_dy_0)
        ):
            dy_0_row = (
                dy_0_ptr
                + b_index*dy_0_stride_b
                + h_index*dy_0_stride_h
                + t_index*dy_0_stride_t
            )
        if (
            (HAS_dda and HAS_dy_1)
            or (HAS_ddb and HAS_dy_1)
            or (HAS_ddweight_0 and HAS_dy_1)
            or (HAS_ddweight_1 and HAS_dy_1)
        ):
            dy_1_row = (
                dy_1_ptr
                + b_index*dy_1_stride_b
                + h_index*dy_1_stride_h
                + t_index*dy_1_stride_t
            )
        if HAS_dda:
            dda_row = (
                dda_ptr
                + b_index*dda_stride_b
                + h_index*dda_stride_h
                + t_index*dda_stride_t
            )
        if HAS_ddb:
            ddb_row = (
                ddb_ptr
                + b_index*ddb_stride_b
                + h_index*ddb_stride_h
                + t_index*ddb_stride_t
            )
        da_row = (
            da_ptr + b_index*da_stride_b + h_index*da_stride_h + t_index*da_stride_t
        )
        db_row = (
            db_ptr + b_index*db_stride_b + h_index*db_stride_h + t_index*db_stride_t
        )
        if HAS_dy_0:
            ddy_0_row = (
                ddy_0_ptr
                + b_index*ddy_0_stride_b
                + h_index*ddy_0_stride_h
                + t_index*ddy_0_stride_t
            )
        if HAS_dy_1:
            ddy_1_row = (
                ddy_1_ptr
                + b_index*ddy_1_stride_b
                + h_index*ddy_1_stride_h
                + t_index*ddy_1_stride_t
            )
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_dda or HAS_ddb:
            mean_a_dahat_sum = tl.zeros([ROWS, TILE], A)
            mean_b_dbhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddtotal_sum = tl.zeros([ROWS, TILE], A)
        if HAS_dda:
            mean_dahat_dda_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddb:
            mean_dbhat_ddb_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddweight_0:
            mean_a_ddweight_0_du_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddweight_1:
            mean_b_ddweight_1_dv_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            if (
                HAS_dda
                or HAS_ddb
                or (HAS_ddweight_0 and HAS_dy_0)
                or (HAS_ddweight_1 and HAS_dy_1)
            ):
                cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            if (
                HAS_dda
                or HAS_ddb
                or (HAS_ddweight_0 and HAS_dy_1)
                or (HAS_ddweight_1 and HAS_dy_0)
            ):
                sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            if (
                (HAS_dda and HAS_dy_0)
                or (HAS_ddb and HAS_dy_0)
                or (HAS_ddweight_0 and HAS_dy_0)
                or (HAS_ddweight_1 and HAS_dy_0)
            ):
                dy_0 = tl.load(dy_0_row + d*dy_0_step, inside, 0).to(A)
            if (
                (HAS_dda and HAS_dy_1)
                or (HAS_ddb and HAS_dy_1)
                or (HAS_ddweight_0 and HAS_dy_1)
                or (HAS_ddweight_1 and HAS_dy_1)
            ):
                dy_1 = tl.load(dy_1_row + d*dy_1_step, inside, 0).to(A)
            if HAS_dda:
                dda = tl.load(dda_row + d*dda_step, inside, 0).to(A)
            if HAS_ddb:
                ddb = tl.load(ddb_row + d*ddb_step, inside, 0).to(A)
            if HAS_dda or HAS_ddb:
                if not WHOLE:
                    weight_0 = (
                        tl.load(weight_0_ptr + d, d < D, 0).to(A)
                        if HAS_weight_0
                        else 1.0
                    )
                if not WHOLE:
                    weight_1 = (
                        tl.load(weight_1_ptr + d, d < D, 0).to(A)
                        if HAS_weight_1
                        else 1.0
                    )
            if HAS_ddweight_0 and not WHOLE:
                ddweight_0 = tl.load(ddweight_0_ptr + d, d < D, 0).to(A)
            if HAS_ddweight_1 and not WHOLE:
                ddweight_1 = tl.load(ddweight_1_ptr + d, d < D, 0).to(A)
            if HAS_dda or HAS_ddb or HAS_ddweight_1:
                dv = 0.0
            if (
                (HAS_dda and HAS_dy_1)
                or (HAS_ddb and HAS_dy_1)
                or (HAS_ddweight_1 and HAS_dy_1)
            ):
                dv += cosine*dy_1  # step 43
            if (
                (HAS_dda and HAS_dy_0)
                or (HAS_ddb and HAS_dy_0)
                or (HAS_ddweight_1 and HAS_dy_0)
            ):
                dv -= dy_0*sine  # step 43
            if HAS_dda or HAS_ddb:
                dbhat = dv*weight_1  # step 44
            if HAS_dda or HAS_ddb or HAS_ddweight_0:
                du = 0.0
            if (
                (HAS_dda and HAS_dy_0)
                or (HAS_ddb and HAS_dy_0)
                or (HAS_ddweight_0 and HAS_dy_0)
            ):
                du += cosine*dy_0  # step 40
            if (
                (HAS_dda and HAS_dy_1)
                or (HAS_ddb and HAS_dy_1)
                or (HAS_ddweight_0 and HAS_dy_1)
            ):
                du += dy_1*sine  # step 40
            if HAS_dda or HAS_ddb:
                dahat = du*weight_0  # step 41
                ddtotal = 0.0
            if HAS_dda:
                ddtotal += 2*a*dda  # step 49
            if HAS_ddb:
                ddtotal += 2*b*ddb  # step 49
            if HAS_dda or HAS_ddb:
                mean_a_dahat_sum += tl.where(inside, a*dahat, 0.0)
                mean_b_dbhat_sum += tl.where(inside, b*dbhat, 0.0)
                mean_ddtotal_sum += tl.where(inside, ddtotal, 0.0)
            if HAS_dda:
                mean_dahat_dda_sum += tl.where(inside, dahat*dda, 0.0)
            if HAS_ddb:
                mean_dbhat_ddb_sum += tl.where(inside, dbhat*ddb, 0.0)
            if HAS_ddweight_0:
                mean_a_ddweight_0_du_sum += tl.where(inside, a*du*ddweight_0, 0.0)
            if HAS_ddweight_1:
                mean_b_ddweight_1_dv_sum += tl.where(inside, b*dv*ddweight_1, 0.0)
        if HAS_dda or HAS_ddb:
            mean_a_dahat = tl.sum(mean_a_dahat_sum, 1, keep_dims=True)/length  # step 42
            mean_b_dbhat = tl.sum(mean_b_dbhat_sum, 1, keep_dims=True)/length  # step 45
            mean_ddtotal = tl.sum(mean_ddtotal_sum, 1, keep_dims=True)/length  # step 76
        if HAS_dda:
            # step 59: mean(dahat*dda)
            mean_dahat_dda = tl.sum(mean_dahat_dda_sum, 1, keep_dims=True)/length
        if HAS_ddb:
            # step 59: mean(dbhat*ddb)
            mean_dbhat_ddb = tl.sum(mean_dbhat_ddb_sum, 1, keep_dims=True)/length
        if HAS_ddweight_0:
            # step 59: mean(a*du*ddweight_0)
            mean_a_ddweight_0_du = tl.sum(
                mean_a_ddweight_0_du_sum, 1, keep_dims=True
            )/length
        if HAS_ddweight_1:
            # step 59: mean(b*dv*ddweight_1)
            mean_b_ddweight_1_dv = tl.sum(
                mean_b_ddweight_1_dv_sum, 1, keep_dims=True
            )/length
        if HAS_dda or HAS_ddb:
            # step 46, pass 7: once a row
            mean_b_dbhat_scaled = -0.25*(mean_a_dahat + mean_b_dbhat)*(rstd*rstd*rstd)
            mean_ddtotal_scaled = -0.25*mean_ddtotal*(rstd*rstd)  # step 76, pass 8
        mean_b_ddweight_1_dv_scaled_part = 0.0
        if HAS_ddweight_0:
            mean_b_ddweight_1_dv_scaled_part += mean_a_ddweight_0_du
        if HAS_ddweight_1:
            mean_b_ddweight_1_dv_scaled_part += mean_b_ddweight_1_dv
        if HAS_dda:
            mean_b_ddweight_1_dv_scaled_part += mean_dahat_dda
        if HAS_ddb:
            mean_b_ddweight_1_dv_scaled_part += mean_dbhat_ddb
        if HAS_dda or HAS_ddb:
            mean_b_ddweight_1_dv_scaled_part -= 0.75*(
                mean_a_dahat + mean_b_dbhat
            )*mean_ddtotal*(rstd*rstd)
        # step 59, pass 9: once a row
        mean_b_ddweight_1_dv_scaled = -0.25*mean_b_ddweight_1_dv_scaled_part*(
            rstd*rstd*rstd
        )
        if HAS_dda or HAS_ddb:
            # step 64, pass 10: once a row
            mean_ddtotal_scaled_2 = -0.25*mean_ddtotal*(rstd*rstd*rstd)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            if (
                HAS_dda
                or HAS_ddb
                or (HAS_ddweight_0 and HAS_dy_0)
                or (HAS_ddweight_1 and HAS_dy_1)
            ):
                cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            if (
                HAS_dda
                or HAS_ddb
                or (HAS_ddweight_0 and HAS_dy_1)
                or (HAS_ddweight_1 and HAS_dy_0)
            ):
                sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            if (
                (HAS_dda and HAS_dy_0)
                or (HAS_ddb and HAS_dy_0)
                or (HAS_ddweight_0 and HAS_dy_0)
                or (HAS_ddweight_1 and HAS_dy_0)
            ):
                dy_0 = tl.load(dy_0_row + d*dy_0_step, inside, 0).to(A)
            if (
                (HAS_dda and HAS_dy_1)
                or (HAS_ddb and HAS_dy_1)
                or (HAS_ddweight_0 and HAS_dy_1)
                or (HAS_ddweight_1 and HAS_dy_1)
            ):
                dy_1 = tl.load(dy_1_row + d*dy_1_step, inside, 0).to(A)
            if HAS_dda:
                dda = tl.load(dda_row + d*dda_step, inside, 0).to(A)
            if HAS_ddb:
                ddb = tl.load(ddb_row + d*ddb_step, inside, 0).to(A)
            if HAS_dda or HAS_ddb:
                if not WHOLE:
                    weight_0 = (
                        tl.load(weight_0_ptr + d, d < D, 0).to(A)
                        if HAS_weight_0
                        else 1.0
                    )
                if not WHOLE:
                    weight_1 = (
                        tl.load(weight_1_ptr + d, d < D, 0).to(A)
                        if HAS_weight_1
                        else 1.0
                    )
            if HAS_ddweight_0 and not WHOLE:
                ddweight_0 = tl.load(ddweight_0_ptr + d, d < D, 0).to(A)
            if HAS_ddweight_1 and not WHOLE:
                ddweight_1 = tl.load(ddweight_1_ptr + d, d < D, 0).to(A)
            if HAS_dda or HAS_ddb or HAS_ddweight_1:
                dv = 0.0
            if (
                (HAS_dda and HAS_dy_1)
                or (HAS_ddb and HAS_dy_1)
                or (HAS_ddweight_1 and HAS_dy_1)
            ):
                dv += cosine*dy_1  # step 43
            if (
                (HAS_dda and HAS_dy_0)
                or (HAS_ddb and HAS_dy_0)
                or (HAS_ddweight_1 and HAS_dy_0)
            ):
                dv -= dy_0*sine  # step 43
            if HAS_dda or HAS_ddb:
                dbhat = dv*weight_1  # step 44
            if HAS_dda or HAS_ddb or HAS_ddweight_0:
                du = 0.0
            if (
                (HAS_dda and HAS_dy_0)
                or (HAS_ddb and HAS_dy_0)
                or (HAS_ddweight_0 and HAS_dy_0)
            ):
                du += cosine*dy_0  # step 40
            if (
                (HAS_dda and HAS_dy_1)
                or (HAS_ddb and HAS_dy_1)
                or (HAS_ddweight_0 and HAS_dy_1)
            ):
                du += dy_1*sine  # step 40
            if HAS_dda or HAS_ddb:
                dahat = du*weight_0  # step 41
            if HAS_dda or HAS_ddb or HAS_ddweight_0:
                ahat = a*rstd  # step 4
            if HAS_dda or HAS_ddb or HAS_ddweight_1:
                bhat = b*rstd  # step 6
            if HAS_dda or HAS_ddb:
                dtotal = mean_b_dbhat_scaled  # step 46, pass 11: once a row
                ddahat = ahat*mean_ddtotal_scaled  # step 76, pass 12: once a row
            if HAS_dda:
                ddahat += dda*rstd  # step 76, pass 12: once a row
            if HAS_dda or HAS_ddb or HAS_ddweight_0:
                ddu = 0.0
            if HAS_ddweight_0:
                ddu += ahat*ddweight_0  # step 87
            if HAS_dda or HAS_ddb:
                ddu += ddahat*weight_0  # step 87
                ddbhat = bhat*mean_ddtotal_scaled  # step 83, pass 13: once a row
            if HAS_ddb:
                ddbhat += ddb*rstd  # step 83, pass 13: once a row
            if HAS_dda or HAS_ddb or HAS_ddweight_1:
                ddv = 0.0
            if HAS_ddweight_1:
                ddv += bhat*ddweight_1  # step 90
            if HAS_dda or HAS_ddb:
                ddv += ddbhat*weight_1  # step 90
            d2total = mean_b_ddweight_1_dv_scaled  # step 59, pass 14: once a row
            d2a = 0.0
            if HAS_dda or HAS_ddb:
                d2a += dahat*mean_ddtotal_scaled_2  # step 64, pass 15: once a row
            d2a += 2*a*d2total  # step 64, pass 15: once a row
            if HAS_dda:
                d2a += 2*dda*dtotal  # step 64, pass 15: once a row
            if HAS_ddweight_0:
                d2a += du*rstd*ddweight_0  # step 64, pass 15: once a row
            d2b = 0.0
            if HAS_dda or HAS_ddb:
                d2b += dbhat*mean_ddtotal_scaled_2  # step 70, pass 16: once a row
            d2b += 2*b*d2total  # step 70, pass 16: once a row
            if HAS_ddb:
                d2b += 2*ddb*dtotal  # step 70, pass 16: once a row
            if HAS_ddweight_1:
                d2b += dv*rstd*ddweight_1  # step 70, pass 16: once a row
            if HAS_dy_0:
                ddy_0 = 0.0
            if (
                (HAS_dda and HAS_dy_0)
                or (HAS_ddb and HAS_dy_0)
                or (HAS_ddweight_0 and HAS_dy_0)
            ):
                ddy_0 += cosine*ddu  # step 91
            if (
                (HAS_dda and HAS_dy_0)
                or (HAS_ddb and HAS_dy_0)
                or (HAS_ddweight_1 and HAS_dy_0)
            ):
                ddy_0 -= ddv*sine  # step 91
            if HAS_dy_1:
                ddy_1 = 0.0
            if (
                (HAS_dda and HAS_dy_1)
                or (HAS_ddb and HAS_dy_1)
                or (HAS_ddweight_1 and HAS_dy_1)
            ):
                ddy_1 += cosine*ddv  # step 92
            if (
                (HAS_dda and HAS_dy_1)
                or (HAS_ddb and HAS_dy_1)
                or (HAS_ddweight_0 and HAS_dy_1)
            ):
                ddy_1 += ddu*sine  # step 92
            if (HAS_dda and HAS_weight_0) or (HAS_ddb and HAS_weight_0):
                if WHOLE:
                    d2weight_0 += tl.where(inside, ddahat*du, 0.0)  # step 77
                else:
                    add_to(sums_ptr + d, tl.where(inside, ddahat*du, 0.0), d < D)
            if (HAS_dda and HAS_weight_1) or (HAS_ddb and HAS_weight_1):
                if WHOLE:
                    d2weight_1 += tl.where(inside, ddbhat*dv, 0.0)  # step 84
                else:
                    add_to(sums_ptr + D + d, tl.where(inside, ddbhat*dv, 0.0), d < D)
            tl.store(da_row + d*da_step, d2a, inside)
            tl.store(db_row + d*db_step, d2b, inside)
            if HAS_dy_0:
                tl.store(ddy_0_row + d*ddy_0_step, ddy_0, inside)
            if HAS_dy_1:
                tl.store(ddy_1_row + d*ddy_1_step, ddy_1, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if (HAS_dda and HAS_weight_0) or (HAS_ddb and HAS_weight_0):
            tl.store(sums_ptr + d, tl.sum(d2weight_0, 0, keep_dims=True), d < D)
        if (HAS_dda and HAS_weight_1) or (HAS_ddb and HAS_weight_1):
            tl.store(sums_ptr + D + d, tl.sum(d2weight_1, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def rms_norm_rotary_backward_backward_totals(
    sums_ptr,
    dweight_0_ptr,
    dweight_1_ptr,
    programs,
    D,
    HAS_dda: tl.constexpr,
    HAS_ddb: tl.constexpr,
    HAS_weight_0: tl.constexpr,
    HAS_weight_1: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if (HAS_dda and HAS_weight_0) or (HAS_ddb and HAS_weight_0):
            d2weight_0 = over_programs(sums_ptr + d, d < D, programs, 2*D, AT_ONCE, A)
        if (HAS_dda and HAS_weight_1) or (HAS_ddb and HAS_weight_1):
            d2weight_1 = over_programs(
                sums_ptr + D + d, d < D, programs, 2*D, AT_ONCE, A
            )
        if HAS_weight_0:
            tl.store(
                dweight_0_ptr + d, d2weight_0 if HAS_dda or HAS_ddb else 0.0, inside
            )
        if HAS_weight_1:
            tl.store(
                dweight_1_ptr + d, d2weight_1 if HAS_dda or HAS_ddb else 0.0, inside
            )
