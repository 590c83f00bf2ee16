# Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
# Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
# Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
"""Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

Each direction is a function for callers, one that checks a call and makes its results
(`_forward`), and one with the mathematics (`_forward_of_rows`). Many rows are taken
block by block, in memory that stays in the cache; a small array is one block, for which
NumPy makes the memory. `*_rows` and `*_out` have all rows, and names without such an
end those of a block. A sum over rows is that of a block, and the blocks' are added.

A comment gives the derivation step of its line, and names are those of the derivation;
others begin or end with an underscore. A buffer is used again once it has been read.
"""

# A variable of the mathematics may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import axes as _axes
from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dquery: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dquery: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes ... d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    query: npt.NDArray[Any]  # argument query of forward
    sum_a_query: npt.NDArray[Any]  # row scalar sum_a_query, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row
    sum_b_query: npt.NDArray[Any]  # row scalar sum_b_query, one per row
    rstd_2: npt.NDArray[Any]  # row scalar rstd_2, one per row
    sum_c_query: npt.NDArray[Any]  # row scalar sum_c_query, one per row
    rstd_3: npt.NDArray[Any]  # row scalar rstd_3, one per row
    p_shifted: npt.NDArray[Any]  # row scalar p_shifted, one per row
    q_shifted: npt.NDArray[Any]  # row scalar q_shifted, one per row
    r: npt.NDArray[Any]  # row scalar r, one per row
    exp_largest_2: npt.NDArray[Any]  # row scalar exp_largest_2, one per row
    exp_largest_2_scaled: npt.NDArray[Any]  # row scalar exp_largest_2_scaled, one per row
    scale: npt.NDArray[Any]  # row scalar scale, one per row
    eps: float  # constant eps of forward


@overload
def forward(
    x: npt.NDArray[Any],
    query: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    query: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    query: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
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
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes ... d. `saved` is the argument of
    the other directions. The compute type is the widest among the inputs, and
    float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, query, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    query: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, query = _calls.arrays(2, x=x, query=query)
    _sizes = _AXES.sizes((x, query))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "query": query}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _read, _by.empty)
    sum_a_query_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    sum_b_query_ = _by.empty(_shape[:-1], _dtype)
    rstd_2_ = _by.empty(_shape[:-1], _dtype)
    sum_c_query_ = _by.empty(_shape[:-1], _dtype)
    rstd_3_ = _by.empty(_shape[:-1], _dtype)
    p_shifted_ = _by.empty(_shape[:-1], _dtype)
    q_shifted_ = _by.empty(_shape[:-1], _dtype)
    r_ = _by.empty(_shape[:-1], _dtype)
    exp_largest_2_ = _by.empty(_shape[:-1], _dtype)
    exp_largest_2_scaled_ = _by.empty(_shape[:-1], _dtype)
    scale_ = _by.empty(_shape[:-1], _dtype)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_rows = _arranged.target("y", y_)
    _by.fill(
        (
            _y_rows,
            sum_a_query_,
            rstd_,
            sum_b_query_,
            rstd_2_,
            sum_c_query_,
            rstd_3_,
            p_shifted_,
            q_shifted_,
            r_,
            exp_largest_2_,
            exp_largest_2_scaled_,
            scale_,
        ),
        _arranged.work,
        (
            _arranged.rows("x", x, 0),
            _arranged.rows("x", x, 1),
            _arranged.rows("x", x, 2),
            _arranged.feature("query", query),
            eps,
        ),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _AXES.flat(_sizes),
            _dtype,
            _dtypes,
            x,
            query,
            sum_a_query_,
            rstd_,
            sum_b_query_,
            rstd_2_,
            sum_c_query_,
            rstd_3_,
            p_shifted_,
            q_shifted_,
            r_,
            exp_largest_2_,
            exp_largest_2_scaled_,
            scale_,
            eps,
        )
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    a_rows, b_rows, c_rows, query, eps = values
    (
        y_out,
        sum_a_query_out,
        rstd_out,
        sum_b_query_out,
        rstd_2_out,
        sum_c_query_out,
        rstd_3_out,
        p_shifted_out,
        q_shifted_out,
        r_out,
        exp_largest_2_out,
        exp_largest_2_scaled_out,
        scale_out,
    ) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(a, b, c, y_block=None, buffers=(None,) * 2):
        # step 1: sum_a_query = sum(a*query)
        sum_a_query = _rows.row_dot(a, query)
        # step 2: ms = mean(a**2)
        ms = _rows.row_dot(a, a) / D
        # step 4: sum_b_query = sum(b*query)
        sum_b_query = _rows.row_dot(b, query)
        # step 5: ms_2 = mean(b**2)
        ms_2 = _rows.row_dot(b, b) / D
        # step 7: sum_c_query = sum(c*query)
        sum_c_query = _rows.row_dot(c, query)
        # step 8: ms_3 = mean(c**2)
        ms_3 = _rows.row_dot(c, c) / D
        # step 3: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 6: rstd_2 = 1/sqrt(ms_2 + eps)
        rstd_2 = np.reciprocal(np.sqrt(ms_2 + eps))
        # step 9: rstd_3 = 1/sqrt(ms_3 + eps)
        rstd_3 = np.reciprocal(np.sqrt(ms_3 + eps))
        # step 10: largest = where(rstd*sum_a_query - where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) >
        #   rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        #   where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query -
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query),
        #   rstd_3*sum_c_query), rstd_2*sum_b_query - where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        part = rstd * sum_a_query
        part_2 = rstd_2 * sum_b_query
        mask = part > part_2
        part_3 = np.where(mask, part, part_2)
        part_4 = rstd_3 * sum_c_query
        mask_2 = part_3 > part_4
        part_5 = np.where(mask_2, part_3, part_4)
        part_6 = part - part_5
        part_7 = part_2 - part_5
        mask_3 = part_6 > part_7
        largest = np.where(mask_3, part_6, part_7)
        # step 11: largest_2 = where(largest > 0, largest, 0)
        mask_4 = largest > 0.0
        largest_2 = np.where(mask_4, largest, 0.0)
        # step 12: p_shifted = exp(rstd*sum_a_query - largest_2 -
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query),
        #   rstd_3*sum_c_query))
        p_shifted = np.exp(part - largest_2 - part_5)
        # step 13: q_shifted = exp(rstd_2*sum_b_query - largest_2 -
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query),
        #   rstd_3*sum_c_query))
        q_shifted = np.exp(part_2 - largest_2 - part_5)
        # step 14: r = exp(rstd_3*sum_c_query - where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        r = np.exp(part_4 - part_5)
        # step 17: exp_largest_2 = exp(-largest_2)
        exp_largest_2 = np.exp(np.negative(largest_2))
        # step 18, pass 1: exp_largest_2_scaled = exp_largest_2*r
        exp_largest_2_scaled = exp_largest_2 * r
        # step 19: scale = 1/(p_shifted + q_shifted + exp_largest_2*r)
        scale = np.reciprocal(p_shifted + q_shifted + exp_largest_2_scaled)
        # step 15: ahat = a*p_shifted
        ahat = _rows.by_row(np.multiply, a, p_shifted, out=y_block)
        # step 16: bhat = b*q_shifted
        bhat = _rows.by_row(np.multiply, b, q_shifted, out=buffers[0])
        # step 18, pass 2: chat = c*exp_largest_2_scaled
        chat = _rows.by_row(np.multiply, c, exp_largest_2_scaled, out=buffers[1])
        # step 20: y = (ahat + bhat + chat)*scale
        y = np.add(ahat, bhat, out=ahat)
        y = np.add(y, chat, out=y)
        y = np.multiply(y, scale, out=y)
        return (
            y,
            sum_a_query[..., 0],
            rstd[..., 0],
            sum_b_query[..., 0],
            rstd_2[..., 0],
            sum_c_query[..., 0],
            rstd_3[..., 0],
            p_shifted[..., 0],
            q_shifted[..., 0],
            r[..., 0],
            exp_largest_2[..., 0],
            exp_largest_2_scaled[..., 0],
            scale[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, c_rows),
        into=(y_out,),
        into_row_scalars=(
            sum_a_query_out,
            rstd_out,
            sum_b_query_out,
            rstd_2_out,
            sum_c_query_out,
            rstd_3_out,
            p_shifted_out,
            q_shifted_out,
            r_out,
            exp_largest_2_out,
            exp_largest_2_scaled_out,
            scale_out,
        ),
        buffers=2,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dchat = scale*dy
        dbhat = scale*dy
        dahat = scale*dy
        drstd_2 = q_shifted*(sum(b*dbhat) - scale*sum(dy*y))*(sum_b_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -sum_b_query), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -p_shifted*sum_b_query*(sum(a*dahat) - scale*sum(dy*y)) - r*sum_b_query*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y))), 0)
        dsum_b_query = q_shifted*(sum(b*dbhat) - scale*sum(dy*y))*(rstd_2 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -rstd_2), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -p_shifted*rstd_2*(sum(a*dahat) - scale*sum(dy*y)) - r*rstd_2*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y))), 0)
        drstd = p_shifted*(sum(a*dahat) - scale*sum(dy*y))*(sum_a_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -sum_a_query, 0), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -q_shifted*sum_a_query*(sum(b*dbhat) - scale*sum(dy*y)) - r*sum_a_query*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y)), 0), 0)
        dsum_a_query = p_shifted*(sum(a*dahat) - scale*sum(dy*y))*(rstd + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd, 0), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -q_shifted*rstd*(sum(b*dbhat) - scale*sum(dy*y)) - r*rstd*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y)), 0), 0)
        da = dsum_a_query*query + p_shifted*dahat - drstd*rstd**3*a/D
        db = dsum_b_query*query + q_shifted*dbhat - drstd_2*rstd_2**3*b/D
        dc_part = exp_largest_2*r*dchat
        g = ahat + bhat + chat
        dc = dc_part + exp_largest_2*r*(mean(c*dchat) - scale**2*mean(dy*g))*(D*query*(rstd_3 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -rstd_3)) - rstd_3**3*c*(sum_c_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -sum_c_query))) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, p_shifted*rstd_3**3*sum_c_query*c*(sum(a*dahat) - scale**2*sum(dy*g))/D + q_shifted*rstd_3**3*sum_c_query*c*(sum(b*dbhat) - scale**2*sum(dy*g))/D - p_shifted*rstd_3*query*(sum(a*dahat) - scale**2*sum(dy*g)) - q_shifted*rstd_3*query*(sum(b*dbhat) - scale**2*sum(dy*g)))
        dquery = sum_rows(dsum_a_query*a + dsum_b_query*b + D*r*c*(mean(exp_largest_2*c*dchat) - exp_largest_2*scale*mean(dy*y))*(rstd_3 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -rstd_3)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -p_shifted*rstd_3*c*(sum(a*dahat) - scale*sum(dy*y)) - q_shifted*rstd_3*c*(sum(b*dbhat) - scale*sum(dy*y))))
        dx = join(da, db, dc)

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _backward(_BACKWARD, saved, dy, out, threads)


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_query = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.query": saved.query,
        "saved.sum_a_query": saved.sum_a_query,
        "saved.rstd": saved.rstd,
        "saved.sum_b_query": saved.sum_b_query,
        "saved.rstd_2": saved.rstd_2,
        "saved.sum_c_query": saved.sum_c_query,
        "saved.rstd_3": saved.rstd_3,
        "saved.p_shifted": saved.p_shifted,
        "saved.q_shifted": saved.q_shifted,
        "saved.r": saved.r,
        "saved.exp_largest_2": saved.exp_largest_2,
        "saved.exp_largest_2_scaled": saved.exp_largest_2_scaled,
        "saved.scale": saved.scale,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dquery_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dquery=(_AXES.shape("query", _sizes), _of_query),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_0 = _arranged.target("x", dx_, 0)
    _dx_1 = _arranged.target("x", dx_, 1)
    _dx_2 = _arranged.target("x", dx_, 2)
    _dquery_rows = _arranged.target_feature("query", dquery_)
    _by.fill(
        (_dx_0, _dx_1, _dx_2, _dquery_rows),
        _arranged.work,
        (_arranged.rows("y", dy),),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            _arranged.rows("x", saved.x, 2),
            _arranged.feature("query", saved.query),
            saved.sum_a_query,
            saved.rstd,
            saved.sum_b_query,
            saved.rstd_2,
            saved.sum_c_query,
            saved.rstd_3,
            saved.p_shifted,
            saved.q_shifted,
            saved.r,
            saved.exp_largest_2,
            saved.exp_largest_2_scaled,
            saved.scale,
            saved.eps,
        ),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("x", dx_, _dx_2, 2)
    _arranged.write("query", dquery_, _dquery_rows)
    return Gradients(*_calls.returned((dx_, dquery_), out))


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (
        a_rows,
        b_rows,
        c_rows,
        query,
        sum_a_query_rows,
        rstd_rows,
        sum_b_query_rows,
        rstd_2_rows,
        sum_c_query_rows,
        rstd_3_rows,
        p_shifted_rows,
        q_shifted_rows,
        r_rows,
        exp_largest_2_rows,
        exp_largest_2_scaled_rows,
        scale_rows,
        _,
    ) = fields
    da_out, db_out, dc_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        a,
        b,
        c,
        dy,
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
        da_block=None,
        db_block=None,
        dc_block=None,
        buffers=(None,) * 2,
    ):
        # step 61, pass 3: exp_largest_2_scaled_2 = exp_largest_2*r
        exp_largest_2_scaled_2 = exp_largest_2 * r
        # step 66, pass 4: sum_c_query_scaled = (rstd_3 + where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, 0, -rstd_3))*D
        part = rstd * sum_a_query
        part_2 = rstd_2 * sum_b_query
        mask = part > part_2
        sum_b_query_shifted = np.where(mask, part, part_2)
        sum_c_query_scaled_3 = rstd_3 * sum_c_query
        mask_2 = sum_b_query_shifted > sum_c_query_scaled_3
        part_3 = np.negative(rstd_3)
        part_3 = np.where(mask_2, 0.0, part_3)
        part_3 = rstd_3 + part_3
        sum_c_query_scaled = part_3 * D
        # step 66, pass 5: sum_c_query_scaled_2 = rstd_3**3*(sum_c_query +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -sum_c_query))
        part_4 = np.square(rstd_3) * rstd_3
        sum_c_query_scaled_2 = np.negative(sum_c_query)
        sum_c_query_scaled_2 = np.where(mask_2, 0.0, sum_c_query_scaled_2)
        sum_c_query_scaled_2 = part_4 * (sum_c_query + sum_c_query_scaled_2)
        # step 15: ahat = a*p_shifted
        ahat = _rows.by_row(np.multiply, a, p_shifted, out=da_block)
        # step 16: bhat = b*q_shifted
        bhat = _rows.by_row(np.multiply, b, q_shifted, out=db_block)
        # step 18, pass 2: chat = c*exp_largest_2_scaled
        chat = _rows.by_row(np.multiply, c, exp_largest_2_scaled, out=dc_block)
        # step 71, pass 8: mean_dy_y_unscaled = mean((ahat + bhat + chat)*dy)
        g = np.add(ahat, bhat, out=ahat)
        g = np.add(g, chat, out=g)
        mean_dy_y_unscaled = _rows.row_dot(g, dy) / D
        # step 22: dchat = dy*scale
        dchat = _rows.by_row(np.multiply, dy, scale, out=dc_block)
        # step 66: mean_c_dchat = mean(c*dchat)
        mean_c_dchat = _rows.row_dot(c, dchat) / D
        # step 47: sum_b_dbhat = sum(b*dbhat)
        sum_b_dbhat = _rows.row_dot(b, dchat)
        # step 47: sum_a_dahat = sum(a*dahat)
        sum_a_dahat = _rows.row_dot(a, dchat)
        # step 66: mean_dy_g = mean(dy*g)
        mean_dy_g = _rows.row_dot(dy, g) / D
        # step 71, pass 9: mean_dy_y = mean_dy_y_unscaled*scale
        mean_dy_y = mean_dy_y_unscaled * scale
        # step 47, pass 10: sum_dy_y = mean_dy_y*D
        sum_dy_y = mean_dy_y * D
        # step 47, pass 11: sum_c_dchat = exp_largest_2*mean_c_dchat*D
        mean_c_dchat_2 = exp_largest_2 * mean_c_dchat
        sum_c_dchat = mean_c_dchat_2 * D
        # step 47: drstd_2 = (sum_b_dbhat - scale*sum_dy_y)*q_shifted*(sum_b_query +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, 0, -sum_b_query), 0)) + where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0,
        #   -(sum_a_dahat - scale*sum_dy_y)*p_shifted*sum_b_query - (sum_c_dchat -
        #   exp_largest_2*scale*sum_dy_y)*r*sum_b_query), 0)
        part_5 = scale * sum_dy_y
        part_6 = (sum_b_dbhat - part_5) * q_shifted
        drstd_2 = np.negative(sum_b_query)
        drstd_2 = np.where(mask, 0.0, drstd_2)
        drstd_2 = np.where(mask_2, drstd_2, 0.0)
        part_7 = (sum_a_dahat - part_5) * p_shifted
        part_8 = (sum_c_dchat - exp_largest_2 * scale * sum_dy_y) * r
        part_9 = np.negative(part_7 * sum_b_query) - part_8 * sum_b_query
        part_9 = np.where(mask, 0.0, part_9)
        part_9 = np.where(mask_2, part_9, 0.0)
        drstd_2 = part_6 * (sum_b_query + drstd_2) + part_9
        # step 53: dsum_b_query = (sum_b_dbhat - scale*sum_dy_y)*q_shifted*(rstd_2 +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, 0, -rstd_2), 0)) + where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0,
        #   -(sum_a_dahat - scale*sum_dy_y)*p_shifted*rstd_2 - (sum_c_dchat -
        #   exp_largest_2*scale*sum_dy_y)*r*rstd_2), 0)
        dsum_b_query = np.negative(rstd_2)
        dsum_b_query = np.where(mask, 0.0, dsum_b_query)
        dsum_b_query = np.where(mask_2, dsum_b_query, 0.0)
        part_10 = np.negative(part_7 * rstd_2) - part_8 * rstd_2
        part_10 = np.where(mask, 0.0, part_10)
        part_10 = np.where(mask_2, part_10, 0.0)
        dsum_b_query = part_6 * (rstd_2 + dsum_b_query) + part_10
        # step 32: drstd = (sum_a_dahat - scale*sum_dy_y)*p_shifted*(sum_a_query +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, -sum_a_query, 0), 0)) + where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   -(sum_b_dbhat - scale*sum_dy_y)*q_shifted*sum_a_query - (sum_c_dchat -
        #   exp_largest_2*scale*sum_dy_y)*r*sum_a_query, 0), 0)
        drstd = np.negative(sum_a_query)
        drstd = np.where(mask, drstd, 0.0)
        drstd = np.where(mask_2, drstd, 0.0)
        part_11 = np.negative(part_6 * sum_a_query) - part_8 * sum_a_query
        part_11 = np.where(mask, part_11, 0.0)
        part_11 = np.where(mask_2, part_11, 0.0)
        drstd = part_7 * (sum_a_query + drstd) + part_11
        # step 38: dsum_a_query = (sum_a_dahat - scale*sum_dy_y)*p_shifted*(rstd +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, -rstd, 0), 0)) + where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   -(sum_b_dbhat - scale*sum_dy_y)*q_shifted*rstd - (sum_c_dchat -
        #   exp_largest_2*scale*sum_dy_y)*r*rstd, 0), 0)
        dsum_a_query = np.negative(rstd)
        dsum_a_query = np.where(mask, dsum_a_query, 0.0)
        dsum_a_query = np.where(mask_2, dsum_a_query, 0.0)
        part_12 = np.negative(part_6 * rstd) - part_8 * rstd
        part_12 = np.where(mask, part_12, 0.0)
        part_12 = np.where(mask_2, part_12, 0.0)
        dsum_a_query = part_7 * (rstd + dsum_a_query) + part_12
        # step 42, pass 12: drstd_scaled = drstd*rstd**3/D
        drstd_scaled = drstd * (np.square(rstd) * rstd) / D
        # step 57, pass 13: drstd_2_scaled = drstd_2*rstd_2**3/D
        drstd_2_scaled = drstd_2 * (np.square(rstd_2) * rstd_2) / D
        # step 66, pass 14: sum_dy_g = mean_dy_g*D
        sum_dy_g = mean_dy_g * D
        # step 66, pass 15: exp_largest_2_scaled_3 = exp_largest_2*(mean_c_dchat -
        #   mean_dy_g*scale**2)*r
        part_13 = np.square(scale)
        exp_largest_2_scaled_3 = (
            exp_largest_2 * (mean_c_dchat - mean_dy_g * part_13) * r
        )
        # step 66, pass 16: sum_a_dahat_scaled = (sum_a_dahat -
        #   scale**2*sum_dy_g)*p_shifted*rstd_3
        part_14 = part_13 * sum_dy_g
        part_15 = (sum_a_dahat - part_14) * p_shifted
        sum_a_dahat_scaled = part_15 * rstd_3
        # step 66, pass 17: sum_b_dbhat_scaled = (sum_b_dbhat -
        #   scale**2*sum_dy_g)*q_shifted*rstd_3
        part_16 = (sum_b_dbhat - part_14) * q_shifted
        sum_b_dbhat_scaled = part_16 * rstd_3
        # step 66, pass 18: sum_c_query_scaled_4 = (sum_a_dahat -
        #   scale**2*sum_dy_g)*p_shifted*rstd_3**3*sum_c_query/D
        sum_c_query_scaled_4 = part_15 * part_4 * sum_c_query / D
        # step 66, pass 19: sum_c_query_scaled_5 = (sum_b_dbhat -
        #   scale**2*sum_dy_g)*q_shifted*rstd_3**3*sum_c_query/D
        sum_c_query_scaled_5 = part_16 * part_4 * sum_c_query / D
        # step 71, pass 21: mean_c_dchat_2_scaled = (mean_c_dchat_2 -
        #   exp_largest_2*mean_dy_y*scale)*r*(rstd_3 + where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, 0, -rstd_3))*D
        mean_c_dchat_2_scaled = (
            (mean_c_dchat_2 - exp_largest_2 * mean_dy_y * scale) * r * part_3 * D
        )
        # step 71, pass 22: sum_a_dahat_scaled_2 = (sum_a_dahat -
        #   scale*sum_dy_y)*p_shifted*rstd_3
        sum_a_dahat_scaled_2 = part_7 * rstd_3
        # step 71, pass 23: sum_b_dbhat_scaled_2 = (sum_b_dbhat -
        #   scale*sum_dy_y)*q_shifted*rstd_3
        sum_b_dbhat_scaled_2 = part_6 * rstd_3
        # step 71, pass 28: dquery = sum over rows of a*dsum_a_query + b*dsum_b_query +
        #   c*mean_c_dchat_2_scaled + where(sum_b_query_shifted > sum_c_query_scaled_3,
        #   0, -c*sum_a_dahat_scaled_2 - c*sum_b_dbhat_scaled_2)
        part_17 = _rows.by_row(np.multiply, a, dsum_a_query, out=da_block)
        part_18 = _rows.by_row(np.multiply, b, dsum_b_query, out=db_block)
        part_17 = np.add(part_17, part_18, out=part_17)
        part_19 = _rows.by_row(np.multiply, c, mean_c_dchat_2_scaled, out=db_block)
        part_17 = np.add(part_17, part_19, out=part_17)
        part_20 = _rows.by_row(np.multiply, c, sum_a_dahat_scaled_2, out=db_block)
        part_20 = np.negative(part_20, out=part_20)
        part_21 = _rows.by_row(np.multiply, c, sum_b_dbhat_scaled_2, out=buffers[0])
        part_20 = np.subtract(part_20, part_21, out=part_20)
        part_20 = _rows.select(mask_2, 0.0, part_20, out=part_20)
        part_17 = np.add(part_17, part_20, out=part_17)
        dquery = _rows.sum_rows(part_17)
        # step 42, pass 24: da = dahat*p_shifted + dsum_a_query*query - a*drstd_scaled
        da = _rows.by_row(np.multiply, dchat, p_shifted, out=da_block)
        part_22 = np.multiply(query, dsum_a_query, out=db_block)
        da = np.add(da, part_22, out=da)
        part_23 = _rows.by_row(np.multiply, a, drstd_scaled, out=db_block)
        da = np.subtract(da, part_23, out=da)
        # step 57, pass 25: db = dbhat*q_shifted + dsum_b_query*query - b*drstd_2_scaled
        db = _rows.by_row(np.multiply, dchat, q_shifted, out=db_block)
        part_24 = np.multiply(query, dsum_b_query, out=buffers[0])
        db = np.add(db, part_24, out=db)
        part_25 = _rows.by_row(np.multiply, b, drstd_2_scaled, out=buffers[0])
        db = np.subtract(db, part_25, out=db)
        # step 61, pass 26: dc_part = dchat*exp_largest_2_scaled_2
        dc_part = np.multiply(dchat, exp_largest_2_scaled_2, out=dchat)
        # step 66, pass 27: dc = dc_part + (sum_c_query_scaled*query -
        #   c*sum_c_query_scaled_2)*exp_largest_2_scaled_3 + where(sum_b_query_shifted >
        #   sum_c_query_scaled_3, 0, c*sum_c_query_scaled_4 + c*sum_c_query_scaled_5 -
        #   sum_a_dahat_scaled*query - sum_b_dbhat_scaled*query)
        dc = np.multiply(query, sum_c_query_scaled, out=buffers[0])
        part_26 = _rows.by_row(np.multiply, c, sum_c_query_scaled_2, out=buffers[1])
        dc = np.subtract(dc, part_26, out=dc)
        dc = np.multiply(dc, exp_largest_2_scaled_3, out=dc)
        dc = np.add(dc_part, dc, out=dc_part)
        part_27 = _rows.by_row(np.multiply, c, sum_c_query_scaled_4, out=buffers[0])
        part_28 = _rows.by_row(np.multiply, c, sum_c_query_scaled_5, out=buffers[1])
        part_27 = np.add(part_27, part_28, out=part_27)
        part_29 = np.multiply(query, sum_a_dahat_scaled, out=buffers[1])
        part_27 = np.subtract(part_27, part_29, out=part_27)
        part_30 = np.multiply(query, sum_b_dbhat_scaled, out=buffers[1])
        part_27 = np.subtract(part_27, part_30, out=part_27)
        part_27 = _rows.select(mask_2, 0.0, part_27, out=part_27)
        dc = np.add(dc, part_27, out=dc)
        return da, db, dc, dquery

    return _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, c_rows, dy_rows),
        row_scalars=(
            sum_a_query_rows,
            rstd_rows,
            sum_b_query_rows,
            rstd_2_rows,
            sum_c_query_rows,
            rstd_3_rows,
            p_shifted_rows,
            q_shifted_rows,
            r_rows,
            exp_largest_2_rows,
            exp_largest_2_scaled_rows,
            scale_rows,
        ),
        into=(da_out, db_out, dc_out),
        buffers=2,
        feature_sums=1,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    query_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        a_dot = at(x_dot, n=0)
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

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        query_dot: the tangent of query, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, query_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    query_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_query = saved[2]
    x_dot, query_dot = _calls.arrays(0, x_dot=x_dot, query_dot=query_dot)
    _calls.check_any("tangent", x_dot, query_dot)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _calls.check_shapes(
        _AXES.shape("query", _sizes), "the shape of query", query_dot=query_dot
    )
    _read = {
        "x_dot": x_dot,
        "query_dot": query_dot,
        "saved.x": saved.x,
        "saved.query": saved.query,
        "saved.sum_a_query": saved.sum_a_query,
        "saved.rstd": saved.rstd,
        "saved.sum_b_query": saved.sum_b_query,
        "saved.rstd_2": saved.rstd_2,
        "saved.sum_c_query": saved.sum_c_query,
        "saved.rstd_3": saved.rstd_3,
        "saved.p_shifted": saved.p_shifted,
        "saved.q_shifted": saved.q_shifted,
        "saved.r": saved.r,
        "saved.exp_largest_2": saved.exp_largest_2,
        "saved.exp_largest_2_scaled": saved.exp_largest_2_scaled,
        "saved.scale": saved.scale,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result(
        "y_dot", out, _AXES.shape("y", _sizes), _of_x, _read, _by.empty
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_dot_rows = _arranged.target("y", y_dot_)
    _by.fill(
        (_y_dot_rows,),
        _arranged.work,
        (
            _arranged.rows("x", x_dot, 0),
            _arranged.rows("x", x_dot, 1),
            _arranged.rows("x", x_dot, 2),
            _arranged.feature("query", query_dot),
        ),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            _arranged.rows("x", saved.x, 2),
            _arranged.feature("query", saved.query),
            saved.sum_a_query,
            saved.rstd,
            saved.sum_b_query,
            saved.rstd_2,
            saved.sum_c_query,
            saved.rstd_3,
            saved.p_shifted,
            saved.q_shifted,
            saved.r,
            saved.exp_largest_2,
            saved.exp_largest_2_scaled,
            saved.scale,
            saved.eps,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    a_dot_rows, b_dot_rows, c_dot_rows, query_dot = arguments
    (
        a_rows,
        b_rows,
        c_rows,
        query,
        sum_a_query_rows,
        rstd_rows,
        sum_b_query_rows,
        rstd_2_rows,
        sum_c_query_rows,
        rstd_3_rows,
        p_shifted_rows,
        q_shifted_rows,
        r_rows,
        exp_largest_2_rows,
        exp_largest_2_scaled_rows,
        scale_rows,
        _,
    ) = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    with_a_dot_or_query_dot = a_dot_rows is not None or query_dot is not None
    with_b_dot_or_query_dot = b_dot_rows is not None or query_dot is not None
    with_c_dot_or_query_dot = c_dot_rows is not None or query_dot is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(
        a,
        b,
        c,
        a_dot,
        b_dot,
        c_dot,
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
        query_wide,
        query_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 8,
    ):
        # step 107, pass 29: exp_largest_2_scaled_3 = exp_largest_2*r
        if c_dot_rows is not None:
            exp_largest_2_scaled_3 = exp_largest_2 * r
        # step 74: sum_a_query_dot = sum(a_dot*query + a*query_dot)
        if a_dot_rows is not None:
            part = _rows.by_feature(np.multiply, a_dot, query_wide, out=y_dot_block)
        if query_dot is not None:
            part_2 = _rows.by_feature(np.multiply, a, query_dot_wide, out=buffers[0])
        if a_dot_rows is not None and query_dot is not None:
            part = np.add(part, part_2, out=part)
        if a_dot_rows is None and query_dot is not None:
            part = part_2
        if with_a_dot_or_query_dot:
            sum_a_query_dot = _rows.row_dot(part, ones)
        # step 75: ms_dot = mean(2*a*a_dot)
        if a_dot_rows is not None:
            part_3 = np.multiply(a, a_dot, out=y_dot_block)
            part_3 = np.multiply(part_3, 2.0, out=part_3)
            ms_dot = _rows.row_dot(part_3, one_over_D)
        # step 79: sum_b_query_dot = sum(b_dot*query + b*query_dot)
        if b_dot_rows is not None:
            part_4 = _rows.by_feature(np.multiply, b_dot, query_wide, out=y_dot_block)
        if query_dot is not None:
            part_5 = _rows.by_feature(np.multiply, b, query_dot_wide, out=buffers[0])
        if b_dot_rows is not None and query_dot is not None:
            part_4 = np.add(part_4, part_5, out=part_4)
        if b_dot_rows is None and query_dot is not None:
            part_4 = part_5
        if with_b_dot_or_query_dot:
            sum_b_query_dot = _rows.row_dot(part_4, ones)
        # step 80: ms_2_dot = mean(2*b*b_dot)
        if b_dot_rows is not None:
            part_6 = np.multiply(b, b_dot, out=y_dot_block)
            part_6 = np.multiply(part_6, 2.0, out=part_6)
            ms_2_dot = _rows.row_dot(part_6, one_over_D)
        # step 84: sum_c_query_dot = sum(c_dot*query + c*query_dot)
        if c_dot_rows is not None:
            part_7 = _rows.by_feature(np.multiply, c_dot, query_wide, out=y_dot_block)
        if query_dot is not None:
            part_8 = _rows.by_feature(np.multiply, c, query_dot_wide, out=buffers[0])
        if c_dot_rows is not None and query_dot is not None:
            part_7 = np.add(part_7, part_8, out=part_7)
        if c_dot_rows is None and query_dot is not None:
            part_7 = part_8
        if with_c_dot_or_query_dot:
            sum_c_query_dot = _rows.row_dot(part_7, ones)
        # step 85: ms_3_dot = mean(2*c*c_dot)
        if c_dot_rows is not None:
            part_9 = np.multiply(c, c_dot, out=y_dot_block)
            part_9 = np.multiply(part_9, 2.0, out=part_9)
            ms_3_dot = _rows.row_dot(part_9, one_over_D)
        # step 77: rstd_dot = -ms_dot*rstd**3/2
        if a_dot_rows is not None:
            rstd_dot = ms_dot * (np.square(rstd) * rstd) * -0.5
        # step 82: rstd_2_dot = -ms_2_dot*rstd_2**3/2
        if b_dot_rows is not None:
            rstd_2_dot = ms_2_dot * (np.square(rstd_2) * rstd_2) * -0.5
        # step 87: rstd_3_dot = -ms_3_dot*rstd_3**3/2
        if c_dot_rows is not None:
            rstd_3_dot = ms_3_dot * (np.square(rstd_3) * rstd_3) * -0.5
        # step 90: part_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        #   where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd*sum_a_query_dot -
        #   rstd_dot*sum_a_query, -rstd_2*sum_b_query_dot - rstd_2_dot*sum_b_query),
        #   -rstd_3*sum_c_query_dot - rstd_3_dot*sum_c_query)
        part_10 = rstd * sum_a_query
        part_11 = rstd_2 * sum_b_query
        mask = part_10 > part_11
        part_12 = np.where(mask, part_10, part_11)
        mask_2 = part_12 > rstd_3 * sum_c_query
        if with_a_dot_or_query_dot:
            part_dot = np.negative(rstd * sum_a_query_dot)
        if a_dot_rows is not None:
            part_dot = part_dot - rstd_dot * sum_a_query
        if a_dot_rows is None and b_dot_rows is not None and query_dot is None:
            part_dot = 0.0
        if with_b_dot_or_query_dot:
            part_13 = np.negative(rstd_2 * sum_b_query_dot)
        if b_dot_rows is not None:
            part_13 = part_13 - rstd_2_dot * sum_b_query
        if a_dot_rows is not None and b_dot_rows is None and query_dot is None:
            part_13 = 0.0
        if a_dot_rows is not None or b_dot_rows is not None or query_dot is not None:
            part_dot = np.where(mask, part_dot, part_13)
        else:
            part_dot = 0.0
        if with_c_dot_or_query_dot:
            part_14 = np.negative(rstd_3 * sum_c_query_dot)
        if c_dot_rows is not None:
            part_14 = part_14 - rstd_3_dot * sum_c_query
        if c_dot_rows is None and query_dot is None:
            part_14 = 0.0
        part_dot = np.where(mask_2, part_dot, part_14)
        # step 92: p_shifted_dot = p_shifted*part_dot + p_shifted*rstd*sum_a_query_dot +
        #   p_shifted*rstd_dot*sum_a_query
        p_shifted_dot = p_shifted * part_dot
        if with_a_dot_or_query_dot:
            p_shifted_dot = p_shifted_dot + p_shifted * rstd * sum_a_query_dot
        if a_dot_rows is not None:
            p_shifted_dot = p_shifted_dot + p_shifted * rstd_dot * sum_a_query
        # step 99: q_shifted_dot = part_2_dot*q_shifted +
        #   q_shifted*rstd_2*sum_b_query_dot + q_shifted*rstd_2_dot*sum_b_query
        q_shifted_dot = part_dot * q_shifted
        if with_b_dot_or_query_dot:
            q_shifted_dot = q_shifted_dot + q_shifted * rstd_2 * sum_b_query_dot
        if b_dot_rows is not None:
            q_shifted_dot = q_shifted_dot + q_shifted * rstd_2_dot * sum_b_query
        # step 106: r_dot = part_3_dot*r + r*rstd_3*sum_c_query_dot +
        #   r*rstd_3_dot*sum_c_query
        r_dot = part_dot * r
        if with_c_dot_or_query_dot:
            r_dot = r_dot + r * rstd_3 * sum_c_query_dot
        if c_dot_rows is not None:
            r_dot = r_dot + r * rstd_3_dot * sum_c_query
        # step 107, pass 30: exp_largest_2_scaled_2 = exp_largest_2*r_dot
        exp_largest_2_scaled_2 = exp_largest_2 * r_dot
        # step 109: scale_dot = -p_shifted_dot*scale**2 - q_shifted_dot*scale**2 -
        #   exp_largest_2*r_dot*scale**2
        part_15 = np.square(scale)
        scale_dot = (
            np.negative(p_shifted_dot * part_15)
            - q_shifted_dot * part_15
            - exp_largest_2_scaled_2 * part_15
        )
        # step 15: ahat = a*p_shifted
        ahat = _rows.by_row(np.multiply, a, p_shifted, out=y_dot_block)
        # step 16: bhat = b*q_shifted
        bhat = _rows.by_row(np.multiply, b, q_shifted, out=buffers[0])
        # step 18, pass 2: chat = c*exp_largest_2_scaled
        chat = _rows.by_row(np.multiply, c, exp_largest_2_scaled, out=buffers[1])
        # step 93: ahat_dot = a_dot*p_shifted + a*p_shifted_dot
        if a_dot_rows is not None:
            ahat_dot = _rows.by_row(np.multiply, a_dot, p_shifted, out=buffers[2])
        part_16 = _rows.by_row(np.multiply, a, p_shifted_dot, out=buffers[3])
        if a_dot_rows is not None:
            ahat_dot = np.add(ahat_dot, part_16, out=ahat_dot)
        else:
            ahat_dot = part_16
        # step 100: bhat_dot = b_dot*q_shifted + b*q_shifted_dot
        if b_dot_rows is not None:
            bhat_dot = _rows.by_row(np.multiply, b_dot, q_shifted, out=buffers[4])
        part_17 = _rows.by_row(np.multiply, b, q_shifted_dot, out=buffers[5])
        if b_dot_rows is not None:
            bhat_dot = np.add(bhat_dot, part_17, out=bhat_dot)
        else:
            bhat_dot = part_17
        # step 107, pass 31: chat_dot = c*exp_largest_2_scaled_2 +
        #   c_dot*exp_largest_2_scaled_3
        chat_dot = _rows.by_row(np.multiply, c, exp_largest_2_scaled_2, out=buffers[6])
        if c_dot_rows is not None:
            part_18 = _rows.by_row(
                np.multiply, c_dot, exp_largest_2_scaled_3, out=buffers[7]
            )
            chat_dot = np.add(chat_dot, part_18, out=chat_dot)
        # step 110: y_dot = ahat_dot*scale + bhat_dot*scale + chat_dot*scale + (ahat +
        #   bhat + chat)*scale_dot
        y_dot = np.multiply(ahat_dot, scale, out=buffers[2])
        part_19 = _rows.by_row(np.multiply, bhat_dot, scale, out=buffers[3])
        y_dot = np.add(y_dot, part_19, out=y_dot)
        part_20 = _rows.by_row(np.multiply, chat_dot, scale, out=buffers[3])
        y_dot = np.add(y_dot, part_20, out=y_dot)
        part_21 = np.add(ahat, bhat, out=ahat)
        part_21 = np.add(part_21, chat, out=part_21)
        part_21 = np.multiply(part_21, scale_dot, out=part_21)
        y_dot = np.add(y_dot, part_21, out=part_21)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, c_rows, a_dot_rows, b_dot_rows, c_dot_rows),
        row_scalars=(
            sum_a_query_rows,
            rstd_rows,
            sum_b_query_rows,
            rstd_2_rows,
            sum_c_query_rows,
            rstd_3_rows,
            p_shifted_rows,
            q_shifted_rows,
            r_rows,
            exp_largest_2_rows,
            exp_largest_2_scaled_rows,
            scale_rows,
        ),
        features=(query, query_dot),
        into=(y_dot_out,),
        buffers=8,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddquery: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        dda = at(ddx, n=0)
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

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddquery: the cotangent of dquery, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dquery is d2query)
    and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddquery, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddquery: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_query = saved[2]
    dy, ddx, ddquery = _calls.arrays(1, dy=dy, ddx=ddx, ddquery=ddquery)
    _calls.check_any("cotangent of a gradient", ddx, ddquery)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _calls.check_shapes(
        _AXES.shape("query", _sizes), "the shape of query", ddquery=ddquery
    )
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddquery": ddquery,
        "saved.x": saved.x,
        "saved.query": saved.query,
        "saved.sum_a_query": saved.sum_a_query,
        "saved.rstd": saved.rstd,
        "saved.sum_b_query": saved.sum_b_query,
        "saved.rstd_2": saved.rstd_2,
        "saved.sum_c_query": saved.sum_c_query,
        "saved.rstd_3": saved.rstd_3,
        "saved.p_shifted": saved.p_shifted,
        "saved.q_shifted": saved.q_shifted,
        "saved.r": saved.r,
        "saved.exp_largest_2": saved.exp_largest_2,
        "saved.exp_largest_2_scaled": saved.exp_largest_2_scaled,
        "saved.scale": saved.scale,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dquery_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dquery=(_AXES.shape("query", _sizes), _of_query),
        ddy=(_AXES.shape("y", _sizes), dy.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_0 = _arranged.target("x", dx_, 0)
    _dx_1 = _arranged.target("x", dx_, 1)
    _dx_2 = _arranged.target("x", dx_, 2)
    _dquery_rows = _arranged.target_feature("query", dquery_)
    _ddy_rows = _arranged.target("y", ddy_)
    _by.fill(
        (_dx_0, _dx_1, _dx_2, _dquery_rows, _ddy_rows),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("x", ddx, 0),
            _arranged.rows("x", ddx, 1),
            _arranged.rows("x", ddx, 2),
            _arranged.feature("query", ddquery),
        ),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            _arranged.rows("x", saved.x, 2),
            _arranged.feature("query", saved.query),
            saved.sum_a_query,
            saved.rstd,
            saved.sum_b_query,
            saved.rstd_2,
            saved.sum_c_query,
            saved.rstd_3,
            saved.p_shifted,
            saved.q_shifted,
            saved.r,
            saved.exp_largest_2,
            saved.exp_largest_2_scaled,
            saved.scale,
            saved.eps,
        ),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("x", dx_, _dx_2, 2)
    _arranged.write("query", dquery_, _dquery_rows)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, dquery_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dda_rows, ddb_rows, ddc_rows, ddquery = arguments
    (
        a_rows,
        b_rows,
        c_rows,
        query,
        sum_a_query_rows,
        rstd_rows,
        sum_b_query_rows,
        rstd_2_rows,
        sum_c_query_rows,
        rstd_3_rows,
        p_shifted_rows,
        q_shifted_rows,
        r_rows,
        exp_largest_2_rows,
        exp_largest_2_scaled_rows,
        scale_rows,
        eps,
    ) = fields
    da_out, db_out, dc_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_ddc_or_ddquery = ddc_rows is not None or ddquery is not None
    with_ddb_or_ddquery = ddb_rows is not None or ddquery is not None
    with_dda_or_ddquery = dda_rows is not None or ddquery is not None
    with_ddquery_without_dda = dda_rows is None and ddquery is not None
    with_ddquery_without_ddb = ddb_rows is None and ddquery is not None
    with_ddquery_without_ddc = ddc_rows is None and ddquery is not None
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    if dda_rows is not None or ddb_rows is not None or ddc_rows is not None:
        eps = np.asarray(eps, dtype)
    # step 137: ddms = sum(2*a*dda/D)
    part_18 = 2.0 / D

    def block(
        a,
        b,
        c,
        dy,
        dda,
        ddb,
        ddc,
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
        da_block=None,
        db_block=None,
        dc_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        # step 10: largest = where(rstd*sum_a_query - where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) >
        #   rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        #   where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query -
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query),
        #   rstd_3*sum_c_query), rstd_2*sum_b_query - where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        part_10 = rstd * sum_a_query
        part_11 = rstd_2 * sum_b_query
        mask = part_10 > part_11
        part_12 = np.where(mask, part_10, part_11)
        part_13 = rstd_3 * sum_c_query
        mask_2 = part_12 > part_13
        part_14 = np.where(mask_2, part_12, part_13)
        part_15 = part_10 - part_14
        part_16 = part_11 - part_14
        mask_3 = part_15 > part_16
        largest = np.where(mask_3, part_15, part_16)
        # step 11: largest_2 = where(largest > 0, largest, 0)
        mask_4 = largest > 0.0
        largest_2 = np.where(mask_4, largest, 0.0)
        # step 125: part = -where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        #   where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query), rstd_3*sum_c_query)
        part = np.negative(part_14)
        # step 191, pass 32: exp_largest_2_scaled_2 = exp_largest_2*r
        exp_largest_2_scaled_2 = exp_largest_2 * r
        # step 2: ms = mean(a**2)
        if dda_rows is not None:
            ms = _rows.row_dot(a, a) / D
        # step 5: ms_2 = mean(b**2)
        if ddb_rows is not None:
            ms_2 = _rows.row_dot(b, b) / D
        # step 8: ms_3 = mean(c**2)
        if ddc_rows is not None:
            ms_3 = _rows.row_dot(c, c) / D
        # step 117, pass 33: mean_c_dchat_unscaled = mean(c*dy)
        mean_c_dchat_unscaled = _rows.row_dot(c, dy) / D
        # step 135: sum_a_ddquery = sum(a*ddquery)
        if ddquery is not None:
            sum_a_ddquery = _rows.row_dot(a, ddquery)
        # step 135: sum_dda_query = sum(dda*query)
        if dda_rows is not None:
            sum_dda_query = _rows.row_dot(dda, query)
            # step 137: ddms = sum(2*a*dda/D)
            part_17 = np.multiply(a, dda, out=ddy_block)
            part_17 = np.multiply(part_17, part_18, out=part_17)
            ddms = _rows.row_dot(part_17, ones)
        # step 152: sum_b_ddquery = sum(b*ddquery)
        if ddquery is not None:
            sum_b_ddquery = _rows.row_dot(b, ddquery)
        # step 152: sum_ddb_query = sum(ddb*query)
        if ddb_rows is not None:
            sum_ddb_query = _rows.row_dot(ddb, query)
            # step 153: ddms_2 = sum(2*b*ddb/D)
            part_19 = np.multiply(b, ddb, out=ddy_block)
            part_19 = np.multiply(part_19, part_18, out=part_19)
            ddms_2 = _rows.row_dot(part_19, ones)
        # step 159: sum_c_ddquery = sum(c*ddquery)
        if ddquery is not None:
            sum_c_ddquery = _rows.row_dot(c, ddquery)
        # step 159: sum_ddc_query = sum(ddc*query)
        if ddc_rows is not None:
            sum_ddc_query = _rows.row_dot(ddc, query)
            # step 160: ddms_3 = sum(2*c*ddc/D)
            part_20 = np.multiply(c, ddc, out=ddy_block)
            part_20 = np.multiply(part_20, part_18, out=part_20)
            ddms_3 = _rows.row_dot(part_20, ones)
            # step 195, pass 34: sum_dchat_ddc_unscaled = sum(ddc*dy)
            sum_dchat_ddc_unscaled = _rows.row_dot(ddc, dy)
        # step 15: ahat = a*p_shifted
        ahat = _rows.by_row(np.multiply, a, p_shifted, out=ddy_block)
        # step 16: bhat = b*q_shifted
        bhat = _rows.by_row(np.multiply, b, q_shifted, out=da_block)
        # step 18, pass 2: chat = c*exp_largest_2_scaled
        chat = _rows.by_row(np.multiply, c, exp_largest_2_scaled, out=db_block)
        # step 114: mean_product = mean((ahat + bhat + chat)*dy)
        part_21 = np.add(ahat, bhat, out=ahat)
        part_21 = np.add(part_21, chat, out=part_21)
        mean_product = _rows.row_dot(part_21, dy) / D
        # step 121: dbhat = dy*scale
        dbhat = _rows.by_row(np.multiply, dy, scale, out=db_block)
        # step 122: mean_b_dbhat = mean(b*dbhat)
        mean_b_dbhat = _rows.row_dot(b, dbhat) / D
        # step 200: sum_dbhat_ddb = sum(dbhat*ddb)
        if ddb_rows is not None:
            sum_dbhat_ddb = _rows.row_dot(dbhat, ddb)
        # step 112: mean_a_dahat = mean(a*dahat)
        mean_a_dahat = _rows.row_dot(a, dbhat) / D
        # step 204: sum_dahat_dda = sum(dahat*dda)
        if dda_rows is not None:
            sum_dahat_dda = _rows.row_dot(dbhat, dda)
        # step 117, pass 35: mean_c_dchat = exp_largest_2*mean_c_dchat_unscaled*scale
        mean_c_dchat = exp_largest_2 * mean_c_dchat_unscaled * scale
        # step 195, pass 36: sum_dchat_ddc = exp_largest_2*scale*sum_dchat_ddc_unscaled
        if ddc_rows is not None:
            sum_dchat_ddc = exp_largest_2 * scale * sum_dchat_ddc_unscaled
        # step 115: dscale = mean_product*D
        dscale = mean_product * D
        # step 118: dr = mean_c_dchat*D - dscale*exp_largest_2/(p_shifted + q_shifted +
        #   exp_largest_2*r)**2
        part_22 = np.square(p_shifted + q_shifted + exp_largest_2_scaled_2)
        dr = mean_c_dchat * D - dscale * exp_largest_2 / part_22
        # step 119: dpart_3 = dr*exp(part_3 + rstd_3*sum_c_query)
        dpart_3 = dr * np.exp(part + part_13)
        # step 123: dq_shifted = mean_b_dbhat*D - dscale/(p_shifted + q_shifted +
        #   exp_largest_2*r)**2
        part_23 = dscale / part_22
        dq_shifted = mean_b_dbhat * D - part_23
        # step 124: dpart_2 = dq_shifted*exp(part_2 + rstd_2*sum_b_query - largest_2)
        dpart_2 = dq_shifted * np.exp(part + part_11 - largest_2)
        # step 126: dp_shifted = mean_a_dahat*D - dscale/(p_shifted + q_shifted +
        #   exp_largest_2*r)**2
        dp_shifted = mean_a_dahat * D - part_23
        # step 127: dpart = dp_shifted*exp(part + rstd*sum_a_query - largest_2)
        dpart = dp_shifted * np.exp(part + part_10 - largest_2)
        # step 141: part_4 = dr*exp(part_3 + rstd_3*sum_c_query)*sum_c_query
        if ddc_rows is not None:
            part_4 = dpart_3 * sum_c_query
            # step 142: drstd_3 = part_4 + where(where(rstd*sum_a_query >
            #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
            #   rstd_3*sum_c_query, 0, -dpart*sum_c_query - dpart_2*sum_c_query -
            #   dpart_3*sum_c_query)
            drstd_3 = np.negative(dpart * sum_c_query) - dpart_2 * sum_c_query - part_4
            drstd_3 = np.where(mask_2, 0.0, drstd_3)
            drstd_3 = part_4 + drstd_3
            # step 156: dms_3 = -drstd_3/(2*(ms_3 + eps)**(3/2))
            part_24 = ms_3 + eps
            dms_3 = drstd_3 * -0.5 / (part_24 * np.sqrt(part_24))
        # step 143: part_5 = dr*exp(part_3 + rstd_3*sum_c_query)*rstd_3
        if with_ddc_or_ddquery:
            part_5 = dpart_3 * rstd_3
            # step 144: dsum_c_query = part_5 + where(where(rstd*sum_a_query >
            #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
            #   rstd_3*sum_c_query, 0, -dpart*rstd_3 - dpart_2*rstd_3 - dpart_3*rstd_3)
            dsum_c_query = np.negative(dpart * rstd_3) - dpart_2 * rstd_3 - part_5
            dsum_c_query = np.where(mask_2, 0.0, dsum_c_query)
            dsum_c_query = part_5 + dsum_c_query
        # step 145: part_6 = dq_shifted*exp(part_2 + rstd_2*sum_b_query -
        #   largest_2)*sum_b_query
        if ddb_rows is not None:
            part_6 = dpart_2 * sum_b_query
            # step 146: drstd_2 = part_6 + where(where(rstd*sum_a_query >
            #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
            #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0,
            #   -dpart*sum_b_query - dpart_2*sum_b_query - dpart_3*sum_b_query), 0)
            drstd_2 = np.negative(dpart * sum_b_query) - part_6 - dpart_3 * sum_b_query
            drstd_2 = np.where(mask, 0.0, drstd_2)
            drstd_2 = np.where(mask_2, drstd_2, 0.0)
            drstd_2 = part_6 + drstd_2
            # step 149: dms_2 = -drstd_2/(2*(ms_2 + eps)**(3/2))
            part_25 = ms_2 + eps
            dms_2 = drstd_2 * -0.5 / (part_25 * np.sqrt(part_25))
        # step 147: part_7 = dq_shifted*exp(part_2 + rstd_2*sum_b_query -
        #   largest_2)*rstd_2
        if with_ddb_or_ddquery:
            part_7 = dpart_2 * rstd_2
            # step 148: dsum_b_query = part_7 + where(where(rstd*sum_a_query >
            #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
            #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0,
            #   -dpart*rstd_2 - dpart_2*rstd_2 - dpart_3*rstd_2), 0)
            dsum_b_query = np.negative(dpart * rstd_2) - part_7 - dpart_3 * rstd_2
            dsum_b_query = np.where(mask, 0.0, dsum_b_query)
            dsum_b_query = np.where(mask_2, dsum_b_query, 0.0)
            dsum_b_query = part_7 + dsum_b_query
        # step 128: part_8 = dp_shifted*exp(part + rstd*sum_a_query -
        #   largest_2)*sum_a_query
        if dda_rows is not None:
            part_8 = dpart * sum_a_query
            # step 129: drstd = part_8 + where(where(rstd*sum_a_query >
            #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
            #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
            #   -dpart*sum_a_query - dpart_2*sum_a_query - dpart_3*sum_a_query, 0), 0)
            drstd = np.negative(part_8) - dpart_2 * sum_a_query - dpart_3 * sum_a_query
            drstd = np.where(mask, drstd, 0.0)
            drstd = np.where(mask_2, drstd, 0.0)
            drstd = part_8 + drstd
            # step 130: dms = -drstd/(2*(ms + eps)**(3/2))
            part_26 = ms + eps
            dms = drstd * -0.5 / (part_26 * np.sqrt(part_26))
        # step 131: part_9 = dp_shifted*exp(part + rstd*sum_a_query - largest_2)*rstd
        if with_dda_or_ddquery:
            part_9 = dpart * rstd
            # step 132: dsum_a_query = part_9 + where(where(rstd*sum_a_query >
            #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
            #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query,
            #   -dpart*rstd - dpart_2*rstd - dpart_3*rstd, 0), 0)
            dsum_a_query = np.negative(part_9) - dpart_2 * rstd - dpart_3 * rstd
            dsum_a_query = np.where(mask, dsum_a_query, 0.0)
            dsum_a_query = np.where(mask_2, dsum_a_query, 0.0)
            dsum_a_query = part_9 + dsum_a_query
        # step 135: ddsum_a_query = sum_a_ddquery + sum_dda_query
        if dda_rows is not None and ddquery is not None:
            ddsum_a_query = sum_a_ddquery + sum_dda_query
        if with_ddquery_without_dda:
            ddsum_a_query = sum_a_ddquery
        if dda_rows is not None and ddquery is None:
            ddsum_a_query = sum_dda_query
        # step 139: ddrstd = -ddms*rstd**3/2
        part_27 = np.square(rstd)
        part_28 = part_27 * rstd
        if dda_rows is not None:
            ddrstd = ddms * part_28 * -0.5
        # step 152: ddsum_b_query = sum_b_ddquery + sum_ddb_query
        if ddb_rows is not None and ddquery is not None:
            ddsum_b_query = sum_b_ddquery + sum_ddb_query
        if with_ddquery_without_ddb:
            ddsum_b_query = sum_b_ddquery
        if ddb_rows is not None and ddquery is None:
            ddsum_b_query = sum_ddb_query
        # step 155: ddrstd_2 = -ddms_2*rstd_2**3/2
        part_29 = np.square(rstd_2)
        part_30 = part_29 * rstd_2
        if ddb_rows is not None:
            ddrstd_2 = ddms_2 * part_30 * -0.5
        # step 159: ddsum_c_query = sum_c_ddquery + sum_ddc_query
        if ddc_rows is not None and ddquery is not None:
            ddsum_c_query = sum_c_ddquery + sum_ddc_query
        if with_ddquery_without_ddc:
            ddsum_c_query = sum_c_ddquery
        if ddc_rows is not None and ddquery is None:
            ddsum_c_query = sum_ddc_query
        # step 162: ddrstd_3 = -ddms_3*rstd_3**3/2
        part_31 = np.square(rstd_3)
        part_32 = part_31 * rstd_3
        if ddc_rows is not None:
            ddrstd_3 = ddms_3 * part_32 * -0.5
        # step 165: ddpart = where(where(rstd*sum_a_query > rstd_2*sum_b_query,
        #   rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query,
        #   where(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query -
        #   ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2),
        #   -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3)
        if dda_rows is not None:
            ddpart = np.negative(ddrstd * sum_a_query)
        if with_ddquery_without_dda:
            ddpart = 0.0
        if with_dda_or_ddquery:
            ddpart = ddpart - ddsum_a_query * rstd
        if dda_rows is None and ddb_rows is not None and ddquery is None:
            ddpart = 0.0
        if ddb_rows is not None:
            part_33 = np.negative(ddrstd_2 * sum_b_query)
        if with_ddquery_without_ddb:
            part_33 = 0.0
        if with_ddb_or_ddquery:
            part_33 = part_33 - ddsum_b_query * rstd_2
        if dda_rows is not None and ddb_rows is None and ddquery is None:
            part_33 = 0.0
        if dda_rows is not None or ddb_rows is not None or ddquery is not None:
            ddpart = np.where(mask, ddpart, part_33)
        else:
            ddpart = 0.0
        if ddc_rows is not None:
            part_34 = np.negative(ddrstd_3 * sum_c_query)
        if with_ddquery_without_ddc:
            part_34 = 0.0
        if with_ddc_or_ddquery:
            part_34 = part_34 - ddsum_c_query * rstd_3
        else:
            part_34 = 0.0
        ddpart = np.where(mask_2, ddpart, part_34)
        # step 167: ddp_shifted = ddpart*p_shifted + dpart_8*p_shifted*sum_a_query +
        #   dpart_9*p_shifted*rstd
        ddp_shifted = ddpart * p_shifted
        if dda_rows is not None:
            ddp_shifted = ddp_shifted + ddrstd * p_shifted * sum_a_query
        if with_dda_or_ddquery:
            ddp_shifted = ddp_shifted + ddsum_a_query * p_shifted * rstd
        # step 168: dmean_a_dahat = ddp_shifted*D
        dmean_a_dahat = ddp_shifted * D
        # step 175: ddq_shifted = ddpart_2*q_shifted + dpart_6*q_shifted*sum_b_query +
        #   dpart_7*q_shifted*rstd_2
        ddq_shifted = ddpart * q_shifted
        if ddb_rows is not None:
            ddq_shifted = ddq_shifted + ddrstd_2 * q_shifted * sum_b_query
        if with_ddb_or_ddquery:
            ddq_shifted = ddq_shifted + ddsum_b_query * q_shifted * rstd_2
        # step 188: dmean_b_dbhat = ddq_shifted*D
        dmean_b_dbhat = ddq_shifted * D
        # step 182: ddr = ddpart_3*r + dpart_4*r*sum_c_query + dpart_5*r*rstd_3
        ddr = ddpart * r
        if ddc_rows is not None:
            ddr = ddr + ddrstd_3 * r * sum_c_query
        if with_ddc_or_ddquery:
            ddr = ddr + ddsum_c_query * r * rstd_3
        # step 190: dmean_c_dchat = ddr*D
        dmean_c_dchat = ddr * D
        # step 187, pass 37: dmean_a_dahat_scaled = dmean_a_dahat/D
        dmean_a_dahat_scaled = dmean_a_dahat / D
        # step 189, pass 38: dmean_b_dbhat_scaled = dmean_b_dbhat/D
        dmean_b_dbhat_scaled = dmean_b_dbhat / D
        # step 191, pass 39: exp_largest_2_scaled_3 = dmean_c_dchat*exp_largest_2/D
        exp_largest_2_scaled_3 = dmean_c_dchat * exp_largest_2 / D
        # step 184: ddscale = -ddp_shifted*scale**2 - ddq_shifted*scale**2 -
        #   ddr*exp_largest_2*scale**2
        part_35 = np.square(scale)
        ddscale = (
            np.negative(ddp_shifted * part_35)
            - ddq_shifted * part_35
            - ddr * exp_largest_2 * part_35
        )
        # step 185: dmean_product = ddscale*D
        dmean_product = ddscale * D
        # step 193, pass 40: dmean_product_scaled = dmean_product/D
        dmean_product_scaled = dmean_product / D
        # step 217, pass 41: dms_scaled = 2*dms/D
        if dda_rows is not None:
            dms_scaled = dms * part_18
        # step 228, pass 42: dms_2_scaled = 2*dms_2/D
        if ddb_rows is not None:
            dms_2_scaled = dms_2 * part_18
        # step 237, pass 43: dms_3_scaled = 2*dms_3/D
        if ddc_rows is not None:
            dms_3_scaled = dms_3 * part_18
        # step 195, pass 50: sum_c_d2chat_unscaled = sum(c*dy)
        sum_c_d2chat_unscaled = _rows.row_dot(c, dy)
        # step 187, pass 44: ddahat = a*dmean_a_dahat_scaled + dda*p_shifted
        ddahat = _rows.by_row(np.multiply, a, dmean_a_dahat_scaled, out=da_block)
        if dda_rows is not None:
            part_36 = _rows.by_row(np.multiply, dda, p_shifted, out=dc_block)
            ddahat = np.add(ddahat, part_36, out=ddahat)
        # step 192: sum_ddahat_dy = sum(ddahat*dy)
        sum_ddahat_dy = _rows.row_dot(ddahat, dy)
        # step 189, pass 45: ddbhat = b*dmean_b_dbhat_scaled + ddb*q_shifted
        ddbhat = _rows.by_row(np.multiply, b, dmean_b_dbhat_scaled, out=dc_block)
        if ddb_rows is not None:
            part_37 = _rows.by_row(np.multiply, ddb, q_shifted, out=buffers[0])
            ddbhat = np.add(ddbhat, part_37, out=ddbhat)
        # step 192: sum_ddbhat_dy = sum(ddbhat*dy)
        sum_ddbhat_dy = _rows.row_dot(ddbhat, dy)
        # step 191, pass 46: ddchat = ddc*exp_largest_2_scaled_2 +
        #   c*exp_largest_2_scaled_3
        if ddc_rows is not None:
            ddchat = _rows.by_row(
                np.multiply, ddc, exp_largest_2_scaled_2, out=buffers[0]
            )
        part_38 = _rows.by_row(np.multiply, c, exp_largest_2_scaled_3, out=buffers[1])
        if ddc_rows is not None:
            ddchat = np.add(ddchat, part_38, out=ddchat)
        else:
            ddchat = part_38
        # step 192: sum_ddchat_dy = sum(ddchat*dy)
        sum_ddchat_dy = _rows.row_dot(ddchat, dy)
        # step 198, pass 47: d2bhat = dy*dmean_product_scaled
        d2bhat = _rows.by_row(np.multiply, dy, dmean_product_scaled, out=buffers[2])
        # step 200: sum_b_d2bhat = sum(b*d2bhat)
        sum_b_d2bhat = _rows.row_dot(b, d2bhat)
        # step 204: sum_a_d2ahat = sum(a*d2ahat)
        sum_a_d2ahat = _rows.row_dot(a, d2bhat)
        # step 240, pass 49: ddy = ddahat*scale + ddbhat*scale + ddchat*scale + (ahat +
        #   bhat + chat)*dmean_product_scaled
        ddy = np.multiply(ddahat, scale, out=ddahat)
        part_39 = np.multiply(ddbhat, scale, out=ddbhat)
        ddy = np.add(ddy, part_39, out=ddy)
        part_40 = _rows.by_row(np.multiply, ddchat, scale, out=dc_block)
        ddy = np.add(ddy, part_40, out=ddy)
        part_41 = np.multiply(part_21, dmean_product_scaled, out=part_21)
        ddy = np.add(ddy, part_41, out=part_41)
        # step 195, pass 51: sum_c_d2chat =
        #   dmean_product_scaled*exp_largest_2*sum_c_d2chat_unscaled
        sum_c_d2chat = dmean_product_scaled * exp_largest_2 * sum_c_d2chat_unscaled
        # step 192: d2scale = sum_ddahat_dy + sum_ddbhat_dy + sum_ddchat_dy
        d2scale = sum_ddahat_dy + sum_ddbhat_dy + sum_ddchat_dy
        # step 195: d2r = sum_c_d2chat + sum_dchat_ddc +
        #   2*ddp_shifted*dscale*exp_largest_2*scale**3 +
        #   2*ddq_shifted*dscale*exp_largest_2*scale**3 +
        #   2*ddr*dscale*exp_largest_2**2*scale**3 - d2scale*exp_largest_2*scale**2
        if ddc_rows is not None:
            d2r = sum_c_d2chat + sum_dchat_ddc
        else:
            d2r = sum_c_d2chat
        part_42 = ddp_shifted * dscale
        part_43 = part_35 * scale
        part_44 = ddq_shifted * dscale
        part_45 = ddr * dscale
        d2r = (
            d2r
            + part_42 * exp_largest_2 * part_43 * 2.0
            + part_44 * exp_largest_2 * part_43 * 2.0
            + part_45 * np.square(exp_largest_2) * part_43 * 2.0
            - d2scale * exp_largest_2 * part_35
        )
        # step 197: d2part_3 = d2r*r + ddpart_3*dr*r + dpart_4*dr*r*sum_c_query +
        #   dpart_5*dr*r*rstd_3
        part_46 = d2r * r
        part_47 = ddpart * dr * r
        d2part_3 = part_46 + part_47
        if ddc_rows is not None:
            part_48 = ddrstd_3 * dr * r
            d2part_3 = d2part_3 + part_48 * sum_c_query
        if with_ddc_or_ddquery:
            part_49 = ddsum_c_query * dr * r
            d2part_3 = d2part_3 + part_49 * rstd_3
        # step 200: d2q_shifted = sum_b_d2bhat + sum_dbhat_ddb +
        #   2*ddp_shifted*dscale*scale**3 + 2*ddq_shifted*dscale*scale**3 +
        #   2*ddr*dscale*exp_largest_2*scale**3 - d2scale*scale**2
        if ddb_rows is not None:
            d2q_shifted = sum_b_d2bhat + sum_dbhat_ddb
        else:
            d2q_shifted = sum_b_d2bhat
        part_50 = part_42 * part_43 * 2.0
        part_51 = part_44 * part_43 * 2.0
        part_52 = part_45 * exp_largest_2 * part_43 * 2.0
        part_53 = d2scale * part_35
        d2q_shifted = d2q_shifted + part_50 + part_51 + part_52 - part_53
        # step 202: d2part_2 = d2q_shifted*q_shifted + ddpart_2*dq_shifted*q_shifted +
        #   dpart_6*dq_shifted*q_shifted*sum_b_query +
        #   dpart_7*dq_shifted*q_shifted*rstd_2
        part_54 = d2q_shifted * q_shifted
        part_55 = ddpart * dq_shifted * q_shifted
        d2part_2 = part_54 + part_55
        if ddb_rows is not None:
            part_56 = ddrstd_2 * dq_shifted * q_shifted
            d2part_2 = d2part_2 + part_56 * sum_b_query
        if with_ddb_or_ddquery:
            part_57 = ddsum_b_query * dq_shifted * q_shifted
            d2part_2 = d2part_2 + part_57 * rstd_2
        # step 204: d2p_shifted = sum_a_d2ahat + sum_dahat_dda +
        #   2*ddp_shifted*dscale*scale**3 + 2*ddq_shifted*dscale*scale**3 +
        #   2*ddr*dscale*exp_largest_2*scale**3 - d2scale*scale**2
        if dda_rows is not None:
            d2p_shifted = sum_a_d2ahat + sum_dahat_dda
        else:
            d2p_shifted = sum_a_d2ahat
        d2p_shifted = d2p_shifted + part_50 + part_51 + part_52 - part_53
        # step 206: d2part = d2p_shifted*p_shifted + ddpart*dp_shifted*p_shifted +
        #   dp_shifted*dpart_8*p_shifted*sum_a_query + dp_shifted*dpart_9*p_shifted*rstd
        part_58 = d2p_shifted * p_shifted
        part_59 = ddpart * dp_shifted * p_shifted
        d2part = part_58 + part_59
        if dda_rows is not None:
            part_60 = dp_shifted * ddrstd * p_shifted
            d2part = d2part + part_60 * sum_a_query
        if with_dda_or_ddquery:
            part_61 = dp_shifted * ddsum_a_query * p_shifted
            d2part = d2part + part_61 * rstd
        # step 231: d2rstd_3 = d2r*r*sum_c_query + ddpart_3*dr*r*sum_c_query +
        #   dpart_4*dr*r*sum_c_query**2 + dpart_5*(dr*r + dr*r*rstd_3*sum_c_query) +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, (-dpart - dpart_2 -
        #   dpart_3)*ddsum_c_query - d2part*sum_c_query - d2part_2*sum_c_query -
        #   d2part_3*sum_c_query)
        d2rstd_3 = part_46 * sum_c_query + part_47 * sum_c_query
        if ddc_rows is not None:
            d2rstd_3 = d2rstd_3 + part_48 * np.square(sum_c_query)
        if with_ddc_or_ddquery:
            part_62 = dr * r
            part_63 = part_62 + part_62 * rstd_3 * sum_c_query
            d2rstd_3 = d2rstd_3 + ddsum_c_query * part_63
        part_64 = np.negative(dpart) - dpart_2 - dpart_3
        if with_ddc_or_ddquery:
            part_65 = part_64 * ddsum_c_query
        else:
            part_65 = 0.0
        part_65 = (
            part_65
            - d2part * sum_c_query
            - d2part_2 * sum_c_query
            - d2part_3 * sum_c_query
        )
        part_65 = np.where(mask_2, 0.0, part_65)
        d2rstd_3 = d2rstd_3 + part_65
        # step 233: d2ms_3 = 3*ddms_3*drstd_3*rstd_3**5/4 - d2rstd_3*rstd_3**3/2
        if ddc_rows is not None:
            d2ms_3 = ddms_3 * drstd_3 * (np.square(part_31) * rstd_3) * 0.75
        else:
            d2ms_3 = 0.0
        d2ms_3 = d2ms_3 - d2rstd_3 * part_32 * 0.5
        # step 236: d2sum_c_query = d2r*r*rstd_3 + ddpart_3*dr*r*rstd_3 +
        #   dpart_5*dr*r*rstd_3**2 + dpart_4*(dr*r + dr*r*rstd_3*sum_c_query) +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, (-dpart - dpart_2 -
        #   dpart_3)*ddrstd_3 - d2part*rstd_3 - d2part_2*rstd_3 - d2part_3*rstd_3)
        d2sum_c_query = part_46 * rstd_3 + part_47 * rstd_3
        if with_ddc_or_ddquery:
            d2sum_c_query = d2sum_c_query + part_49 * part_31
        if ddc_rows is not None:
            d2sum_c_query = d2sum_c_query + ddrstd_3 * part_63
            part_66 = part_64 * ddrstd_3
        else:
            part_66 = 0.0
        part_66 = part_66 - d2part * rstd_3 - d2part_2 * rstd_3 - d2part_3 * rstd_3
        part_66 = np.where(mask_2, 0.0, part_66)
        d2sum_c_query = d2sum_c_query + part_66
        # step 221: d2rstd_2 = d2q_shifted*q_shifted*sum_b_query +
        #   ddpart_2*dq_shifted*q_shifted*sum_b_query +
        #   dpart_6*dq_shifted*q_shifted*sum_b_query**2 + dpart_7*(dq_shifted*q_shifted
        #   + dq_shifted*q_shifted*rstd_2*sum_b_query) + where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, (-dpart
        #   - dpart_2 - dpart_3)*ddsum_b_query - d2part*sum_b_query -
        #   d2part_2*sum_b_query - d2part_3*sum_b_query), 0)
        d2rstd_2 = part_54 * sum_b_query + part_55 * sum_b_query
        if ddb_rows is not None:
            d2rstd_2 = d2rstd_2 + part_56 * np.square(sum_b_query)
        if with_ddb_or_ddquery:
            part_67 = dq_shifted * q_shifted
            part_68 = part_67 + part_67 * rstd_2 * sum_b_query
            d2rstd_2 = d2rstd_2 + ddsum_b_query * part_68
            part_69 = part_64 * ddsum_b_query
        else:
            part_69 = 0.0
        part_69 = (
            part_69
            - d2part * sum_b_query
            - d2part_2 * sum_b_query
            - d2part_3 * sum_b_query
        )
        part_69 = np.where(mask, 0.0, part_69)
        part_69 = np.where(mask_2, part_69, 0.0)
        d2rstd_2 = d2rstd_2 + part_69
        # step 223: d2ms_2 = 3*ddms_2*drstd_2*rstd_2**5/4 - d2rstd_2*rstd_2**3/2
        if ddb_rows is not None:
            d2ms_2 = ddms_2 * drstd_2 * (np.square(part_29) * rstd_2) * 0.75
        else:
            d2ms_2 = 0.0
        d2ms_2 = d2ms_2 - d2rstd_2 * part_30 * 0.5
        # step 227: d2sum_b_query = d2q_shifted*q_shifted*rstd_2 +
        #   ddpart_2*dq_shifted*q_shifted*rstd_2 +
        #   dpart_7*dq_shifted*q_shifted*rstd_2**2 + dpart_6*(dq_shifted*q_shifted +
        #   dq_shifted*q_shifted*rstd_2*sum_b_query) + where(where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) >
        #   rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, (-dpart
        #   - dpart_2 - dpart_3)*ddrstd_2 - d2part*rstd_2 - d2part_2*rstd_2 -
        #   d2part_3*rstd_2), 0)
        d2sum_b_query = part_54 * rstd_2 + part_55 * rstd_2
        if with_ddb_or_ddquery:
            d2sum_b_query = d2sum_b_query + part_57 * part_29
        if ddb_rows is not None:
            d2sum_b_query = d2sum_b_query + ddrstd_2 * part_68
            part_70 = part_64 * ddrstd_2
        else:
            part_70 = 0.0
        part_70 = part_70 - d2part * rstd_2 - d2part_2 * rstd_2 - d2part_3 * rstd_2
        part_70 = np.where(mask, 0.0, part_70)
        part_70 = np.where(mask_2, part_70, 0.0)
        d2sum_b_query = d2sum_b_query + part_70
        # step 210: d2rstd = d2p_shifted*p_shifted*sum_a_query +
        #   ddpart*dp_shifted*p_shifted*sum_a_query +
        #   dp_shifted*dpart_8*p_shifted*sum_a_query**2 + (dp_shifted*p_shifted +
        #   dp_shifted*p_shifted*rstd*sum_a_query)*dpart_9 +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, (-dpart - dpart_2 - dpart_3)*ddsum_a_query -
        #   d2part*sum_a_query - d2part_2*sum_a_query - d2part_3*sum_a_query, 0), 0)
        d2rstd = part_58 * sum_a_query + part_59 * sum_a_query
        if dda_rows is not None:
            d2rstd = d2rstd + part_60 * np.square(sum_a_query)
        if with_dda_or_ddquery:
            part_71 = dp_shifted * p_shifted
            part_72 = part_71 + part_71 * rstd * sum_a_query
            d2rstd = d2rstd + part_72 * ddsum_a_query
            part_73 = part_64 * ddsum_a_query
        else:
            part_73 = 0.0
        part_73 = (
            part_73
            - d2part * sum_a_query
            - d2part_2 * sum_a_query
            - d2part_3 * sum_a_query
        )
        part_73 = np.where(mask, part_73, 0.0)
        part_73 = np.where(mask_2, part_73, 0.0)
        d2rstd = d2rstd + part_73
        # step 212: d2ms = 3*ddms*drstd*rstd**5/4 - d2rstd*rstd**3/2
        if dda_rows is not None:
            d2ms = ddms * drstd * (np.square(part_27) * rstd) * 0.75
        else:
            d2ms = 0.0
        d2ms = d2ms - d2rstd * part_28 * 0.5
        # step 216: d2sum_a_query = d2p_shifted*p_shifted*rstd +
        #   ddpart*dp_shifted*p_shifted*rstd + dp_shifted*dpart_9*p_shifted*rstd**2 +
        #   (dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query)*dpart_8 +
        #   where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query,
        #   rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query >
        #   rstd_2*sum_b_query, (-dpart - dpart_2 - dpart_3)*ddrstd - d2part*rstd -
        #   d2part_2*rstd - d2part_3*rstd, 0), 0)
        d2sum_a_query = part_58 * rstd + part_59 * rstd
        if with_dda_or_ddquery:
            d2sum_a_query = d2sum_a_query + part_61 * part_27
        if dda_rows is not None:
            d2sum_a_query = d2sum_a_query + part_72 * ddrstd
            part_74 = part_64 * ddrstd
        else:
            part_74 = 0.0
        part_74 = part_74 - d2part * rstd - d2part_2 * rstd - d2part_3 * rstd
        part_74 = np.where(mask, part_74, 0.0)
        part_74 = np.where(mask_2, part_74, 0.0)
        d2sum_a_query = d2sum_a_query + part_74
        # step 239: d2query = sum over rows of a*d2sum_a_query + b*d2sum_b_query +
        #   c*d2sum_c_query + dda*dsum_a_query + ddb*dsum_b_query + ddc*dsum_c_query
        part_75 = _rows.by_row(np.multiply, a, d2sum_a_query, out=da_block)
        part_76 = _rows.by_row(np.multiply, b, d2sum_b_query, out=dc_block)
        part_75 = np.add(part_75, part_76, out=part_75)
        part_77 = _rows.by_row(np.multiply, c, d2sum_c_query, out=dc_block)
        part_75 = np.add(part_75, part_77, out=part_75)
        if dda_rows is not None:
            part_78 = _rows.by_row(np.multiply, dda, dsum_a_query, out=dc_block)
            part_75 = np.add(part_75, part_78, out=part_75)
        if ddb_rows is not None:
            part_79 = _rows.by_row(np.multiply, ddb, dsum_b_query, out=dc_block)
            part_75 = np.add(part_75, part_79, out=part_75)
        if ddc_rows is not None:
            part_80 = _rows.by_row(np.multiply, ddc, dsum_c_query, out=dc_block)
            part_75 = np.add(part_75, part_80, out=part_75)
        d2query = _rows.sum_rows(part_75)
        # step 217, pass 52: d2ms_scaled = 2*d2ms/D
        d2ms_scaled = d2ms * part_18
        # step 228, pass 53: d2ms_2_scaled = 2*d2ms_2/D
        d2ms_2_scaled = d2ms_2 * part_18
        # step 237, pass 54: d2ms_3_scaled = 2*d2ms_3/D
        d2ms_3_scaled = d2ms_3 * part_18
        # step 217, pass 55: d2a = a*d2ms_scaled + dsum_a_query*ddquery +
        #   dahat*dmean_a_dahat_scaled + dda*dms_scaled + d2ahat*p_shifted +
        #   d2sum_a_query*query
        d2a = _rows.by_row(np.multiply, a, d2ms_scaled, out=da_block)
        if ddquery is not None:
            part_81 = np.multiply(ddquery, dsum_a_query, out=dc_block)
            d2a = np.add(d2a, part_81, out=d2a)
        part_82 = _rows.by_row(np.multiply, dbhat, dmean_a_dahat_scaled, out=dc_block)
        d2a = np.add(d2a, part_82, out=d2a)
        if dda_rows is not None:
            part_83 = _rows.by_row(np.multiply, dda, dms_scaled, out=dc_block)
            d2a = np.add(d2a, part_83, out=d2a)
        part_84 = _rows.by_row(np.multiply, d2bhat, p_shifted, out=dc_block)
        d2a = np.add(d2a, part_84, out=d2a)
        part_85 = np.multiply(query, d2sum_a_query, out=dc_block)
        d2a = np.add(d2a, part_85, out=d2a)
        # step 228, pass 56: d2b = b*d2ms_2_scaled + dsum_b_query*ddquery +
        #   dbhat*dmean_b_dbhat_scaled + ddb*dms_2_scaled + d2bhat*q_shifted +
        #   d2sum_b_query*query
        d2b = _rows.by_row(np.multiply, b, d2ms_2_scaled, out=dc_block)
        if ddquery is not None:
            part_86 = np.multiply(ddquery, dsum_b_query, out=buffers[0])
            d2b = np.add(d2b, part_86, out=d2b)
        part_87 = np.multiply(dbhat, dmean_b_dbhat_scaled, out=dbhat)
        d2b = np.add(d2b, part_87, out=part_87)
        if ddb_rows is not None:
            part_88 = _rows.by_row(np.multiply, ddb, dms_2_scaled, out=dc_block)
            d2b = np.add(d2b, part_88, out=d2b)
        part_89 = _rows.by_row(np.multiply, d2bhat, q_shifted, out=dc_block)
        d2b = np.add(d2b, part_89, out=d2b)
        part_90 = np.multiply(query, d2sum_b_query, out=dc_block)
        d2b = np.add(d2b, part_90, out=d2b)
        # step 237, pass 57: d2c = c*d2ms_3_scaled + dsum_c_query*ddquery +
        #   ddc*dms_3_scaled + d2sum_c_query*query +
        #   dy*dmean_product_scaled*exp_largest_2_scaled_2 +
        #   dy*exp_largest_2_scaled_3*scale
        d2c = _rows.by_row(np.multiply, c, d2ms_3_scaled, out=dc_block)
        if ddquery is not None:
            part_91 = np.multiply(ddquery, dsum_c_query, out=buffers[0])
            d2c = np.add(d2c, part_91, out=d2c)
        if ddc_rows is not None:
            part_92 = _rows.by_row(np.multiply, ddc, dms_3_scaled, out=buffers[0])
            d2c = np.add(d2c, part_92, out=d2c)
        part_93 = np.multiply(query, d2sum_c_query, out=buffers[0])
        d2c = np.add(d2c, part_93, out=d2c)
        part_94 = _rows.by_row(
            np.multiply,
            dy,
            dmean_product_scaled * exp_largest_2_scaled_2,
            out=buffers[0],
        )
        d2c = np.add(d2c, part_94, out=d2c)
        part_95 = _rows.by_row(
            np.multiply, dy, exp_largest_2_scaled_3 * scale, out=buffers[0]
        )
        d2c = np.add(d2c, part_95, out=d2c)
        return d2a, d2b, d2c, ddy, d2query

    d2a, d2b, d2c, ddy, d2query = _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, c_rows, dy_rows, dda_rows, ddb_rows, ddc_rows),
        row_scalars=(
            sum_a_query_rows,
            rstd_rows,
            sum_b_query_rows,
            rstd_2_rows,
            sum_c_query_rows,
            rstd_3_rows,
            p_shifted_rows,
            q_shifted_rows,
            r_rows,
            exp_largest_2_rows,
            exp_largest_2_scaled_rows,
            scale_rows,
        ),
        into=(da_out, db_out, dc_out, ddy_out),
        buffers=3,
        feature_sums=1,
    )
    return d2a, d2b, d2c, d2query, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    query: npt.NDArray[Any],
    sum_a_query: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
    sum_b_query: npt.NDArray[Any],
    rstd_2: npt.NDArray[Any],
    sum_c_query: npt.NDArray[Any],
    rstd_3: npt.NDArray[Any],
    p_shifted: npt.NDArray[Any],
    q_shifted: npt.NDArray[Any],
    r: npt.NDArray[Any],
    exp_largest_2: npt.NDArray[Any],
    exp_largest_2_scaled: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    eps: float,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes ... d.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (
        x,
        query,
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
        eps,
    )
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(
        *first_,
        x,
        query,
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
        eps,
    )
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "attention_residuals")
    _calls.check_first_fields(saved, (True, True))
    _calls.check_number("eps", saved.eps)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    _calls.check_kept(_AXES.shape("query", _sizes), query=saved.query)
    _calls.check_kept(
        _shape[:-1],
        sum_a_query=saved.sum_a_query,
        rstd=saved.rstd,
        sum_b_query=saved.sum_b_query,
        rstd_2=saved.rstd_2,
        sum_c_query=saved.sum_c_query,
        rstd_3=saved.rstd_3,
        p_shifted=saved.p_shifted,
        q_shifted=saved.q_shifted,
        r=saved.r,
        exp_largest_2=saved.exp_largest_2,
        exp_largest_2_scaled=saved.exp_largest_2_scaled,
        scale=saved.scale,
    )
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "attention_residuals",
    "minimum_features": 1,
    "inputs": [
        _interface.given(
            "x", "Row", pattern=[["n"], ["..."], ["d"]], parts=["a", "b", "c"]
        ),
        _interface.given("query", "Feature", pattern=[["d"]]),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"], parts=["a", "b", "c"]),
        _interface.saved("query", "input", ["D"]),
        _interface.saved("sum_a_query", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
        _interface.saved("sum_b_query", "row scalar", ["..."]),
        _interface.saved("rstd_2", "row scalar", ["..."]),
        _interface.saved("sum_c_query", "row scalar", ["..."]),
        _interface.saved("rstd_3", "row scalar", ["..."]),
        _interface.saved("p_shifted", "row scalar", ["..."]),
        _interface.saved("q_shifted", "row scalar", ["..."]),
        _interface.saved("r", "row scalar", ["..."]),
        _interface.saved("exp_largest_2", "row scalar", ["..."]),
        _interface.saved("exp_largest_2_scaled", "row scalar", ["..."]),
        _interface.saved("scale", "row scalar", ["..."]),
        _interface.saved("eps", "constant", []),
    ],
    "gradients": [_interface.gradient("x"), _interface.gradient("query")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {
        "pattern": [["..."], ["d"]],
        "features": ["d"],
        "sizes": [],
        "parts": {"n": 3},
    },
}

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class AttentionResiduals(_modules.NumpyModule):
    """`attention_residuals` as an object with the parameter query.

    Args:
        d: the size of the axis d.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        d: int,
        *,
        eps: float = 1e-6,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, d=_modules.size("d", d))
        self._parameter("query", True, (d,), 1)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x,
            self.parameters.get("query"),
            eps=self.eps,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(query=found.dquery)
        return found.dx
