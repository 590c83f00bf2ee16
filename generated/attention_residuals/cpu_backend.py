# Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
# Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
# Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
"""Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

The functions of `numpy_backend` as compiled kernels of kernels.cpp and second_order.cpp.
The system's C++ compiler ($CXX, or else c++, g++ or clang++) makes a library on first
use for each type of rows and what is left out, in $LNGEN_CACHE or the user's cache folder.

A call takes the straight way if its rows are dense and of one type that kernels take.
Else `numpy_backend` checks it, and `_forward_on_kernels` and the like read rows with gaps
where they lie and copy the rest. NumPy computes in types that kernels lack.
"""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from .._runtime.native import compiled as _compiled
from .._runtime.native import long as _long
from .._runtime.protocol import calls as _calls
from . import numpy_backend as _numpy
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Saved,
    SecondGradients,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

# The kernels of each direction, which are compiled without what a call leaves out.
_FORWARD = _compiled.CompiledDirection(
    __file__, "kernels", "attention_residuals_forward"
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "attention_residuals_backward",
    "attention_residuals_backward_columns",
    sums=(1, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "attention_residuals_jvp",
    optional=("a_dot", "b_dot", "c_dot", "query_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "attention_residuals_backward_backward",
    "attention_residuals_backward_backward_columns",
    optional=("dda", "ddb", "ddc", "ddquery"),
    sums=(1, 0),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    query: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    return _numpy._forward(_forward_on_kernels, x, query, eps, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    a, b, c, query, eps = _values
    (
        y_,
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
    ) = _results
    _operands = _long.RowOperands(_call, (a, b, c), (y_,))
    _operands.call(
        _FORWARD,
        (),
        (eps,),
        (
            *_operands.read(a, b, c),
            *_operands.shared(query),
            *_operands.made(y_),
            *_operands.made_once(
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
        ),
    )


@_long.described_as(_numpy.backward)
def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    (
        _saved_a,
        _saved_b,
        _saved_c,
        _saved_query,
        _saved_sum_a_query,
        _saved_rstd,
        _saved_sum_b_query,
        _saved_rstd_2,
        _saved_sum_c_query,
        _saved_rstd_3,
        _saved_p_shifted,
        _saved_q_shifted,
        _saved_r,
        _saved_exp_largest_2,
        _saved_exp_largest_2_scaled,
        _saved_scale,
        _saved_eps,
    ) = _fields
    da_, db_, dc_, dquery_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_a, _saved_b, _saved_c, dy), (da_, db_, dc_)
    )
    _operands.call(
        _BACKWARD,
        (),
        (),
        (
            *_operands.read(_saved_a, _saved_b, _saved_c, dy),
            *_operands.computed_before(
                _saved_sum_a_query,
                _saved_rstd,
                _saved_sum_b_query,
                _saved_rstd_2,
                _saved_sum_c_query,
                _saved_rstd_3,
                _saved_p_shifted,
                _saved_q_shifted,
                _saved_r,
                _saved_exp_largest_2,
                _saved_exp_largest_2_scaled,
                _saved_scale,
            ),
            *_operands.shared(_saved_query),
            *_operands.made(da_, db_, dc_),
        ),
        (*_operands.shared(_saved_query), *_operands.summed(dquery_)),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    query_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, query_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    a_dot, b_dot, c_dot, query_dot = _arguments
    (
        _saved_a,
        _saved_b,
        _saved_c,
        _saved_query,
        _saved_sum_a_query,
        _saved_rstd,
        _saved_sum_b_query,
        _saved_rstd_2,
        _saved_sum_c_query,
        _saved_rstd_3,
        _saved_p_shifted,
        _saved_q_shifted,
        _saved_r,
        _saved_exp_largest_2,
        _saved_exp_largest_2_scaled,
        _saved_scale,
        _saved_eps,
    ) = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_a, _saved_b, _saved_c, a_dot, b_dot, c_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (a_dot is None, b_dot is None, c_dot is None, query_dot is None),
        (),
        (
            *_operands.read(_saved_a, _saved_b, _saved_c, a_dot, b_dot, c_dot),
            *_operands.computed_before(
                _saved_sum_a_query,
                _saved_rstd,
                _saved_sum_b_query,
                _saved_rstd_2,
                _saved_sum_c_query,
                _saved_rstd_3,
                _saved_p_shifted,
                _saved_q_shifted,
                _saved_r,
                _saved_exp_largest_2,
                _saved_exp_largest_2_scaled,
                _saved_scale,
            ),
            *_operands.shared(_saved_query, query_dot),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddquery: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddquery, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, dda, ddb, ddc, ddquery = _arguments
    (
        _saved_a,
        _saved_b,
        _saved_c,
        _saved_query,
        _saved_sum_a_query,
        _saved_rstd,
        _saved_sum_b_query,
        _saved_rstd_2,
        _saved_sum_c_query,
        _saved_rstd_3,
        _saved_p_shifted,
        _saved_q_shifted,
        _saved_r,
        _saved_exp_largest_2,
        _saved_exp_largest_2_scaled,
        _saved_scale,
        _saved_eps,
    ) = _fields
    da_, db_, dc_, dquery_, ddy_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_a, _saved_b, _saved_c, dy, dda, ddb, ddc), (da_, db_, dc_, ddy_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (dda is None, ddb is None, ddc is None, ddquery is None),
        (_saved_eps,),
        (
            *_operands.read(_saved_a, _saved_b, _saved_c, dy, dda, ddb, ddc),
            *_operands.computed_before(
                _saved_sum_a_query,
                _saved_rstd,
                _saved_sum_b_query,
                _saved_rstd_2,
                _saved_sum_c_query,
                _saved_rstd_3,
                _saved_p_shifted,
                _saved_q_shifted,
                _saved_r,
                _saved_exp_largest_2,
                _saved_exp_largest_2_scaled,
                _saved_scale,
            ),
            *_operands.shared(_saved_query, ddquery),
            *_operands.made(da_, db_, dc_, ddy_),
        ),
        (*_operands.shared(_saved_query, ddquery), *_operands.summed(dquery_)),
    )
