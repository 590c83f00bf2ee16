# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# Open: exp overflows where chosen is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:3284c8cca3259d74e91a382ff15e2ccb66b3e98016374b546e341efab7cfa61d
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.

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
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import modules as _modules
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dchosen: npt.NDArray[Any]
    drejected: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dchosen: npt.NDArray[Any]
    drejected: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    chosen: npt.NDArray[Any]  # argument chosen of forward
    rejected: npt.NDArray[Any]  # argument rejected of forward
    weight: float  # constant weight of forward


@overload
def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    *,
    weight: float = 0.1,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    *,
    weight: float = 0.1,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    *,
    weight: float = 0.1,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.

        expm1_chosen = expm1(chosen)
        u = -expm1_chosen
        log_u = log(u)
        total_2 = chosen - rejected - log_u
        expm1_rejected = expm1(rejected)
        u_2 = -expm1_rejected
        log_u_2 = log(u_2)
        odds = total_2 + log_u_2
        u_3 = -odds
        softplus_u_3 = softplus(u_3)
        y = weight*softplus_u_3 - chosen

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        weight: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, chosen, rejected, weight, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    chosen: Any,
    rejected: Any,
    weight: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    weight = _calls.constant("weight", weight)
    threads = _calls.thread_count(threads)
    chosen, rejected = _calls.arrays(2, chosen=chosen, rejected=rejected)
    _shape = _calls.row_shape("chosen", chosen, 1)
    _calls.check_shapes(_shape, "the shape of chosen", rejected=rejected)
    _read = {"chosen": chosen, "rejected": rejected}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, chosen.dtype, _read, _by.empty)
    _by.fill((y_,), _blocks.Work(_shape, _dtype, threads), (chosen, rejected, weight))
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, chosen, rejected, weight) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    chosen_rows, rejected_rows, weight = values
    (y_out,) = results
    _, dtype, _ = call
    weight = np.asarray(weight, dtype)

    def block(chosen, rejected, y_block=None, buffers=(None,)):
        # step 1: total = chosen - rejected
        total = np.subtract(chosen, rejected, out=y_block)
        # step 2: expm1_chosen = expm1(chosen)
        expm1_chosen = np.expm1(chosen, out=buffers[0])
        # step 3: u = -expm1_chosen
        u = np.negative(expm1_chosen, out=expm1_chosen)
        # step 4: log_u = log(u)
        log_u = np.log(u, out=u)
        # step 5: total_2 = total - log_u
        total_2 = np.subtract(total, log_u, out=total)
        # step 6: expm1_rejected = expm1(rejected)
        expm1_rejected = np.expm1(rejected, out=buffers[0])
        # step 7: u_2 = -expm1_rejected
        u_2 = np.negative(expm1_rejected, out=expm1_rejected)
        # step 8: log_u_2 = log(u_2)
        log_u_2 = np.log(u_2, out=u_2)
        # step 9: odds = log_u_2 + total_2
        odds = np.add(log_u_2, total_2, out=total_2)
        # step 10: u_3 = -odds
        u_3 = np.negative(odds, out=odds)
        # step 11: softplus_u_3 = softplus(u_3)
        softplus_u_3 = _functions.softplus(u_3, out=u_3)
        # step 12: y = softplus_u_3*weight - chosen
        y = np.multiply(softplus_u_3, weight, out=softplus_u_3)
        y = np.subtract(y, chosen, out=y)
        return (y,)

    return _blocks.each_block(
        block, call, rows=(chosen_rows, rejected_rows), into=(y_out,), buffers=1
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dodds = -weight*dy*sigmoid(u_3)
        dchosen = dodds + dodds*exp(chosen)/u - dy
        drejected = -dodds - dodds*exp(rejected)/u_2

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
    _of_chosen, _of_rejected = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {"dy": dy, "saved.chosen": saved.chosen, "saved.rejected": saved.rejected}
    _dtype = _calls.compute_type(_read, saved.dtype)
    dchosen_, drejected_ = _calls.results(
        out,
        _read,
        _by.empty,
        dchosen=(_shape, _of_chosen),
        drejected=(_shape, _of_rejected),
    )
    _by.fill(
        (dchosen_, drejected_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.chosen, saved.rejected, saved.weight),
    )
    return Gradients(*_calls.returned((dchosen_, drejected_), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    chosen_rows, rejected_rows, weight = fields
    dchosen_out, drejected_out = results
    _, dtype, _ = call
    weight = np.asarray(weight, dtype)
    # step 17: dodds = -sigmoid(u_3)*dy*weight
    part = np.negative(weight)

    def block(
        chosen,
        rejected,
        dy,
        dchosen_block=None,
        drejected_block=None,
        buffers=(None,) * 3,
    ):
        # step 1: total = chosen - rejected
        total = np.subtract(chosen, rejected, out=dchosen_block)
        # step 2: expm1_chosen = expm1(chosen)
        expm1_chosen = np.expm1(chosen, out=drejected_block)
        # step 3: u = -expm1_chosen
        u = np.negative(expm1_chosen, out=expm1_chosen)
        # step 4: log_u = log(u)
        log_u = np.log(u, out=buffers[0])
        # step 5: total_2 = total - log_u
        total_2 = np.subtract(total, log_u, out=total)
        # step 6: expm1_rejected = expm1(rejected)
        expm1_rejected = np.expm1(rejected, out=buffers[0])
        # step 7: u_2 = -expm1_rejected
        u_2 = np.negative(expm1_rejected, out=expm1_rejected)
        # step 8: log_u_2 = log(u_2)
        log_u_2 = np.log(u_2, out=buffers[1])
        # step 9: odds = log_u_2 + total_2
        odds = np.add(log_u_2, total_2, out=total_2)
        # step 10: u_3 = -odds
        u_3 = np.negative(odds, out=odds)
        # step 17: dodds = -sigmoid(u_3)*dy*weight
        dodds = _functions.sigmoid(u_3, out=u_3)
        dodds = np.multiply(dodds, dy, out=dodds)
        dodds = np.multiply(dodds, part, out=buffers[1])
        # step 24: dchosen = dodds + dodds*exp(chosen)/u - dy
        dchosen = np.exp(chosen, out=dchosen_block)
        dchosen = np.multiply(dodds, dchosen, out=dchosen)
        dchosen = np.divide(dchosen, u, out=dchosen)
        dchosen = np.add(dodds, dchosen, out=dchosen)
        dchosen = np.subtract(dchosen, dy, out=dchosen)
        # step 29: drejected = -dodds - dodds*exp(rejected)/u_2
        drejected = np.negative(dodds, out=drejected_block)
        part_2 = np.exp(rejected, out=buffers[2])
        part_2 = np.multiply(dodds, part_2, out=dodds)
        part_2 = np.divide(part_2, u_2, out=u_2)
        drejected = np.subtract(drejected, part_2, out=drejected)
        return dchosen, drejected

    return _blocks.each_block(
        block,
        call,
        rows=(chosen_rows, rejected_rows, dy_rows),
        into=(dchosen_out, drejected_out),
        buffers=3,
    )


def jvp(
    saved: Saved,
    chosen_dot: npt.NDArray[Any] | None = None,
    rejected_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = weight*sigmoid(u_3)*(rejected_dot + rejected_dot*exp(rejected)/u_2 -
            chosen_dot - chosen_dot*exp(chosen)/u) - chosen_dot

    Args:
        saved: the second result of `forward`.
        chosen_dot: the tangent of chosen, in its shape; None stands for zero.
        rejected_dot: the tangent of rejected, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, chosen_dot, rejected_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    chosen_dot: Any,
    rejected_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_chosen, _of_rejected = saved[2]
    chosen_dot, rejected_dot = _calls.arrays(
        0, chosen_dot=chosen_dot, rejected_dot=rejected_dot
    )
    _calls.check_any("tangent", chosen_dot, rejected_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of chosen", chosen_dot=chosen_dot)
    _calls.check_shapes(_shape, "the shape of rejected", rejected_dot=rejected_dot)
    _read = {
        "chosen_dot": chosen_dot,
        "rejected_dot": rejected_dot,
        "saved.chosen": saved.chosen,
        "saved.rejected": saved.rejected,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_chosen, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (chosen_dot, rejected_dot),
        (saved.chosen, saved.rejected, saved.weight),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    chosen_dot_rows, rejected_dot_rows = arguments
    chosen_rows, rejected_rows, weight = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    weight = np.asarray(weight, dtype)

    def block(
        chosen,
        rejected,
        chosen_dot,
        rejected_dot,
        y_dot_block=None,
        buffers=(None,) * 3,
    ):
        # step 1: total = chosen - rejected
        total = np.subtract(chosen, rejected, out=y_dot_block)
        # step 2: expm1_chosen = expm1(chosen)
        expm1_chosen = np.expm1(chosen, out=buffers[0])
        # step 3: u = -expm1_chosen
        u = np.negative(expm1_chosen, out=expm1_chosen)
        # step 4: log_u = log(u)
        log_u = np.log(u, out=buffers[1])
        # step 5: total_2 = total - log_u
        total_2 = np.subtract(total, log_u, out=total)
        # step 6: expm1_rejected = expm1(rejected)
        expm1_rejected = np.expm1(rejected, out=buffers[1])
        # step 7: u_2 = -expm1_rejected
        u_2 = np.negative(expm1_rejected, out=expm1_rejected)
        # step 8: log_u_2 = log(u_2)
        log_u_2 = np.log(u_2, out=buffers[2])
        # step 9: odds = log_u_2 + total_2
        odds = np.add(log_u_2, total_2, out=total_2)
        # step 10: u_3 = -odds
        u_3 = np.negative(odds, out=odds)
        # step 52: y_dot = (rejected_dot + exp(rejected)*rejected_dot/u_2 - chosen_dot -
        #   chosen_dot*exp(chosen)/u)*sigmoid(u_3)*weight - chosen_dot
        if rejected_dot_rows is not None:
            y_dot = np.exp(rejected, out=buffers[2])
            y_dot = np.multiply(y_dot, rejected_dot, out=y_dot)
            y_dot = np.divide(y_dot, u_2, out=u_2)
            y_dot = np.add(rejected_dot, y_dot, out=y_dot)
        else:
            y_dot = 0.0
        if chosen_dot_rows is not None:
            y_dot = np.subtract(y_dot, chosen_dot, out=buffers[1])
            part = np.exp(chosen, out=buffers[2])
            part = np.multiply(chosen_dot, part, out=part)
            part = np.divide(part, u, out=u)
            y_dot = np.subtract(y_dot, part, out=part)
        part_2 = _functions.sigmoid(u_3, out=u_3)
        y_dot = np.multiply(y_dot, part_2, out=part_2)
        y_dot = np.multiply(y_dot, weight, out=y_dot)
        if chosen_dot_rows is not None:
            y_dot = np.subtract(y_dot, chosen_dot, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(chosen_rows, rejected_rows, chosen_dot_rows, rejected_dot_rows),
        into=(y_dot_out,),
        buffers=3,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddchosen: npt.NDArray[Any] | None = None,
    ddrejected: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        dodds = -weight*dy*sigmoid(u_3)
        ddodds = ddchosen*(1 + exp(chosen)/u) + (-ddrejected*(1 + exp(rejected)/u_2))
        d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
        d2chosen = d2odds + ddchosen*dodds*exp(chosen)/u + exp(chosen)*(d2odds +
            ddchosen*dodds*exp(chosen)/u)/u
        d2rejected = (-exp(rejected)*(d2odds + ddrejected*dodds*exp(rejected)/u_2)/u_2)
            - d2odds - ddrejected*dodds*exp(rejected)/u_2
        ddy = -ddchosen - weight*ddodds*sigmoid(u_3)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddchosen: the cotangent of dchosen, in its shape; None stands for zero.
        ddrejected: the cotangent of drejected, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dchosen is d2chosen, drejected
    is d2rejected) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddchosen, ddrejected, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddchosen: Any,
    ddrejected: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_chosen, _of_rejected = saved[2]
    dy, ddchosen, ddrejected = _calls.arrays(
        1, dy=dy, ddchosen=ddchosen, ddrejected=ddrejected
    )
    _calls.check_any("cotangent of a gradient", ddchosen, ddrejected)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of chosen", ddchosen=ddchosen)
    _calls.check_shapes(_shape, "the shape of rejected", ddrejected=ddrejected)
    _read = {
        "cotangents[0]": dy,
        "ddchosen": ddchosen,
        "ddrejected": ddrejected,
        "saved.chosen": saved.chosen,
        "saved.rejected": saved.rejected,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dchosen_, drejected_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dchosen=(_shape, _of_chosen),
        drejected=(_shape, _of_rejected),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dchosen_, drejected_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddchosen, ddrejected),
        (saved.chosen, saved.rejected, saved.weight),
    )
    return SecondGradients(*_calls.returned((dchosen_, drejected_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddchosen_rows, ddrejected_rows = arguments
    chosen_rows, rejected_rows, weight = fields
    dchosen_out, drejected_out, ddy_out = results
    _, dtype, _ = call
    weight = np.asarray(weight, dtype)
    # step 53: dodds = -sigmoid(u_3)*dy*weight
    part_2 = np.negative(weight)

    def block(
        chosen,
        rejected,
        dy,
        ddchosen,
        ddrejected,
        dchosen_block=None,
        drejected_block=None,
        ddy_block=None,
        buffers=(None,) * 6,
    ):
        # step 1: total = chosen - rejected
        total = np.subtract(chosen, rejected, out=dchosen_block)
        # step 2: expm1_chosen = expm1(chosen)
        expm1_chosen = np.expm1(chosen, out=drejected_block)
        # step 3: u = -expm1_chosen
        u = np.negative(expm1_chosen, out=expm1_chosen)
        # step 4: log_u = log(u)
        log_u = np.log(u, out=ddy_block)
        # step 5: total_2 = total - log_u
        total_2 = np.subtract(total, log_u, out=total)
        # step 6: expm1_rejected = expm1(rejected)
        expm1_rejected = np.expm1(rejected, out=ddy_block)
        # step 7: u_2 = -expm1_rejected
        u_2 = np.negative(expm1_rejected, out=expm1_rejected)
        # step 8: log_u_2 = log(u_2)
        log_u_2 = np.log(u_2, out=buffers[0])
        # step 9: odds = log_u_2 + total_2
        odds = np.add(log_u_2, total_2, out=total_2)
        # step 10: u_3 = -odds
        u_3 = np.negative(odds, out=odds)
        # step 53: dodds = -sigmoid(u_3)*dy*weight
        part = _functions.sigmoid(u_3, out=buffers[0])
        dodds = np.multiply(part, dy, out=dchosen_block)
        dodds = np.multiply(dodds, part_2, out=buffers[1])
        # step 56: ddodds = (exp(chosen)/u + 1)*ddchosen + (-1 -
        #   exp(rejected)/u_2)*ddrejected
        part_3 = np.exp(chosen, out=dchosen_block)
        if ddchosen_rows is not None:
            ddodds = np.divide(part_3, u, out=buffers[2])
            ddodds = np.add(ddodds, 1.0, out=ddodds)
            ddodds = np.multiply(ddodds, ddchosen, out=ddodds)
        part_4 = np.exp(rejected, out=buffers[3])
        if ddrejected_rows is not None:
            part_5 = np.divide(part_4, u_2, out=buffers[4])
            part_5 = np.subtract(-1.0, part_5, out=part_5)
            part_5 = np.multiply(part_5, ddrejected, out=part_5)
        if ddchosen_rows is not None and ddrejected_rows is not None:
            ddodds = np.add(ddodds, part_5, out=ddodds)
        if ddchosen_rows is None:
            ddodds = part_5
        # step 59: d2odds = (1 - sigmoid(u_3))*sigmoid(u_3)*ddodds*dy*weight
        d2odds = np.subtract(1.0, part, out=buffers[5])
        d2odds = np.multiply(d2odds, part, out=d2odds)
        d2odds = np.multiply(d2odds, ddodds, out=d2odds)
        d2odds = np.multiply(d2odds, dy, out=d2odds)
        d2odds = np.multiply(d2odds, weight, out=d2odds)
        # step 67: d2chosen = d2odds + ddchosen*dodds*exp(chosen)/u + (d2odds +
        #   ddchosen*dodds*exp(chosen)/u)*exp(chosen)/u
        if ddchosen_rows is not None:
            part_6 = np.multiply(ddchosen, dodds, out=buffers[4])
            part_6 = np.multiply(part_6, part_3, out=part_6)
            part_6 = np.divide(part_6, u, out=part_6)
            part_6 = np.add(d2odds, part_6, out=part_6)
        else:
            part_6 = d2odds
        d2chosen = np.multiply(part_6, part_3, out=part_3)
        d2chosen = np.divide(d2chosen, u, out=d2chosen)
        d2chosen = np.add(part_6, d2chosen, out=d2chosen)
        # step 73: d2rejected = (-d2odds -
        #   ddrejected*dodds*exp(rejected)/u_2)*exp(rejected)/u_2 - d2odds -
        #   ddrejected*dodds*exp(rejected)/u_2
        d2rejected = np.negative(d2odds, out=drejected_block)
        if ddrejected_rows is not None:
            part_7 = np.multiply(ddrejected, dodds, out=dodds)
            part_7 = np.multiply(part_7, part_4, out=part_7)
            part_7 = np.divide(part_7, u_2, out=part_7)
            d2rejected = np.subtract(d2rejected, part_7, out=d2rejected)
        d2rejected = np.multiply(d2rejected, part_4, out=d2rejected)
        d2rejected = np.divide(d2rejected, u_2, out=d2rejected)
        d2rejected = np.subtract(d2rejected, d2odds, out=d2rejected)
        if ddrejected_rows is not None:
            d2rejected = np.subtract(d2rejected, part_7, out=d2rejected)
        # step 74: ddy = -ddchosen - sigmoid(u_3)*ddodds*weight
        if ddchosen_rows is not None:
            ddy = np.negative(ddchosen, out=ddy_block)
        else:
            ddy = 0.0
        part_8 = np.multiply(part, ddodds, out=part)
        part_8 = np.multiply(part_8, weight, out=part_8)
        ddy = np.subtract(ddy, part_8, out=ddy_block)
        return d2chosen, d2rejected, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(chosen_rows, rejected_rows, dy_rows, ddchosen_rows, ddrejected_rows),
        into=(dchosen_out, drejected_out, ddy_out),
        buffers=6,
    )


def saved_from(
    *,
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    weight: float,
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
    fields_ = (chosen, rejected, weight)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, chosen, rejected, weight)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "orpo")
    _calls.check_first_fields(saved, (True, True))
    _calls.check_number("weight", saved.weight)
    _shape = saved.shape
    _calls.check_kept(_shape, chosen=saved.chosen, rejected=saved.rejected)


INTERFACE: _interface.Interface = {
    "name": "orpo",
    "minimum_features": 1,
    "inputs": [_interface.given("chosen", "Row"), _interface.given("rejected", "Row")],
    "constants": [_interface.constant("weight", default=0.1)],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("chosen", "input", ["...", "D"]),
        _interface.saved("rejected", "input", ["...", "D"]),
        _interface.saved("weight", "constant", []),
    ],
    "gradients": [_interface.gradient("chosen"), _interface.gradient("rejected")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


_Gradients: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class Orpo(_modules.NumpyModule):
    """`orpo` as an object without parameters.

    Args:
        weight: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        weight: float = 0.1,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.weight = self._constant("weight", weight, True)

    def forward(
        self, chosen: npt.NDArray[Any], rejected: npt.NDArray[Any], *, save: bool = True
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            chosen, rejected, weight=self.weight, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> _Gradients:
        """Return `(dchosen, drejected)`, given the gradient of a loss with respect to
        the output, once for each `forward`.
        """
        found = self._gradients(dy)
        return found.dchosen, found.drejected
