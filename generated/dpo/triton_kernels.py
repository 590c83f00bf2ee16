# Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit dpo.py and run: lngen derive dpo.py
# definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
# mypy: ignore-errors
"""Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


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
def dpo_forward(
    chosen_ptr,
    rejected_ptr,
    reference_chosen_ptr,
    reference_rejected_ptr,
    beta: tl.float64,
    smoothing: tl.float64,
    y_ptr,
    chosen_stride,
    chosen_step,
    rejected_stride,
    rejected_step,
    reference_chosen_stride,
    reference_chosen_step,
    reference_rejected_stride,
    reference_rejected_step,
    rows,
    D,
    HAS_reference_chosen: tl.constexpr,
    HAS_reference_rejected: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """total_2 = chosen - rejected - reference_chosen
    margin = beta*(reference_rejected + total_2)
    u = -margin
    softplus_u = softplus(u)
    softplus_margin = softplus(margin)
    y = smoothing*softplus_margin + softplus_u*(1 - smoothing)
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    reference_chosen_stride = reference_chosen_stride // EVEN * EVEN
    reference_rejected_stride = reference_rejected_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    chosen_step = tl.cast(chosen_step, tl.int64)
    rejected_step = tl.cast(rejected_step, tl.int64)
    reference_chosen_step = tl.cast(reference_chosen_step, tl.int64)
    reference_rejected_step = tl.cast(reference_rejected_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    smoothing = tl.full([1, 1], smoothing, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        chosen_row = chosen_ptr + row*chosen_stride
        rejected_row = rejected_ptr + row*rejected_stride
        if HAS_reference_chosen:
            reference_chosen_row = reference_chosen_ptr + row*reference_chosen_stride
        if HAS_reference_rejected:
            reference_rejected_row = (
                reference_rejected_ptr + row*reference_rejected_stride
            )
        y_row = y_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            chosen = tl.load(chosen_row + d*chosen_step, inside, 0).to(A)
            rejected = tl.load(rejected_row + d*rejected_step, inside, 0).to(A)
            if HAS_reference_chosen:
                reference_chosen = tl.load(
                    reference_chosen_row + d*reference_chosen_step, inside, 0
                ).to(A)
            reference_rejected = (
                tl.load(
                    reference_rejected_row + d*reference_rejected_step, inside, 0
                ).to(A)
                if HAS_reference_rejected
                else 0.0
            )
            total = chosen - rejected  # step 1
            total_2 = total  # step 2
            if HAS_reference_chosen:
                total_2 -= reference_chosen  # step 2
            margin_part = 0.0
            if HAS_reference_rejected:
                margin_part += reference_rejected
            margin_part += total_2
            margin = margin_part*beta  # step 3
            u = -margin  # step 4
            softplus_u = softplus(u)  # step 5
            softplus_margin = softplus(margin)  # step 6
            y = softplus_margin*smoothing + softplus_u*(1 - smoothing)  # step 7
            tl.store(y_row + d, y, inside)


@triton.jit(do_not_specialize=["rows"])
def dpo_backward(
    chosen_ptr,
    rejected_ptr,
    reference_chosen_ptr,
    reference_rejected_ptr,
    dy_ptr,
    beta: tl.float64,
    smoothing: tl.float64,
    dchosen_ptr,
    drejected_ptr,
    chosen_stride,
    chosen_step,
    rejected_stride,
    rejected_step,
    reference_chosen_stride,
    reference_chosen_step,
    reference_rejected_stride,
    reference_rejected_step,
    dy_stride,
    dy_step,
    rows,
    D,
    HAS_reference_chosen: tl.constexpr,
    HAS_reference_rejected: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dchosen = beta*dy*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))
    drejected = -dchosen
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    reference_chosen_stride = reference_chosen_stride // EVEN * EVEN
    reference_rejected_stride = reference_rejected_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    chosen_step = tl.cast(chosen_step, tl.int64)
    rejected_step = tl.cast(rejected_step, tl.int64)
    reference_chosen_step = tl.cast(reference_chosen_step, tl.int64)
    reference_rejected_step = tl.cast(reference_rejected_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    smoothing = tl.full([1, 1], smoothing, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        chosen_row = chosen_ptr + row*chosen_stride
        rejected_row = rejected_ptr + row*rejected_stride
        if HAS_reference_chosen:
            reference_chosen_row = reference_chosen_ptr + row*reference_chosen_stride
        if HAS_reference_rejected:
            reference_rejected_row = (
                reference_rejected_ptr + row*reference_rejected_stride
            )
        dy_row = dy_ptr + row*dy_stride
        dchosen_row = dchosen_ptr + row*D
        drejected_row = drejected_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            chosen = tl.load(chosen_row + d*chosen_step, inside, 0).to(A)
            rejected = tl.load(rejected_row + d*rejected_step, inside, 0).to(A)
            if HAS_reference_chosen:
                reference_chosen = tl.load(
                    reference_chosen_row + d*reference_chosen_step, inside, 0
                ).to(A)
            reference_rejected = (
                tl.load(
                    reference_rejected_row + d*reference_rejected_step, inside, 0
                ).to(A)
                if HAS_reference_rejected
                else 0.0
            )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            total = chosen - rejected  # step 1
            total_2 = total  # step 2
            if HAS_reference_chosen:
                total_2 -= reference_chosen  # step 2
            margin_part = 0.0
            if HAS_reference_rejected:
                margin_part += reference_rejected
            margin_part += total_2
            margin = margin_part*beta  # step 3
            u = -margin  # step 4
            # step 18
            dchosen = dy*(
                (tl.sigmoid(margin) + tl.sigmoid(u))*smoothing - tl.sigmoid(u)
            )*beta
            drejected = -dchosen  # step 19
            tl.store(dchosen_row + d, dchosen, inside)
            tl.store(drejected_row + d, drejected, inside)


@triton.jit(do_not_specialize=["rows"])
def dpo_jvp(
    chosen_ptr,
    rejected_ptr,
    reference_chosen_ptr,
    reference_rejected_ptr,
    chosen_dot_ptr,
    rejected_dot_ptr,
    beta: tl.float64,
    smoothing: tl.float64,
    y_dot_ptr,
    chosen_stride,
    chosen_step,
    rejected_stride,
    rejected_step,
    reference_chosen_stride,
    reference_chosen_step,
    reference_rejected_stride,
    reference_rejected_step,
    chosen_dot_stride,
    chosen_dot_step,
    rejected_dot_stride,
    rejected_dot_step,
    rows,
    D,
    HAS_chosen_dot: tl.constexpr,
    HAS_reference_chosen: tl.constexpr,
    HAS_reference_rejected: tl.constexpr,
    HAS_rejected_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """margin_dot = beta*(chosen_dot - rejected_dot)
    softplus_u_dot = -margin_dot*sigmoid(u)
    y_dot = softplus_u_dot + smoothing*(margin_dot*sigmoid(margin) - softplus_u_dot)
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    reference_chosen_stride = reference_chosen_stride // EVEN * EVEN
    reference_rejected_stride = reference_rejected_stride // EVEN * EVEN
    chosen_dot_stride = chosen_dot_stride // EVEN * EVEN
    rejected_dot_stride = rejected_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    chosen_step = tl.cast(chosen_step, tl.int64)
    rejected_step = tl.cast(rejected_step, tl.int64)
    reference_chosen_step = tl.cast(reference_chosen_step, tl.int64)
    reference_rejected_step = tl.cast(reference_rejected_step, tl.int64)
    chosen_dot_step = tl.cast(chosen_dot_step, tl.int64)
    rejected_dot_step = tl.cast(rejected_dot_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    smoothing = tl.full([1, 1], smoothing, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        chosen_row = chosen_ptr + row*chosen_stride
        rejected_row = rejected_ptr + row*rejected_stride
        if HAS_reference_chosen:
            reference_chosen_row = reference_chosen_ptr + row*reference_chosen_stride
        if HAS_reference_rejected:
            reference_rejected_row = (
                reference_rejected_ptr + row*reference_rejected_stride
            )
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
            if HAS_reference_chosen:
                reference_chosen = tl.load(
                    reference_chosen_row + d*reference_chosen_step, inside, 0
                ).to(A)
            reference_rejected = (
                tl.load(
                    reference_rejected_row + d*reference_rejected_step, inside, 0
                ).to(A)
                if HAS_reference_rejected
                else 0.0
            )
            chosen_dot = (
                tl.load(chosen_dot_row + d*chosen_dot_step, inside, 0).to(A)
                if HAS_chosen_dot
                else 0.0
            )
            if HAS_rejected_dot:
                rejected_dot = tl.load(
                    rejected_dot_row + d*rejected_dot_step, inside, 0
                ).to(A)
            total = chosen - rejected  # step 1
            total_2 = total  # step 2
            if HAS_reference_chosen:
                total_2 -= reference_chosen  # step 2
            margin_part = 0.0
            if HAS_reference_rejected:
                margin_part += reference_rejected
            margin_part += total_2
            margin = margin_part*beta  # step 3
            u = -margin  # step 4
            margin_dot_part = 0.0
            if HAS_chosen_dot:
                margin_dot_part += chosen_dot
            if HAS_rejected_dot:
                margin_dot_part -= rejected_dot
            margin_dot = margin_dot_part*beta  # step 22
            softplus_u_dot = -tl.sigmoid(u)*margin_dot  # step 25
            # step 28
            y_dot = (
                softplus_u_dot
                + (tl.sigmoid(margin)*margin_dot - softplus_u_dot)*smoothing
            )
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def dpo_backward_backward(
    chosen_ptr,
    rejected_ptr,
    reference_chosen_ptr,
    reference_rejected_ptr,
    dy_ptr,
    ddchosen_ptr,
    ddrejected_ptr,
    beta: tl.float64,
    smoothing: tl.float64,
    dchosen_ptr,
    drejected_ptr,
    ddy_ptr,
    chosen_stride,
    chosen_step,
    rejected_stride,
    rejected_step,
    reference_chosen_stride,
    reference_chosen_step,
    reference_rejected_stride,
    reference_rejected_step,
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
    HAS_reference_chosen: tl.constexpr,
    HAS_reference_rejected: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """ddchosen_2 = ddchosen - ddrejected
    d2chosen = beta**2*ddchosen_2*dy*(smoothing*sigmoid(margin)*(1 -
        sigmoid(margin)) + sigmoid(u)*(1 - smoothing)*(1 - sigmoid(u)))
    d2rejected = -d2chosen
    ddy = beta*ddchosen_2*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))
    """
    chosen_stride = chosen_stride // EVEN * EVEN
    rejected_stride = rejected_stride // EVEN * EVEN
    reference_chosen_stride = reference_chosen_stride // EVEN * EVEN
    reference_rejected_stride = reference_rejected_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddchosen_stride = ddchosen_stride // EVEN * EVEN
    ddrejected_stride = ddrejected_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    chosen_step = tl.cast(chosen_step, tl.int64)
    rejected_step = tl.cast(rejected_step, tl.int64)
    reference_chosen_step = tl.cast(reference_chosen_step, tl.int64)
    reference_rejected_step = tl.cast(reference_rejected_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddchosen_step = tl.cast(ddchosen_step, tl.int64)
    ddrejected_step = tl.cast(ddrejected_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    smoothing = tl.full([1, 1], smoothing, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        chosen_row = chosen_ptr + row*chosen_stride
        rejected_row = rejected_ptr + row*rejected_stride
        if HAS_reference_chosen:
            reference_chosen_row = reference_chosen_ptr + row*reference_chosen_stride
        if HAS_reference_rejected:
            reference_rejected_row = (
                reference_rejected_ptr + row*reference_rejected_stride
            )
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
            if HAS_reference_chosen:
                reference_chosen = tl.load(
                    reference_chosen_row + d*reference_chosen_step, inside, 0
                ).to(A)
            reference_rejected = (
                tl.load(
                    reference_rejected_row + d*reference_rejected_step, inside, 0
                ).to(A)
                if HAS_reference_rejected
                else 0.0
            )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddchosen = (
                tl.load(ddchosen_row + d*ddchosen_step, inside, 0).to(A)
                if HAS_ddchosen
                else 0.0
            )
            if HAS_ddrejected:
                ddrejected = tl.load(ddrejected_row + d*ddrejected_step, inside, 0).to(
                    A
                )
            total = chosen - rejected  # step 1
            total_2 = total  # step 2
            if HAS_reference_chosen:
                total_2 -= reference_chosen  # step 2
            margin_part = 0.0
            if HAS_reference_rejected:
                margin_part += reference_rejected
            margin_part += total_2
            margin = margin_part*beta  # step 3
            u = -margin  # step 4
            ddchosen_2 = 0.0
            if HAS_ddchosen:
                ddchosen_2 += ddchosen  # step 31
            if HAS_ddrejected:
                ddchosen_2 -= ddrejected  # step 31
            # step 39
            d2chosen = ddchosen_2*dy*(
                (1 - tl.sigmoid(margin))*tl.sigmoid(margin)*smoothing
                + (1 - tl.sigmoid(u))*tl.sigmoid(u)*(1 - smoothing)
            )*(beta*beta)
            d2rejected = -d2chosen  # step 42
            # step 43
            ddy = ddchosen_2*(
                (tl.sigmoid(margin) + tl.sigmoid(u))*smoothing - tl.sigmoid(u)
            )*beta
            tl.store(dchosen_row + d, d2chosen, inside)
            tl.store(drejected_row + d, d2rejected, inside)
            tl.store(ddy_row + d, ddy, inside)
