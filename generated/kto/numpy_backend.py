# Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
# Do not edit; edit kto.py and run: lngen derive kto.py
# definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
"""Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

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

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dlogp: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dlogp: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    logp: npt.NDArray[Any]  # argument logp of forward
    reference: npt.NDArray[Any]  # argument reference of forward
    desirable: npt.NDArray[Any]  # argument desirable of forward
    divergence: npt.NDArray[Any] | None  # argument divergence of forward
    beta: float  # constant beta of forward
    gain: float  # constant gain of forward
    loss: float  # constant loss of forward


@overload
def forward(
    logp: npt.NDArray[Any],
    reference: npt.NDArray[Any],
    desirable: npt.NDArray[Any],
    divergence: npt.NDArray[Any] | None = None,
    *,
    beta: float = 0.1,
    gain: float = 1.0,
    loss: float = 1.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    logp: npt.NDArray[Any],
    reference: npt.NDArray[Any],
    desirable: npt.NDArray[Any],
    divergence: npt.NDArray[Any] | None = None,
    *,
    beta: float = 0.1,
    gain: float = 1.0,
    loss: float = 1.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


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
    """Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

        reward = logp - reference - divergence
        u = -beta*reward
        sigmoid_u = sigmoid(u)
        u_2 = beta*reward
        sigmoid_u_2 = sigmoid(u_2)
        y = where(desirable > 0, gain*sigmoid_u, loss*sigmoid_u_2)

    Args:
        logp: shape (..., D).
        reference: shape (..., D), without a gradient.
        desirable: integers of shape (..., D).
        divergence: shape (..., D), without a gradient. If omitted it is 0, at no cost.
        beta: a constant, a finite number.
        gain: a constant, a finite number.
        loss: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(
        _FORWARD,
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


def _forward(
    _by: _blocks.ArrayFunction,
    logp: Any,
    reference: Any,
    desirable: Any,
    divergence: Any,
    beta: Any,
    gain: Any,
    loss: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    beta = _calls.constant("beta", beta)
    gain = _calls.constant("gain", gain)
    loss = _calls.constant("loss", loss)
    threads = _calls.thread_count(threads)
    logp, reference, divergence = _calls.arrays(
        2, logp=logp, reference=reference, divergence=divergence
    )
    desirable = _calls.integers("desirable", desirable, True)
    _shape = _calls.row_shape("logp", logp, 1)
    _calls.check_shapes(
        _shape,
        "the shape of logp",
        reference=reference,
        desirable=desirable,
        divergence=divergence,
    )
    _read = {
        "logp": logp,
        "reference": reference,
        "desirable": desirable,
        "divergence": divergence,
    }
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, logp.dtype, _read, _by.empty)
    _by.fill(
        (y_,),
        _blocks.Work(_shape, _dtype, threads),
        (logp, reference, desirable, divergence, beta, gain, loss),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
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
        )
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    (
        logp_rows,
        reference_rows,
        desirable_rows,
        divergence_rows,
        beta,
        gain,
        loss,
    ) = values
    (y_out,) = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    gain = np.asarray(gain, dtype)
    loss = np.asarray(loss, dtype)
    # step 3: u = -reward*beta
    part = np.negative(beta)

    def block(logp, reference, desirable, divergence, y_block=None, buffers=(None,)):
        # step 1: total = logp - reference
        total = np.subtract(logp, reference, out=y_block)
        # step 2: reward = total - divergence
        if divergence_rows is not None:
            reward = np.subtract(total, divergence, out=total)
        else:
            reward = total
        # step 3: u = -reward*beta
        u = np.multiply(reward, part, out=buffers[0])
        # step 4: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 5: u_2 = reward*beta
        u_2 = np.multiply(reward, beta, out=reward)
        # step 6: sigmoid_u_2 = sigmoid(u_2)
        sigmoid_u_2 = _functions.sigmoid(u_2, out=u_2)
        # step 7: y = where(desirable > 0, sigmoid_u*gain, sigmoid_u_2*loss)
        mask = desirable > 0
        y = np.multiply(sigmoid_u, gain, out=sigmoid_u)
        part_2 = np.multiply(sigmoid_u_2, loss, out=sigmoid_u_2)
        y = _rows.select(mask, y, part_2, out=part_2)
        return (y,)

    return _blocks.each_block(
        block,
        call,
        rows=(logp_rows, reference_rows, desirable_rows, divergence_rows),
        into=(y_out,),
        buffers=1,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dlogp = beta*where(desirable > 0, -gain*dy*sigmoid_u*(1 - sigmoid_u), loss*dy*sigmoid_u_2*(1 - sigmoid_u_2))

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
    _check(saved)
    _of_logp, _of_reference, _of_desirable, _of_divergence = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.logp": saved.logp,
        "saved.reference": saved.reference,
        "saved.desirable": saved.desirable,
        "saved.divergence": saved.divergence,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dlogp_,) = _calls.results(out, _read, _by.empty, dlogp=(_shape, _of_logp))
    _by.fill(
        (dlogp_,),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.logp,
            saved.reference,
            saved.desirable,
            saved.divergence,
            saved.beta,
            saved.gain,
            saved.loss,
        ),
    )
    return Gradients(*_calls.returned((dlogp_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (
        logp_rows,
        reference_rows,
        desirable_rows,
        divergence_rows,
        beta,
        gain,
        loss,
    ) = fields
    (dlogp_out,) = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    gain = np.asarray(gain, dtype)
    loss = np.asarray(loss, dtype)
    # step 3: u = -reward*beta
    part = np.negative(beta)
    # step 20: dlogp = where(desirable > 0, -(1 - sigmoid_u)*dy*sigmoid_u*gain, (1 -
    #   sigmoid_u_2)*dy*sigmoid_u_2*loss)*beta
    part_2 = np.negative(gain)

    def block(
        logp,
        reference,
        desirable,
        divergence,
        dy,
        dlogp_block=None,
        buffers=(None,) * 2,
    ):
        # step 1: total = logp - reference
        total = np.subtract(logp, reference, out=dlogp_block)
        # step 2: reward = total - divergence
        if divergence_rows is not None:
            reward = np.subtract(total, divergence, out=total)
        else:
            reward = total
        # step 3: u = -reward*beta
        u = np.multiply(reward, part, out=buffers[0])
        # step 4: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 5: u_2 = reward*beta
        u_2 = np.multiply(reward, beta, out=reward)
        # step 6: sigmoid_u_2 = sigmoid(u_2)
        sigmoid_u_2 = _functions.sigmoid(u_2, out=u_2)
        # step 20: dlogp = where(desirable > 0, -(1 - sigmoid_u)*dy*sigmoid_u*gain, (1 -
        #   sigmoid_u_2)*dy*sigmoid_u_2*loss)*beta
        mask = desirable > 0
        dlogp = np.subtract(1.0, sigmoid_u, out=buffers[1])
        dlogp = np.multiply(dlogp, dy, out=dlogp)
        dlogp = np.multiply(dlogp, sigmoid_u, out=sigmoid_u)
        dlogp = np.multiply(dlogp, part_2, out=dlogp)
        part_3 = np.subtract(1.0, sigmoid_u_2, out=buffers[1])
        part_3 = np.multiply(part_3, dy, out=part_3)
        part_3 = np.multiply(part_3, sigmoid_u_2, out=sigmoid_u_2)
        part_3 = np.multiply(part_3, loss, out=part_3)
        dlogp = _rows.select(mask, dlogp, part_3, out=part_3)
        dlogp = np.multiply(dlogp, beta, out=dlogp)
        return (dlogp,)

    return _blocks.each_block(
        block,
        call,
        rows=(logp_rows, reference_rows, desirable_rows, divergence_rows, dy_rows),
        into=(dlogp_out,),
        buffers=2,
    )


def jvp(
    saved: Saved,
    logp_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = where(desirable > 0, -beta*gain*logp_dot*sigmoid_u*(1 - sigmoid_u),
            beta*loss*logp_dot*sigmoid_u_2*(1 - sigmoid_u_2))

    Args:
        saved: the second result of `forward`.
        logp_dot: the tangent of logp, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, logp_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction, saved: Any, logp_dot: Any, out: Any, threads: Any
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_logp, _of_reference, _of_desirable, _of_divergence = saved[2]
    logp_dot = _calls.array("logp_dot", logp_dot, False)
    _calls.check_any("tangent", logp_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of logp", logp_dot=logp_dot)
    _read = {
        "logp_dot": logp_dot,
        "saved.logp": saved.logp,
        "saved.reference": saved.reference,
        "saved.desirable": saved.desirable,
        "saved.divergence": saved.divergence,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_logp, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (logp_dot,),
        (
            saved.logp,
            saved.reference,
            saved.desirable,
            saved.divergence,
            saved.beta,
            saved.gain,
            saved.loss,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (logp_dot_rows,) = arguments
    (
        logp_rows,
        reference_rows,
        desirable_rows,
        divergence_rows,
        beta,
        gain,
        loss,
    ) = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    gain = np.asarray(gain, dtype)
    loss = np.asarray(loss, dtype)
    # step 3: u = -reward*beta
    part = np.negative(beta)
    # step 30: y_dot = where(desirable > 0, -(1 -
    #   sigmoid_u)*logp_dot*sigmoid_u*beta*gain, (1 -
    #   sigmoid_u_2)*logp_dot*sigmoid_u_2*beta*loss)
    part_2 = np.negative(beta * gain)
    part_4 = beta * loss

    def block(
        logp,
        reference,
        desirable,
        divergence,
        logp_dot,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 1: total = logp - reference
        total = np.subtract(logp, reference, out=y_dot_block)
        # step 2: reward = total - divergence
        if divergence_rows is not None:
            reward = np.subtract(total, divergence, out=total)
        else:
            reward = total
        # step 3: u = -reward*beta
        u = np.multiply(reward, part, out=buffers[0])
        # step 4: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 5: u_2 = reward*beta
        u_2 = np.multiply(reward, beta, out=reward)
        # step 6: sigmoid_u_2 = sigmoid(u_2)
        sigmoid_u_2 = _functions.sigmoid(u_2, out=u_2)
        # step 30: y_dot = where(desirable > 0, -(1 -
        #   sigmoid_u)*logp_dot*sigmoid_u*beta*gain, (1 -
        #   sigmoid_u_2)*logp_dot*sigmoid_u_2*beta*loss)
        mask = desirable > 0
        y_dot = np.subtract(1.0, sigmoid_u, out=buffers[1])
        y_dot = np.multiply(y_dot, logp_dot, out=y_dot)
        y_dot = np.multiply(y_dot, sigmoid_u, out=sigmoid_u)
        y_dot = np.multiply(y_dot, part_2, out=y_dot)
        part_3 = np.subtract(1.0, sigmoid_u_2, out=buffers[1])
        part_3 = np.multiply(part_3, logp_dot, out=part_3)
        part_3 = np.multiply(part_3, sigmoid_u_2, out=sigmoid_u_2)
        part_3 = np.multiply(part_3, part_4, out=part_3)
        y_dot = _rows.select(mask, y_dot, part_3, out=part_3)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(
            logp_rows,
            reference_rows,
            desirable_rows,
            divergence_rows,
            logp_dot_rows,
        ),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddlogp: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        d2logp = beta*where(desirable > 0, -beta*ddlogp*sigmoid_u*(1 -
            sigmoid_u)*(gain*dy*sigmoid_u - gain*dy*(1 - sigmoid_u)),
            beta*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2)*(loss*dy*(1 - sigmoid_u_2) -
            loss*dy*sigmoid_u_2))
        ddy = where(desirable > 0, -beta*gain*ddlogp*sigmoid_u*(1 - sigmoid_u),
            beta*loss*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddlogp: the cotangent of dlogp, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dlogp is d2logp) and to the
    cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(_BACKWARD_BACKWARD, saved, dy_, ddlogp, out, threads)


def _backward_backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, ddlogp: Any, out: Any, threads: Any
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_logp, _of_reference, _of_desirable, _of_divergence = saved[2]
    dy, ddlogp = _calls.arrays(1, dy=dy, ddlogp=ddlogp)
    _calls.check_any("cotangent of a gradient", ddlogp)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of logp", ddlogp=ddlogp)
    _read = {
        "cotangents[0]": dy,
        "ddlogp": ddlogp,
        "saved.logp": saved.logp,
        "saved.reference": saved.reference,
        "saved.desirable": saved.desirable,
        "saved.divergence": saved.divergence,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dlogp_, ddy_ = _calls.results(
        out, _read, _by.empty, dlogp=(_shape, _of_logp), ddy=(_shape, dy.dtype)
    )
    _by.fill(
        (dlogp_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddlogp),
        (
            saved.logp,
            saved.reference,
            saved.desirable,
            saved.divergence,
            saved.beta,
            saved.gain,
            saved.loss,
        ),
    )
    return SecondGradients(*_calls.returned((dlogp_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddlogp_rows = arguments
    (
        logp_rows,
        reference_rows,
        desirable_rows,
        divergence_rows,
        beta,
        gain,
        loss,
    ) = fields
    dlogp_out, ddy_out = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    gain = np.asarray(gain, dtype)
    loss = np.asarray(loss, dtype)
    # step 3: u = -reward*beta
    part = np.negative(beta)
    # step 43: ddy = where(desirable > 0, -(1 - sigmoid_u)*ddlogp*sigmoid_u*beta*gain,
    #   (1 - sigmoid_u_2)*ddlogp*sigmoid_u_2*beta*loss)
    part_8 = np.negative(beta * gain)
    part_10 = beta * loss

    def block(
        logp,
        reference,
        desirable,
        divergence,
        dy,
        ddlogp,
        dlogp_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        # step 1: total = logp - reference
        total = np.subtract(logp, reference, out=dlogp_block)
        # step 2: reward = total - divergence
        if divergence_rows is not None:
            reward = np.subtract(total, divergence, out=total)
        else:
            reward = total
        # step 3: u = -reward*beta
        u = np.multiply(reward, part, out=ddy_block)
        # step 4: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 5: u_2 = reward*beta
        u_2 = np.multiply(reward, beta, out=reward)
        # step 6: sigmoid_u_2 = sigmoid(u_2)
        sigmoid_u_2 = _functions.sigmoid(u_2, out=buffers[0])
        # step 42: d2logp = where(desirable > 0, -(1 -
        #   sigmoid_u)*ddlogp*(dy*sigmoid_u*gain - (1 -
        #   sigmoid_u)*dy*gain)*sigmoid_u*beta, ((1 - sigmoid_u_2)*dy*loss -
        #   dy*sigmoid_u_2*loss)*(1 - sigmoid_u_2)*ddlogp*sigmoid_u_2*beta)*beta
        mask = desirable > 0
        part_2 = np.subtract(1.0, sigmoid_u, out=dlogp_block)
        part_3 = np.multiply(part_2, ddlogp, out=buffers[1])
        d2logp = np.multiply(dy, sigmoid_u, out=buffers[2])
        d2logp = np.multiply(d2logp, gain, out=d2logp)
        part_4 = np.multiply(part_2, dy, out=part_2)
        part_4 = np.multiply(part_4, gain, out=part_4)
        d2logp = np.subtract(d2logp, part_4, out=part_4)
        d2logp = np.multiply(part_3, d2logp, out=d2logp)
        d2logp = np.multiply(d2logp, sigmoid_u, out=d2logp)
        d2logp = np.multiply(d2logp, part, out=d2logp)
        part_5 = np.subtract(1.0, sigmoid_u_2, out=buffers[2])
        part_6 = np.multiply(part_5, dy, out=buffers[3])
        part_6 = np.multiply(part_6, loss, out=part_6)
        part_7 = np.multiply(dy, sigmoid_u_2, out=buffers[4])
        part_7 = np.multiply(part_7, loss, out=part_7)
        part_6 = np.subtract(part_6, part_7, out=part_6)
        part_6 = np.multiply(part_6, part_5, out=part_6)
        part_6 = np.multiply(part_6, ddlogp, out=part_6)
        part_6 = np.multiply(part_6, sigmoid_u_2, out=part_6)
        part_6 = np.multiply(part_6, beta, out=part_6)
        d2logp = _rows.select(mask, d2logp, part_6, out=d2logp)
        d2logp = np.multiply(d2logp, beta, out=d2logp)
        # step 43: ddy = where(desirable > 0, -(1 -
        #   sigmoid_u)*ddlogp*sigmoid_u*beta*gain, (1 -
        #   sigmoid_u_2)*ddlogp*sigmoid_u_2*beta*loss)
        ddy = np.multiply(part_3, sigmoid_u, out=sigmoid_u)
        ddy = np.multiply(ddy, part_8, out=ddy)
        part_9 = np.multiply(part_5, ddlogp, out=buffers[1])
        part_9 = np.multiply(part_9, sigmoid_u_2, out=sigmoid_u_2)
        part_9 = np.multiply(part_9, part_10, out=part_9)
        ddy = _rows.select(mask, ddy, part_9, out=ddy)
        return d2logp, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(
            logp_rows,
            reference_rows,
            desirable_rows,
            divergence_rows,
            dy_rows,
            ddlogp_rows,
        ),
        into=(dlogp_out, ddy_out),
        buffers=5,
    )


def saved_from(
    *,
    logp: npt.NDArray[Any],
    reference: npt.NDArray[Any],
    desirable: npt.NDArray[Any],
    divergence: npt.NDArray[Any] | None = None,
    beta: float,
    gain: float,
    loss: float,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the shape of the rows; None if a field has it.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (logp, reference, desirable, divergence, beta, gain, loss)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, logp, reference, desirable, divergence, beta, gain, loss)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "kto")
    _calls.check_first_fields(saved, (True, True, True, False))
    _calls.check_number("beta", saved.beta)
    _calls.check_number("gain", saved.gain)
    _calls.check_number("loss", saved.loss)
    _shape = saved.shape
    _calls.check_kept(_shape, logp=saved.logp, reference=saved.reference)
    _calls.check_kept_integers(_shape, desirable=saved.desirable)
    _calls.check_kept(_shape, saved.dtypes[3] is not None, divergence=saved.divergence)


INTERFACE: _interface.Interface = {
    "name": "kto",
    "minimum_features": 1,
    "inputs": [
        _interface.given("logp", "Row"),
        _interface.given("reference", "Data"),
        _interface.given("desirable", "Int"),
        _interface.given("divergence", "Data", default=0),
    ],
    "constants": [
        _interface.constant("beta", default=0.1),
        _interface.constant("gain", default=1),
        _interface.constant("loss", default=1),
    ],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("logp", "input", ["...", "D"]),
        _interface.saved("reference", "input", ["...", "D"]),
        _interface.saved("desirable", "input", ["...", "D"]),
        _interface.saved("divergence", "input", ["...", "D"]),
        _interface.saved("beta", "constant", []),
        _interface.saved("gain", "constant", []),
        _interface.saved("loss", "constant", []),
    ],
    "gradients": [_interface.gradient("logp")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class Kto(_modules.NumpyModule):
    """`kto` as an object without parameters.

    Args:
        beta: a constant, a finite number.
        gain: a constant, a finite number.
        loss: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        beta: float = 0.1,
        gain: float = 1.0,
        loss: float = 1.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.beta = self._constant("beta", beta, True)
        self.gain = self._constant("gain", gain, True)
        self.loss = self._constant("loss", loss, True)

    def forward(
        self,
        logp: npt.NDArray[Any],
        reference: npt.NDArray[Any],
        desirable: npt.NDArray[Any],
        divergence: npt.NDArray[Any] | None = None,
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            logp,
            reference,
            desirable,
            divergence,
            beta=self.beta,
            gain=self.gain,
            loss=self.loss,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dlogp, given the gradient of a loss with respect to the output, once
        for each `forward`.
        """
        found = self._gradients(dy)
        return found.dlogp
