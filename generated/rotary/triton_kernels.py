# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
# mypy: ignore-errors
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def rotary_forward(
    a_ptr,
    b_ptr,
    cosine_ptr,
    sine_ptr,
    y_0_ptr,
    y_1_ptr,
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
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """a = at(x, s=0)
    b = at(x, s=1)
    y_0 = a*cosine - b*sine
    y_1 = a*sine + b*cosine
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
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            y_0 = a*cosine - b*sine  # step 1
            y_1 = a*sine + b*cosine  # step 2
            tl.store(y_0_row + d*y_0_step, y_0, inside)
            tl.store(y_1_row + d*y_1_step, y_1, inside)


@triton.jit(do_not_specialize=["rows"])
def rotary_backward(
    cosine_ptr,
    sine_ptr,
    dy_0_ptr,
    dy_1_ptr,
    da_ptr,
    db_ptr,
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
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dy_0 = at(dy, s=0)
    dy_1 = at(dy, s=1)
    da = cosine*dy_0 + dy_1*sine
    db = cosine*dy_1 - dy_0*sine
    dx = join(da, db)
    """
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
    cosine_step = tl.cast(cosine_step, tl.int64)
    sine_step = tl.cast(sine_step, tl.int64)
    dy_0_step = tl.cast(dy_0_step, tl.int64)
    dy_1_step = tl.cast(dy_1_step, tl.int64)
    da_step = tl.cast(da_step, tl.int64)
    db_step = tl.cast(db_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*t_size)
        h_index = row // t_size % h_size
        t_index = row % t_size
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
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            if HAS_dy_0:
                dy_0 = tl.load(dy_0_row + d*dy_0_step, inside, 0).to(A)
            if HAS_dy_1:
                dy_1 = tl.load(dy_1_row + d*dy_1_step, inside, 0).to(A)
            da = 0.0
            if HAS_dy_0:
                da += cosine*dy_0  # step 3
            if HAS_dy_1:
                da += dy_1*sine  # step 3
            db = 0.0
            if HAS_dy_1:
                db += cosine*dy_1  # step 4
            if HAS_dy_0:
                db -= dy_0*sine  # step 4
            tl.store(da_row + d*da_step, da, inside)
            tl.store(db_row + d*db_step, db, inside)


@triton.jit(do_not_specialize=["rows"])
def rotary_jvp(
    cosine_ptr,
    sine_ptr,
    a_dot_ptr,
    b_dot_ptr,
    y_0_dot_ptr,
    y_1_dot_ptr,
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
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """a_dot = at(x_dot, s=0)
    b_dot = at(x_dot, s=1)
    y_0_dot = a_dot*cosine - b_dot*sine
    y_1_dot = b_dot*cosine + a_dot*sine
    y_dot = join(y_0_dot, y_1_dot)
    """
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
    cosine_step = tl.cast(cosine_step, tl.int64)
    sine_step = tl.cast(sine_step, tl.int64)
    a_dot_step = tl.cast(a_dot_step, tl.int64)
    b_dot_step = tl.cast(b_dot_step, tl.int64)
    y_0_dot_step = tl.cast(y_0_dot_step, tl.int64)
    y_1_dot_step = tl.cast(y_1_dot_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*t_size)
        h_index = row // t_size % h_size
        t_index = row % t_size
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
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            if HAS_a_dot:
                a_dot = tl.load(a_dot_row + d*a_dot_step, inside, 0).to(A)
            if HAS_b_dot:
                b_dot = tl.load(b_dot_row + d*b_dot_step, inside, 0).to(A)
            y_0_dot = 0.0
            if HAS_a_dot:
                y_0_dot += a_dot*cosine  # step 5
            if HAS_b_dot:
                y_0_dot -= b_dot*sine  # step 5
            y_1_dot = 0.0
            if HAS_a_dot:
                y_1_dot += a_dot*sine  # step 6
            if HAS_b_dot:
                y_1_dot += b_dot*cosine  # step 6
            tl.store(y_0_dot_row + d*y_0_dot_step, y_0_dot, inside)
            tl.store(y_1_dot_row + d*y_1_dot_step, y_1_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def rotary_backward_backward(
    cosine_ptr,
    sine_ptr,
    dda_ptr,
    ddb_ptr,
    da_ptr,
    db_ptr,
    ddy_0_ptr,
    ddy_1_ptr,
    cosine_stride_t,
    cosine_step,
    sine_stride_t,
    sine_step,
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
    HAS_dy_0: tl.constexpr,
    HAS_dy_1: tl.constexpr,
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
    d2a = 0
    d2b = 0
    ddy_0 = cosine*dda - ddb*sine
    ddy_1 = cosine*ddb + dda*sine
    d2x = join(d2a, d2b)
    ddy = join(ddy_0, ddy_1)
    """
    cosine_stride_t = cosine_stride_t // EVEN * EVEN
    sine_stride_t = sine_stride_t // EVEN * EVEN
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
    cosine_step = tl.cast(cosine_step, tl.int64)
    sine_step = tl.cast(sine_step, tl.int64)
    dda_step = tl.cast(dda_step, tl.int64)
    ddb_step = tl.cast(ddb_step, tl.int64)
    da_step = tl.cast(da_step, tl.int64)
    db_step = tl.cast(db_step, tl.int64)
    ddy_0_step = tl.cast(ddy_0_step, tl.int64)
    ddy_1_step = tl.cast(ddy_1_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*t_size)
        h_index = row // t_size % h_size
        t_index = row % t_size
        if (HAS_dda and HAS_dy_0) or (HAS_ddb and HAS_dy_1):
            cosine_row = cosine_ptr + t_index*cosine_stride_t
        if (HAS_dda and HAS_dy_1) or (HAS_ddb and HAS_dy_0):
            sine_row = sine_ptr + t_index*sine_stride_t
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
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (HAS_dda and HAS_dy_0) or (HAS_ddb and HAS_dy_1):
                cosine = tl.load(cosine_row + d*cosine_step, inside, 0).to(A)
            if (HAS_dda and HAS_dy_1) or (HAS_ddb and HAS_dy_0):
                sine = tl.load(sine_row + d*sine_step, inside, 0).to(A)
            if HAS_dda:
                dda = tl.load(dda_row + d*dda_step, inside, 0).to(A)
            if HAS_ddb:
                ddb = tl.load(ddb_row + d*ddb_step, inside, 0).to(A)
            if HAS_dy_0:
                ddy_0 = 0.0
            if HAS_dda and HAS_dy_0:
                ddy_0 += cosine*dda  # step 11
            if HAS_ddb and HAS_dy_0:
                ddy_0 -= ddb*sine  # step 11
            if HAS_dy_1:
                ddy_1 = 0.0
            if HAS_ddb and HAS_dy_1:
                ddy_1 += cosine*ddb  # step 12
            if HAS_dda and HAS_dy_1:
                ddy_1 += dda*sine  # step 12
            tl.store(da_row + d*da_step, 0.0, inside)
            tl.store(db_row + d*db_step, 0.0, inside)
            if HAS_dy_0:
                tl.store(ddy_0_row + d*ddy_0_step, ddy_0, inside)
            if HAS_dy_1:
                tl.store(ddy_1_row + d*ddy_1_step, ddy_1, inside)
