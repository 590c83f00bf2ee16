# Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
# definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
# mypy: ignore-errors
"""Polynomial of a row whose powers are each scaled to root mean square 1.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def over_programs(place, inside, programs, width, AT_ONCE: tl.constexpr, A: tl.constexpr):
    """Add up the partial sums of all programs, in the same order each time."""
    total = tl.zeros([AT_ONCE, place.shape[1]], A)
    for first in range(0, programs, AT_ONCE):
        program = first + tl.arange(0, AT_ONCE)[:, None].to(tl.int64)
        total += tl.load(place + program*width, inside & (program < programs), 0.0)
    return tl.sum(total, 0, keep_dims=True)


@triton.jit(do_not_specialize=["rows"])
def poly_norm_forward(
    x_ptr,
    cubic_ptr,
    square_ptr,
    linear_ptr,
    bias_ptr,
    eps: tl.float64,
    y_ptr,
    rstd_ptr,
    rstd_2_ptr,
    rstd_3_ptr,
    x_stride,
    x_step,
    rows,
    D,
    HAS_bias: tl.constexpr,
    HAS_cubic: tl.constexpr,
    HAS_linear: tl.constexpr,
    HAS_square: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """mean_x6 = mean(x**6)
    rstd = 1/sqrt(mean_x6 + eps)
    mean_x4 = mean(x**4)
    rstd_2 = 1/sqrt(mean_x4 + eps)
    ms = mean(x**2)
    rstd_3 = 1/sqrt(ms + eps)
    first = rstd_3*x
    y = linear*first + cubic*rstd*x**3 + square*rstd_2*x**2 + bias
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    length = tl.cast(D, A)
    cubic = (
        tl.load(cubic_ptr).to(A)
        if HAS_cubic
        else tl.full([1, 1], 0.3333333333333333, A)
    )
    square = (
        tl.load(square_ptr).to(A)
        if HAS_square
        else tl.full([1, 1], 0.3333333333333333, A)
    )
    linear = (
        tl.load(linear_ptr).to(A)
        if HAS_linear
        else tl.full([1, 1], 0.3333333333333333, A)
    )
    bias = tl.load(bias_ptr).to(A) if HAS_bias else 0.0
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        y_row = y_ptr + row*D
        mean_x6_sum = tl.zeros([ROWS, TILE], A)
        mean_x4_sum = tl.zeros([ROWS, TILE], A)
        ms_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            mean_x6_sum += x*x*x*x*x*x
            mean_x4_sum += x*x*x*x
            ms_sum += x*x
        mean_x6 = tl.sum(mean_x6_sum, 1, keep_dims=True)/length  # step 1: mean(x**6)
        mean_x4 = tl.sum(mean_x4_sum, 1, keep_dims=True)/length  # step 3: mean(x**4)
        ms = tl.sum(ms_sum, 1, keep_dims=True)/length  # step 5: mean(x**2)
        rstd = tl.rsqrt(mean_x6 + eps)  # step 2
        rstd_2 = tl.rsqrt(mean_x4 + eps)  # step 4
        rstd_3 = tl.rsqrt(ms + eps)  # step 6
        square_scaled = rstd_2*square  # step 8, pass 1: once a row
        cubic_scaled = rstd*cubic  # step 8, pass 2: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            first_ = x*rstd_3  # step 7
            # step 8, pass 4: once a row
            y = first_*linear + (x*x*x)*cubic_scaled + (x*x)*square_scaled
            if HAS_bias:
                y += bias  # step 8, pass 4: once a row
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)
            tl.store(rstd_2_ptr + row, rstd_2, there)
            tl.store(rstd_3_ptr + row, rstd_3, there)


@triton.jit(do_not_specialize=["rows"])
def poly_norm_backward(
    x_ptr,
    dy_ptr,
    rstd_ptr,
    rstd_2_ptr,
    rstd_3_ptr,
    cubic_ptr,
    square_ptr,
    linear_ptr,
    dx_ptr,
    sums_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
    rows,
    D,
    HAS_bias: tl.constexpr,
    HAS_cubic: tl.constexpr,
    HAS_linear: tl.constexpr,
    HAS_square: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = linear*dy
    dx = rstd_3*g + dy*x*(3*cubic*rstd*x + 2*square*rstd_2) -
        rstd_3*first*mean(first*g) - 3*rstd**3*x**5*mean(cubic*dy*x**3) -
        2*rstd_2**3*x**3*mean(square*dy*x**2)
    dcubic = sum_rows(rstd*sum(dy*x**3))
    dsquare = sum_rows(rstd_2*sum(dy*x**2))
    dlinear = sum_rows(sum(dy*first))
    dbias = sum_rows(sum(dy))
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    length = tl.cast(D, A)
    cubic = (
        tl.load(cubic_ptr).to(A)
        if HAS_cubic
        else tl.full([1, 1], 0.3333333333333333, A)
    )
    square = (
        tl.load(square_ptr).to(A)
        if HAS_square
        else tl.full([1, 1], 0.3333333333333333, A)
    )
    linear = (
        tl.load(linear_ptr).to(A)
        if HAS_linear
        else tl.full([1, 1], 0.3333333333333333, A)
    )
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 4
    if HAS_cubic:
        dcubic = tl.zeros([ROWS, 1], A)
    if HAS_square:
        dsquare = tl.zeros([ROWS, 1], A)
    if HAS_linear:
        dlinear = tl.zeros([ROWS, 1], A)
    if HAS_bias:
        dbias = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
        rstd_3 = tl.load(rstd_3_ptr + row, there, 0).to(A)
        square_scaled_2 = 2*rstd_2*square  # step 21, pass 5: once a row
        cubic_scaled_2 = 3*rstd*cubic  # step 21, pass 6: once a row
        mean_first_g_sum = tl.zeros([ROWS, TILE], A)
        mean_dy_x_sum = tl.zeros([ROWS, TILE], A)
        mean_dy_x_2_sum = tl.zeros([ROWS, TILE], A)
        if HAS_cubic:
            sum_dy_x_sum = tl.zeros([ROWS, TILE], A)
        if HAS_square:
            sum_dy_x_2_sum = tl.zeros([ROWS, TILE], A)
        if HAS_linear:
            sum_dy_first_sum = tl.zeros([ROWS, TILE], A)
        if HAS_bias:
            sum_dy_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            first_ = x*rstd_3  # step 7
            g = dy*linear  # step 9
            mean_first_g_sum += tl.where(inside, first_*g, 0.0)
            mean_dy_x_sum += tl.where(inside, dy*(x*x*x)*cubic, 0.0)
            mean_dy_x_2_sum += tl.where(inside, dy*(x*x)*square, 0.0)
            if HAS_cubic:
                sum_dy_x_sum += dy*(x*x*x)
            if HAS_square:
                sum_dy_x_2_sum += dy*(x*x)
            if HAS_linear:
                sum_dy_first_sum += tl.where(inside, dy*first_, 0.0)
            if HAS_bias:
                sum_dy_sum += dy
        mean_first_g = tl.sum(mean_first_g_sum, 1, keep_dims=True)/length  # step 21
        mean_dy_x = tl.sum(mean_dy_x_sum, 1, keep_dims=True)/length  # step 21
        mean_dy_x_2 = tl.sum(mean_dy_x_2_sum, 1, keep_dims=True)/length  # step 21
        if HAS_cubic:
            sum_dy_x = tl.sum(sum_dy_x_sum, 1, keep_dims=True)  # step 23: sum(dy*x**3)
        if HAS_square:
            sum_dy_x_2 = tl.sum(sum_dy_x_2_sum, 1, keep_dims=True)  # step 25
        if HAS_linear:
            sum_dy_first = tl.sum(sum_dy_first_sum, 1, keep_dims=True)  # step 26
        if HAS_bias:
            sum_dy = tl.sum(sum_dy_sum, 1, keep_dims=True)  # step 27: sum(dy)
        mean_first_g_scaled = mean_first_g*rstd_3  # step 21, pass 11: once a row
        mean_dy_x_scaled = -3*mean_dy_x*(rstd*rstd*rstd)  # step 21, pass 12: once a row
        mean_dy_x_2_scaled = -2*mean_dy_x_2*(rstd_2*rstd_2*rstd_2)  # step 21, pass 13
        if HAS_cubic:
            sum_dy_x_scaled = rstd*sum_dy_x  # step 23, pass 14: once a row
        if HAS_square:
            sum_dy_x_2_scaled = rstd_2*sum_dy_x_2  # step 25, pass 15: once a row
        if HAS_cubic:
            dcubic += tl.where(there, sum_dy_x_scaled, 0.0)  # step 23, pass 16
        if HAS_square:
            dsquare += tl.where(there, sum_dy_x_2_scaled, 0.0)  # step 25, pass 17
        if HAS_linear:
            dlinear += tl.where(there, sum_dy_first, 0.0)  # step 26
        if HAS_bias:
            dbias += tl.where(there, sum_dy, 0.0)  # step 27
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            first_ = x*rstd_3  # step 7
            g = dy*linear  # step 9
            # step 21, pass 19: once a row
            dx = (
                g*rstd_3
                + (x*x*x)*mean_dy_x_2_scaled
                + (x*x*x*x*x)*mean_dy_x_scaled
                + (x*cubic_scaled_2 + square_scaled_2)*dy*x
                - first_*mean_first_g_scaled
            )
            tl.store(dx_row + d, dx, inside)
    if HAS_cubic:
        tl.store(sums_ptr, tl.sum(dcubic))
    if HAS_square:
        tl.store(sums_ptr + 1, tl.sum(dsquare))
    if HAS_linear:
        tl.store(sums_ptr + 2, tl.sum(dlinear))
    if HAS_bias:
        tl.store(sums_ptr + 3, tl.sum(dbias))


@triton.jit(do_not_specialize=["programs"])
def poly_norm_backward_totals(
    sums_ptr,
    dcubic_ptr,
    dsquare_ptr,
    dlinear_ptr,
    dbias_ptr,
    programs,
    D,
    HAS_bias: tl.constexpr,
    HAS_cubic: tl.constexpr,
    HAS_linear: tl.constexpr,
    HAS_square: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    if HAS_cubic:
        # step 23, pass 16: once a row
        dcubic = over_programs(
            sums_ptr + tl.zeros([1, 1], tl.int32), True, programs, 4, AT_ONCE, A
        )
    if HAS_square:
        # step 25, pass 17: once a row
        dsquare = over_programs(
            sums_ptr + 1 + tl.zeros([1, 1], tl.int32), True, programs, 4, AT_ONCE, A
        )
    if HAS_linear:
        # step 26
        dlinear = over_programs(
            sums_ptr + 2 + tl.zeros([1, 1], tl.int32), True, programs, 4, AT_ONCE, A
        )
    if HAS_bias:
        # step 27
        dbias = over_programs(
            sums_ptr + 3 + tl.zeros([1, 1], tl.int32), True, programs, 4, AT_ONCE, A
        )
    if HAS_cubic:
        tl.store(dcubic_ptr + tl.zeros([1, 1], tl.int32), dcubic)
    if HAS_square:
        tl.store(dsquare_ptr + tl.zeros([1, 1], tl.int32), dsquare)
    if HAS_linear:
        tl.store(dlinear_ptr + tl.zeros([1, 1], tl.int32), dlinear)
    if HAS_bias:
        tl.store(dbias_ptr + tl.zeros([1, 1], tl.int32), dbias)


@triton.jit(do_not_specialize=["rows"])
def poly_norm_jvp(
    x_ptr,
    x_dot_ptr,
    rstd_ptr,
    rstd_2_ptr,
    rstd_3_ptr,
    cubic_ptr,
    square_ptr,
    linear_ptr,
    cubic_dot_ptr,
    square_dot_ptr,
    linear_dot_ptr,
    bias_dot_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_bias_dot: tl.constexpr,
    HAS_cubic: tl.constexpr,
    HAS_cubic_dot: tl.constexpr,
    HAS_linear: tl.constexpr,
    HAS_linear_dot: tl.constexpr,
    HAS_square: tl.constexpr,
    HAS_square_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """rstd_dot = -3*rstd**3*mean(x**5*x_dot)
    rstd_2_dot = -2*rstd_2**3*mean(x**3*x_dot)
    y_dot = linear_dot*first + cubic*rstd_dot*x**3 + square*rstd_2_dot*x**2 +
        cubic_dot*rstd*x**3 + square_dot*rstd_2*x**2 + x*x_dot*(3*cubic*rstd*x +
        2*square*rstd_2) + linear*rstd_3*(x_dot - first*mean(first*x_dot)) +
        bias_dot
    """
    x_stride = x_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    length = tl.cast(D, A)
    if HAS_x_dot:
        cubic = (
            tl.load(cubic_ptr).to(A)
            if HAS_cubic
            else tl.full([1, 1], 0.3333333333333333, A)
        )
        square = (
            tl.load(square_ptr).to(A)
            if HAS_square
            else tl.full([1, 1], 0.3333333333333333, A)
        )
        linear = (
            tl.load(linear_ptr).to(A)
            if HAS_linear
            else tl.full([1, 1], 0.3333333333333333, A)
        )
    if HAS_cubic_dot:
        cubic_dot = tl.load(cubic_dot_ptr).to(A)
    if HAS_square_dot:
        square_dot = tl.load(square_dot_ptr).to(A)
    if HAS_linear_dot:
        linear_dot = tl.load(linear_dot_ptr).to(A)
    bias_dot = tl.load(bias_dot_ptr).to(A) if HAS_bias_dot else 0.0
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_cubic_dot or HAS_linear_dot or HAS_square_dot or HAS_x_dot:
            x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        y_dot_row = y_dot_ptr + row*D
        if HAS_cubic_dot or HAS_x_dot:
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_square_dot or HAS_x_dot:
            rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
        if HAS_linear_dot or HAS_x_dot:
            rstd_3 = tl.load(rstd_3_ptr + row, there, 0).to(A)
        if HAS_square_dot:
            square_dot_scaled = rstd_2*square_dot  # step 43, pass 20: once a row
        if HAS_cubic_dot:
            cubic_dot_scaled = rstd*cubic_dot  # step 43, pass 21: once a row
        if HAS_x_dot:
            rstd_3_scaled = rstd_3*linear  # step 43, pass 22: once a row
            square_scaled_2 = 2*rstd_2*square  # step 43, pass 23: once a row
            cubic_scaled_2 = 3*rstd*cubic  # step 43, pass 24: once a row
            mean_x_x_dot_sum = tl.zeros([ROWS, TILE], A)
            mean_x_x_dot_2_sum = tl.zeros([ROWS, TILE], A)
            mean_first_x_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_cubic_dot or HAS_linear_dot or HAS_square_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_linear_dot or HAS_x_dot:
                first_ = x*rstd_3  # step 7
            if HAS_x_dot:
                mean_x_x_dot_sum += (x*x*x*x*x)*x_dot
                mean_x_x_dot_2_sum += (x*x*x)*x_dot
                mean_first_x_dot_sum += tl.where(inside, first_*x_dot, 0.0)
        if HAS_x_dot:
            mean_x_x_dot = tl.sum(mean_x_x_dot_sum, 1, keep_dims=True)/length  # step 31
            # step 35: mean(x**3*x_dot)
            mean_x_x_dot_2 = tl.sum(mean_x_x_dot_2_sum, 1, keep_dims=True)/length
            # step 43: mean(first_*x_dot)
            mean_first_x_dot = tl.sum(mean_first_x_dot_sum, 1, keep_dims=True)/length
            rstd_dot = -3*mean_x_x_dot*(rstd*rstd*rstd)  # step 31
            rstd_2_dot = -2*mean_x_x_dot_2*(rstd_2*rstd_2*rstd_2)  # step 35
            rstd_2_dot_scaled = rstd_2_dot*square  # step 43, pass 27: once a row
            rstd_dot_scaled = rstd_dot*cubic  # step 43, pass 28: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_cubic_dot or HAS_linear_dot or HAS_square_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_linear_dot or HAS_x_dot:
                first_ = x*rstd_3  # step 7
            y_dot = 0.0
            if HAS_linear_dot:
                y_dot += first_*linear_dot  # step 43, pass 30: once a row
            if HAS_cubic_dot:
                y_dot += (x*x*x)*cubic_dot_scaled  # step 43, pass 30: once a row
            if HAS_x_dot:
                # step 43, pass 30: once a row
                y_dot += (x*x)*rstd_2_dot_scaled + (x*x*x)*rstd_dot_scaled
            if HAS_square_dot:
                y_dot += (x*x)*square_dot_scaled  # step 43, pass 30: once a row
            if HAS_x_dot:
                # step 43, pass 30: once a row
                y_dot += (x_dot - first_*mean_first_x_dot)*rstd_3_scaled + (
                    x*cubic_scaled_2 + square_scaled_2
                )*x*x_dot
            if HAS_bias_dot:
                y_dot += bias_dot  # step 43, pass 30: once a row
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def poly_norm_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    rstd_ptr,
    rstd_2_ptr,
    rstd_3_ptr,
    cubic_ptr,
    square_ptr,
    linear_ptr,
    ddcubic_ptr,
    ddsquare_ptr,
    ddlinear_ptr,
    ddbias_ptr,
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
    HAS_cubic: tl.constexpr,
    HAS_ddbias: tl.constexpr,
    HAS_ddcubic: tl.constexpr,
    HAS_ddlinear: tl.constexpr,
    HAS_ddsquare: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_linear: tl.constexpr,
    HAS_square: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = linear*dy
    mean_first_g = mean(first*g)
    mean_dy_x3 = mean(cubic*dy*x**3)
    mean_dy_x2 = mean(square*dy*x**2)
    mean_dy_x3_2 = mean(dy*x**3)
    mean_dy_x2_2 = mean(dy*x**2)
    dmean_dy = D*ddbias
    dmean_dy_first = D*ddlinear
    dmean_dy_x2_2 = D*ddsquare*rstd_2
    dmean_dy_x3_2 = D*ddcubic*rstd
    dmean_dy_x2 = sum(-2*rstd_2**3*ddx*x**3)
    dmean_dy_x3 = sum(-3*rstd**3*ddx*x**5)
    dmean_first_g = sum(-rstd_3*ddx*first)
    dg = rstd_3*ddx + dmean_first_g*first/D
    d2first = dmean_dy_first*dy/D + dmean_first_g*g/D - mean_first_g*rstd_3*ddx
    d2rstd_3 = sum(d2first*x) + sum(ddx*(g - mean_first_g*first))
    d2ms = -d2rstd_3*rstd_3**3/2
    d2rstd_2 = D*ddsquare*mean_dy_x2_2 + sum(2*ddx*(square*dy*x -
        3*mean_dy_x2*rstd_2**2*x**3))
    d2mean_x4 = -d2rstd_2*rstd_2**3/2
    d2rstd = D*ddcubic*mean_dy_x3_2 + sum(3*ddx*(cubic*dy*x**2 -
        3*mean_dy_x3*rstd**2*x**5))
    d2mean_x6 = -d2rstd*rstd**3/2
    d2x = rstd_3*d2first + 2*d2ms*x/D + 4*d2mean_x4*x**3/D + 6*d2mean_x6*x**5/D +
        2*dmean_dy_x2_2*dy*x/D + 2*square*dmean_dy_x2*dy*x/D +
        3*dmean_dy_x3_2*dy*x**2/D + 3*cubic*dmean_dy_x3*dy*x**2/D +
        ddx*(3*cubic*rstd*dy*x + dy*(3*cubic*rstd*x + 2*square*rstd_2) -
        15*mean_dy_x3*rstd**3*x**4 - 6*mean_dy_x2*rstd_2**3*x**2)
    d2cubic = sum_rows(dmean_dy_x3*mean_dy_x3_2 + 3*rstd*sum(ddx*dy*x**2))
    d2square = sum_rows(dmean_dy_x2*mean_dy_x2_2 + 2*rstd_2*sum(ddx*dy*x))
    d2linear = sum_rows(sum(dg*dy))
    d2bias = 0
    ddy = linear*dg + dmean_dy_first*first/D + dmean_dy_x2_2*x**2/D +
        dmean_dy_x3_2*x**3/D + cubic*dmean_dy_x3*x**3/D + square*dmean_dy_x2*x**2/D
        + ddx*x*(3*cubic*rstd*x + 2*square*rstd_2) + dmean_dy/D
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    length = tl.cast(D, A)
    if HAS_ddx:
        cubic = (
            tl.load(cubic_ptr).to(A)
            if HAS_cubic
            else tl.full([1, 1], 0.3333333333333333, A)
        )
        square = (
            tl.load(square_ptr).to(A)
            if HAS_square
            else tl.full([1, 1], 0.3333333333333333, A)
        )
        linear = (
            tl.load(linear_ptr).to(A)
            if HAS_linear
            else tl.full([1, 1], 0.3333333333333333, A)
        )
    if HAS_ddcubic:
        ddcubic = tl.load(ddcubic_ptr).to(A)
    if HAS_ddsquare:
        ddsquare = tl.load(ddsquare_ptr).to(A)
    if HAS_ddlinear:
        ddlinear = tl.load(ddlinear_ptr).to(A)
    if HAS_ddbias:
        ddbias = tl.load(ddbias_ptr).to(A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 3
    if HAS_cubic and HAS_ddx:
        d2cubic = tl.zeros([ROWS, 1], A)
    if HAS_ddx and HAS_square:
        d2square = tl.zeros([ROWS, 1], A)
    if HAS_ddx and HAS_linear:
        d2linear = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_ddcubic or HAS_ddlinear or HAS_ddsquare or HAS_ddx:
            x_row = x_ptr + row*x_stride
            dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        if HAS_ddcubic or HAS_ddx:
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddsquare or HAS_ddx:
            rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
        if HAS_ddlinear or HAS_ddx:
            rstd_3 = tl.load(rstd_3_ptr + row, there, 0).to(A)
        if HAS_ddbias:
            dmean_dy = length*ddbias  # step 83
        if HAS_ddlinear:
            dmean_dy_first = length*ddlinear  # step 59
        if HAS_ddsquare:
            dmean_dy_x2_2 = rstd_2*length*ddsquare  # step 52
        if HAS_ddcubic:
            dmean_dy_x3_2 = rstd*length*ddcubic  # step 54
        if HAS_ddx:
            rstd_2_scaled = -2*(rstd_2*rstd_2*rstd_2)  # step 55, pass 31: once a row
            rstd_scaled = -3*(rstd*rstd*rstd)  # step 56, pass 32: once a row
        if HAS_ddlinear:
            dmean_dy_first_scaled = dmean_dy_first/length  # step 61, pass 33
        if HAS_ddx:
            square_scaled_2 = 2*rstd_2*square  # step 71, pass 34: once a row
            cubic_scaled_2 = 3*rstd*cubic  # step 71, pass 35: once a row
        if HAS_ddsquare:
            dmean_dy_x2_2_scaled = 2*dmean_dy_x2_2/length  # step 71, pass 36
        if HAS_ddcubic:
            dmean_dy_x3_2_scaled = 3*dmean_dy_x3_2/length  # step 71, pass 37
        if HAS_ddbias:
            dmean_dy_scaled = dmean_dy/length  # step 84, pass 38: once a row
        if HAS_ddsquare:
            dmean_dy_x2_2_scaled_2 = dmean_dy_x2_2/length  # step 84, pass 39
        if HAS_ddcubic:
            dmean_dy_x3_2_scaled_2 = dmean_dy_x3_2/length  # step 84, pass 40
        if HAS_ddx:
            mean_first_g_sum = tl.zeros([ROWS, TILE], A)
            mean_dy_x3_sum = tl.zeros([ROWS, TILE], A)
            mean_dy_x2_sum = tl.zeros([ROWS, TILE], A)
        if (HAS_cubic and HAS_ddx) or HAS_ddcubic:
            mean_dy_x3_2_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddsquare or (HAS_ddx and HAS_square):
            mean_dy_x2_2_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx:
            dmean_dy_x2_sum = tl.zeros([ROWS, TILE], A)
            dmean_dy_x3_sum = tl.zeros([ROWS, TILE], A)
            dmean_first_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_cubic and HAS_ddx:
            sum_ddx_dy_x_3_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx and HAS_square:
            sum_ddx_dy_x_4_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddcubic or HAS_ddlinear or HAS_ddsquare or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddlinear or HAS_ddx:
                first_ = x*rstd_3  # step 7
            if HAS_ddx:
                g = dy*linear  # step 46
                mean_first_g_sum += tl.where(inside, first_*g, 0.0)
                mean_dy_x3_sum += tl.where(inside, dy*(x*x*x)*cubic, 0.0)
                mean_dy_x2_sum += tl.where(inside, dy*(x*x)*square, 0.0)
            if (HAS_cubic and HAS_ddx) or HAS_ddcubic:
                mean_dy_x3_2_sum += dy*(x*x*x)
            if HAS_ddsquare or (HAS_ddx and HAS_square):
                mean_dy_x2_2_sum += dy*(x*x)
            if HAS_ddx:
                dmean_dy_x2_sum += tl.where(inside, ddx*(x*x*x)*rstd_2_scaled, 0.0)
                dmean_dy_x3_sum += tl.where(inside, ddx*(x*x*x*x*x)*rstd_scaled, 0.0)
                dmean_first_g_sum += tl.where(inside, -ddx*first_*rstd_3, 0.0)
            if HAS_cubic and HAS_ddx:
                sum_ddx_dy_x_3_sum += ddx*dy*(x*x)
            if HAS_ddx and HAS_square:
                sum_ddx_dy_x_4_sum += ddx*dy*x
        if HAS_ddx:
            mean_first_g = tl.sum(mean_first_g_sum, 1, keep_dims=True)/length  # step 47
            mean_dy_x3 = tl.sum(mean_dy_x3_sum, 1, keep_dims=True)/length  # step 44
            mean_dy_x2 = tl.sum(mean_dy_x2_sum, 1, keep_dims=True)/length  # step 45
        if (HAS_cubic and HAS_ddx) or HAS_ddcubic:
            mean_dy_x3_2 = tl.sum(mean_dy_x3_2_sum, 1, keep_dims=True)/length  # step 49
        if HAS_ddsquare or (HAS_ddx and HAS_square):
            mean_dy_x2_2 = tl.sum(mean_dy_x2_2_sum, 1, keep_dims=True)/length  # step 50
        if HAS_ddx:
            dmean_dy_x2 = tl.sum(dmean_dy_x2_sum, 1, keep_dims=True)  # step 55, pass 42
            dmean_dy_x3 = tl.sum(dmean_dy_x3_sum, 1, keep_dims=True)  # step 56, pass 43
            dmean_first_g = tl.sum(dmean_first_g_sum, 1, keep_dims=True)  # step 60
        if HAS_cubic and HAS_ddx:
            sum_ddx_dy_x_3 = tl.sum(sum_ddx_dy_x_3_sum, 1, keep_dims=True)  # step 74
        if HAS_ddx and HAS_square:
            sum_ddx_dy_x_4 = tl.sum(sum_ddx_dy_x_4_sum, 1, keep_dims=True)  # step 77
        if HAS_ddx:
            dmean_first_g_scaled = dmean_first_g/length  # step 78, pass 47: once a row
            mean_first_g_scaled = mean_first_g*rstd_3  # step 61, pass 48: once a row
            mean_dy_x2_scaled = -6*mean_dy_x2*(rstd_2*rstd_2)  # step 65, pass 49
            mean_dy_x3_scaled = -9*mean_dy_x3*(rstd*rstd)  # step 68, pass 50
            mean_dy_x3_scaled_2 = -15*mean_dy_x3*(rstd*rstd*rstd)  # step 71, pass 51
            # step 71, pass 52: once a row
            mean_dy_x2_scaled_2 = -6*mean_dy_x2*(rstd_2*rstd_2*rstd_2)
            dmean_dy_x2_scaled = 2*dmean_dy_x2*square/length  # step 71, pass 53
            dmean_dy_x3_scaled = 3*dmean_dy_x3*cubic/length  # step 71, pass 54
        if HAS_cubic and HAS_ddx:
            # step 74, pass 55: once a row
            sum_ddx_dy_x_3_shifted = dmean_dy_x3*mean_dy_x3_2 + 3*rstd*sum_ddx_dy_x_3
        if HAS_ddx and HAS_square:
            # step 77, pass 56: once a row
            sum_ddx_dy_x_4_shifted = dmean_dy_x2*mean_dy_x2_2 + 2*rstd_2*sum_ddx_dy_x_4
        if HAS_ddx:
            dmean_dy_x2_scaled_2 = dmean_dy_x2*square/length  # step 84, pass 57
            dmean_dy_x3_scaled_2 = dmean_dy_x3*cubic/length  # step 84, pass 58
        if HAS_cubic and HAS_ddx:
            d2cubic += tl.where(there, sum_ddx_dy_x_3_shifted, 0.0)  # step 74, pass 59
        if HAS_ddx and HAS_square:
            d2square += tl.where(there, sum_ddx_dy_x_4_shifted, 0.0)  # step 77, pass 60
        if HAS_ddx:
            sum_ddx_first_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddlinear or HAS_ddx:
            sum_d2first_x_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx:
            sum_ddx_dy_x_sum = tl.zeros([ROWS, TILE], A)
            sum_ddx_dy_x_2_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx and HAS_linear:
            sum_dg_dy_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddcubic or HAS_ddlinear or HAS_ddsquare or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddlinear or HAS_ddx:
                first_ = x*rstd_3  # step 7
            if HAS_ddx:
                g = dy*linear  # step 46
                dg = first_*dmean_first_g_scaled + ddx*rstd_3  # step 78, pass 71
            if HAS_ddlinear or HAS_ddx:
                d2first = 0.0
            if HAS_ddlinear:
                d2first += dy*dmean_dy_first_scaled  # step 61, pass 62: once a row
            if HAS_ddx:
                # step 61, pass 62: once a row
                d2first += g*dmean_first_g_scaled - ddx*mean_first_g_scaled
                sum_ddx_first_g_sum += tl.where(
                    inside, (g - first_*mean_first_g)*ddx, 0.0
                )
            if HAS_ddlinear or HAS_ddx:
                sum_d2first_x_sum += tl.where(inside, d2first*x, 0.0)
            if HAS_ddx:
                sum_ddx_dy_x_sum += tl.where(
                    inside, ddx*((x*x*x)*mean_dy_x2_scaled + 2*dy*x*square), 0.0
                )
                sum_ddx_dy_x_2_sum += tl.where(
                    inside, ddx*((x*x*x*x*x)*mean_dy_x3_scaled + 3*dy*(x*x)*cubic), 0.0
                )
            if HAS_ddx and HAS_linear:
                sum_dg_dy_sum += tl.where(inside, dg*dy, 0.0)
        if HAS_ddx:
            sum_ddx_first_g = tl.sum(sum_ddx_first_g_sum, 1, keep_dims=True)  # step 62
        if HAS_ddlinear or HAS_ddx:
            sum_d2first_x = tl.sum(sum_d2first_x_sum, 1, keep_dims=True)  # step 62
        if HAS_ddx:
            # step 65, pass 65: sum(ddx*(x**3*mean_dy_x2_scaled + 2*dy*x*square))
            sum_ddx_dy_x = tl.sum(sum_ddx_dy_x_sum, 1, keep_dims=True)
            # step 68, pass 66: sum(ddx*(x**5*mean_dy_x3_scaled + 3*dy*x**2*cubic))
            sum_ddx_dy_x_2 = tl.sum(sum_ddx_dy_x_2_sum, 1, keep_dims=True)
        if HAS_ddx and HAS_linear:
            sum_dg_dy = tl.sum(sum_dg_dy_sum, 1, keep_dims=True)  # step 79: sum(dg*dy)
        if HAS_ddlinear or HAS_ddx:
            d2rstd_3 = sum_d2first_x  # step 62
        if HAS_ddx:
            d2rstd_3 += sum_ddx_first_g  # step 62
        if HAS_ddlinear or HAS_ddx:
            d2ms = -0.5*d2rstd_3*(rstd_3*rstd_3*rstd_3)  # step 64
        if HAS_ddsquare or HAS_ddx:
            d2rstd_2 = 0.0
        if HAS_ddx:
            d2rstd_2 += sum_ddx_dy_x  # step 65
        if HAS_ddsquare:
            d2rstd_2 += mean_dy_x2_2*length*ddsquare  # step 65
        if HAS_ddsquare or HAS_ddx:
            d2mean_x4 = -0.5*d2rstd_2*(rstd_2*rstd_2*rstd_2)  # step 67
        if HAS_ddcubic or HAS_ddx:
            d2rstd = 0.0
        if HAS_ddx:
            d2rstd += sum_ddx_dy_x_2  # step 68
        if HAS_ddcubic:
            d2rstd += mean_dy_x3_2*length*ddcubic  # step 68
        if HAS_ddcubic or HAS_ddx:
            d2mean_x6 = -0.5*d2rstd*(rstd*rstd*rstd)  # step 70
        if HAS_ddlinear or HAS_ddx:
            d2ms_scaled = 2*d2ms/length  # step 71, pass 67: once a row
        if HAS_ddsquare or HAS_ddx:
            d2mean_x4_scaled = 4*d2mean_x4/length  # step 71, pass 68: once a row
        if HAS_ddcubic or HAS_ddx:
            d2mean_x6_scaled = 6*d2mean_x6/length  # step 71, pass 69: once a row
        if HAS_ddx and HAS_linear:
            d2linear += tl.where(there, sum_dg_dy, 0.0)  # step 79
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddcubic or HAS_ddlinear or HAS_ddsquare or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddlinear or HAS_ddx:
                first_ = x*rstd_3  # step 7
            if HAS_ddx:
                g = dy*linear  # step 46
                dg = first_*dmean_first_g_scaled + ddx*rstd_3  # step 78, pass 71
            if HAS_ddlinear or HAS_ddx:
                d2first = 0.0
            if HAS_ddlinear:
                d2first += dy*dmean_dy_first_scaled  # step 61, pass 62: once a row
            if HAS_ddx:
                # step 61, pass 62: once a row
                d2first += g*dmean_first_g_scaled - ddx*mean_first_g_scaled
            ddy = 0.0
            if HAS_ddx:
                ddy += dg*linear  # step 84, pass 72: once a row
            if HAS_ddlinear:
                ddy += first_*dmean_dy_first_scaled  # step 84, pass 72: once a row
            if HAS_ddsquare:
                ddy += (x*x)*dmean_dy_x2_2_scaled_2  # step 84, pass 72: once a row
            if HAS_ddx:
                ddy += (x*x)*dmean_dy_x2_scaled_2  # step 84, pass 72: once a row
            if HAS_ddcubic:
                ddy += (x*x*x)*dmean_dy_x3_2_scaled_2  # step 84, pass 72: once a row
            if HAS_ddx:
                # step 84, pass 72: once a row
                ddy += (x*x*x)*dmean_dy_x3_scaled_2 + (
                    x*cubic_scaled_2 + square_scaled_2
                )*ddx*x
            if HAS_ddbias:
                ddy += dmean_dy_scaled  # step 84, pass 72: once a row
            d2x = 0.0
            if HAS_ddlinear or HAS_ddx:
                d2x += x*d2ms_scaled + d2first*rstd_3  # step 71, pass 70: once a row
            if HAS_ddsquare or HAS_ddx:
                d2x += (x*x*x)*d2mean_x4_scaled  # step 71, pass 70: once a row
            if HAS_ddcubic or HAS_ddx:
                d2x += (x*x*x*x*x)*d2mean_x6_scaled  # step 71, pass 70: once a row
            if HAS_ddsquare:
                d2x += dy*x*dmean_dy_x2_2_scaled  # step 71, pass 70: once a row
            if HAS_ddx:
                d2x += dy*x*dmean_dy_x2_scaled  # step 71, pass 70: once a row
            if HAS_ddcubic:
                d2x += dy*(x*x)*dmean_dy_x3_2_scaled  # step 71, pass 70: once a row
            if HAS_ddx:
                # step 71, pass 70: once a row
                d2x += (
                    dy*(x*x)*dmean_dy_x3_scaled
                    + (
                        dy*x*cubic_scaled_2
                        + (x*x)*mean_dy_x2_scaled_2
                        + (x*x*x*x)*mean_dy_x3_scaled_2
                        + (x*cubic_scaled_2 + square_scaled_2)*dy
                    )*ddx
                )
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
    if HAS_cubic and HAS_ddx:
        tl.store(sums_ptr, tl.sum(d2cubic))
    if HAS_ddx and HAS_square:
        tl.store(sums_ptr + 1, tl.sum(d2square))
    if HAS_ddx and HAS_linear:
        tl.store(sums_ptr + 2, tl.sum(d2linear))


@triton.jit(do_not_specialize=["programs"])
def poly_norm_backward_backward_totals(
    sums_ptr,
    dcubic_ptr,
    dsquare_ptr,
    dlinear_ptr,
    dbias_ptr,
    programs,
    D,
    HAS_bias: tl.constexpr,
    HAS_cubic: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_linear: tl.constexpr,
    HAS_square: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    if HAS_cubic and HAS_ddx:
        # step 74, pass 59: once a row
        d2cubic = over_programs(
            sums_ptr + tl.zeros([1, 1], tl.int32), True, programs, 3, AT_ONCE, A
        )
    if HAS_ddx and HAS_square:
        # step 77, pass 60: once a row
        d2square = over_programs(
            sums_ptr + 1 + tl.zeros([1, 1], tl.int32), True, programs, 3, AT_ONCE, A
        )
    if HAS_ddx and HAS_linear:
        # step 79
        d2linear = over_programs(
            sums_ptr + 2 + tl.zeros([1, 1], tl.int32), True, programs, 3, AT_ONCE, A
        )
    if HAS_cubic:
        tl.store(dcubic_ptr + tl.zeros([1, 1], tl.int32), d2cubic if HAS_ddx else 0.0)
    if HAS_square:
        tl.store(dsquare_ptr + tl.zeros([1, 1], tl.int32), d2square if HAS_ddx else 0.0)
    if HAS_linear:
        tl.store(dlinear_ptr + tl.zeros([1, 1], tl.int32), d2linear if HAS_ddx else 0.0)
    if HAS_bias:
        tl.store(dbias_ptr + tl.zeros([1, 1], tl.int32), 0.0)
