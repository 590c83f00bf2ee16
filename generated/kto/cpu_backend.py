# Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
# Do not edit; edit kto.py and run: lngen derive kto.py
# definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
"""Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

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
from .._runtime.native import straight as _straight
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
    __file__, "kernels", "kto_forward", optional=("divergence",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "kto_backward", optional=("divergence",)
)
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "kto_jvp", optional=("divergence", "logp_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__, "second_order", "kto_backward_backward", optional=("ddlogp", "divergence")
)


@_long.described_as(_numpy.forward)
def forward(
    logp: npt.NDArray[Any],
    reference: npt.NDArray[Any],
    desirable: npt.NDArray[Any],
    divergence: npt.NDArray[Any] | None = None,
    *,
    beta: float = 0.1,
    gain: float = 1.0,
    loss: float = 1.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    beta = _calls.constant("beta", beta)
    gain = _calls.constant("gain", gain)
    loss = _calls.constant("loss", loss)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(logp, 1, threads)
        if desirable is None:
            raise _straight.Unusual
        _straight.dense(_shape, _stored, reference)
        desirable_ = _straight.integers(_shape, desirable)
        if divergence is not None:
            _straight.dense(_shape, _stored, divergence)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), logp, reference, desirable, divergence)
    except _straight.Unusual:
        pass
    else:
        _kernel = _FORWARD[_kind, divergence is None]
        _kernel(
            _straight.addresses(logp, reference, desirable_, divergence, y_),
            (beta, gain, loss),
            _rows,
            _D,
            threads,
        )
        if not save:
            return y_, None
        _dtypes = (
            logp.dtype,
            reference.dtype,
            desirable.dtype,
            None if divergence is None else divergence.dtype,
        )
        return (
            y_,
            Saved(
                _shape,
                _dtype,
                _dtypes,
                logp,
                reference,
                desirable,
                divergence,
                beta,
                gain,
                loss,
            ),
        )
    return _numpy._forward(
        _forward_on_kernels,
        logp,
        reference,
        desirable,
        divergence,
        beta,
        gain,
        loss,
        save,
        out,
        threads,
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    logp, reference, desirable, divergence, beta, gain, loss = _values
    (y_,) = _results
    _operands = _long.RowOperands(_call, (logp, reference, divergence), (y_,))
    _operands.call(
        _FORWARD,
        (divergence is None,),
        (beta, gain, loss),
        (
            *_operands.read(logp, reference),
            *_operands.integers(desirable),
            *_operands.read(divergence),
            *_operands.made(y_),
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
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, True, False), (0,), threads
        )
        _of_logp, _of_reference, _of_desirable, _of_divergence = saved[2]
        if (
            saved.desirable is None
            or (_of_divergence is None) != (saved.divergence is None)
            or type(saved.beta) is not float
            or type(saved.gain) is not float
            or type(saved.loss) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.logp, saved.reference, dy)
        desirable_ = _straight.integers(_shape, saved.desirable)
        if saved.divergence is not None:
            _straight.dense(_shape, _stored, saved.divergence)
        _out = _straight.outs(out, 1)
        dlogp_ = _straight.result(_out[0], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dlogp_,),
                dy,
                saved.logp,
                saved.reference,
                saved.desirable,
                saved.divergence,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[_kind, _of_divergence is None]
        _kernel(
            _straight.addresses(
                saved.logp, saved.reference, desirable_, saved.divergence, dy, dlogp_
            ),
            (saved.beta, saved.gain, saved.loss),
            _rows,
            _D,
            threads,
        )
        return Gradients(dlogp_)
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    (
        _saved_logp,
        _saved_reference,
        _saved_desirable,
        _saved_divergence,
        _saved_beta,
        _saved_gain,
        _saved_loss,
    ) = _fields
    (dlogp_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_logp, _saved_reference, _saved_divergence, dy), (dlogp_,)
    )
    _operands.call(
        _BACKWARD,
        (_saved_divergence is None,),
        (_saved_beta, _saved_gain, _saved_loss),
        (
            *_operands.read(_saved_logp, _saved_reference),
            *_operands.integers(_saved_desirable),
            *_operands.read(_saved_divergence, dy),
            *_operands.made(dlogp_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    logp_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, True, False), (0,), threads
        )
        _of_logp, _of_reference, _of_desirable, _of_divergence = saved[2]
        if (
            logp_dot is None
            or saved.desirable is None
            or (_of_divergence is None) != (saved.divergence is None)
            or type(saved.beta) is not float
            or type(saved.gain) is not float
            or type(saved.loss) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.logp, saved.reference)
        desirable_ = _straight.integers(_shape, saved.desirable)
        if saved.divergence is not None:
            _straight.dense(_shape, _stored, saved.divergence)
        if logp_dot is not None:
            _straight.dense(_shape, _stored, logp_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                logp_dot,
                saved.logp,
                saved.reference,
                saved.desirable,
                saved.divergence,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[_kind, _of_divergence is None, logp_dot is None]
        _kernel(
            _straight.addresses(
                saved.logp,
                saved.reference,
                desirable_,
                saved.divergence,
                logp_dot,
                y_dot_,
            ),
            (saved.beta, saved.gain, saved.loss),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(_jvp_on_kernels, saved, logp_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (logp_dot,) = _arguments
    (
        _saved_logp,
        _saved_reference,
        _saved_desirable,
        _saved_divergence,
        _saved_beta,
        _saved_gain,
        _saved_loss,
    ) = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_logp, _saved_reference, _saved_divergence, logp_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (_saved_divergence is None, logp_dot is None),
        (_saved_beta, _saved_gain, _saved_loss),
        (
            *_operands.read(_saved_logp, _saved_reference),
            *_operands.integers(_saved_desirable),
            *_operands.read(_saved_divergence, logp_dot),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddlogp: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, True, False), (0,), threads
        )
        _of_logp, _of_reference, _of_desirable, _of_divergence = saved[2]
        if (
            ddlogp is None
            or saved.desirable is None
            or (_of_divergence is None) != (saved.divergence is None)
            or type(saved.beta) is not float
            or type(saved.gain) is not float
            or type(saved.loss) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.logp, saved.reference, dy)
        desirable_ = _straight.integers(_shape, saved.desirable)
        if saved.divergence is not None:
            _straight.dense(_shape, _stored, saved.divergence)
        if ddlogp is not None:
            _straight.dense(_shape, _stored, ddlogp)
        _out = _straight.outs(out, 2)
        dlogp_ = _straight.result(_out[0], _shape, _stored)
        ddy_ = _straight.result(_out[1], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dlogp_, ddy_),
                dy,
                ddlogp,
                saved.logp,
                saved.reference,
                saved.desirable,
                saved.divergence,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[_kind, ddlogp is None, _of_divergence is None]
        _kernel(
            _straight.addresses(
                saved.logp,
                saved.reference,
                desirable_,
                saved.divergence,
                dy,
                ddlogp,
                dlogp_,
                ddy_,
            ),
            (saved.beta, saved.gain, saved.loss),
            _rows,
            _D,
            threads,
        )
        return SecondGradients(dlogp_, ddy_)
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddlogp, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddlogp = _arguments
    (
        _saved_logp,
        _saved_reference,
        _saved_desirable,
        _saved_divergence,
        _saved_beta,
        _saved_gain,
        _saved_loss,
    ) = _fields
    dlogp_, ddy_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_logp, _saved_reference, _saved_divergence, dy, ddlogp),
        (dlogp_, ddy_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddlogp is None, _saved_divergence is None),
        (_saved_beta, _saved_gain, _saved_loss),
        (
            *_operands.read(_saved_logp, _saved_reference),
            *_operands.integers(_saved_desirable),
            *_operands.read(_saved_divergence, dy, ddlogp),
            *_operands.made(dlogp_, ddy_),
        ),
    )
