# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# Open: exp overflows where chosen is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:3284c8cca3259d74e91a382ff15e2ccb66b3e98016374b546e341efab7cfa61d
# mypy: ignore-errors
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.

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
    """expm1_chosen = expm1(chosen)
    u = -expm1_chosen
    log_u = log(u)
    total_2 = chosen - rejected - log_u
    expm1_rejected = expm1(rejected)
    u_2 = -expm1_rejected
    log_u_2 = log(u_2)
    odds = total_2 + log_u_2
    u_3 = -odds
    softplus_u_3 = softplus(u_3)
    y = weight*softplus_u_3 - chosen
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    weight = tl.full([1, 1], weight, A)
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
            total = chosen - rejected  # step 1
            expm1_chosen = expm1(chosen)  # step 2
            u = -expm1_chosen  # step 3
            log_u = tl.log(u)  # step 4
            total_2 = total - log_u  # step 5
            expm1_rejected = expm1(rejected)  # step 6
            u_2 = -expm1_rejected  # step 7
            log_u_2 = tl.log(u_2)  # step 8
            odds = log_u_2 + total_2  # step 9
            u_3 = -odds  # step 10
            softplus_u_3 = softplus(u_3)  # step 11
            y = softplus_u_3*weight - chosen  # step 12
            tl.store(y_row + d, y, inside)


@triton.jit(do_not_specialize=["rows"])
def orpo_backward(
    chosen_ptr,
    rejected_ptr,
    dy_ptr,
    weight: tl.float64,
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
    dchosen = dodds + dodds*exp(chosen)/u - dy
    drejected = -dodds - dodds*exp(rejected)/u_2
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    weight = tl.full([1, 1], weight, A)
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
            total = chosen - rejected  # step 1
            expm1_chosen = expm1(chosen)  # step 2
            u = -expm1_chosen  # step 3
            log_u = tl.log(u)  # step 4
            total_2 = total - log_u  # step 5
            expm1_rejected = expm1(rejected)  # step 6
            u_2 = -expm1_rejected  # step 7
            log_u_2 = tl.log(u_2)  # step 8
            odds = log_u_2 + total_2  # step 9
            u_3 = -odds  # step 10
            dodds = -tl.sigmoid(u_3)*dy*weight  # step 17
            dchosen = dodds + dodds*tl.exp(chosen)/u - dy  # step 24
            drejected = -dodds - dodds*tl.exp(rejected)/u_2  # step 29
            tl.store(dchosen_row + d, dchosen, inside)
            tl.store(drejected_row + d, drejected, inside)


@triton.jit(do_not_specialize=["rows"])
def orpo_jvp(
    chosen_ptr,
    rejected_ptr,
    chosen_dot_ptr,
    rejected_dot_ptr,
    weight: tl.float64,
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
    """y_dot = weight*sigmoid(u_3)*(rejected_dot + rejected_dot*exp(rejected)/u_2 -
        chosen_dot - chosen_dot*exp(chosen)/u) - chosen_dot
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    chosen_dot_stride = chosen_dot_stride // EVEN * EVEN
    rejected_dot_stride = rejected_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    weight = tl.full([1, 1], weight, A)
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
            rejected_dot = (
                tl.load(rejected_dot_row + d*rejected_dot_step, inside, 0).to(A)
                if HAS_rejected_dot
                else 0.0
            )
            total = chosen - rejected  # step 1
            expm1_chosen = expm1(chosen)  # step 2
            u = -expm1_chosen  # step 3
            log_u = tl.log(u)  # step 4
            total_2 = total - log_u  # step 5
            expm1_rejected = expm1(rejected)  # step 6
            u_2 = -expm1_rejected  # step 7
            log_u_2 = tl.log(u_2)  # step 8
            odds = log_u_2 + total_2  # step 9
            u_3 = -odds  # step 10
            y_dot_part = 0.0
            if HAS_rejected_dot:
                y_dot_part += rejected_dot + tl.exp(rejected)*rejected_dot/u_2
            if HAS_chosen_dot:
                y_dot_part += -chosen_dot - chosen_dot*tl.exp(chosen)/u
            y_dot = y_dot_part*tl.sigmoid(u_3)*weight  # step 52
            if HAS_chosen_dot:
                y_dot -= chosen_dot  # step 52
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def orpo_backward_backward(
    chosen_ptr,
    rejected_ptr,
    dy_ptr,
    ddchosen_ptr,
    ddrejected_ptr,
    weight: tl.float64,
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
    ddodds = ddchosen*(1 + exp(chosen)/u) + (-ddrejected*(1 + exp(rejected)/u_2))
    d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
    d2chosen = d2odds + ddchosen*dodds*exp(chosen)/u + exp(chosen)*(d2odds +
        ddchosen*dodds*exp(chosen)/u)/u
    d2rejected = (-exp(rejected)*(d2odds + ddrejected*dodds*exp(rejected)/u_2)/u_2)
        - d2odds - ddrejected*dodds*exp(rejected)/u_2
    ddy = -ddchosen - weight*ddodds*sigmoid(u_3)
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddchosen_stride = ddchosen_stride // EVEN * EVEN
    ddrejected_stride = ddrejected_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    weight = tl.full([1, 1], weight, A)
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
            total = chosen - rejected  # step 1
            expm1_chosen = expm1(chosen)  # step 2
            u = -expm1_chosen  # step 3
            log_u = tl.log(u)  # step 4
            total_2 = total - log_u  # step 5
            expm1_rejected = expm1(rejected)  # step 6
            u_2 = -expm1_rejected  # step 7
            log_u_2 = tl.log(u_2)  # step 8
            odds = log_u_2 + total_2  # step 9
            u_3 = -odds  # step 10
            dodds = -tl.sigmoid(u_3)*dy*weight  # step 53
            ddodds = 0.0
            if HAS_ddchosen:
                ddodds += (tl.exp(chosen)/u + 1)*ddchosen  # step 56
            if HAS_ddrejected:
                ddodds += (-1 - tl.exp(rejected)/u_2)*ddrejected  # step 56
            d2odds = (1 - tl.sigmoid(u_3))*tl.sigmoid(u_3)*ddodds*dy*weight  # step 59
            d2chosen_part = d2odds
            if HAS_ddchosen:
                d2chosen_part += ddchosen*dodds*tl.exp(chosen)/u
            d2chosen = d2odds  # step 67
            if HAS_ddchosen:
                d2chosen += ddchosen*dodds*tl.exp(chosen)/u  # step 67
            d2chosen += d2chosen_part*tl.exp(chosen)/u  # step 67
            d2rejected_part = -d2odds
            if HAS_ddrejected:
                d2rejected_part -= ddrejected*dodds*tl.exp(rejected)/u_2
            d2rejected = d2rejected_part*tl.exp(rejected)/u_2 - d2odds  # step 73
            if HAS_ddrejected:
                d2rejected -= ddrejected*dodds*tl.exp(rejected)/u_2  # step 73
            ddy = 0.0
            if HAS_ddchosen:
                ddy -= ddchosen  # step 74
            ddy -= tl.sigmoid(u_3)*ddodds*weight  # step 74
            tl.store(dchosen_row + d, d2chosen, inside)
            tl.store(drejected_row + d, d2rejected, inside)
            tl.store(ddy_row + d, ddy, inside)
