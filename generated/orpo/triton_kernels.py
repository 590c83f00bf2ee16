# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
# mypy: ignore-errors
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def tanh(u):
    """The hyperbolic tangent: near 0 a continued fraction, where 1 - 2/(exp(2*u) + 1) would cancel."""
    s, size = u*u, tl.abs(u)
    near = u*(135135 + s*(17325 + s*(378 + s)))/(135135 + s*(62370 + s*(3150 + s*28)))
    far = 1 - 2/(tl.exp(2*size) + 1)
    return tl.where(size < 0.5, near, tl.where(u < 0, -far, far))


@triton.jit
def expm1(u):
    """exp(u) - 1, without cancellation near 0."""
    t = tanh(tl.minimum(tl.maximum(u, -1.0), 1.0)*0.5)
    return tl.where(tl.abs(u) < 1, 2*t/(1 - t), tl.exp(u) - 1)


@triton.jit
def log1p(u):
    """log(1 + u), near 0 by the series of 2*artanh(u/(2 + u))."""
    s = u/(2 + u)
    q = s*s
    series = tl.zeros_like(s)
    for k in tl.static_range(15, -1, -1):
        series = series*q + 2.0/(2*k + 1)
    return tl.where(tl.abs(u) < 0.5, s*series, tl.log(1 + u))


@triton.jit
def softplus(u):
    """log(1 + exp(u)), which does not overflow."""
    return tl.maximum(u, 0.0) + log1p(tl.exp(-tl.abs(u)))


@triton.jit(do_not_specialize=["rows"])
def orpo_forward(
    chosen_ptr,
    rejected_ptr,
    weight: tl.float64,
    least: tl.float64,
    y_ptr,
    chosen_stride,
    chosen_step,
    rejected_stride,
    rejected_step,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """c = where(chosen >= -least, -least, chosen)
    r = where(rejected >= -least, -least, rejected)
    expm1_c = expm1(c)
    u = -expm1_c
    log_u = log(u)
    total_2 = c - r - log_u
    expm1_r = expm1(r)
    u_2 = -expm1_r
    log_u_2 = log(u_2)
    odds = total_2 + log_u_2
    u_3 = -odds
    softplus_u_3 = softplus(u_3)
    y = weight*softplus_u_3 - c
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    chosen_step = tl.cast(chosen_step, tl.int64)
    rejected_step = tl.cast(rejected_step, tl.int64)
    weight = tl.full([1, 1], weight, A)
    least = tl.full([1, 1], least, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        chosen_row = chosen_ptr + row*chosen_stride
        rejected_row = rejected_ptr + row*rejected_stride
        y_row = y_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            chosen = tl.load(chosen_row + d*chosen_step, inside, 0).to(A)
            rejected = tl.load(rejected_row + d*rejected_step, inside, 0).to(A)
            c = tl.where(chosen >= (-least), -least, chosen)  # step 1
            r = tl.where(rejected >= (-least), -least, rejected)  # step 2
            total = c - r  # step 3
            expm1_c = expm1(c)  # step 4
            u = -expm1_c  # step 5
            log_u = tl.log(u)  # step 6
            total_2 = total - log_u  # step 7
            expm1_r = expm1(r)  # step 8
            u_2 = -expm1_r  # step 9
            log_u_2 = tl.log(u_2)  # step 10
            odds = log_u_2 + total_2  # step 11
            u_3 = -odds  # step 12
            softplus_u_3 = softplus(u_3)  # step 13
            y = softplus_u_3*weight - c  # step 14
            tl.store(y_row + d, y, inside)


@triton.jit(do_not_specialize=["rows"])
def orpo_backward(
    chosen_ptr,
    rejected_ptr,
    dy_ptr,
    weight: tl.float64,
    least: tl.float64,
    dchosen_ptr,
    drejected_ptr,
    chosen_stride,
    chosen_step,
    rejected_stride,
    rejected_step,
    dy_stride,
    dy_step,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dodds = -weight*dy*sigmoid(u_3)
    dchosen = where(chosen >= -least, 0, dodds + dodds*exp(c)/u - dy)
    drejected = where(rejected >= -least, 0, -dodds - dodds*exp(r)/u_2)
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    chosen_step = tl.cast(chosen_step, tl.int64)
    rejected_step = tl.cast(rejected_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    weight = tl.full([1, 1], weight, A)
    least = tl.full([1, 1], least, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        chosen_row = chosen_ptr + row*chosen_stride
        rejected_row = rejected_ptr + row*rejected_stride
        dy_row = dy_ptr + row*dy_stride
        dchosen_row = dchosen_ptr + row*D
        drejected_row = drejected_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            chosen = tl.load(chosen_row + d*chosen_step, inside, 0).to(A)
            rejected = tl.load(rejected_row + d*rejected_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            c = tl.where(chosen >= (-least), -least, chosen)  # step 1
            r = tl.where(rejected >= (-least), -least, rejected)  # step 2
            total = c - r  # step 3
            expm1_c = expm1(c)  # step 4
            u = -expm1_c  # step 5
            log_u = tl.log(u)  # step 6
            total_2 = total - log_u  # step 7
            expm1_r = expm1(r)  # step 8
            u_2 = -expm1_r  # step 9
            log_u_2 = tl.log(u_2)  # step 10
            odds = log_u_2 + total_2  # step 11
            u_3 = -odds  # step 12
            dodds = -tl.sigmoid(u_3)*dy*weight  # step 19
            # step 28
            dchosen = tl.where(chosen >= (-least), 0, dodds + dodds*tl.exp(c)/u - dy)
            # step 35
            drejected = tl.where(rejected >= (-least), 0, -dodds - dodds*tl.exp(r)/u_2)
            tl.store(dchosen_row + d, dchosen, inside)
            tl.store(drejected_row + d, drejected, inside)


@triton.jit(do_not_specialize=["rows"])
def orpo_jvp(
    chosen_ptr,
    rejected_ptr,
    chosen_dot_ptr,
    rejected_dot_ptr,
    weight: tl.float64,
    least: tl.float64,
    y_dot_ptr,
    chosen_stride,
    chosen_step,
    rejected_stride,
    rejected_step,
    chosen_dot_stride,
    chosen_dot_step,
    rejected_dot_stride,
    rejected_dot_step,
    rows,
    D,
    HAS_chosen_dot: tl.constexpr,
    HAS_rejected_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """c_dot = where(chosen >= -least, 0, chosen_dot)
    r_dot = where(rejected >= -least, 0, rejected_dot)
    y_dot = weight*sigmoid(u_3)*(r_dot + where(rejected >= -least, 0,
        r_dot*exp(r)/u_2) + where(chosen >= -least, 0, -c_dot*exp(c)/u) - c_dot) -
        c_dot
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    chosen_dot_stride = chosen_dot_stride // EVEN * EVEN
    rejected_dot_stride = rejected_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    chosen_step = tl.cast(chosen_step, tl.int64)
    rejected_step = tl.cast(rejected_step, tl.int64)
    chosen_dot_step = tl.cast(chosen_dot_step, tl.int64)
    rejected_dot_step = tl.cast(rejected_dot_step, tl.int64)
    weight = tl.full([1, 1], weight, A)
    least = tl.full([1, 1], least, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        chosen_row = chosen_ptr + row*chosen_stride
        rejected_row = rejected_ptr + row*rejected_stride
        if HAS_chosen_dot:
            chosen_dot_row = chosen_dot_ptr + row*chosen_dot_stride
        if HAS_rejected_dot:
            rejected_dot_row = rejected_dot_ptr + row*rejected_dot_stride
        y_dot_row = y_dot_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            chosen = tl.load(chosen_row + d*chosen_step, inside, 0).to(A)
            rejected = tl.load(rejected_row + d*rejected_step, inside, 0).to(A)
            if HAS_chosen_dot:
                chosen_dot = tl.load(chosen_dot_row + d*chosen_dot_step, inside, 0).to(
                    A
                )
            if HAS_rejected_dot:
                rejected_dot = tl.load(
                    rejected_dot_row + d*rejected_dot_step, inside, 0
                ).to(A)
            c = tl.where(chosen >= (-least), -least, chosen)  # step 1
            r = tl.where(rejected >= (-least), -least, rejected)  # step 2
            total = c - r  # step 3
            expm1_c = expm1(c)  # step 4
            u = -expm1_c  # step 5
            log_u = tl.log(u)  # step 6
            total_2 = total - log_u  # step 7
            expm1_r = expm1(r)  # step 8
            u_2 = -expm1_r  # step 9
            log_u_2 = tl.log(u_2)  # step 10
            odds = log_u_2 + total_2  # step 11
            u_3 = -odds  # step 12
            if HAS_chosen_dot:
                c_dot = tl.where(chosen >= (-least), 0, chosen_dot)  # step 36
            if HAS_rejected_dot:
                r_dot = tl.where(rejected >= (-least), 0, rejected_dot)  # step 37
            y_dot_part = 0.0
            if HAS_rejected_dot:
                y_dot_part += r_dot + tl.where(
                    rejected >= (-least), 0, tl.exp(r)*r_dot/u_2
                )
            if HAS_chosen_dot:
                y_dot_part += tl.where(chosen >= (-least), 0, -c_dot*tl.exp(c)/u) - c_dot
            y_dot = y_dot_part*tl.sigmoid(u_3)*weight  # step 61
            if HAS_chosen_dot:
                y_dot -= c_dot  # step 61
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def orpo_backward_backward(
    chosen_ptr,
    rejected_ptr,
    dy_ptr,
    ddchosen_ptr,
    ddrejected_ptr,
    weight: tl.float64,
    least: tl.float64,
    dchosen_ptr,
    drejected_ptr,
    ddy_ptr,
    chosen_stride,
    chosen_step,
    rejected_stride,
    rejected_step,
    dy_stride,
    dy_step,
    ddchosen_stride,
    ddchosen_step,
    ddrejected_stride,
    ddrejected_step,
    rows,
    D,
    HAS_ddchosen: tl.constexpr,
    HAS_ddrejected: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dodds = -weight*dy*sigmoid(u_3)
    ddodds = where(chosen >= -least, 0, ddchosen*(1 + exp(c)/u)) + where(rejected >=
        -least, 0, -ddrejected*(1 + exp(r)/u_2))
    d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
    d2chosen = where(chosen >= -least, 0, d2odds + ddchosen*dodds*exp(c)/u +
        exp(c)*(d2odds/u + ddchosen*dodds*exp(c)/u**2))
    d2rejected = where(rejected >= -least, 0, (-exp(r)*(d2odds/u_2 +
        ddrejected*dodds*exp(r)/u_2**2)) - d2odds - ddrejected*dodds*exp(r)/u_2)
    ddy = where(chosen >= -least, 0, -ddchosen) - weight*ddodds*sigmoid(u_3)
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddchosen_stride = ddchosen_stride // EVEN * EVEN
    ddrejected_stride = ddrejected_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    chosen_step = tl.cast(chosen_step, tl.int64)
    rejected_step = tl.cast(rejected_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddchosen_step = tl.cast(ddchosen_step, tl.int64)
    ddrejected_step = tl.cast(ddrejected_step, tl.int64)
    weight = tl.full([1, 1], weight, A)
    least = tl.full([1, 1], least, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        chosen_row = chosen_ptr + row*chosen_stride
        rejected_row = rejected_ptr + row*rejected_stride
        dy_row = dy_ptr + row*dy_stride
        if HAS_ddchosen:
            ddchosen_row = ddchosen_ptr + row*ddchosen_stride
        if HAS_ddrejected:
            ddrejected_row = ddrejected_ptr + row*ddrejected_stride
        dchosen_row = dchosen_ptr + row*D
        drejected_row = drejected_ptr + row*D
        ddy_row = ddy_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            chosen = tl.load(chosen_row + d*chosen_step, inside, 0).to(A)
            rejected = tl.load(rejected_row + d*rejected_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddchosen:
                ddchosen = tl.load(ddchosen_row + d*ddchosen_step, inside, 0).to(A)
            if HAS_ddrejected:
                ddrejected = tl.load(ddrejected_row + d*ddrejected_step, inside, 0).to(
                    A
                )
            c = tl.where(chosen >= (-least), -least, chosen)  # step 1
            r = tl.where(rejected >= (-least), -least, rejected)  # step 2
            total = c - r  # step 3
            expm1_c = expm1(c)  # step 4
            u = -expm1_c  # step 5
            log_u = tl.log(u)  # step 6
            total_2 = total - log_u  # step 7
            expm1_r = expm1(r)  # step 8
            u_2 = -expm1_r  # step 9
            log_u_2 = tl.log(u_2)  # step 10
            odds = log_u_2 + total_2  # step 11
            u_3 = -odds  # step 12
            dodds = -tl.sigmoid(u_3)*dy*weight  # step 62
            ddodds = 0.0
            if HAS_ddchosen:
                # step 65
                ddodds += tl.where(chosen >= (-least), 0, (tl.exp(c)/u + 1)*ddchosen)
            if HAS_ddrejected:
                # step 65
                ddodds += tl.where(
                    rejected >= (-least), 0, (-1 - tl.exp(r)/u_2)*ddrejected
                )
            d2odds = (1 - tl.sigmoid(u_3))*tl.sigmoid(u_3)*ddodds*dy*weight  # step 68
            d2chosen_part2 = d2odds/u
            if HAS_ddchosen:
                d2chosen_part2 += ddchosen*dodds*tl.exp(c)/(u*u)
            d2chosen_part = d2odds
            if HAS_ddchosen:
                d2chosen_part += ddchosen*dodds*tl.exp(c)/u
            d2chosen_part += d2chosen_part2*tl.exp(c)
            d2chosen = tl.where(chosen >= (-least), 0, d2chosen_part)  # step 77
            d2rejected_part2 = -d2odds/u_2
            if HAS_ddrejected:
                d2rejected_part2 -= ddrejected*dodds*tl.exp(r)/(u_2*u_2)
            d2rejected_part = d2rejected_part2*tl.exp(r) - d2odds
            if HAS_ddrejected:
                d2rejected_part -= ddrejected*dodds*tl.exp(r)/u_2
            d2rejected = tl.where(rejected >= (-least), 0, d2rejected_part)  # step 84
            ddy = 0.0
            if HAS_ddchosen:
                ddy += tl.where(chosen >= (-least), 0, -ddchosen)  # step 85
            ddy -= tl.sigmoid(u_3)*ddodds*weight  # step 85
            tl.store(dchosen_row + d, d2chosen, inside)
            tl.store(drejected_row + d, d2rejected, inside)
            tl.store(ddy_row + d, ddy, inside)
