# Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
# Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
# Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
# mypy: ignore-errors
"""Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

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
def attention_residuals_forward(
    a_ptr,
    b_ptr,
    c_ptr,
    query_ptr,
    eps: tl.float64,
    y_ptr,
    sum_a_query_ptr,
    rstd_ptr,
    sum_b_query_ptr,
    rstd_2_ptr,
    sum_c_query_ptr,
    rstd_3_ptr,
    p_shifted_ptr,
    q_shifted_ptr,
    r_ptr,
    exp_largest_2_ptr,
    exp_largest_2_scaled_ptr,
    scale_ptr,
    a_stride_rest,
    a_step,
    b_stride_rest,
    b_step,
    c_stride_rest,
    c_step,
    y_stride_rest,
    y_step,
    rows,
    D,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """a = at(x, n=0)
    b = at(x, n=1)
    c = at(x, n=2)
    sum_a_query = sum(query*a)
    ms = mean(a**2)
    rstd = 1/sqrt(ms + eps)
    sum_b_query = sum(query*b)
    ms_2 = mean(b**2)
    rstd_2 = 1/sqrt(ms_2 + eps)
    sum_c_query = sum(query*c)
    ms_3 = mean(c**2)
    rstd_3 = 1/sqrt(ms_3 + eps)
    largest = where(rstd*sum_a_query - where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) >
        rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query -
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query),
        rstd_3*sum_c_query), rstd_2*sum_b_query - where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
    largest_2 = where(largest > 0, largest, 0)
    p_shifted = exp(rstd*sum_a_query - largest_2 - where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
    q_shifted = exp(rstd_2*sum_b_query - largest_2 - where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
    r = exp(rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query), rstd_3*sum_c_query))
    ahat = p_shifted*a
    bhat = q_shifted*b
    exp_largest_2 = exp(-largest_2)
    chat = exp_largest_2*r*c
    scale = 1/(p_shifted + q_shifted + exp_largest_2*r)
    y = scale*(ahat + bhat + chat)
    """
    a_stride_rest = a_stride_rest // EVEN * EVEN
    b_stride_rest = b_stride_rest // EVEN * EVEN
    c_stride_rest = c_stride_rest // EVEN * EVEN
    y_stride_rest = y_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    a_step = tl.cast(a_step, tl.int64)
    b_step = tl.cast(b_step, tl.int64)
    c_step = tl.cast(c_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        a_row = a_ptr + row*a_stride_rest
        b_row = b_ptr + row*b_stride_rest
        c_row = c_ptr + row*c_stride_rest
        y_row = y_ptr + row*y_stride_rest
        sum_a_query_sum = tl.zeros([ROWS, TILE], A)
        ms_sum = tl.zeros([ROWS, TILE], A)
        sum_b_query_sum = tl.zeros([ROWS, TILE], A)
        ms_2_sum = tl.zeros([ROWS, TILE], A)
        sum_c_query_sum = tl.zeros([ROWS, TILE], A)
        ms_3_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            query = tl.load(query_ptr + d, d < D, 0).to(A)
            sum_a_query_sum += tl.where(inside, a*query, 0.0)
            ms_sum += a*a
            sum_b_query_sum += tl.where(inside, b*query, 0.0)
            ms_2_sum += b*b
            sum_c_query_sum += tl.where(inside, c*query, 0.0)
            ms_3_sum += c*c
        sum_a_query = tl.sum(sum_a_query_sum, 1, keep_dims=True)  # step 1: sum(a*query)
        ms = tl.sum(ms_sum, 1, keep_dims=True)/length  # step 2: mean(a**2)
        sum_b_query = tl.sum(sum_b_query_sum, 1, keep_dims=True)  # step 4: sum(b*query)
        ms_2 = tl.sum(ms_2_sum, 1, keep_dims=True)/length  # step 5: mean(b**2)
        sum_c_query = tl.sum(sum_c_query_sum, 1, keep_dims=True)  # step 7: sum(c*query)
        ms_3 = tl.sum(ms_3_sum, 1, keep_dims=True)/length  # step 8: mean(c**2)
        rstd = tl.rsqrt(ms + eps)  # step 3
        rstd_2 = tl.rsqrt(ms_2 + eps)  # step 6
        rstd_3 = tl.rsqrt(ms_3 + eps)  # step 9
        # step 10
        largest = tl.where(
            rstd*sum_a_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            )
            > rstd_2*sum_b_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            ),
            rstd*sum_a_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            ),
            rstd_2*sum_b_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            ),
        )
        largest_2 = tl.where(largest > 0, largest, 0)  # step 11
        # step 12
        p_shifted = tl.exp(
            rstd*sum_a_query
            - largest_2
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            )
        )
        # step 13
        q_shifted = tl.exp(
            rstd_2*sum_b_query
            - largest_2
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            )
        )
        # step 14
        r = tl.exp(
            rstd_3*sum_c_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            )
        )
        exp_largest_2 = tl.exp(-largest_2)  # step 17
        exp_largest_2_scaled = exp_largest_2*r  # step 18, pass 1: once a row
        scale = 1/(p_shifted + q_shifted + exp_largest_2*r)  # step 19
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            ahat = a*p_shifted  # step 15
            bhat = b*q_shifted  # step 16
            chat = c*exp_largest_2_scaled  # step 18, pass 2: once a row
            y = (ahat + bhat + chat)*scale  # step 20
            tl.store(y_row + d*y_step, y, inside)
        if SAVE:
            tl.store(sum_a_query_ptr + row, sum_a_query, there)
            tl.store(rstd_ptr + row, rstd, there)
            tl.store(sum_b_query_ptr + row, sum_b_query, there)
            tl.store(rstd_2_ptr + row, rstd_2, there)
            tl.store(sum_c_query_ptr + row, sum_c_query, there)
            tl.store(rstd_3_ptr + row, rstd_3, there)
            tl.store(p_shifted_ptr + row, p_shifted, there)
            tl.store(q_shifted_ptr + row, q_shifted, there)
            tl.store(r_ptr + row, r, there)
            tl.store(exp_largest_2_ptr + row, exp_largest_2, there)
            tl.store(exp_largest_2_scaled_ptr + row, exp_largest_2_scaled, there)
            tl.store(scale_ptr + row, scale, there)


@triton.jit(do_not_specialize=["rows"])
def attention_residuals_backward(
    a_ptr,
    b_ptr,
    c_ptr,
    dy_ptr,
    sum_a_query_ptr,
    rstd_ptr,
    sum_b_query_ptr,
    rstd_2_ptr,
    sum_c_query_ptr,
    rstd_3_ptr,
    p_shifted_ptr,
    q_shifted_ptr,
    r_ptr,
    exp_largest_2_ptr,
    exp_largest_2_scaled_ptr,
    scale_ptr,
    query_ptr,
    da_ptr,
    db_ptr,
    dc_ptr,
    sums_ptr,
    a_stride_rest,
    a_step,
    b_stride_rest,
    b_step,
    c_stride_rest,
    c_step,
    dy_stride_rest,
    dy_step,
    da_stride_rest,
    da_step,
    db_stride_rest,
    db_step,
    dc_stride_rest,
    dc_step,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dchat = scale*dy
    dbhat = scale*dy
    dahat = scale*dy
    drstd_2 = q_shifted*(sum(b*dbhat) - scale*sum(dy*y))*(sum_b_query +
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, 0, -sum_b_query), 0)) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0,
        -p_shifted*sum_b_query*(sum(a*dahat) - scale*sum(dy*y)) -
        r*sum_b_query*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y))),
        0)
    dsum_b_query = q_shifted*(sum(b*dbhat) - scale*sum(dy*y))*(rstd_2 +
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, 0, -rstd_2), 0)) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0,
        -p_shifted*rstd_2*(sum(a*dahat) - scale*sum(dy*y)) -
        r*rstd_2*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y))), 0)
    drstd = p_shifted*(sum(a*dahat) - scale*sum(dy*y))*(sum_a_query +
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, -sum_a_query, 0), 0)) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        -q_shifted*sum_a_query*(sum(b*dbhat) - scale*sum(dy*y)) -
        r*sum_a_query*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y)),
        0), 0)
    dsum_a_query = p_shifted*(sum(a*dahat) - scale*sum(dy*y))*(rstd +
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, -rstd, 0), 0)) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        -q_shifted*rstd*(sum(b*dbhat) - scale*sum(dy*y)) -
        r*rstd*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y)), 0), 0)
    da = dsum_a_query*query + p_shifted*dahat - drstd*rstd**3*a/D
    db = dsum_b_query*query + q_shifted*dbhat - drstd_2*rstd_2**3*b/D
    dc_part = exp_largest_2*r*dchat
    g = ahat + bhat + chat
    dc = dc_part + exp_largest_2*r*(mean(c*dchat) -
        scale**2*mean(dy*g))*(D*query*(rstd_3 + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, 0, -rstd_3)) - rstd_3**3*c*(sum_c_query +
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -sum_c_query))) +
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, 0,
        p_shifted*rstd_3**3*sum_c_query*c*(sum(a*dahat) - scale**2*sum(dy*g))/D +
        q_shifted*rstd_3**3*sum_c_query*c*(sum(b*dbhat) - scale**2*sum(dy*g))/D -
        p_shifted*rstd_3*query*(sum(a*dahat) - scale**2*sum(dy*g)) -
        q_shifted*rstd_3*query*(sum(b*dbhat) - scale**2*sum(dy*g)))
    dquery = sum_rows(dsum_a_query*a + dsum_b_query*b +
        D*r*c*(mean(exp_largest_2*c*dchat) - exp_largest_2*scale*mean(dy*y))*(rstd_3
        + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -rstd_3)) +
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, 0,
        -p_shifted*rstd_3*c*(sum(a*dahat) - scale*sum(dy*y)) -
        q_shifted*rstd_3*c*(sum(b*dbhat) - scale*sum(dy*y))))
    dx = join(da, db, dc)
    """
    a_stride_rest = a_stride_rest // EVEN * EVEN
    b_stride_rest = b_stride_rest // EVEN * EVEN
    c_stride_rest = c_stride_rest // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    da_stride_rest = da_stride_rest // EVEN * EVEN
    db_stride_rest = db_stride_rest // EVEN * EVEN
    dc_stride_rest = dc_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    a_step = tl.cast(a_step, tl.int64)
    b_step = tl.cast(b_step, tl.int64)
    c_step = tl.cast(c_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    da_step = tl.cast(da_step, tl.int64)
    db_step = tl.cast(db_step, tl.int64)
    dc_step = tl.cast(dc_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        query = tl.load(query_ptr + d, d < D, 0).to(A)
        dquery = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        a_row = a_ptr + row*a_stride_rest
        b_row = b_ptr + row*b_stride_rest
        c_row = c_ptr + row*c_stride_rest
        dy_row = dy_ptr + row*dy_stride_rest
        da_row = da_ptr + row*da_stride_rest
        db_row = db_ptr + row*db_stride_rest
        dc_row = dc_ptr + row*dc_stride_rest
        sum_a_query = tl.load(sum_a_query_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        sum_b_query = tl.load(sum_b_query_ptr + row, there, 0).to(A)
        rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
        sum_c_query = tl.load(sum_c_query_ptr + row, there, 0).to(A)
        rstd_3 = tl.load(rstd_3_ptr + row, there, 0).to(A)
        p_shifted = tl.load(p_shifted_ptr + row, there, 0).to(A)
        q_shifted = tl.load(q_shifted_ptr + row, there, 0).to(A)
        r = tl.load(r_ptr + row, there, 0).to(A)
        exp_largest_2 = tl.load(exp_largest_2_ptr + row, there, 0).to(A)
        exp_largest_2_scaled = tl.load(exp_largest_2_scaled_ptr + row, there, 0).to(A)
        scale = tl.load(scale_ptr + row, there, 0).to(A)
        exp_largest_2_scaled_2 = exp_largest_2*r  # step 61, pass 3: once a row
        # step 66, pass 4: once a row
        sum_c_query_scaled = (
            rstd_3
            + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                0,
                -rstd_3,
            )
        )*length
        # step 66, pass 5: once a row
        sum_c_query_scaled_2 = (rstd_3*rstd_3*rstd_3)*(
            sum_c_query
            + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                0,
                -sum_c_query,
            )
        )
        # step 66, pass 6: once a row
        sum_b_query_shifted = tl.where(
            rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query
        )
        sum_c_query_scaled_3 = rstd_3*sum_c_query  # step 66, pass 7: once a row
        mean_dy_y_sum = tl.zeros([ROWS, TILE], A)
        sum_b_dbhat_sum = tl.zeros([ROWS, TILE], A)
        sum_a_dahat_sum = tl.zeros([ROWS, TILE], A)
        mean_c_dchat_sum = tl.zeros([ROWS, TILE], A)
        mean_dy_g_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ahat = a*p_shifted  # step 15
            bhat = b*q_shifted  # step 16
            chat = c*exp_largest_2_scaled  # step 18, pass 2: once a row
            y = (ahat + bhat + chat)*scale  # step 20
            dchat = dy*scale  # step 22
            dbhat = dy*scale  # step 23
            dahat = dy*scale  # step 21
            g = ahat + bhat + chat  # step 62
            mean_dy_y_sum += tl.where(inside, dy*y, 0.0)
            sum_b_dbhat_sum += tl.where(inside, b*dbhat, 0.0)
            sum_a_dahat_sum += tl.where(inside, a*dahat, 0.0)
            mean_c_dchat_sum += tl.where(inside, c*dchat, 0.0)
            mean_dy_g_sum += tl.where(inside, dy*g, 0.0)
        mean_dy_y = tl.sum(mean_dy_y_sum, 1, keep_dims=True)/length  # step 71
        sum_b_dbhat = tl.sum(sum_b_dbhat_sum, 1, keep_dims=True)  # step 47
        sum_a_dahat = tl.sum(sum_a_dahat_sum, 1, keep_dims=True)  # step 47
        mean_c_dchat = tl.sum(mean_c_dchat_sum, 1, keep_dims=True)/length  # step 66
        mean_dy_g = tl.sum(mean_dy_g_sum, 1, keep_dims=True)/length  # step 66
        sum_dy_y = mean_dy_y*length  # step 47, pass 10: shared reductions
        sum_c_dchat = exp_largest_2*mean_c_dchat*length  # step 47, pass 11
        # step 47
        drstd_2 = (sum_b_dbhat - scale*sum_dy_y)*q_shifted*(
            sum_b_query
            + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -sum_b_query),
                0,
            )
        ) + tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                0,
                -(sum_a_dahat - scale*sum_dy_y)*p_shifted*sum_b_query
                - (sum_c_dchat - exp_largest_2*scale*sum_dy_y)*r*sum_b_query,
            ),
            0,
        )
        # step 53
        dsum_b_query = (sum_b_dbhat - scale*sum_dy_y)*q_shifted*(
            rstd_2
            + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -rstd_2),
                0,
            )
        ) + tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                0,
                -(sum_a_dahat - scale*sum_dy_y)*p_shifted*rstd_2
                - (sum_c_dchat - exp_largest_2*scale*sum_dy_y)*r*rstd_2,
            ),
            0,
        )
        # step 32
        drstd = (sum_a_dahat - scale*sum_dy_y)*p_shifted*(
            sum_a_query
            + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(rstd*sum_a_query > rstd_2*sum_b_query, -sum_a_query, 0),
                0,
            )
        ) + tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                -(sum_b_dbhat - scale*sum_dy_y)*q_shifted*sum_a_query
                - (sum_c_dchat - exp_largest_2*scale*sum_dy_y)*r*sum_a_query,
                0,
            ),
            0,
        )
        # step 38
        dsum_a_query = (sum_a_dahat - scale*sum_dy_y)*p_shifted*(
            rstd
            + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd, 0),
                0,
            )
        ) + tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                -(sum_b_dbhat - scale*sum_dy_y)*q_shifted*rstd
                - (sum_c_dchat - exp_largest_2*scale*sum_dy_y)*r*rstd,
                0,
            ),
            0,
        )
        drstd_scaled = drstd*(rstd*rstd*rstd)/length  # step 42, pass 12: once a row
        drstd_2_scaled = drstd_2*(rstd_2*rstd_2*rstd_2)/length  # step 57, pass 13
        sum_dy_g = mean_dy_g*length  # step 66, pass 14: shared reductions
        # step 66, pass 15: once a row
        exp_largest_2_scaled_3 = exp_largest_2*(
            mean_c_dchat - mean_dy_g*(scale*scale)
        )*r
        # step 66, pass 16: once a row
        sum_a_dahat_scaled = (sum_a_dahat - (scale*scale)*sum_dy_g)*p_shifted*rstd_3
        # step 66, pass 17: once a row
        sum_b_dbhat_scaled = (sum_b_dbhat - (scale*scale)*sum_dy_g)*q_shifted*rstd_3
        # step 66, pass 18: once a row
        sum_c_query_scaled_4 = (sum_a_dahat - (scale*scale)*sum_dy_g)*p_shifted*(
            rstd_3*rstd_3*rstd_3
        )*sum_c_query/length
        # step 66, pass 19: once a row
        sum_c_query_scaled_5 = (sum_b_dbhat - (scale*scale)*sum_dy_g)*q_shifted*(
            rstd_3*rstd_3*rstd_3
        )*sum_c_query/length
        mean_c_dchat_2 = exp_largest_2*mean_c_dchat  # step 71, pass 20
        # step 71, pass 21: once a row
        mean_c_dchat_2_scaled = (mean_c_dchat_2 - exp_largest_2*mean_dy_y*scale)*r*(
            rstd_3
            + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                0,
                -rstd_3,
            )
        )*length
        # step 71, pass 22: once a row
        sum_a_dahat_scaled_2 = (sum_a_dahat - scale*sum_dy_y)*p_shifted*rstd_3
        # step 71, pass 23: once a row
        sum_b_dbhat_scaled_2 = (sum_b_dbhat - scale*sum_dy_y)*q_shifted*rstd_3
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                query = tl.load(query_ptr + d, d < D, 0).to(A)
            dchat = dy*scale  # step 22
            dbhat = dy*scale  # step 23
            dahat = dy*scale  # step 21
            # step 42, pass 24: once a row
            da = dahat*p_shifted + dsum_a_query*query - a*drstd_scaled
            # step 57, pass 25: once a row
            db = dbhat*q_shifted + dsum_b_query*query - b*drstd_2_scaled
            dc_part = dchat*exp_largest_2_scaled_2  # step 61, pass 26: once a row
            # step 66, pass 27: once a row
            dc = (
                dc_part
                + (
                    sum_c_query_scaled*query - c*sum_c_query_scaled_2
                )*exp_largest_2_scaled_3
                + tl.where(
                    sum_b_query_shifted > sum_c_query_scaled_3,
                    0,
                    c*sum_c_query_scaled_4
                    + c*sum_c_query_scaled_5
                    - sum_a_dahat_scaled*query
                    - sum_b_dbhat_scaled*query,
                )
            )
            if WHOLE:
                # step 71, pass 28: once a row
                dquery += tl.where(
                    inside,
                    a*dsum_a_query
                    + b*dsum_b_query
                    + c*mean_c_dchat_2_scaled
                    + tl.where(
                        sum_b_query_shifted > sum_c_query_scaled_3,
                        0,
                        -c*sum_a_dahat_scaled_2 - c*sum_b_dbhat_scaled_2,
                    ),
                    0.0,
                )
            else:
                add_to(
                    sums_ptr + d,
                    tl.where(
                        inside,
                        a*dsum_a_query
                        + b*dsum_b_query
                        + c*mean_c_dchat_2_scaled
                        + tl.where(
                            sum_b_query_shifted > sum_c_query_scaled_3,
                            0,
                            -c*sum_a_dahat_scaled_2 - c*sum_b_dbhat_scaled_2,
                        ),
                        0.0,
                    ),
                    d < D,
                )
            tl.store(da_row + d*da_step, da, inside)
            tl.store(db_row + d*db_step, db, inside)
            tl.store(dc_row + d*dc_step, dc, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        tl.store(sums_ptr + d, tl.sum(dquery, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def attention_residuals_backward_totals(
    sums_ptr,
    dquery_ptr,
    programs,
    D,
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
        dquery = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
        tl.store(dquery_ptr + d, dquery, inside)


@triton.jit(do_not_specialize=["rows"])
def attention_residuals_jvp(
    a_ptr,
    b_ptr,
    c_ptr,
    a_dot_ptr,
    b_dot_ptr,
    c_dot_ptr,
    sum_a_query_ptr,
    rstd_ptr,
    sum_b_query_ptr,
    rstd_2_ptr,
    sum_c_query_ptr,
    rstd_3_ptr,
    p_shifted_ptr,
    q_shifted_ptr,
    r_ptr,
    exp_largest_2_ptr,
    exp_largest_2_scaled_ptr,
    scale_ptr,
    query_ptr,
    query_dot_ptr,
    y_dot_ptr,
    a_stride_rest,
    a_step,
    b_stride_rest,
    b_step,
    c_stride_rest,
    c_step,
    a_dot_stride_rest,
    a_dot_step,
    b_dot_stride_rest,
    b_dot_step,
    c_dot_stride_rest,
    c_dot_step,
    y_dot_stride_rest,
    y_dot_step,
    rows,
    D,
    HAS_a_dot: tl.constexpr,
    HAS_b_dot: tl.constexpr,
    HAS_c_dot: tl.constexpr,
    HAS_query_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """a_dot = at(x_dot, n=0)
    b_dot = at(x_dot, n=1)
    c_dot = at(x_dot, n=2)
    sum_a_query_dot = sum(query_dot*a + query*a_dot)
    ms_dot = mean(2*a*a_dot)
    rstd_dot = -ms_dot*rstd**3/2
    sum_b_query_dot = sum(query_dot*b + query*b_dot)
    ms_2_dot = mean(2*b*b_dot)
    rstd_2_dot = -ms_2_dot*rstd_2**3/2
    sum_c_query_dot = sum(query_dot*c + query*c_dot)
    ms_3_dot = mean(2*c*c_dot)
    rstd_3_dot = -ms_3_dot*rstd_3**3/2
    part_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, -rstd_dot*sum_a_query - rstd*sum_a_query_dot,
        -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot), -rstd_3_dot*sum_c_query -
        rstd_3*sum_c_query_dot)
    p_shifted_dot = p_shifted*part_dot + p_shifted*rstd_dot*sum_a_query +
        p_shifted*rstd*sum_a_query_dot
    part_2_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd_dot*sum_a_query -
        rstd*sum_a_query_dot, -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot),
        -rstd_3_dot*sum_c_query - rstd_3*sum_c_query_dot)
    q_shifted_dot = part_2_dot*q_shifted + q_shifted*rstd_2_dot*sum_b_query +
        q_shifted*rstd_2*sum_b_query_dot
    part_3_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd_dot*sum_a_query -
        rstd*sum_a_query_dot, -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot),
        -rstd_3_dot*sum_c_query - rstd_3*sum_c_query_dot)
    r_dot = part_3_dot*r + r*rstd_3_dot*sum_c_query + r*rstd_3*sum_c_query_dot
    ahat_dot = p_shifted_dot*a + p_shifted*a_dot
    bhat_dot = q_shifted_dot*b + q_shifted*b_dot
    chat_dot = exp_largest_2*r_dot*c + exp_largest_2*r*c_dot
    scale_dot = -p_shifted_dot*scale**2 - q_shifted_dot*scale**2 -
        exp_largest_2*r_dot*scale**2
    y_dot = scale*ahat_dot + scale*bhat_dot + scale*chat_dot + scale_dot*(ahat +
        bhat + chat)
    """
    a_stride_rest = a_stride_rest // EVEN * EVEN
    b_stride_rest = b_stride_rest // EVEN * EVEN
    c_stride_rest = c_stride_rest // EVEN * EVEN
    a_dot_stride_rest = a_dot_stride_rest // EVEN * EVEN
    b_dot_stride_rest = b_dot_stride_rest // EVEN * EVEN
    c_dot_stride_rest = c_dot_stride_rest // EVEN * EVEN
    y_dot_stride_rest = y_dot_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    a_step = tl.cast(a_step, tl.int64)
    b_step = tl.cast(b_step, tl.int64)
    c_step = tl.cast(c_step, tl.int64)
    a_dot_step = tl.cast(a_dot_step, tl.int64)
    b_dot_step = tl.cast(b_dot_step, tl.int64)
    c_dot_step = tl.cast(c_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        a_row = a_ptr + row*a_stride_rest
        b_row = b_ptr + row*b_stride_rest
        c_row = c_ptr + row*c_stride_rest
        if HAS_a_dot:
            a_dot_row = a_dot_ptr + row*a_dot_stride_rest
        if HAS_b_dot:
            b_dot_row = b_dot_ptr + row*b_dot_stride_rest
        if HAS_c_dot:
            c_dot_row = c_dot_ptr + row*c_dot_stride_rest
        y_dot_row = y_dot_ptr + row*y_dot_stride_rest
        sum_a_query = tl.load(sum_a_query_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        sum_b_query = tl.load(sum_b_query_ptr + row, there, 0).to(A)
        rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
        sum_c_query = tl.load(sum_c_query_ptr + row, there, 0).to(A)
        rstd_3 = tl.load(rstd_3_ptr + row, there, 0).to(A)
        p_shifted = tl.load(p_shifted_ptr + row, there, 0).to(A)
        q_shifted = tl.load(q_shifted_ptr + row, there, 0).to(A)
        r = tl.load(r_ptr + row, there, 0).to(A)
        exp_largest_2 = tl.load(exp_largest_2_ptr + row, there, 0).to(A)
        exp_largest_2_scaled = tl.load(exp_largest_2_scaled_ptr + row, there, 0).to(A)
        scale = tl.load(scale_ptr + row, there, 0).to(A)
        if HAS_c_dot:
            exp_largest_2_scaled_3 = exp_largest_2*r  # step 107, pass 29: once a row
        if HAS_a_dot or HAS_query_dot:
            sum_a_query_dot_sum = tl.zeros([ROWS, TILE], A)
        if HAS_a_dot:
            ms_dot_sum = tl.zeros([ROWS, TILE], A)
        if HAS_b_dot or HAS_query_dot:
            sum_b_query_dot_sum = tl.zeros([ROWS, TILE], A)
        if HAS_b_dot:
            ms_2_dot_sum = tl.zeros([ROWS, TILE], A)
        if HAS_c_dot or HAS_query_dot:
            sum_c_query_dot_sum = tl.zeros([ROWS, TILE], A)
        if HAS_c_dot:
            ms_3_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            if HAS_a_dot:
                a_dot = tl.load(a_dot_row + d*a_dot_step, inside, 0).to(A)
            if HAS_b_dot:
                b_dot = tl.load(b_dot_row + d*b_dot_step, inside, 0).to(A)
            if HAS_c_dot:
                c_dot = tl.load(c_dot_row + d*c_dot_step, inside, 0).to(A)
            if HAS_a_dot or HAS_b_dot or HAS_c_dot:
                query = tl.load(query_ptr + d, d < D, 0).to(A)
            if HAS_query_dot:
                query_dot = tl.load(query_dot_ptr + d, d < D, 0).to(A)
            if HAS_a_dot or HAS_query_dot:
                sum_a_query_dot_part = 0.0
            if HAS_a_dot:
                sum_a_query_dot_part += a_dot*query
            if HAS_query_dot:
                sum_a_query_dot_part += a*query_dot
            if HAS_a_dot or HAS_query_dot:
                sum_a_query_dot_sum += tl.where(inside, sum_a_query_dot_part, 0.0)
            if HAS_a_dot:
                ms_dot_sum += tl.where(inside, 2*a*a_dot, 0.0)
            if HAS_b_dot or HAS_query_dot:
                sum_b_query_dot_part = 0.0
            if HAS_b_dot:
                sum_b_query_dot_part += b_dot*query
            if HAS_query_dot:
                sum_b_query_dot_part += b*query_dot
            if HAS_b_dot or HAS_query_dot:
                sum_b_query_dot_sum += tl.where(inside, sum_b_query_dot_part, 0.0)
            if HAS_b_dot:
                ms_2_dot_sum += tl.where(inside, 2*b*b_dot, 0.0)
            if HAS_c_dot or HAS_query_dot:
                sum_c_query_dot_part = 0.0
            if HAS_c_dot:
                sum_c_query_dot_part += c_dot*query
            if HAS_query_dot:
                sum_c_query_dot_part += c*query_dot
            if HAS_c_dot or HAS_query_dot:
                sum_c_query_dot_sum += tl.where(inside, sum_c_query_dot_part, 0.0)
            if HAS_c_dot:
                ms_3_dot_sum += tl.where(inside, 2*c*c_dot, 0.0)
        if HAS_a_dot or HAS_query_dot:
            sum_a_query_dot = tl.sum(sum_a_query_dot_sum, 1, keep_dims=True)  # step 74
        if HAS_a_dot:
            ms_dot = tl.sum(ms_dot_sum, 1, keep_dims=True)/length  # step 75
        if HAS_b_dot or HAS_query_dot:
            sum_b_query_dot = tl.sum(sum_b_query_dot_sum, 1, keep_dims=True)  # step 79
        if HAS_b_dot:
            ms_2_dot = tl.sum(ms_2_dot_sum, 1, keep_dims=True)/length  # step 80
        if HAS_c_dot or HAS_query_dot:
            sum_c_query_dot = tl.sum(sum_c_query_dot_sum, 1, keep_dims=True)  # step 84
        if HAS_c_dot:
            ms_3_dot = tl.sum(ms_3_dot_sum, 1, keep_dims=True)/length  # step 85
        if HAS_a_dot:
            rstd_dot = -0.5*ms_dot*(rstd*rstd*rstd)  # step 77
        if HAS_b_dot:
            rstd_2_dot = -0.5*ms_2_dot*(rstd_2*rstd_2*rstd_2)  # step 82
        if HAS_c_dot:
            rstd_3_dot = -0.5*ms_3_dot*(rstd_3*rstd_3*rstd_3)  # step 87
        if HAS_a_dot or HAS_b_dot or HAS_query_dot:
            part_dot_part = 0.0
        if HAS_a_dot or HAS_query_dot:
            part_dot_part -= rstd*sum_a_query_dot
        if HAS_a_dot:
            part_dot_part -= rstd_dot*sum_a_query
        if HAS_a_dot or HAS_b_dot or HAS_query_dot:
            part_dot_part2 = 0.0
        if HAS_b_dot or HAS_query_dot:
            part_dot_part2 -= rstd_2*sum_b_query_dot
        if HAS_b_dot:
            part_dot_part2 -= rstd_2_dot*sum_b_query
        part_dot_part3 = 0.0
        if HAS_c_dot or HAS_query_dot:
            part_dot_part3 -= rstd_3*sum_c_query_dot
        if HAS_c_dot:
            part_dot_part3 -= rstd_3_dot*sum_c_query
        # step 90
        part_dot = tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            (
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query, part_dot_part, part_dot_part2
                )
                if HAS_a_dot or HAS_b_dot or HAS_query_dot
                else 0.0
            ),
            part_dot_part3,
        )
        p_shifted_dot = p_shifted*part_dot  # step 92
        if HAS_a_dot or HAS_query_dot:
            p_shifted_dot += p_shifted*rstd*sum_a_query_dot  # step 92
        if HAS_a_dot:
            p_shifted_dot += p_shifted*rstd_dot*sum_a_query  # step 92
        if HAS_a_dot or HAS_b_dot or HAS_query_dot:
            part_2_dot_part = 0.0
        if HAS_a_dot or HAS_query_dot:
            part_2_dot_part -= rstd*sum_a_query_dot
        if HAS_a_dot:
            part_2_dot_part -= rstd_dot*sum_a_query
        if HAS_a_dot or HAS_b_dot or HAS_query_dot:
            part_2_dot_part2 = 0.0
        if HAS_b_dot or HAS_query_dot:
            part_2_dot_part2 -= rstd_2*sum_b_query_dot
        if HAS_b_dot:
            part_2_dot_part2 -= rstd_2_dot*sum_b_query
        part_2_dot_part3 = 0.0
        if HAS_c_dot or HAS_query_dot:
            part_2_dot_part3 -= rstd_3*sum_c_query_dot
        if HAS_c_dot:
            part_2_dot_part3 -= rstd_3_dot*sum_c_query
        # step 97
        part_2_dot = tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            (
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    part_2_dot_part,
                    part_2_dot_part2,
                )
                if HAS_a_dot or HAS_b_dot or HAS_query_dot
                else 0.0
            ),
            part_2_dot_part3,
        )
        q_shifted_dot = part_2_dot*q_shifted  # step 99
        if HAS_b_dot or HAS_query_dot:
            q_shifted_dot += q_shifted*rstd_2*sum_b_query_dot  # step 99
        if HAS_b_dot:
            q_shifted_dot += q_shifted*rstd_2_dot*sum_b_query  # step 99
        if HAS_a_dot or HAS_b_dot or HAS_query_dot:
            part_3_dot_part = 0.0
        if HAS_a_dot or HAS_query_dot:
            part_3_dot_part -= rstd*sum_a_query_dot
        if HAS_a_dot:
            part_3_dot_part -= rstd_dot*sum_a_query
        if HAS_a_dot or HAS_b_dot or HAS_query_dot:
            part_3_dot_part2 = 0.0
        if HAS_b_dot or HAS_query_dot:
            part_3_dot_part2 -= rstd_2*sum_b_query_dot
        if HAS_b_dot:
            part_3_dot_part2 -= rstd_2_dot*sum_b_query
        part_3_dot_part3 = 0.0
        if HAS_c_dot or HAS_query_dot:
            part_3_dot_part3 -= rstd_3*sum_c_query_dot
        if HAS_c_dot:
            part_3_dot_part3 -= rstd_3_dot*sum_c_query
        # step 104
        part_3_dot = tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            (
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    part_3_dot_part,
                    part_3_dot_part2,
                )
                if HAS_a_dot or HAS_b_dot or HAS_query_dot
                else 0.0
            ),
            part_3_dot_part3,
        )
        r_dot = part_3_dot*r  # step 106
        if HAS_c_dot or HAS_query_dot:
            r_dot += r*rstd_3*sum_c_query_dot  # step 106
        if HAS_c_dot:
            r_dot += r*rstd_3_dot*sum_c_query  # step 106
        exp_largest_2_scaled_2 = exp_largest_2*r_dot  # step 107, pass 30: once a row
        # step 109
        scale_dot = (
            -p_shifted_dot*(scale*scale)
            - q_shifted_dot*(scale*scale)
            - exp_largest_2*r_dot*(scale*scale)
        )
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            if HAS_a_dot:
                a_dot = tl.load(a_dot_row + d*a_dot_step, inside, 0).to(A)
            if HAS_b_dot:
                b_dot = tl.load(b_dot_row + d*b_dot_step, inside, 0).to(A)
            if HAS_c_dot:
                c_dot = tl.load(c_dot_row + d*c_dot_step, inside, 0).to(A)
            ahat = a*p_shifted  # step 15
            bhat = b*q_shifted  # step 16
            chat = c*exp_largest_2_scaled  # step 18, pass 2: once a row
            ahat_dot = 0.0
            if HAS_a_dot:
                ahat_dot += a_dot*p_shifted  # step 93
            ahat_dot += a*p_shifted_dot  # step 93
            bhat_dot = 0.0
            if HAS_b_dot:
                bhat_dot += b_dot*q_shifted  # step 100
            bhat_dot += b*q_shifted_dot  # step 100
            chat_dot = c*exp_largest_2_scaled_2  # step 107, pass 31: once a row
            if HAS_c_dot:
                chat_dot += c_dot*exp_largest_2_scaled_3  # step 107, pass 31
            # step 110
            y_dot = (
                ahat_dot*scale
                + bhat_dot*scale
                + chat_dot*scale
                + (ahat + bhat + chat)*scale_dot
            )
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def attention_residuals_backward_backward(
    a_ptr,
    b_ptr,
    c_ptr,
    dy_ptr,
    dda_ptr,
    ddb_ptr,
    ddc_ptr,
    sum_a_query_ptr,
    rstd_ptr,
    sum_b_query_ptr,
    rstd_2_ptr,
    sum_c_query_ptr,
    rstd_3_ptr,
    p_shifted_ptr,
    q_shifted_ptr,
    r_ptr,
    exp_largest_2_ptr,
    exp_largest_2_scaled_ptr,
    scale_ptr,
    query_ptr,
    eps: tl.float64,
    ddquery_ptr,
    da_ptr,
    db_ptr,
    dc_ptr,
    ddy_ptr,
    sums_ptr,
    a_stride_rest,
    a_step,
    b_stride_rest,
    b_step,
    c_stride_rest,
    c_step,
    dy_stride_rest,
    dy_step,
    dda_stride_rest,
    dda_step,
    ddb_stride_rest,
    ddb_step,
    ddc_stride_rest,
    ddc_step,
    da_stride_rest,
    da_step,
    db_stride_rest,
    db_step,
    dc_stride_rest,
    dc_step,
    ddy_stride_rest,
    ddy_step,
    rows,
    D,
    HAS_dda: tl.constexpr,
    HAS_ddb: tl.constexpr,
    HAS_ddc: tl.constexpr,
    HAS_ddquery: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dda = at(ddx, n=0)
    ddb = at(ddx, n=1)
    ddc = at(ddx, n=2)
    part = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query),
        rstd_3*sum_c_query)
    part_2 = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query),
        rstd_3*sum_c_query)
    part_3 = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query),
        rstd_3*sum_c_query)
    mean_product = mean(dy*(ahat + bhat + chat))
    dscale = D*mean_product
    dchat = scale*dy
    dbhat = scale*dy
    dahat = scale*dy
    mean_c_dchat = mean(exp_largest_2*c*dchat)
    dr = D*mean_c_dchat - dscale*exp_largest_2/(p_shifted + q_shifted +
        exp_largest_2*r)**2
    dpart_3 = dr*exp(part_3 + rstd_3*sum_c_query)
    mean_b_dbhat = mean(b*dbhat)
    dq_shifted = D*mean_b_dbhat - dscale/(p_shifted + q_shifted +
        exp_largest_2*r)**2
    dpart_2 = dq_shifted*exp(part_2 + rstd_2*sum_b_query - largest_2)
    mean_a_dahat = mean(a*dahat)
    dp_shifted = D*mean_a_dahat - dscale/(p_shifted + q_shifted +
        exp_largest_2*r)**2
    dpart = dp_shifted*exp(part + rstd*sum_a_query - largest_2)
    part_4 = dr*sum_c_query*exp(part_3 + rstd_3*sum_c_query)
    drstd_3 = part_4 + where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0,
        -dpart*sum_c_query - dpart_2*sum_c_query - dpart_3*sum_c_query)
    dms_3 = -drstd_3/(2*(ms_3 + eps)**(3/2))
    part_5 = dr*rstd_3*exp(part_3 + rstd_3*sum_c_query)
    dsum_c_query = part_5 + where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -dpart*rstd_3
        - dpart_2*rstd_3 - dpart_3*rstd_3)
    part_6 = dq_shifted*sum_b_query*exp(part_2 + rstd_2*sum_b_query - largest_2)
    drstd_2 = part_6 + where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -dpart*sum_b_query -
        dpart_2*sum_b_query - dpart_3*sum_b_query), 0)
    dms_2 = -drstd_2/(2*(ms_2 + eps)**(3/2))
    part_7 = dq_shifted*rstd_2*exp(part_2 + rstd_2*sum_b_query - largest_2)
    dsum_b_query = part_7 + where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -dpart*rstd_2 -
        dpart_2*rstd_2 - dpart_3*rstd_2), 0)
    part_8 = dp_shifted*sum_a_query*exp(part + rstd*sum_a_query - largest_2)
    drstd = part_8 + where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        where(rstd*sum_a_query > rstd_2*sum_b_query, -dpart*sum_a_query -
        dpart_2*sum_a_query - dpart_3*sum_a_query, 0), 0)
    dms = -drstd/(2*(ms + eps)**(3/2))
    part_9 = dp_shifted*rstd*exp(part + rstd*sum_a_query - largest_2)
    dsum_a_query = part_9 + where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        where(rstd*sum_a_query > rstd_2*sum_b_query, -dpart*rstd - dpart_2*rstd -
        dpart_3*rstd, 0), 0)
    ddsum_a_query = sum(ddquery*a) + sum(query*dda)
    dpart_9 = ddsum_a_query
    ddms = sum(2*a*dda/D)
    ddrstd = -ddms*rstd**3/2
    dpart_8 = ddrstd
    ddsum_b_query = sum(ddquery*b) + sum(query*ddb)
    dpart_7 = ddsum_b_query
    ddms_2 = sum(2*b*ddb/D)
    ddrstd_2 = -ddms_2*rstd_2**3/2
    dpart_6 = ddrstd_2
    ddsum_c_query = sum(ddquery*c) + sum(query*ddc)
    dpart_5 = ddsum_c_query
    ddms_3 = sum(2*c*ddc/D)
    ddrstd_3 = -ddms_3*rstd_3**3/2
    dpart_4 = ddrstd_3
    ddpart = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd,
        -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query -
        ddsum_c_query*rstd_3)
    ddp_shifted = ddpart*p_shifted + dpart_8*p_shifted*sum_a_query +
        dpart_9*p_shifted*rstd
    dmean_a_dahat = D*ddp_shifted
    ddpart_2 = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd,
        -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query -
        ddsum_c_query*rstd_3)
    ddq_shifted = ddpart_2*q_shifted + dpart_6*q_shifted*sum_b_query +
        dpart_7*q_shifted*rstd_2
    dmean_b_dbhat = D*ddq_shifted
    ddpart_3 = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd,
        -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query -
        ddsum_c_query*rstd_3)
    ddr = ddpart_3*r + dpart_4*r*sum_c_query + dpart_5*r*rstd_3
    dmean_c_dchat = D*ddr
    ddahat = p_shifted*dda + dmean_a_dahat*a/D
    ddbhat = q_shifted*ddb + dmean_b_dbhat*b/D
    ddchat = exp_largest_2*r*ddc + dmean_c_dchat*exp_largest_2*c/D
    ddscale = -ddp_shifted*scale**2 - ddq_shifted*scale**2 -
        ddr*exp_largest_2*scale**2
    dmean_product = D*ddscale
    d2scale = sum(ddahat*dy) + sum(ddbhat*dy) + sum(ddchat*dy)
    d2chat = dmean_product*dy/D
    d2bhat = dmean_product*dy/D
    d2ahat = dmean_product*dy/D
    d2r = 2*ddp_shifted*dscale*exp_largest_2*scale**3 +
        2*ddq_shifted*dscale*exp_largest_2*scale**3 +
        2*ddr*dscale*exp_largest_2**2*scale**3 + sum(exp_largest_2*c*d2chat) +
        sum(exp_largest_2*dchat*ddc) - d2scale*exp_largest_2*scale**2
    d2part_3 = d2r*r + ddpart_3*dr*r + dpart_4*dr*r*sum_c_query +
        dpart_5*dr*r*rstd_3
    d2q_shifted = 2*ddp_shifted*dscale*scale**3 + 2*ddq_shifted*dscale*scale**3 +
        2*ddr*dscale*exp_largest_2*scale**3 + sum(b*d2bhat) + sum(dbhat*ddb) -
        d2scale*scale**2
    d2part_2 = d2q_shifted*q_shifted + ddpart_2*dq_shifted*q_shifted +
        dpart_6*dq_shifted*q_shifted*sum_b_query +
        dpart_7*dq_shifted*q_shifted*rstd_2
    d2p_shifted = 2*ddp_shifted*dscale*scale**3 + 2*ddq_shifted*dscale*scale**3 +
        2*ddr*dscale*exp_largest_2*scale**3 + sum(a*d2ahat) + sum(dahat*dda) -
        d2scale*scale**2
    d2part = d2p_shifted*p_shifted + ddpart*dp_shifted*p_shifted +
        dp_shifted*dpart_8*p_shifted*sum_a_query + dp_shifted*dpart_9*p_shifted*rstd
    d2rstd_3 = d2r*r*sum_c_query + ddpart_3*dr*r*sum_c_query +
        dpart_4*dr*r*sum_c_query**2 + dpart_5*(dr*r + dr*r*rstd_3*sum_c_query) +
        where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, (-ddsum_c_query*(dpart +
        dpart_2 + dpart_3)) - d2part*sum_c_query - d2part_2*sum_c_query -
        d2part_3*sum_c_query)
    d2ms_3 = 3*ddms_3*drstd_3*rstd_3**5/4 - d2rstd_3*rstd_3**3/2
    d2sum_c_query = d2r*r*rstd_3 + ddpart_3*dr*r*rstd_3 + dpart_5*dr*r*rstd_3**2 +
        dpart_4*(dr*r + dr*r*rstd_3*sum_c_query) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, 0, (-ddrstd_3*(dpart + dpart_2 + dpart_3)) -
        d2part*rstd_3 - d2part_2*rstd_3 - d2part_3*rstd_3)
    d2rstd_2 = d2q_shifted*q_shifted*sum_b_query +
        ddpart_2*dq_shifted*q_shifted*sum_b_query +
        dpart_6*dq_shifted*q_shifted*sum_b_query**2 + dpart_7*(dq_shifted*q_shifted
        + dq_shifted*q_shifted*rstd_2*sum_b_query) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0,
        (-ddsum_b_query*(dpart + dpart_2 + dpart_3)) - d2part*sum_b_query -
        d2part_2*sum_b_query - d2part_3*sum_b_query), 0)
    d2ms_2 = 3*ddms_2*drstd_2*rstd_2**5/4 - d2rstd_2*rstd_2**3/2
    d2sum_b_query = d2q_shifted*q_shifted*rstd_2 +
        ddpart_2*dq_shifted*q_shifted*rstd_2 +
        dpart_7*dq_shifted*q_shifted*rstd_2**2 + dpart_6*(dq_shifted*q_shifted +
        dq_shifted*q_shifted*rstd_2*sum_b_query) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0,
        (-ddrstd_2*(dpart + dpart_2 + dpart_3)) - d2part*rstd_2 - d2part_2*rstd_2 -
        d2part_3*rstd_2), 0)
    d2rstd = d2p_shifted*p_shifted*sum_a_query +
        ddpart*dp_shifted*p_shifted*sum_a_query +
        dp_shifted*dpart_8*p_shifted*sum_a_query**2 + dpart_9*(dp_shifted*p_shifted
        + dp_shifted*p_shifted*rstd*sum_a_query) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        (-ddsum_a_query*(dpart + dpart_2 + dpart_3)) - d2part*sum_a_query -
        d2part_2*sum_a_query - d2part_3*sum_a_query, 0), 0)
    d2ms = 3*ddms*drstd*rstd**5/4 - d2rstd*rstd**3/2
    d2sum_a_query = d2p_shifted*p_shifted*rstd + ddpart*dp_shifted*p_shifted*rstd +
        dp_shifted*dpart_9*p_shifted*rstd**2 + dpart_8*(dp_shifted*p_shifted +
        dp_shifted*p_shifted*rstd*sum_a_query) + where(where(rstd*sum_a_query >
        rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        (-ddrstd*(dpart + dpart_2 + dpart_3)) - d2part*rstd - d2part_2*rstd -
        d2part_3*rstd, 0), 0)
    d2a = d2sum_a_query*query + p_shifted*d2ahat + dsum_a_query*ddquery +
        dmean_a_dahat*dahat/D + 2*d2ms*a/D + 2*dms*dda/D
    d2b = d2sum_b_query*query + q_shifted*d2bhat + dsum_b_query*ddquery +
        dmean_b_dbhat*dbhat/D + 2*d2ms_2*b/D + 2*dms_2*ddb/D
    d2c = d2sum_c_query*query + dsum_c_query*ddquery + exp_largest_2*r*d2chat +
        2*d2ms_3*c/D + dmean_c_dchat*exp_largest_2*dchat/D + 2*dms_3*ddc/D
    d2query = sum_rows(d2sum_a_query*a + d2sum_b_query*b + d2sum_c_query*c +
        dsum_a_query*dda + dsum_b_query*ddb + dsum_c_query*ddc)
    ddy = scale*ddahat + scale*ddbhat + scale*ddchat + dmean_product*(ahat + bhat +
        chat)/D
    d2x = join(d2a, d2b, d2c)
    """
    a_stride_rest = a_stride_rest // EVEN * EVEN
    b_stride_rest = b_stride_rest // EVEN * EVEN
    c_stride_rest = c_stride_rest // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    dda_stride_rest = dda_stride_rest // EVEN * EVEN
    ddb_stride_rest = ddb_stride_rest // EVEN * EVEN
    ddc_stride_rest = ddc_stride_rest // EVEN * EVEN
    da_stride_rest = da_stride_rest // EVEN * EVEN
    db_stride_rest = db_stride_rest // EVEN * EVEN
    dc_stride_rest = dc_stride_rest // EVEN * EVEN
    ddy_stride_rest = ddy_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    a_step = tl.cast(a_step, tl.int64)
    b_step = tl.cast(b_step, tl.int64)
    c_step = tl.cast(c_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dda_step = tl.cast(dda_step, tl.int64)
    ddb_step = tl.cast(ddb_step, tl.int64)
    ddc_step = tl.cast(ddc_step, tl.int64)
    da_step = tl.cast(da_step, tl.int64)
    db_step = tl.cast(db_step, tl.int64)
    dc_step = tl.cast(dc_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    length = tl.cast(D, A)
    if HAS_dda or HAS_ddb or HAS_ddc:
        eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        query = tl.load(query_ptr + d, d < D, 0).to(A)
        if HAS_ddquery:
            ddquery = tl.load(ddquery_ptr + d, d < D, 0).to(A)
        d2query = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        a_row = a_ptr + row*a_stride_rest
        b_row = b_ptr + row*b_stride_rest
        c_row = c_ptr + row*c_stride_rest
        dy_row = dy_ptr + row*dy_stride_rest
        if HAS_dda:
            dda_row = dda_ptr + row*dda_stride_rest
        if HAS_ddb:
            ddb_row = ddb_ptr + row*ddb_stride_rest
        if HAS_ddc:
            ddc_row = ddc_ptr + row*ddc_stride_rest
        da_row = da_ptr + row*da_stride_rest
        db_row = db_ptr + row*db_stride_rest
        dc_row = dc_ptr + row*dc_stride_rest
        ddy_row = ddy_ptr + row*ddy_stride_rest
        sum_a_query = tl.load(sum_a_query_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        sum_b_query = tl.load(sum_b_query_ptr + row, there, 0).to(A)
        rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
        sum_c_query = tl.load(sum_c_query_ptr + row, there, 0).to(A)
        rstd_3 = tl.load(rstd_3_ptr + row, there, 0).to(A)
        p_shifted = tl.load(p_shifted_ptr + row, there, 0).to(A)
        q_shifted = tl.load(q_shifted_ptr + row, there, 0).to(A)
        r = tl.load(r_ptr + row, there, 0).to(A)
        exp_largest_2 = tl.load(exp_largest_2_ptr + row, there, 0).to(A)
        exp_largest_2_scaled = tl.load(exp_largest_2_scaled_ptr + row, there, 0).to(A)
        scale = tl.load(scale_ptr + row, there, 0).to(A)
        # step 10
        largest = tl.where(
            rstd*sum_a_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            )
            > rstd_2*sum_b_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            ),
            rstd*sum_a_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            ),
            rstd_2*sum_b_query
            - tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                ),
                rstd_3*sum_c_query,
            ),
        )
        largest_2 = tl.where(largest > 0, largest, 0)  # step 11
        # step 125
        part = -tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        )
        # step 120
        part_2 = -tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        )
        # step 113
        part_3 = -tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        )
        exp_largest_2_scaled_2 = exp_largest_2*r  # step 191, pass 32: once a row
        if HAS_dda:
            ms_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddb:
            ms_2_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddc:
            ms_3_sum = tl.zeros([ROWS, TILE], A)
        mean_product_sum = tl.zeros([ROWS, TILE], A)
        mean_c_dchat_sum = tl.zeros([ROWS, TILE], A)
        mean_b_dbhat_sum = tl.zeros([ROWS, TILE], A)
        mean_a_dahat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddquery:
            sum_a_ddquery_sum = tl.zeros([ROWS, TILE], A)
        if HAS_dda:
            sum_dda_query_sum = tl.zeros([ROWS, TILE], A)
            ddms_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddquery:
            sum_b_ddquery_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddb:
            sum_ddb_query_sum = tl.zeros([ROWS, TILE], A)
            ddms_2_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddquery:
            sum_c_ddquery_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddc:
            sum_ddc_query_sum = tl.zeros([ROWS, TILE], A)
            ddms_3_sum = tl.zeros([ROWS, TILE], A)
            sum_dchat_ddc_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddb:
            sum_dbhat_ddb_sum = tl.zeros([ROWS, TILE], A)
        if HAS_dda:
            sum_dahat_dda_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_dda:
                dda = tl.load(dda_row + d*dda_step, inside, 0).to(A)
            if HAS_ddb:
                ddb = tl.load(ddb_row + d*ddb_step, inside, 0).to(A)
            if HAS_ddc:
                ddc = tl.load(ddc_row + d*ddc_step, inside, 0).to(A)
            if not WHOLE:
                query = tl.load(query_ptr + d, d < D, 0).to(A)
            if HAS_ddquery and not WHOLE:
                ddquery = tl.load(ddquery_ptr + d, d < D, 0).to(A)
            ahat = a*p_shifted  # step 15
            bhat = b*q_shifted  # step 16
            chat = c*exp_largest_2_scaled  # step 18, pass 2: once a row
            dchat = dy*scale  # step 116
            dbhat = dy*scale  # step 121
            dahat = dy*scale  # step 111
            if HAS_dda:
                ms_sum += a*a
            if HAS_ddb:
                ms_2_sum += b*b
            if HAS_ddc:
                ms_3_sum += c*c
            mean_product_sum += tl.where(inside, (ahat + bhat + chat)*dy, 0.0)
            mean_c_dchat_sum += tl.where(inside, c*dchat*exp_largest_2, 0.0)
            mean_b_dbhat_sum += tl.where(inside, b*dbhat, 0.0)
            mean_a_dahat_sum += tl.where(inside, a*dahat, 0.0)
            if HAS_ddquery:
                sum_a_ddquery_sum += tl.where(inside, a*ddquery, 0.0)
            if HAS_dda:
                sum_dda_query_sum += tl.where(inside, dda*query, 0.0)
                ddms_sum += tl.where(inside, 2*a*dda/length, 0.0)
            if HAS_ddquery:
                sum_b_ddquery_sum += tl.where(inside, b*ddquery, 0.0)
            if HAS_ddb:
                sum_ddb_query_sum += tl.where(inside, ddb*query, 0.0)
                ddms_2_sum += tl.where(inside, 2*b*ddb/length, 0.0)
            if HAS_ddquery:
                sum_c_ddquery_sum += tl.where(inside, c*ddquery, 0.0)
            if HAS_ddc:
                sum_ddc_query_sum += tl.where(inside, ddc*query, 0.0)
                ddms_3_sum += tl.where(inside, 2*c*ddc/length, 0.0)
                sum_dchat_ddc_sum += tl.where(inside, dchat*ddc*exp_largest_2, 0.0)
            if HAS_ddb:
                sum_dbhat_ddb_sum += tl.where(inside, dbhat*ddb, 0.0)
            if HAS_dda:
                sum_dahat_dda_sum += tl.where(inside, dahat*dda, 0.0)
        if HAS_dda:
            ms = tl.sum(ms_sum, 1, keep_dims=True)/length  # step 2: mean(a**2)
        if HAS_ddb:
            ms_2 = tl.sum(ms_2_sum, 1, keep_dims=True)/length  # step 5: mean(b**2)
        if HAS_ddc:
            ms_3 = tl.sum(ms_3_sum, 1, keep_dims=True)/length  # step 8: mean(c**2)
        mean_product = tl.sum(mean_product_sum, 1, keep_dims=True)/length  # step 114
        mean_c_dchat = tl.sum(mean_c_dchat_sum, 1, keep_dims=True)/length  # step 117
        mean_b_dbhat = tl.sum(mean_b_dbhat_sum, 1, keep_dims=True)/length  # step 122
        mean_a_dahat = tl.sum(mean_a_dahat_sum, 1, keep_dims=True)/length  # step 112
        if HAS_ddquery:
            sum_a_ddquery = tl.sum(sum_a_ddquery_sum, 1, keep_dims=True)  # step 135
        if HAS_dda:
            sum_dda_query = tl.sum(sum_dda_query_sum, 1, keep_dims=True)  # step 135
            ddms = tl.sum(ddms_sum, 1, keep_dims=True)  # step 137: sum(2*a*dda/D)
        if HAS_ddquery:
            sum_b_ddquery = tl.sum(sum_b_ddquery_sum, 1, keep_dims=True)  # step 152
        if HAS_ddb:
            sum_ddb_query = tl.sum(sum_ddb_query_sum, 1, keep_dims=True)  # step 152
            ddms_2 = tl.sum(ddms_2_sum, 1, keep_dims=True)  # step 153: sum(2*b*ddb/D)
        if HAS_ddquery:
            sum_c_ddquery = tl.sum(sum_c_ddquery_sum, 1, keep_dims=True)  # step 159
        if HAS_ddc:
            sum_ddc_query = tl.sum(sum_ddc_query_sum, 1, keep_dims=True)  # step 159
            ddms_3 = tl.sum(ddms_3_sum, 1, keep_dims=True)  # step 160: sum(2*c*ddc/D)
            sum_dchat_ddc = tl.sum(sum_dchat_ddc_sum, 1, keep_dims=True)  # step 195
        if HAS_ddb:
            sum_dbhat_ddb = tl.sum(sum_dbhat_ddb_sum, 1, keep_dims=True)  # step 200
        if HAS_dda:
            sum_dahat_dda = tl.sum(sum_dahat_dda_sum, 1, keep_dims=True)  # step 204
        dscale = mean_product*length  # step 115
        # step 118
        dr = mean_c_dchat*length - dscale*exp_largest_2/(
            (p_shifted + q_shifted + exp_largest_2*r)*(
                p_shifted + q_shifted + exp_largest_2*r
            )
        )
        dpart_3 = dr*tl.exp(part_3 + rstd_3*sum_c_query)  # step 119
        # step 123
        dq_shifted = mean_b_dbhat*length - dscale/(
            (p_shifted + q_shifted + exp_largest_2*r)*(
                p_shifted + q_shifted + exp_largest_2*r
            )
        )
        dpart_2 = dq_shifted*tl.exp(part_2 + rstd_2*sum_b_query - largest_2)  # step 124
        # step 126
        dp_shifted = mean_a_dahat*length - dscale/(
            (p_shifted + q_shifted + exp_largest_2*r)*(
                p_shifted + q_shifted + exp_largest_2*r
            )
        )
        dpart = dp_shifted*tl.exp(part + rstd*sum_a_query - largest_2)  # step 127
        if HAS_ddc:
            part_4 = dr*tl.exp(part_3 + rstd_3*sum_c_query)*sum_c_query  # step 141
            # step 142
            drstd_3 = part_4 + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                0,
                -dpart*sum_c_query - dpart_2*sum_c_query - dpart_3*sum_c_query,
            )
            dms_3 = -0.5*drstd_3/((ms_3 + eps)*tl.sqrt(ms_3 + eps))  # step 156
        if HAS_ddc or HAS_ddquery:
            part_5 = dr*tl.exp(part_3 + rstd_3*sum_c_query)*rstd_3  # step 143
            # step 144
            dsum_c_query = part_5 + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                0,
                -dpart*rstd_3 - dpart_2*rstd_3 - dpart_3*rstd_3,
            )
        if HAS_ddb:
            # step 145
            part_6 = dq_shifted*tl.exp(
                part_2 + rstd_2*sum_b_query - largest_2
            )*sum_b_query
            # step 146
            drstd_2 = part_6 + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    0,
                    -dpart*sum_b_query - dpart_2*sum_b_query - dpart_3*sum_b_query,
                ),
                0,
            )
            dms_2 = -0.5*drstd_2/((ms_2 + eps)*tl.sqrt(ms_2 + eps))  # step 149
        if HAS_ddb or HAS_ddquery:
            # step 147
            part_7 = dq_shifted*tl.exp(part_2 + rstd_2*sum_b_query - largest_2)*rstd_2
            # step 148
            dsum_b_query = part_7 + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    0,
                    -dpart*rstd_2 - dpart_2*rstd_2 - dpart_3*rstd_2,
                ),
                0,
            )
        if HAS_dda:
            # step 128
            part_8 = dp_shifted*tl.exp(part + rstd*sum_a_query - largest_2)*sum_a_query
            # step 129
            drstd = part_8 + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    -dpart*sum_a_query - dpart_2*sum_a_query - dpart_3*sum_a_query,
                    0,
                ),
                0,
            )
            dms = -0.5*drstd/((ms + eps)*tl.sqrt(ms + eps))  # step 130
        if HAS_dda or HAS_ddquery:
            # step 131
            part_9 = dp_shifted*tl.exp(part + rstd*sum_a_query - largest_2)*rstd
            # step 132
            dsum_a_query = part_9 + tl.where(
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    rstd*sum_a_query,
                    rstd_2*sum_b_query,
                )
                > rstd_3*sum_c_query,
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query,
                    -dpart*rstd - dpart_2*rstd - dpart_3*rstd,
                    0,
                ),
                0,
            )
            ddsum_a_query = 0.0
        if HAS_ddquery:
            ddsum_a_query += sum_a_ddquery  # step 135
        if HAS_dda:
            ddsum_a_query += sum_dda_query  # step 135
        if HAS_dda or HAS_ddquery:
            dpart_9 = ddsum_a_query  # step 136
        if HAS_dda:
            ddrstd = -0.5*ddms*(rstd*rstd*rstd)  # step 139
            dpart_8 = ddrstd  # step 140
        if HAS_ddb or HAS_ddquery:
            ddsum_b_query = 0.0
        if HAS_ddquery:
            ddsum_b_query += sum_b_ddquery  # step 152
        if HAS_ddb:
            ddsum_b_query += sum_ddb_query  # step 152
        if HAS_ddb or HAS_ddquery:
            dpart_7 = ddsum_b_query  # step 169
        if HAS_ddb:
            ddrstd_2 = -0.5*ddms_2*(rstd_2*rstd_2*rstd_2)  # step 155
            dpart_6 = ddrstd_2  # step 170
        if HAS_ddc or HAS_ddquery:
            ddsum_c_query = 0.0
        if HAS_ddquery:
            ddsum_c_query += sum_c_ddquery  # step 159
        if HAS_ddc:
            ddsum_c_query += sum_ddc_query  # step 159
        if HAS_ddc or HAS_ddquery:
            dpart_5 = ddsum_c_query  # step 176
        if HAS_ddc:
            ddrstd_3 = -0.5*ddms_3*(rstd_3*rstd_3*rstd_3)  # step 162
            dpart_4 = ddrstd_3  # step 177
        if HAS_dda or HAS_ddb or HAS_ddquery:
            ddpart_part = 0.0
        if HAS_dda:
            ddpart_part -= ddrstd*sum_a_query
        if HAS_dda or HAS_ddquery:
            ddpart_part -= ddsum_a_query*rstd
        if HAS_dda or HAS_ddb or HAS_ddquery:
            ddpart_part2 = 0.0
        if HAS_ddb:
            ddpart_part2 -= ddrstd_2*sum_b_query
        if HAS_ddb or HAS_ddquery:
            ddpart_part2 -= ddsum_b_query*rstd_2
        ddpart_part3 = 0.0
        if HAS_ddc:
            ddpart_part3 -= ddrstd_3*sum_c_query
        if HAS_ddc or HAS_ddquery:
            ddpart_part3 -= ddsum_c_query*rstd_3
        # step 165
        ddpart = tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            (
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query, ddpart_part, ddpart_part2
                )
                if HAS_dda or HAS_ddb or HAS_ddquery
                else 0.0
            ),
            ddpart_part3,
        )
        ddp_shifted = ddpart*p_shifted  # step 167
        if HAS_dda:
            ddp_shifted += dpart_8*p_shifted*sum_a_query  # step 167
        if HAS_dda or HAS_ddquery:
            ddp_shifted += dpart_9*p_shifted*rstd  # step 167
        dmean_a_dahat = ddp_shifted*length  # step 168
        if HAS_dda or HAS_ddb or HAS_ddquery:
            ddpart_2_part = 0.0
        if HAS_dda:
            ddpart_2_part -= ddrstd*sum_a_query
        if HAS_dda or HAS_ddquery:
            ddpart_2_part -= ddsum_a_query*rstd
        if HAS_dda or HAS_ddb or HAS_ddquery:
            ddpart_2_part2 = 0.0
        if HAS_ddb:
            ddpart_2_part2 -= ddrstd_2*sum_b_query
        if HAS_ddb or HAS_ddquery:
            ddpart_2_part2 -= ddsum_b_query*rstd_2
        ddpart_2_part3 = 0.0
        if HAS_ddc:
            ddpart_2_part3 -= ddrstd_3*sum_c_query
        if HAS_ddc or HAS_ddquery:
            ddpart_2_part3 -= ddsum_c_query*rstd_3
        # step 173
        ddpart_2 = tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            (
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query, ddpart_2_part, ddpart_2_part2
                )
                if HAS_dda or HAS_ddb or HAS_ddquery
                else 0.0
            ),
            ddpart_2_part3,
        )
        ddq_shifted = ddpart_2*q_shifted  # step 175
        if HAS_ddb:
            ddq_shifted += dpart_6*q_shifted*sum_b_query  # step 175
        if HAS_ddb or HAS_ddquery:
            ddq_shifted += dpart_7*q_shifted*rstd_2  # step 175
        dmean_b_dbhat = ddq_shifted*length  # step 188
        if HAS_dda or HAS_ddb or HAS_ddquery:
            ddpart_3_part = 0.0
        if HAS_dda:
            ddpart_3_part -= ddrstd*sum_a_query
        if HAS_dda or HAS_ddquery:
            ddpart_3_part -= ddsum_a_query*rstd
        if HAS_dda or HAS_ddb or HAS_ddquery:
            ddpart_3_part2 = 0.0
        if HAS_ddb:
            ddpart_3_part2 -= ddrstd_2*sum_b_query
        if HAS_ddb or HAS_ddquery:
            ddpart_3_part2 -= ddsum_b_query*rstd_2
        ddpart_3_part3 = 0.0
        if HAS_ddc:
            ddpart_3_part3 -= ddrstd_3*sum_c_query
        if HAS_ddc or HAS_ddquery:
            ddpart_3_part3 -= ddsum_c_query*rstd_3
        # step 180
        ddpart_3 = tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            (
                tl.where(
                    rstd*sum_a_query > rstd_2*sum_b_query, ddpart_3_part, ddpart_3_part2
                )
                if HAS_dda or HAS_ddb or HAS_ddquery
                else 0.0
            ),
            ddpart_3_part3,
        )
        ddr = ddpart_3*r  # step 182
        if HAS_ddc:
            ddr += dpart_4*r*sum_c_query  # step 182
        if HAS_ddc or HAS_ddquery:
            ddr += dpart_5*r*rstd_3  # step 182
        dmean_c_dchat = ddr*length  # step 190
        dmean_a_dahat_scaled = dmean_a_dahat/length  # step 187, pass 37: once a row
        dmean_b_dbhat_scaled = dmean_b_dbhat/length  # step 189, pass 38: once a row
        exp_largest_2_scaled_3 = dmean_c_dchat*exp_largest_2/length  # step 191, pass 39
        # step 184
        ddscale = (
            -ddp_shifted*(scale*scale)
            - ddq_shifted*(scale*scale)
            - ddr*exp_largest_2*(scale*scale)
        )
        dmean_product = ddscale*length  # step 185
        dmean_product_scaled = dmean_product/length  # step 193, pass 40: once a row
        if HAS_dda:
            dms_scaled = 2*dms/length  # step 217, pass 41: once a row
        if HAS_ddb:
            dms_2_scaled = 2*dms_2/length  # step 228, pass 42: once a row
        if HAS_ddc:
            dms_3_scaled = 2*dms_3/length  # step 237, pass 43: once a row
        sum_ddahat_dy_sum = tl.zeros([ROWS, TILE], A)
        sum_ddbhat_dy_sum = tl.zeros([ROWS, TILE], A)
        sum_ddchat_dy_sum = tl.zeros([ROWS, TILE], A)
        sum_c_d2chat_sum = tl.zeros([ROWS, TILE], A)
        sum_b_d2bhat_sum = tl.zeros([ROWS, TILE], A)
        sum_a_d2ahat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_dda:
                dda = tl.load(dda_row + d*dda_step, inside, 0).to(A)
            if HAS_ddb:
                ddb = tl.load(ddb_row + d*ddb_step, inside, 0).to(A)
            if HAS_ddc:
                ddc = tl.load(ddc_row + d*ddc_step, inside, 0).to(A)
            ddahat = a*dmean_a_dahat_scaled  # step 187, pass 44: once a row
            if HAS_dda:
                ddahat += dda*p_shifted  # step 187, pass 44: once a row
            ddbhat = b*dmean_b_dbhat_scaled  # step 189, pass 45: once a row
            if HAS_ddb:
                ddbhat += ddb*q_shifted  # step 189, pass 45: once a row
            ddchat = 0.0
            if HAS_ddc:
                ddchat += ddc*exp_largest_2_scaled_2  # step 191, pass 46: once a row
            ddchat += c*exp_largest_2_scaled_3  # step 191, pass 46: once a row
            d2chat = dy*dmean_product_scaled  # step 193, pass 58: once a row
            d2bhat = dy*dmean_product_scaled  # step 198, pass 47: once a row
            d2ahat = dy*dmean_product_scaled  # step 186, pass 48: once a row
            sum_ddahat_dy_sum += tl.where(inside, ddahat*dy, 0.0)
            sum_ddbhat_dy_sum += tl.where(inside, ddbhat*dy, 0.0)
            sum_ddchat_dy_sum += tl.where(inside, ddchat*dy, 0.0)
            sum_c_d2chat_sum += tl.where(inside, c*d2chat*exp_largest_2, 0.0)
            sum_b_d2bhat_sum += tl.where(inside, b*d2bhat, 0.0)
            sum_a_d2ahat_sum += tl.where(inside, a*d2ahat, 0.0)
        sum_ddahat_dy = tl.sum(sum_ddahat_dy_sum, 1, keep_dims=True)  # step 192
        sum_ddbhat_dy = tl.sum(sum_ddbhat_dy_sum, 1, keep_dims=True)  # step 192
        sum_ddchat_dy = tl.sum(sum_ddchat_dy_sum, 1, keep_dims=True)  # step 192
        sum_c_d2chat = tl.sum(sum_c_d2chat_sum, 1, keep_dims=True)  # step 195
        sum_b_d2bhat = tl.sum(sum_b_d2bhat_sum, 1, keep_dims=True)  # step 200
        sum_a_d2ahat = tl.sum(sum_a_d2ahat_sum, 1, keep_dims=True)  # step 204
        d2scale = sum_ddahat_dy + sum_ddbhat_dy + sum_ddchat_dy  # step 192
        d2r = sum_c_d2chat  # step 195
        if HAS_ddc:
            d2r += sum_dchat_ddc  # step 195
        # step 195
        d2r += (
            2*ddp_shifted*dscale*exp_largest_2*(scale*scale*scale)
            + 2*ddq_shifted*dscale*exp_largest_2*(scale*scale*scale)
            + 2*ddr*dscale*(exp_largest_2*exp_largest_2)*(scale*scale*scale)
            - d2scale*exp_largest_2*(scale*scale)
        )
        d2part_3 = d2r*r + ddpart_3*dr*r  # step 197
        if HAS_ddc:
            d2part_3 += dpart_4*dr*r*sum_c_query  # step 197
        if HAS_ddc or HAS_ddquery:
            d2part_3 += dpart_5*dr*r*rstd_3  # step 197
        d2q_shifted = sum_b_d2bhat  # step 200
        if HAS_ddb:
            d2q_shifted += sum_dbhat_ddb  # step 200
        # step 200
        d2q_shifted += (
            2*ddp_shifted*dscale*(scale*scale*scale)
            + 2*ddq_shifted*dscale*(scale*scale*scale)
            + 2*ddr*dscale*exp_largest_2*(scale*scale*scale)
            - d2scale*(scale*scale)
        )
        d2part_2 = d2q_shifted*q_shifted + ddpart_2*dq_shifted*q_shifted  # step 202
        if HAS_ddb:
            d2part_2 += dpart_6*dq_shifted*q_shifted*sum_b_query  # step 202
        if HAS_ddb or HAS_ddquery:
            d2part_2 += dpart_7*dq_shifted*q_shifted*rstd_2  # step 202
        d2p_shifted = sum_a_d2ahat  # step 204
        if HAS_dda:
            d2p_shifted += sum_dahat_dda  # step 204
        # step 204
        d2p_shifted += (
            2*ddp_shifted*dscale*(scale*scale*scale)
            + 2*ddq_shifted*dscale*(scale*scale*scale)
            + 2*ddr*dscale*exp_largest_2*(scale*scale*scale)
            - d2scale*(scale*scale)
        )
        d2part = d2p_shifted*p_shifted + ddpart*dp_shifted*p_shifted  # step 206
        if HAS_dda:
            d2part += dp_shifted*dpart_8*p_shifted*sum_a_query  # step 206
        if HAS_dda or HAS_ddquery:
            d2part += dp_shifted*dpart_9*p_shifted*rstd  # step 206
        d2rstd_3_part = 0.0
        if HAS_ddc or HAS_ddquery:
            d2rstd_3_part += (-dpart - dpart_2 - dpart_3)*ddsum_c_query
        d2rstd_3_part += (
            -d2part*sum_c_query - d2part_2*sum_c_query - d2part_3*sum_c_query
        )
        d2rstd_3 = d2r*r*sum_c_query + ddpart_3*dr*r*sum_c_query  # step 231
        if HAS_ddc:
            d2rstd_3 += dpart_4*dr*r*(sum_c_query*sum_c_query)  # step 231
        if HAS_ddc or HAS_ddquery:
            d2rstd_3 += dpart_5*(dr*r + dr*r*rstd_3*sum_c_query)  # step 231
        # step 231
        d2rstd_3 += tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            0,
            d2rstd_3_part,
        )
        d2ms_3 = 0.0
        if HAS_ddc:
            # step 233
            d2ms_3 += 0.75*ddms_3*drstd_3*(rstd_3*rstd_3*rstd_3*rstd_3*rstd_3)
        d2ms_3 -= 0.5*d2rstd_3*(rstd_3*rstd_3*rstd_3)  # step 233
        d2sum_c_query_part = 0.0
        if HAS_ddc:
            d2sum_c_query_part += (-dpart - dpart_2 - dpart_3)*ddrstd_3
        d2sum_c_query_part += -d2part*rstd_3 - d2part_2*rstd_3 - d2part_3*rstd_3
        d2sum_c_query = d2r*r*rstd_3 + ddpart_3*dr*r*rstd_3  # step 236
        if HAS_ddc or HAS_ddquery:
            d2sum_c_query += dpart_5*dr*r*(rstd_3*rstd_3)  # step 236
        if HAS_ddc:
            d2sum_c_query += dpart_4*(dr*r + dr*r*rstd_3*sum_c_query)  # step 236
        # step 236
        d2sum_c_query += tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            0,
            d2sum_c_query_part,
        )
        d2rstd_2_part = 0.0
        if HAS_ddb or HAS_ddquery:
            d2rstd_2_part += (-dpart - dpart_2 - dpart_3)*ddsum_b_query
        d2rstd_2_part += (
            -d2part*sum_b_query - d2part_2*sum_b_query - d2part_3*sum_b_query
        )
        # step 221
        d2rstd_2 = (
            d2q_shifted*q_shifted*sum_b_query
            + ddpart_2*dq_shifted*q_shifted*sum_b_query
        )
        if HAS_ddb:
            # step 221
            d2rstd_2 += dpart_6*dq_shifted*q_shifted*(sum_b_query*sum_b_query)
        if HAS_ddb or HAS_ddquery:
            # step 221
            d2rstd_2 += dpart_7*(
                dq_shifted*q_shifted + dq_shifted*q_shifted*rstd_2*sum_b_query
            )
        # step 221
        d2rstd_2 += tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, d2rstd_2_part),
            0,
        )
        d2ms_2 = 0.0
        if HAS_ddb:
            # step 223
            d2ms_2 += 0.75*ddms_2*drstd_2*(rstd_2*rstd_2*rstd_2*rstd_2*rstd_2)
        d2ms_2 -= 0.5*d2rstd_2*(rstd_2*rstd_2*rstd_2)  # step 223
        d2sum_b_query_part = 0.0
        if HAS_ddb:
            d2sum_b_query_part += (-dpart - dpart_2 - dpart_3)*ddrstd_2
        d2sum_b_query_part += -d2part*rstd_2 - d2part_2*rstd_2 - d2part_3*rstd_2
        # step 227
        d2sum_b_query = (
            d2q_shifted*q_shifted*rstd_2 + ddpart_2*dq_shifted*q_shifted*rstd_2
        )
        if HAS_ddb or HAS_ddquery:
            d2sum_b_query += dpart_7*dq_shifted*q_shifted*(rstd_2*rstd_2)  # step 227
        if HAS_ddb:
            # step 227
            d2sum_b_query += dpart_6*(
                dq_shifted*q_shifted + dq_shifted*q_shifted*rstd_2*sum_b_query
            )
        # step 227
        d2sum_b_query += tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, d2sum_b_query_part),
            0,
        )
        d2rstd_part = 0.0
        if HAS_dda or HAS_ddquery:
            d2rstd_part += (-dpart - dpart_2 - dpart_3)*ddsum_a_query
        d2rstd_part += -d2part*sum_a_query - d2part_2*sum_a_query - d2part_3*sum_a_query
        # step 210
        d2rstd = (
            d2p_shifted*p_shifted*sum_a_query + ddpart*dp_shifted*p_shifted*sum_a_query
        )
        if HAS_dda:
            d2rstd += dp_shifted*dpart_8*p_shifted*(sum_a_query*sum_a_query)  # step 210
        if HAS_dda or HAS_ddquery:
            # step 210
            d2rstd += (
                dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query
            )*dpart_9
        # step 210
        d2rstd += tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(rstd*sum_a_query > rstd_2*sum_b_query, d2rstd_part, 0),
            0,
        )
        d2ms = 0.0
        if HAS_dda:
            d2ms += 0.75*ddms*drstd*(rstd*rstd*rstd*rstd*rstd)  # step 212
        d2ms -= 0.5*d2rstd*(rstd*rstd*rstd)  # step 212
        d2sum_a_query_part = 0.0
        if HAS_dda:
            d2sum_a_query_part += (-dpart - dpart_2 - dpart_3)*ddrstd
        d2sum_a_query_part += -d2part*rstd - d2part_2*rstd - d2part_3*rstd
        # step 216
        d2sum_a_query = d2p_shifted*p_shifted*rstd + ddpart*dp_shifted*p_shifted*rstd
        if HAS_dda or HAS_ddquery:
            d2sum_a_query += dp_shifted*dpart_9*p_shifted*(rstd*rstd)  # step 216
        if HAS_dda:
            # step 216
            d2sum_a_query += (
                dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query
            )*dpart_8
        # step 216
        d2sum_a_query += tl.where(
            tl.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            tl.where(rstd*sum_a_query > rstd_2*sum_b_query, d2sum_a_query_part, 0),
            0,
        )
        d2ms_scaled = 2*d2ms/length  # step 217, pass 52: once a row
        d2ms_2_scaled = 2*d2ms_2/length  # step 228, pass 53: once a row
        d2ms_3_scaled = 2*d2ms_3/length  # step 237, pass 54: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            a = tl.load(a_row + d*a_step, inside, 0).to(A)
            b = tl.load(b_row + d*b_step, inside, 0).to(A)
            c = tl.load(c_row + d*c_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_dda:
                dda = tl.load(dda_row + d*dda_step, inside, 0).to(A)
            if HAS_ddb:
                ddb = tl.load(ddb_row + d*ddb_step, inside, 0).to(A)
            if HAS_ddc:
                ddc = tl.load(ddc_row + d*ddc_step, inside, 0).to(A)
            if not WHOLE:
                query = tl.load(query_ptr + d, d < D, 0).to(A)
            if HAS_ddquery and not WHOLE:
                ddquery = tl.load(ddquery_ptr + d, d < D, 0).to(A)
            ahat = a*p_shifted  # step 15
            bhat = b*q_shifted  # step 16
            chat = c*exp_largest_2_scaled  # step 18, pass 2: once a row
            dchat = dy*scale  # step 116
            dbhat = dy*scale  # step 121
            dahat = dy*scale  # step 111
            ddahat = a*dmean_a_dahat_scaled  # step 187, pass 44: once a row
            if HAS_dda:
                ddahat += dda*p_shifted  # step 187, pass 44: once a row
            ddbhat = b*dmean_b_dbhat_scaled  # step 189, pass 45: once a row
            if HAS_ddb:
                ddbhat += ddb*q_shifted  # step 189, pass 45: once a row
            ddchat = 0.0
            if HAS_ddc:
                ddchat += ddc*exp_largest_2_scaled_2  # step 191, pass 46: once a row
            ddchat += c*exp_largest_2_scaled_3  # step 191, pass 46: once a row
            d2chat = dy*dmean_product_scaled  # step 193, pass 58: once a row
            d2bhat = dy*dmean_product_scaled  # step 198, pass 47: once a row
            d2ahat = dy*dmean_product_scaled  # step 186, pass 48: once a row
            # step 240, pass 49: once a row
            ddy = (
                ddahat*scale
                + ddbhat*scale
                + ddchat*scale
                + (ahat + bhat + chat)*dmean_product_scaled
            )
            d2a = a*d2ms_scaled  # step 217, pass 55: once a row
            if HAS_ddquery:
                d2a += dsum_a_query*ddquery  # step 217, pass 55: once a row
            d2a += dahat*dmean_a_dahat_scaled  # step 217, pass 55: once a row
            if HAS_dda:
                d2a += dda*dms_scaled  # step 217, pass 55: once a row
            d2a += d2ahat*p_shifted + d2sum_a_query*query  # step 217, pass 55
            d2b = b*d2ms_2_scaled  # step 228, pass 56: once a row
            if HAS_ddquery:
                d2b += dsum_b_query*ddquery  # step 228, pass 56: once a row
            d2b += dbhat*dmean_b_dbhat_scaled  # step 228, pass 56: once a row
            if HAS_ddb:
                d2b += ddb*dms_2_scaled  # step 228, pass 56: once a row
            d2b += d2bhat*q_shifted + d2sum_b_query*query  # step 228, pass 56
            d2c = c*d2ms_3_scaled  # step 237, pass 59: once a row
            if HAS_ddquery:
                d2c += dsum_c_query*ddquery  # step 237, pass 59: once a row
            if HAS_ddc:
                d2c += ddc*dms_3_scaled  # step 237, pass 59: once a row
            # step 237, pass 59: once a row
            d2c += (
                d2chat*exp_largest_2_scaled_2
                + dchat*exp_largest_2_scaled_3
                + d2sum_c_query*query
            )
            d2query_part = a*d2sum_a_query + b*d2sum_b_query + c*d2sum_c_query
            if HAS_dda:
                d2query_part += dda*dsum_a_query
            if HAS_ddb:
                d2query_part += ddb*dsum_b_query
            if HAS_ddc:
                d2query_part += ddc*dsum_c_query
            if WHOLE:
                d2query += tl.where(inside, d2query_part, 0.0)  # step 239
            else:
                add_to(sums_ptr + d, tl.where(inside, d2query_part, 0.0), d < D)
            tl.store(da_row + d*da_step, d2a, inside)
            tl.store(db_row + d*db_step, d2b, inside)
            tl.store(dc_row + d*dc_step, d2c, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        tl.store(sums_ptr + d, tl.sum(d2query, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def attention_residuals_backward_backward_totals(
    sums_ptr,
    dquery_ptr,
    programs,
    D,
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
        d2query = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
        tl.store(dquery_ptr + d, d2query, inside)
