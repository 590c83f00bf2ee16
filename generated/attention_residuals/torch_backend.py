# Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
# Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
# Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

`attention_residuals` takes tensors, and `AttentionResiduals` is a module. A plain call on the processor
runs the kernels of kernels.cpp, which a C++ compiler makes on first use. Other calls on
the processor go by `_LAYER.call`: kernels after a conversion, for mixed types and numbers
that are no floats, and an operator of them in `torch.compile` and autocast. A plain call
on a GPU launches the kernels of triton_kernels.py, and so does a program that is compiled
for one. On other devices, in all else on a GPU, in `vmap` and `torch.func`, and where
derivatives are differentiated, `_decomposed` computes.
"""

import math

import torch

from .._runtime import torch as _torch
from .._runtime.torch import gpu as _gpu
from .._runtime.torch import guards as _guards

__all__ = [
    "AttentionResiduals",
    "attention_residuals",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def attention_residuals(
    x: _torch.Tensor, query: _torch.Tensor, *, eps: float = 1e-6
) -> _torch.Tensor:
    """Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

        a = at(x, n=0)
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
        largest = where(rstd*sum_a_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) > rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        largest_2 = where(largest > 0, largest, 0)
        p_shifted = exp(rstd*sum_a_query - largest_2 - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        q_shifted = exp(rstd_2*sum_b_query - largest_2 - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        r = exp(rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        ahat = p_shifted*a
        bhat = q_shifted*b
        exp_largest_2 = exp(-largest_2)
        chat = exp_largest_2*r*c
        scale = 1/(p_shifted + q_shifted + exp_largest_2*r)
        y = scale*(ahat + bhat + chat)

    Args:
        x: an array with the axes n ... d, n of size 3.
        query: an array with the axes d.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y is an array with the axes ... d. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, query = _LAYER.taken(x, query)
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and x.itemsize > 2
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        given = _rows_of(x, query)
        kept = None if _guards.is_recorded((x, query)) else True
        made = given and _forward(_guards.run, kept, eps, *given)
        if made is not None:
            y, kept = made
            return (
                _outputs(y, x, query)
                if kept is None
                else _Recorded.apply(made, x, query, eps)
            )
    return _LAYER.call(x, query, eps)


def _decomposed(x, query, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    n, *rest, d = _axes("x", x, "n ... d", 2, True)
    query = _floats("query", query, (d,), "(d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _rows(
        x.reshape(n, _product(rest), d)[0],
        x.reshape(n, _product(rest), d)[1],
        x.reshape(n, _product(rest), d)[2],
        query.reshape(1, d),
        eps,
    )
    return y.reshape((*rest, d))


def _rows(a, b, c, query, eps):
    """The outputs, each line by its step of the derivation."""
    stored = a.dtype
    dtype = _widest(a, b, c, query)
    zero = a.new_zeros((), dtype=dtype)
    a = a.to(dtype)
    b = b.to(dtype)
    c = c.to(dtype)
    query = query.to(dtype)
    eps = zero + eps
    sum_a_query = torch.sum(a*query, dim=1, keepdim=True)  # step 1
    ms = torch.mean(a**2, dim=1, keepdim=True)  # step 2
    sum_b_query = torch.sum(b*query, dim=1, keepdim=True)  # step 4
    ms_2 = torch.mean(b**2, dim=1, keepdim=True)  # step 5
    sum_c_query = torch.sum(c*query, dim=1, keepdim=True)  # step 7
    ms_3 = torch.mean(c**2, dim=1, keepdim=True)  # step 8
    rstd = torch.rsqrt(ms + eps)  # step 3
    rstd_2 = torch.rsqrt(ms_2 + eps)  # step 6
    rstd_3 = torch.rsqrt(ms_3 + eps)  # step 9
    _test_1 = rstd*sum_a_query - torch.where(
        torch.where(
            rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query
        )
        > rstd_3*sum_c_query,
        torch.where(
            rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query
        ),
        rstd_3*sum_c_query,
    ) > rstd_2*sum_b_query - torch.where(
        torch.where(
            rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query
        )
        > rstd_3*sum_c_query,
        torch.where(
            rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query
        ),
        rstd_3*sum_c_query,
    )
    _test_2 = (
        torch.where(
            rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query
        )
        > rstd_3*sum_c_query
    )
    _test_3 = rstd*sum_a_query > rstd_2*sum_b_query
    # step 3
    rstd_1 = torch.rsqrt(_within(_test_1, _within(_test_2, _within(_test_3, ms))) + eps)
    # step 6
    rstd_2_1 = torch.rsqrt(
        _within(_test_1, _within(_test_2, _within(~_test_3, ms_2))) + eps
    )
    rstd_3_1 = torch.rsqrt(_within(_test_1, _within(~_test_2, ms_3)) + eps)  # step 9
    rstd_2_ = torch.rsqrt(_within(_test_1, ms) + eps)  # step 3
    # step 3
    rstd_3_ = torch.rsqrt(
        _within(~_test_1, _within(_test_2, _within(_test_3, ms))) + eps
    )
    # step 6
    rstd_2_2 = torch.rsqrt(
        _within(~_test_1, _within(_test_2, _within(~_test_3, ms_2))) + eps
    )
    rstd_3_2 = torch.rsqrt(_within(~_test_1, _within(~_test_2, ms_3)) + eps)  # step 9
    rstd_2_3 = torch.rsqrt(_within(~_test_1, ms_2) + eps)  # step 6
    # step 10
    largest = torch.where(
        _test_1,
        rstd_2_*_within(_test_1, sum_a_query)
        - torch.where(
            _test_2,
            torch.where(
                _test_3,
                rstd_1*_within(
                    _test_3, _within(_test_2, _within(_test_1, sum_a_query))
                ),
                rstd_2_1*_within(
                    ~_test_3, _within(_test_2, _within(_test_1, sum_b_query))
                ),
            ),
            rstd_3_1*_within(~_test_2, _within(_test_1, sum_c_query)),
        ),
        rstd_2_3*_within(~_test_1, sum_b_query)
        - torch.where(
            _test_2,
            torch.where(
                _test_3,
                rstd_3_*_within(
                    _test_3, _within(_test_2, _within(~_test_1, sum_a_query))
                ),
                rstd_2_2*_within(
                    ~_test_3, _within(_test_2, _within(~_test_1, sum_b_query))
                ),
            ),
            rstd_3_2*_within(~_test_2, _within(~_test_1, sum_c_query)),
        ),
    )
    _test_4 = largest > 0
    # step 3
    rstd_4 = torch.rsqrt(
        _within(_test_4, _within(_test_1, _within(_test_2, _within(_test_3, ms)))) + eps
    )
    # step 6
    rstd_2_4 = torch.rsqrt(
        _within(_test_4, _within(_test_1, _within(_test_2, _within(~_test_3, ms_2))))
        + eps
    )
    # step 9
    rstd_3_3 = torch.rsqrt(
        _within(_test_4, _within(_test_1, _within(~_test_2, ms_3))) + eps
    )
    rstd_5 = torch.rsqrt(_within(_test_4, _within(_test_1, ms)) + eps)  # step 3
    # step 3
    rstd_6 = torch.rsqrt(
        _within(_test_4, _within(~_test_1, _within(_test_2, _within(_test_3, ms))))
        + eps
    )
    # step 6
    rstd_2_5 = torch.rsqrt(
        _within(_test_4, _within(~_test_1, _within(_test_2, _within(~_test_3, ms_2))))
        + eps
    )
    # step 9
    rstd_3_4 = torch.rsqrt(
        _within(_test_4, _within(~_test_1, _within(~_test_2, ms_3))) + eps
    )
    rstd_2_6 = torch.rsqrt(_within(_test_4, _within(~_test_1, ms_2)) + eps)  # step 6
    # step 10
    largest_1 = torch.where(
        _test_1,
        rstd_5*_within(_test_1, _within(_test_4, sum_a_query))
        - torch.where(
            _test_2,
            torch.where(
                _test_3,
                rstd_4*_within(
                    _test_3,
                    _within(_test_2, _within(_test_1, _within(_test_4, sum_a_query))),
                ),
                rstd_2_4*_within(
                    ~_test_3,
                    _within(_test_2, _within(_test_1, _within(_test_4, sum_b_query))),
                ),
            ),
            rstd_3_3*_within(~_test_2, _within(_test_1, _within(_test_4, sum_c_query))),
        ),
        rstd_2_6*_within(~_test_1, _within(_test_4, sum_b_query))
        - torch.where(
            _test_2,
            torch.where(
                _test_3,
                rstd_6*_within(
                    _test_3,
                    _within(_test_2, _within(~_test_1, _within(_test_4, sum_a_query))),
                ),
                rstd_2_5*_within(
                    ~_test_3,
                    _within(_test_2, _within(~_test_1, _within(_test_4, sum_b_query))),
                ),
            ),
            rstd_3_4*_within(
                ~_test_2, _within(~_test_1, _within(_test_4, sum_c_query))
            ),
        ),
    )
    largest_2 = torch.where(_test_4, largest_1, 0)  # step 11
    rstd_7 = torch.rsqrt(_within(_test_2, _within(_test_3, ms)) + eps)  # step 3
    rstd_2_7 = torch.rsqrt(_within(_test_2, _within(~_test_3, ms_2)) + eps)  # step 6
    rstd_3_5 = torch.rsqrt(_within(~_test_2, ms_3) + eps)  # step 9
    # step 12
    p_shifted = torch.exp(
        rstd*sum_a_query
        - largest_2
        - torch.where(
            _test_2,
            torch.where(
                _test_3,
                rstd_7*_within(_test_3, _within(_test_2, sum_a_query)),
                rstd_2_7*_within(~_test_3, _within(_test_2, sum_b_query)),
            ),
            rstd_3_5*_within(~_test_2, sum_c_query),
        )
    )
    # step 13
    q_shifted = torch.exp(
        rstd_2*sum_b_query
        - largest_2
        - torch.where(
            _test_2,
            torch.where(
                _test_3,
                rstd_7*_within(_test_3, _within(_test_2, sum_a_query)),
                rstd_2_7*_within(~_test_3, _within(_test_2, sum_b_query)),
            ),
            rstd_3_5*_within(~_test_2, sum_c_query),
        )
    )
    # step 14
    r = torch.exp(
        rstd_3*sum_c_query
        - torch.where(
            _test_2,
            torch.where(
                _test_3,
                rstd_7*_within(_test_3, _within(_test_2, sum_a_query)),
                rstd_2_7*_within(~_test_3, _within(_test_2, sum_b_query)),
            ),
            rstd_3_5*_within(~_test_2, sum_c_query),
        )
    )
    exp_largest_2 = torch.exp(-largest_2)  # step 17
    exp_largest_2_scaled = exp_largest_2*r  # step 18, pass 1: once a row
    scale = 1/(p_shifted + q_shifted + exp_largest_2*r)  # step 19
    ahat = a*p_shifted  # step 15
    bhat = b*q_shifted  # step 16
    chat = c*exp_largest_2_scaled  # step 18, pass 2: once a row
    y = (ahat + bhat + chat)*scale  # step 20
    return y.to(stored)


def _forward(run, kept, eps, D, a, b, c, query):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, f has one a
    feature; a capital has to be there. Behind + is a result, of the shape and type
    of the tensor that is passed for it; a digit is a row scalar. A bar begins what
    the kernel of sums reads, another what neither kernel does. The number behind
    the form is the least D.
    """
    return run(_FORWARD, "=RRRF+r0123456789:;", D, (), (eps,), kept, a, b, c, query, a)


def _backward(run, kept, _eps, D, a, b, c, query, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "=RRRR0123456789:;F+r+r+r|F+f",
        D,
        (),
        (),
        kept,
        a,
        b,
        c,
        dy,
        query,
        a,
        b,
        c,
        query,
        query,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, query, eps):
        y, ctx.kept = made
        y = _outputs(y, x, query)
        ctx.save_for_backward(x, query)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, query = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, query, dy)
            found = _backward(_guards.run, ctx.kept, eps, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, query, eps), (), (dy,))
            return None, *found, None
        return None, *_gradients(*found, x, query), None


def _rows_of(x, query):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim < 1:
        return None
    n, *rest, d = x.shape
    entries = _product(rest)
    if query.shape != (d,):
        return None
    return (
        d,
        x.detach().reshape(n, entries, d)[0].contiguous(),
        x.detach().reshape(n, entries, d)[1].contiguous(),
        x.detach().reshape(n, entries, d)[2].contiguous(),
        query.contiguous(),
    )


def _pulled_rows(x, query, dy):
    """D, and what the kernels of backward take, of arrays."""
    n, *rest, d = x.shape
    entries = _product(rest)
    first = x.detach().reshape(n, entries, d)[0].contiguous()
    return (
        d,
        first,
        x.detach().reshape(n, entries, d)[1].contiguous(),
        x.detach().reshape(n, entries, d)[2].contiguous(),
        query.contiguous(),
        dy.contiguous(),
    )


def _outputs(y, x, query):
    """The outputs as callers have them."""
    _, *rest, d = x.shape
    return y.reshape(_product(rest), d).reshape((*rest, d)).detach()


def _gradients(da, db, dc, dquery, x, query):
    """The gradients of inputs as callers have these."""
    _, *rest, d = x.shape
    return (
        torch.stack((da.reshape(_product(rest), d), db, dc), 0).reshape(x.shape),
        dquery,
    )


def _forward_on_gpu(kernels, save, x, query, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    n, *rest, d = _axes("x", x, "n ... d", 2, True)
    query = _floats("query", query, (d,), "(d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = d
    rows = _product(rest)
    kind = _widest(x, query)
    y = x.new_empty((*rest, d))
    sum_a_query = x.new_empty(rows, dtype=kind) if save else None
    rstd = x.new_empty(rows, dtype=kind) if save else None
    sum_b_query = x.new_empty(rows, dtype=kind) if save else None
    rstd_2 = x.new_empty(rows, dtype=kind) if save else None
    sum_c_query = x.new_empty(rows, dtype=kind) if save else None
    rstd_3 = x.new_empty(rows, dtype=kind) if save else None
    p_shifted = x.new_empty(rows, dtype=kind) if save else None
    q_shifted = x.new_empty(rows, dtype=kind) if save else None
    r = x.new_empty(rows, dtype=kind) if save else None
    exp_largest_2 = x.new_empty(rows, dtype=kind) if save else None
    exp_largest_2_scaled = x.new_empty(rows, dtype=kind) if save else None
    scale = x.new_empty(rows, dtype=kind) if save else None
    a_rows = x.reshape(n, _product(rest), d)[0]
    a_strides = _gpu.strides(a_rows, 0, 1)
    b_rows = x.reshape(n, _product(rest), d)[1]
    b_strides = _gpu.strides(b_rows, 0, 1)
    c_rows = x.reshape(n, _product(rest), d)[2]
    c_strides = _gpu.strides(c_rows, 0, 1)
    y_rows = y.view(_product(rest), d)
    y_strides = _gpu.strides(y_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.attention_residuals_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        a_rows,
        b_rows,
        c_rows,
        _gpu.dense(query),
        float(eps),
        y_rows,
        sum_a_query,
        rstd,
        sum_b_query,
        rstd_2,
        sum_c_query,
        rstd_3,
        p_shifted,
        q_shifted,
        r,
        exp_largest_2,
        exp_largest_2_scaled,
        scale,
        *a_strides,
        *b_strides,
        *c_strides,
        *y_strides,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *a_strides[:1], *b_strides[:1], *c_strides[:1], *y_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (
        (y,),
        (
            sum_a_query,
            rstd,
            sum_b_query,
            rstd_2,
            sum_c_query,
            rstd_3,
            p_shifted,
            q_shifted,
            r,
            exp_largest_2,
            exp_largest_2_scaled,
            scale,
        ),
    )


def _backward_on_gpu(kernels, saved, x, query, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    n, *rest, d = x.shape
    D = d
    rows = _product(rest)
    kind = _widest(x, query)
    (
        sum_a_query,
        rstd,
        sum_b_query,
        rstd_2,
        sum_c_query,
        rstd_3,
        p_shifted,
        q_shifted,
        r,
        exp_largest_2,
        exp_largest_2_scaled,
        scale,
    ) = saved
    dx = _gpu.room((n, *rest, d), x)
    dquery_made = _gpu.room((d,), query)
    a_rows = x.reshape(n, _product(rest), d)[0]
    a_strides = _gpu.strides(a_rows, 0, 1)
    b_rows = x.reshape(n, _product(rest), d)[1]
    b_strides = _gpu.strides(b_rows, 0, 1)
    c_rows = x.reshape(n, _product(rest), d)[2]
    c_strides = _gpu.strides(c_rows, 0, 1)
    dy_rows = dy.reshape(_product(rest), d)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    da_rows = dx.view(n, _product(rest), d)[0]
    da_strides = _gpu.strides(da_rows, 0, 1)
    db_rows = dx.view(n, _product(rest), d)[1]
    db_strides = _gpu.strides(db_rows, 0, 1)
    dc_rows = dx.view(n, _product(rest), d)[2]
    dc_strides = _gpu.strides(dc_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 7, 1)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, D), dtype=kind)
    _gpu.launch(
        kernels.attention_residuals_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        a_rows,
        b_rows,
        c_rows,
        dy_rows,
        sum_a_query,
        rstd,
        sum_b_query,
        rstd_2,
        sum_c_query,
        rstd_3,
        p_shifted,
        q_shifted,
        r,
        exp_largest_2,
        exp_largest_2_scaled,
        scale,
        _gpu.dense(query),
        da_rows,
        db_rows,
        dc_rows,
        sums,
        *a_strides,
        *b_strides,
        *c_strides,
        *dy_strides,
        *da_strides,
        *db_strides,
        *dc_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(
            D,
            *a_strides[:1],
            *b_strides[:1],
            *c_strides[:1],
            *dy_strides[:1],
            *da_strides[:1],
            *db_strides[:1],
            *dc_strides[:1],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.attention_residuals_backward_totals,
        x.device,
        -(-D // _gpu.COLUMNS),
        4,
        True,
        sums,
        dquery_made,
        programs,
        D,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    dquery = dquery_made.reshape(query.shape).to(query.dtype)
    return (dx, dquery)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "attention_residuals_forward")
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "attention_residuals_backward",
    "attention_residuals_backward_columns",
    sums=(1, 0),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        attention_residuals,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
        rows=_rows_of,
        pulled_rows=_pulled_rows,
        outputs=_outputs,
        gradients=_gradients,
    ),
    inputs={"x": "R", "query": "F"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"eps": False},
    scalars=12,
)


class AttentionResiduals(_torch.Module):
    """`attention_residuals` as a module with the parameter query.

    Args:
        d: the size of the axis d.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        d: int,
        *,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(d=_torch.size("d", d))
        self._parameter("query", True, (d,), 1, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `attention_residuals` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            query = _own["query"]
        except KeyError:  # a parametrized module has attributes instead
            query = self.query
        return attention_residuals(x, query, eps=self.eps)


def _floats(name, value, shape=None, axes=""):
    """A tensor of floats, of a shape if one is given."""
    if value.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        wanted = f"pass float16, bfloat16, float32 or float64, as {name}.float()"
        raise TypeError(f"{name} is of type {value.dtype}; {wanted}")
    if shape is not None and value.shape != shape:
        made, given = tuple(value.shape), tuple(shape)
        problem = f"{name} has shape {made}; pass {axes}, which is {given}"
        if isinstance(value, torch.nn.Parameter):
            problem = f"the rows have {axes} of {given}, and the layer was made for {made}, the shape of its {name}"
            problem += "; pass rows that it was made for"
        raise ValueError(problem)
    return value


def _widest(*tensors):
    """The widest type of the inputs, or float32."""
    dtype = torch.float32
    for each in tensors:
        dtype = dtype if each is None else torch.promote_types(dtype, each.dtype)
    return dtype


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of a tensor, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass an array with the axes {pattern}")
    return value.shape


def _product(sizes):
    return math.prod(sizes)


def _within(test, value):
    """A value that nothing depends on where a test fails: an infinite derivative there is dropped."""
    return torch.where(test, value, value.detach())
