# Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
# Do not edit; edit kto.py and run: lngen derive kto.py
# definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
# mypy: ignore-errors
"""Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def kto_forward(
    logp_ptr,
    reference_ptr,
    desirable_ptr,
    divergence_ptr,
    beta: tl.float64,
    gain: tl.float64,
    loss: tl.float64,
    y_ptr,
    logp_stride,
    logp_step,
    reference_stride,
    reference_step,
    desirable_stride,
    desirable_step,
    divergence_stride,
    divergence_step,
    rows,
    D,
    HAS_divergence: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """reward = logp - reference - divergence
    u = -beta*reward
    sigmoid_u = sigmoid(u)
    u_2 = beta*reward
    sigmoid_u_2 = sigmoid(u_2)
    y = where(desirable > 0, gain*sigmoid_u, loss*sigmoid_u_2)
    """
    logp_stride = logp_stride // EVEN * EVEN
    reference_stride = reference_stride // EVEN * EVEN
    desirable_stride = desirable_stride // EVEN * EVEN
    divergence_stride = divergence_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    logp_step = tl.cast(logp_step, tl.int64)
    reference_step = tl.cast(reference_step, tl.int64)
    desirable_step = tl.cast(desirable_step, tl.int64)
    divergence_step = tl.cast(divergence_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    gain = tl.full([1, 1], gain, A)
    loss = tl.full([1, 1], loss, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        logp_row = logp_ptr + row*logp_stride
        reference_row = reference_ptr + row*reference_stride
        desirable_row = desirable_ptr + row*desirable_stride
        if HAS_divergence:
            divergence_row = divergence_ptr + row*divergence_stride
        y_row = y_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            logp = tl.load(logp_row + d*logp_step, inside, 0).to(A)
            reference = tl.load(reference_row + d*reference_step, inside, 0).to(A)
            desirable = tl.load(desirable_row + d*desirable_step, inside, 0).to(
                tl.int64
            )
            if HAS_divergence:
                divergence = tl.load(divergence_row + d*divergence_step, inside, 0).to(
                    A
                )
            total = logp - reference  # step 1
            reward = total  # step 2
            if HAS_divergence:
                reward -= divergence  # step 2
            u = -reward*beta  # step 3
            sigmoid_u = tl.sigmoid(u)  # step 4
            u_2 = reward*beta  # step 5
            sigmoid_u_2 = tl.sigmoid(u_2)  # step 6
            y = tl.where(desirable > 0, sigmoid_u*gain, sigmoid_u_2*loss)  # step 7
            tl.store(y_row + d, y, inside)


@triton.jit(do_not_specialize=["rows"])
def kto_backward(
    logp_ptr,
    reference_ptr,
    desirable_ptr,
    divergence_ptr,
    dy_ptr,
    beta: tl.float64,
    gain: tl.float64,
    loss: tl.float64,
    dlogp_ptr,
    logp_stride,
    logp_step,
    reference_stride,
    reference_step,
    desirable_stride,
    desirable_step,
    divergence_stride,
    divergence_step,
    dy_stride,
    dy_step,
    rows,
    D,
    HAS_divergence: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dlogp = beta*where(desirable > 0, -gain*dy*sigmoid_u*(1 - sigmoid_u),
        loss*dy*sigmoid_u_2*(1 - sigmoid_u_2))
    """
    logp_stride = logp_stride // EVEN * EVEN
    reference_stride = reference_stride // EVEN * EVEN
    desirable_stride = desirable_stride // EVEN * EVEN
    divergence_stride = divergence_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    logp_step = tl.cast(logp_step, tl.int64)
    reference_step = tl.cast(reference_step, tl.int64)
    desirable_step = tl.cast(desirable_step, tl.int64)
    divergence_step = tl.cast(divergence_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    gain = tl.full([1, 1], gain, A)
    loss = tl.full([1, 1], loss, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        logp_row = logp_ptr + row*logp_stride
        reference_row = reference_ptr + row*reference_stride
        desirable_row = desirable_ptr + row*desirable_stride
        if HAS_divergence:
            divergence_row = divergence_ptr + row*divergence_stride
        dy_row = dy_ptr + row*dy_stride
        dlogp_row = dlogp_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            logp = tl.load(logp_row + d*logp_step, inside, 0).to(A)
            reference = tl.load(reference_row + d*reference_step, inside, 0).to(A)
            desirable = tl.load(desirable_row + d*desirable_step, inside, 0).to(
                tl.int64
            )
            if HAS_divergence:
                divergence = tl.load(divergence_row + d*divergence_step, inside, 0).to(
                    A
                )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            total = logp - reference  # step 1
            reward = total  # step 2
            if HAS_divergence:
                reward -= divergence  # step 2
            u = -reward*beta  # step 3
            sigmoid_u = tl.sigmoid(u)  # step 4
            u_2 = reward*beta  # step 5
            sigmoid_u_2 = tl.sigmoid(u_2)  # step 6
            # step 20
            dlogp = tl.where(
                desirable > 0,
                -(1 - sigmoid_u)*dy*sigmoid_u*gain,
                (1 - sigmoid_u_2)*dy*sigmoid_u_2*loss,
            )*beta
            tl.store(dlogp_row + d, dlogp, inside)


@triton.jit(do_not_specialize=["rows"])
def kto_jvp(
    logp_ptr,
    reference_ptr,
    desirable_ptr,
    divergence_ptr,
    logp_dot_ptr,
    beta: tl.float64,
    gain: tl.float64,
    loss: tl.float64,
    y_dot_ptr,
    logp_stride,
    logp_step,
    reference_stride,
    reference_step,
    desirable_stride,
    desirable_step,
    divergence_stride,
    divergence_step,
    logp_dot_stride,
    logp_dot_step,
    rows,
    D,
    HAS_divergence: tl.constexpr,
    HAS_logp_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = where(desirable > 0, -beta*gain*logp_dot*sigmoid_u*(1 - sigmoid_u),
        beta*loss*logp_dot*sigmoid_u_2*(1 - sigmoid_u_2))
    """
    logp_stride = logp_stride // EVEN * EVEN
    reference_stride = reference_stride // EVEN * EVEN
    desirable_stride = desirable_stride // EVEN * EVEN
    divergence_stride = divergence_stride // EVEN * EVEN
    logp_dot_stride = logp_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    logp_step = tl.cast(logp_step, tl.int64)
    reference_step = tl.cast(reference_step, tl.int64)
    desirable_step = tl.cast(desirable_step, tl.int64)
    divergence_step = tl.cast(divergence_step, tl.int64)
    logp_dot_step = tl.cast(logp_dot_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    gain = tl.full([1, 1], gain, A)
    loss = tl.full([1, 1], loss, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        logp_row = logp_ptr + row*logp_stride
        reference_row = reference_ptr + row*reference_stride
        desirable_row = desirable_ptr + row*desirable_stride
        if HAS_divergence:
            divergence_row = divergence_ptr + row*divergence_stride
        if HAS_logp_dot:
            logp_dot_row = logp_dot_ptr + row*logp_dot_stride
        y_dot_row = y_dot_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            logp = tl.load(logp_row + d*logp_step, inside, 0).to(A)
            reference = tl.load(reference_row + d*reference_step, inside, 0).to(A)
            desirable = tl.load(desirable_row + d*desirable_step, inside, 0).to(
                tl.int64
            )
            if HAS_divergence:
                divergence = tl.load(divergence_row + d*divergence_step, inside, 0).to(
                    A
                )
            logp_dot = (
                tl.load(logp_dot_row + d*logp_dot_step, inside, 0).to(A)
                if HAS_logp_dot
                else 0.0
            )
            total = logp - reference  # step 1
            reward = total  # step 2
            if HAS_divergence:
                reward -= divergence  # step 2
            u = -reward*beta  # step 3
            sigmoid_u = tl.sigmoid(u)  # step 4
            u_2 = reward*beta  # step 5
            sigmoid_u_2 = tl.sigmoid(u_2)  # step 6
            # step 30
            y_dot = tl.where(
                desirable > 0,
                -(1 - sigmoid_u)*(
                    logp_dot if HAS_logp_dot else 0.0
                )*sigmoid_u*beta*gain,
                (1 - sigmoid_u_2)*(
                    logp_dot if HAS_logp_dot else 0.0
                )*sigmoid_u_2*beta*loss,
            )
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def kto_backward_backward(
    logp_ptr,
    reference_ptr,
    desirable_ptr,
    divergence_ptr,
    dy_ptr,
    ddlogp_ptr,
    beta: tl.float64,
    gain: tl.float64,
    loss: tl.float64,
    dlogp_ptr,
    ddy_ptr,
    logp_stride,
    logp_step,
    reference_stride,
    reference_step,
    desirable_stride,
    desirable_step,
    divergence_stride,
    divergence_step,
    dy_stride,
    dy_step,
    ddlogp_stride,
    ddlogp_step,
    rows,
    D,
    HAS_ddlogp: tl.constexpr,
    HAS_divergence: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """d2logp = beta*where(desirable > 0, -beta*ddlogp*sigmoid_u*(1 -
        sigmoid_u)*(gain*dy*sigmoid_u - gain*dy*(1 - sigmoid_u)),
        beta*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2)*(loss*dy*(1 - sigmoid_u_2) -
        loss*dy*sigmoid_u_2))
    ddy = where(desirable > 0, -beta*gain*ddlogp*sigmoid_u*(1 - sigmoid_u),
        beta*loss*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2))
    """
    logp_stride = logp_stride // EVEN * EVEN
    reference_stride = reference_stride // EVEN * EVEN
    desirable_stride = desirable_stride // EVEN * EVEN
    divergence_stride = divergence_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddlogp_stride = ddlogp_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    logp_step = tl.cast(logp_step, tl.int64)
    reference_step = tl.cast(reference_step, tl.int64)
    desirable_step = tl.cast(desirable_step, tl.int64)
    divergence_step = tl.cast(divergence_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddlogp_step = tl.cast(ddlogp_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    gain = tl.full([1, 1], gain, A)
    loss = tl.full([1, 1], loss, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        logp_row = logp_ptr + row*logp_stride
        reference_row = reference_ptr + row*reference_stride
        desirable_row = desirable_ptr + row*desirable_stride
        if HAS_divergence:
            divergence_row = divergence_ptr + row*divergence_stride
        dy_row = dy_ptr + row*dy_stride
        if HAS_ddlogp:
            ddlogp_row = ddlogp_ptr + row*ddlogp_stride
        dlogp_row = dlogp_ptr + row*D
        ddy_row = ddy_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            logp = tl.load(logp_row + d*logp_step, inside, 0).to(A)
            reference = tl.load(reference_row + d*reference_step, inside, 0).to(A)
            desirable = tl.load(desirable_row + d*desirable_step, inside, 0).to(
                tl.int64
            )
            if HAS_divergence:
                divergence = tl.load(divergence_row + d*divergence_step, inside, 0).to(
                    A
                )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddlogp = (
                tl.load(ddlogp_row + d*ddlogp_step, inside, 0).to(A)
                if HAS_ddlogp
                else 0.0
            )
            total = logp - reference  # step 1
            reward = total  # step 2
            if HAS_divergence:
                reward -= divergence  # step 2
            u = -reward*beta  # step 3
            sigmoid_u = tl.sigmoid(u)  # step 4
            u_2 = reward*beta  # step 5
            sigmoid_u_2 = tl.sigmoid(u_2)  # step 6
            # step 42
            d2logp = tl.where(
                desirable > 0,
                -(1 - sigmoid_u)*(ddlogp if HAS_ddlogp else 0.0)*(
                    dy*sigmoid_u*gain - (1 - sigmoid_u)*dy*gain
                )*sigmoid_u*beta,
                ((1 - sigmoid_u_2)*dy*loss - dy*sigmoid_u_2*loss)*(1 - sigmoid_u_2)*(
                    ddlogp if HAS_ddlogp else 0.0
                )*sigmoid_u_2*beta,
            )*beta
            # step 43
            ddy = tl.where(
                desirable > 0,
                -(1 - sigmoid_u)*(ddlogp if HAS_ddlogp else 0.0)*sigmoid_u*beta*gain,
                (1 - sigmoid_u_2)*(ddlogp if HAS_ddlogp else 0.0)*sigmoid_u_2*beta*loss,
            )
            tl.store(dlogp_row + d, d2logp, inside)
            tl.store(ddy_row + d, ddy, inside)
