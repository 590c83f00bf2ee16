# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# mypy: ignore-errors
"""Dynamic tanh: an elementwise layer in the place of a norm.

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
def dynamic_tanh_forward(
    x_ptr,
    alpha_ptr,
    gamma_ptr,
    beta_ptr,
    y_ptr,
    x_stride,
    x_step,
    rows,
    D,
    HAS_alpha: tl.constexpr,
    HAS_beta: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """u = alpha*x
    t = tanh(u)
    y = gamma*t + beta
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    alpha = tl.load(alpha_ptr).to(A) if HAS_alpha else 0.5
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        y_row = y_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            u = x*alpha  # step 1
            t = tanh(u)  # step 2
            y = t*gamma  # step 3
            if HAS_beta:
                y += beta  # step 3
            tl.store(y_row + d, y, inside)


@triton.jit(do_not_specialize=["rows"])
def dynamic_tanh_backward(
    x_ptr,
    dy_ptr,
    alpha_ptr,
    gamma_ptr,
    dx_ptr,
    sums_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
    rows,
    D,
    HAS_alpha: tl.constexpr,
    HAS_beta: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """du = gamma*dy*(1 - t)*(1 + t)
    dx = alpha*du
    dalpha = sum_rows(sum(du*x))
    dgamma = sum_rows(dy*t)
    dbeta = sum_rows(dy)
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    alpha = tl.load(alpha_ptr).to(A) if HAS_alpha else 0.5
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * (2*D + 1)
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_gamma:
            dgamma = tl.zeros([ROWS, TILE], A)
        if HAS_beta:
            dbeta = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_gamma:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
            if HAS_beta:
                tl.store(sums_ptr + D + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    if HAS_alpha:
        dalpha = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        if HAS_alpha:
            sum_du_x_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            u = x*alpha  # step 1
            t = tanh(u)  # step 2
            du = (1 - t)*dy*(t + 1)*gamma  # step 7
            dx = du*alpha  # step 8
            if HAS_alpha:
                sum_du_x_sum += tl.where(inside, du*x, 0.0)
            if HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, dy*t, 0.0)  # step 10
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*t, 0.0), d < D)
            if HAS_beta:
                if WHOLE:
                    dbeta += dy  # step 11
                else:
                    add_to(sums_ptr + D + d, dy, d < D)
            tl.store(dx_row + d, dx, inside)
        if HAS_alpha:
            sum_du_x = tl.sum(sum_du_x_sum, 1, keep_dims=True)  # step 9: sum(du*x)
            dalpha += tl.where(there, sum_du_x, 0.0)  # step 9
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(dgamma, 0, keep_dims=True), d < D)
        if HAS_beta:
            tl.store(sums_ptr + D + d, tl.sum(dbeta, 0, keep_dims=True), d < D)
    if HAS_alpha:
        tl.store(sums_ptr + 2*D, tl.sum(dalpha))


@triton.jit(do_not_specialize=["programs"])
def dynamic_tanh_backward_totals(
    sums_ptr,
    dalpha_ptr,
    dgamma_ptr,
    dbeta_ptr,
    programs,
    D,
    HAS_alpha: tl.constexpr,
    HAS_beta: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    if HAS_alpha:
        # step 9
        dalpha = over_programs(
            sums_ptr + 2*D + tl.zeros([1, 1], tl.int32),
            True,
            programs,
            (2*D + 1),
            AT_ONCE,
            A,
        )
        tl.store(dalpha_ptr + tl.zeros([1, 1], tl.int32), dalpha)
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if HAS_gamma:
            dgamma = over_programs(sums_ptr + d, d < D, programs, (2*D + 1), AT_ONCE, A)
        if HAS_beta:
            dbeta = over_programs(
                sums_ptr + D + d, d < D, programs, (2*D + 1), AT_ONCE, A
            )
        if HAS_gamma:
            tl.store(dgamma_ptr + d, dgamma, inside)
        if HAS_beta:
            tl.store(dbeta_ptr + d, dbeta, inside)


@triton.jit(do_not_specialize=["rows"])
def dynamic_tanh_jvp(
    x_ptr,
    x_dot_ptr,
    alpha_ptr,
    gamma_ptr,
    alpha_dot_ptr,
    gamma_dot_ptr,
    beta_dot_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_alpha: tl.constexpr,
    HAS_alpha_dot: tl.constexpr,
    HAS_beta_dot: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_gamma_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = gamma_dot*t + gamma*(1 - t)*(1 + t)*(alpha_dot*x + alpha*x_dot) +
        beta_dot
    """
    x_stride = x_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    if HAS_alpha_dot or HAS_gamma_dot or HAS_x_dot:
        alpha = tl.load(alpha_ptr).to(A) if HAS_alpha else 0.5
    if HAS_alpha_dot:
        alpha_dot = tl.load(alpha_dot_ptr).to(A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_alpha_dot or HAS_gamma_dot or HAS_x_dot:
            x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        y_dot_row = y_dot_ptr + row*D
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_alpha_dot or HAS_gamma_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_alpha_dot or HAS_x_dot:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_gamma_dot:
                gamma_dot = tl.load(gamma_dot_ptr + d, d < D, 0).to(A)
            beta_dot = (
                tl.load(beta_dot_ptr + d, d < D, 0).to(A) if HAS_beta_dot else 0.0
            )
            if HAS_alpha_dot or HAS_gamma_dot or HAS_x_dot:
                u = x*alpha  # step 1
                t = tanh(u)  # step 2
            if HAS_alpha_dot or HAS_x_dot:
                y_dot_part = 0.0
            if HAS_alpha_dot:
                y_dot_part += x*alpha_dot
            if HAS_x_dot:
                y_dot_part += x_dot*alpha
            y_dot = 0.0
            if HAS_gamma_dot:
                y_dot += t*gamma_dot  # step 17
            if HAS_alpha_dot or HAS_x_dot:
                y_dot += (1 - t)*(t + 1)*y_dot_part*gamma  # step 17
            if HAS_beta_dot:
                y_dot += beta_dot  # step 17
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def dynamic_tanh_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    alpha_ptr,
    gamma_ptr,
    ddalpha_ptr,
    ddgamma_ptr,
    ddbeta_ptr,
    dx_ptr,
    ddy_ptr,
    sums_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
    ddx_stride,
    ddx_step,
    rows,
    D,
    HAS_alpha: tl.constexpr,
    HAS_ddalpha: tl.constexpr,
    HAS_ddbeta: tl.constexpr,
    HAS_ddgamma: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """du = gamma*dy*(1 - t)*(1 + t)
    ddu = ddalpha*x + alpha*ddx
    d2u = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*ddu*t)
    d2x = alpha*d2u + ddalpha*du
    d2alpha = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
    d2gamma = sum_rows(ddu*dy*(1 - t)*(1 + t))
    d2beta = 0
    ddy = ddgamma*t + gamma*ddu*(1 - t)*(1 + t) + ddbeta
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    length = tl.cast(D, A)
    if HAS_ddalpha or HAS_ddgamma or HAS_ddx:
        alpha = tl.load(alpha_ptr).to(A) if HAS_alpha else 0.5
    if HAS_ddalpha:
        ddalpha = tl.load(ddalpha_ptr).to(A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * (D + 1)
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_ddalpha or HAS_ddx:
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A) if HAS_ddgamma else 0.0
        ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A) if HAS_ddbeta else 0.0
        if (HAS_ddalpha and HAS_gamma) or (HAS_ddx and HAS_gamma):
            d2gamma = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if (HAS_ddalpha and HAS_gamma) or (HAS_ddx and HAS_gamma):
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    if (
        (HAS_alpha and HAS_ddalpha)
        or (HAS_alpha and HAS_ddgamma)
        or (HAS_alpha and HAS_ddx)
    ):
        d2alpha = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_ddalpha or HAS_ddgamma or HAS_ddx:
            x_row = x_ptr + row*x_stride
            dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        if (
            (HAS_alpha and HAS_ddalpha)
            or (HAS_alpha and HAS_ddgamma)
            or (HAS_alpha and HAS_ddx)
        ):
            mean_d2u_x_sum = tl.zeros([ROWS, TILE], A)
        if HAS_alpha and HAS_ddx:
            mean_ddx_du_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddalpha or HAS_ddgamma or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if (HAS_ddalpha or HAS_ddx) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if not WHOLE:
                ddgamma = (
                    tl.load(ddgamma_ptr + d, d < D, 0).to(A) if HAS_ddgamma else 0.0
                )
            if not WHOLE:
                ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A) if HAS_ddbeta else 0.0
            if HAS_ddalpha or HAS_ddgamma or HAS_ddx:
                u = x*alpha  # step 1
                t = tanh(u)  # step 2
            if (HAS_alpha and HAS_ddx) or HAS_ddalpha:
                du = (1 - t)*dy*(t + 1)*gamma  # step 18
            if HAS_ddalpha or HAS_ddx:
                ddu = 0.0
            if HAS_ddx:
                ddu += ddx*alpha  # step 26
            if HAS_ddalpha:
                ddu += x*ddalpha  # step 26
            if HAS_ddalpha or HAS_ddgamma or HAS_ddx:
                d2u_part = 0.0
            if HAS_ddgamma:
                d2u_part += ddgamma
            if HAS_ddalpha or HAS_ddx:
                d2u_part -= 2*ddu*t*gamma
            if HAS_ddalpha or HAS_ddgamma or HAS_ddx:
                d2u = (1 - t)*d2u_part*dy*(t + 1)  # step 33
            d2x = 0.0
            if HAS_ddalpha or HAS_ddgamma or HAS_ddx:
                d2x += d2u*alpha  # step 37
            if HAS_ddalpha:
                d2x += du*ddalpha  # step 37
            ddy = 0.0
            if HAS_ddgamma:
                ddy += t*ddgamma  # step 47
            if HAS_ddalpha or HAS_ddx:
                ddy += (1 - t)*ddu*(t + 1)*gamma  # step 47
            if HAS_ddbeta:
                ddy += ddbeta  # step 47
            if (
                (HAS_alpha and HAS_ddalpha)
                or (HAS_alpha and HAS_ddgamma)
                or (HAS_alpha and HAS_ddx)
            ):
                mean_d2u_x_sum += tl.where(inside, d2u*x, 0.0)
            if HAS_alpha and HAS_ddx:
                mean_ddx_du_sum += tl.where(inside, ddx*du, 0.0)
            if (HAS_ddalpha and HAS_gamma) or (HAS_ddx and HAS_gamma):
                if WHOLE:
                    d2gamma += tl.where(inside, (1 - t)*ddu*dy*(t + 1), 0.0)  # step 41
                else:
                    add_to(
                        sums_ptr + d,
                        tl.where(inside, (1 - t)*ddu*dy*(t + 1), 0.0),
                        d < D,
                    )
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
        if (
            (HAS_alpha and HAS_ddalpha)
            or (HAS_alpha and HAS_ddgamma)
            or (HAS_alpha and HAS_ddx)
        ):
            mean_d2u_x = tl.sum(mean_d2u_x_sum, 1, keep_dims=True)/length  # step 39
        if HAS_alpha and HAS_ddx:
            mean_ddx_du = tl.sum(mean_ddx_du_sum, 1, keep_dims=True)/length  # step 39
        if (
            (HAS_alpha and HAS_ddalpha)
            or (HAS_alpha and HAS_ddgamma)
            or (HAS_alpha and HAS_ddx)
        ):
            mean_ddx_du_scaled_part = mean_d2u_x
        if HAS_alpha and HAS_ddx:
            mean_ddx_du_scaled_part += mean_ddx_du
        if (
            (HAS_alpha and HAS_ddalpha)
            or (HAS_alpha and HAS_ddgamma)
            or (HAS_alpha and HAS_ddx)
        ):
            mean_ddx_du_scaled = mean_ddx_du_scaled_part*length  # step 39, pass 1
            d2alpha += tl.where(there, mean_ddx_du_scaled, 0.0)  # step 39, pass 2
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if (HAS_ddalpha and HAS_gamma) or (HAS_ddx and HAS_gamma):
            tl.store(sums_ptr + d, tl.sum(d2gamma, 0, keep_dims=True), d < D)
    if (
        (HAS_alpha and HAS_ddalpha)
        or (HAS_alpha and HAS_ddgamma)
        or (HAS_alpha and HAS_ddx)
    ):
        tl.store(sums_ptr + D, tl.sum(d2alpha))


@triton.jit(do_not_specialize=["programs"])
def dynamic_tanh_backward_backward_totals(
    sums_ptr,
    dalpha_ptr,
    dgamma_ptr,
    dbeta_ptr,
    programs,
    D,
    HAS_alpha: tl.constexpr,
    HAS_beta: tl.constexpr,
    HAS_ddalpha: tl.constexpr,
    HAS_ddgamma: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    if (
        (HAS_alpha and HAS_ddalpha)
        or (HAS_alpha and HAS_ddgamma)
        or (HAS_alpha and HAS_ddx)
    ):
        # step 39, pass 2: once a row
        d2alpha = over_programs(
            sums_ptr + D + tl.zeros([1, 1], tl.int32),
            True,
            programs,
            (D + 1),
            AT_ONCE,
            A,
        )
    if HAS_alpha:
        tl.store(
            dalpha_ptr + tl.zeros([1, 1], tl.int32),
            d2alpha if HAS_ddalpha or HAS_ddgamma or HAS_ddx else 0.0,
        )
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if (HAS_ddalpha and HAS_gamma) or (HAS_ddx and HAS_gamma):
            d2gamma = over_programs(sums_ptr + d, d < D, programs, (D + 1), AT_ONCE, A)
        if HAS_gamma:
            tl.store(dgamma_ptr + d, d2gamma if HAS_ddalpha or HAS_ddx else 0.0, inside)
        if HAS_beta:
            tl.store(dbeta_ptr + d, 0.0, inside)
