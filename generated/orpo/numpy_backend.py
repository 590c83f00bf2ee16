# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

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
from .._runtime.numpy import rows as _rows
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
    least: float  # constant least of forward


@overload
def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    *,
    weight: float = 0.1,
    least: float = 1e-7,
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
    least: float = 1e-7,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    *,
    weight: float = 0.1,
    least: float = 1e-7,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

        c = where(chosen >= -least, -least, chosen)
        r = where(rejected >= -least, -least, rejected)
        expm1_c = expm1(c)
        u = -expm1_c
        log_u = log(u)
        total_2 = c - r - log_u
        expm1_r = expm1(r)
        u_2 = -expm1_r
        log_u_2 = log(u_2)
        odds = total_2 + log_u_2
        u_3 = -odds
        softplus_u_3 = softplus(u_3)
        y = weight*softplus_u_3 - c

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        weight: a constant, a finite number.
        least: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, chosen, rejected, weight, least, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    chosen: Any,
    rejected: Any,
    weight: Any,
    least: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    weight = _calls.constant("weight", weight)
    least = _calls.constant("least", least, signed=False)
    threads = _calls.thread_count(threads)
    chosen, rejected = _calls.arrays(2, chosen=chosen, rejected=rejected)
    _shape = _calls.row_shape("chosen", chosen, 1)
    _calls.check_shapes(_shape, "the shape of chosen", rejected=rejected)
    _read = {"chosen": chosen, "rejected": rejected}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, chosen.dtype, _read, _by.empty)
    _by.fill(
        (y_,), _blocks.Work(_shape, _dtype, threads), (chosen, rejected, weight, least)
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_shape, _dtype, _dtypes, chosen, rejected, weight, least)
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    chosen_rows, rejected_rows, weight, least = values
    (y_out,) = results
    shape, dtype, _ = call
    weight = np.asarray(weight, dtype)
    least = np.asarray(least, dtype)
    # step 1: c = where(chosen >= -least, -least, chosen)
    part = np.negative(least)

    def block(chosen, rejected, y_block=None, buffers=(None,) * 3):
        # step 1: c = where(chosen >= -least, -least, chosen)
        mask = chosen >= part
        c = _rows.select(mask, part, chosen, out=_rows.memory(y_block, shape, dtype))
        # step 2: r = where(rejected >= -least, -least, rejected)
        mask_2 = rejected >= part
        r = _rows.select(
            mask_2, part, rejected, out=_rows.memory(buffers[0], shape, dtype)
        )
        # step 3: total = c - r
        total = np.subtract(c, r, out=buffers[1])
        # step 4: expm1_c = expm1(c)
        expm1_c = np.expm1(c, out=buffers[2])
        # step 5: u = -expm1_c
        u = np.negative(expm1_c, out=expm1_c)
        # step 6: log_u = log(u)
        log_u = np.log(u, out=u)
        # step 7: total_2 = total - log_u
        total_2 = np.subtract(total, log_u, out=total)
        # step 8: expm1_r = expm1(r)
        expm1_r = np.expm1(r, out=r)
        # step 9: u_2 = -expm1_r
        u_2 = np.negative(expm1_r, out=expm1_r)
        # step 10: log_u_2 = log(u_2)
        log_u_2 = np.log(u_2, out=u_2)
        # step 11: odds = log_u_2 + total_2
        odds = np.add(log_u_2, total_2, out=log_u_2)
        # step 12: u_3 = -odds
        u_3 = np.negative(odds, out=odds)
        # step 13: softplus_u_3 = softplus(u_3)
        softplus_u_3 = _functions.softplus(u_3, out=u_3)
        # step 14: y = softplus_u_3*weight - c
        y = np.multiply(softplus_u_3, weight, out=softplus_u_3)
        y = np.subtract(y, c, out=c)
        return (y,)

    return _blocks.each_block(
        block, call, rows=(chosen_rows, rejected_rows), into=(y_out,), buffers=3
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
        dchosen = where(chosen >= -least, 0, dodds + dodds*exp(c)/u - dy)
        drejected = where(rejected >= -least, 0, -dodds - dodds*exp(r)/u_2)

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
        (saved.chosen, saved.rejected, saved.weight, saved.least),
    )
    return Gradients(*_calls.returned((dchosen_, drejected_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    chosen_rows, rejected_rows, weight, least = fields
    dchosen_out, drejected_out = results
    shape, dtype, _ = call
    weight = np.asarray(weight, dtype)
    least = np.asarray(least, dtype)
    # step 1: c = where(chosen >= -least, -least, chosen)
    part = np.negative(least)
    # step 19: dodds = -sigmoid(u_3)*dy*weight
    part_2 = np.negative(weight)

    def block(
        chosen,
        rejected,
        dy,
        dchosen_block=None,
        drejected_block=None,
        buffers=(None,) * 4,
    ):
        # step 1: c = where(chosen >= -least, -least, chosen)
        mask = chosen >= part
        c = _rows.select(
            mask, part, chosen, out=_rows.memory(dchosen_block, shape, dtype)
        )
        # step 2: r = where(rejected >= -least, -least, rejected)
        mask_2 = rejected >= part
        r = _rows.select(
            mask_2, part, rejected, out=_rows.memory(drejected_block, shape, dtype)
        )
        # step 3: total = c - r
        total = np.subtract(c, r, out=buffers[0])
        # step 4: expm1_c = expm1(c)
        expm1_c = np.expm1(c, out=buffers[1])
        # step 5: u = -expm1_c
        u = np.negative(expm1_c, out=expm1_c)
        # step 6: log_u = log(u)
        log_u = np.log(u, out=buffers[2])
        # step 7: total_2 = total - log_u
        total_2 = np.subtract(total, log_u, out=total)
        # step 8: expm1_r = expm1(r)
        expm1_r = np.expm1(r, out=buffers[2])
        # step 9: u_2 = -expm1_r
        u_2 = np.negative(expm1_r, out=expm1_r)
        # step 10: log_u_2 = log(u_2)
        log_u_2 = np.log(u_2, out=buffers[3])
        # step 11: odds = log_u_2 + total_2
        odds = np.add(log_u_2, total_2, out=total_2)
        # step 12: u_3 = -odds
        u_3 = np.negative(odds, out=odds)
        # step 19: dodds = -sigmoid(u_3)*dy*weight
        dodds = _functions.sigmoid(u_3, out=u_3)
        dodds = np.multiply(dodds, dy, out=dodds)
        dodds = np.multiply(dodds, part_2, out=dodds)
        # step 28: dchosen = where(chosen >= -least, 0, dodds + dodds*exp(c)/u - dy)
        dchosen = np.exp(c, out=c)
        dchosen = np.multiply(dodds, dchosen, out=dchosen)
        dchosen = np.divide(dchosen, u, out=dchosen)
        dchosen = np.add(dodds, dchosen, out=dchosen)
        dchosen = np.subtract(dchosen, dy, out=dchosen)
        dchosen = _rows.select(mask, 0.0, dchosen, out=dchosen)
        # step 35: drejected = where(rejected >= -least, 0, -dodds - dodds*exp(r)/u_2)
        drejected = np.negative(dodds, out=buffers[1])
        part_3 = np.exp(r, out=r)
        part_3 = np.multiply(dodds, part_3, out=part_3)
        part_3 = np.divide(part_3, u_2, out=part_3)
        drejected = np.subtract(drejected, part_3, out=part_3)
        drejected = _rows.select(mask_2, 0.0, drejected, out=drejected)
        return dchosen, drejected

    return _blocks.each_block(
        block,
        call,
        rows=(chosen_rows, rejected_rows, dy_rows),
        into=(dchosen_out, drejected_out),
        buffers=4,
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

        c_dot = where(chosen >= -least, 0, chosen_dot)
        r_dot = where(rejected >= -least, 0, rejected_dot)
        y_dot = weight*sigmoid(u_3)*(r_dot + where(rejected >= -least, 0,
            r_dot*exp(r)/u_2) + where(chosen >= -least, 0, -c_dot*exp(c)/u) - c_dot) -
            c_dot

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
        (saved.chosen, saved.rejected, saved.weight, saved.least),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    chosen_dot_rows, rejected_dot_rows = arguments
    chosen_rows, rejected_rows, weight, least = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    weight = np.asarray(weight, dtype)
    least = np.asarray(least, dtype)
    # step 1: c = where(chosen >= -least, -least, chosen)
    part = np.negative(least)

    def block(
        chosen,
        rejected,
        chosen_dot,
        rejected_dot,
        y_dot_block=None,
        buffers=(None,) * 6,
    ):
        # step 1: c = where(chosen >= -least, -least, chosen)
        mask = chosen >= part
        c = _rows.select(
            mask, part, chosen, out=_rows.memory(y_dot_block, shape, dtype)
        )
        # step 2: r = where(rejected >= -least, -least, rejected)
        mask_2 = rejected >= part
        r = _rows.select(
            mask_2, part, rejected, out=_rows.memory(buffers[0], shape, dtype)
        )
        # step 3: total = c - r
        total = np.subtract(c, r, out=buffers[1])
        # step 4: expm1_c = expm1(c)
        expm1_c = np.expm1(c, out=buffers[2])
        # step 5: u = -expm1_c
        u = np.negative(expm1_c, out=expm1_c)
        # step 6: log_u = log(u)
        log_u = np.log(u, out=buffers[3])
        # step 7: total_2 = total - log_u
        total_2 = np.subtract(total, log_u, out=total)
        # step 8: expm1_r = expm1(r)
        expm1_r = np.expm1(r, out=buffers[3])
        # step 9: u_2 = -expm1_r
        u_2 = np.negative(expm1_r, out=expm1_r)
        # step 10: log_u_2 = log(u_2)
        log_u_2 = np.log(u_2, out=buffers[4])
        # step 11: odds = log_u_2 + total_2
        odds = np.add(log_u_2, total_2, out=total_2)
        # step 12: u_3 = -odds
        u_3 = np.negative(odds, out=odds)
        # step 36: c_dot = where(chosen >= -least, 0, chosen_dot)
        if chosen_dot_rows is not None:
            c_dot = _rows.select(
                mask, 0.0, chosen_dot, out=_rows.memory(buffers[4], shape, dtype)
            )
        # step 37: r_dot = where(rejected >= -least, 0, rejected_dot)
        if rejected_dot_rows is not None:
            r_dot = _rows.select(
                mask_2, 0.0, rejected_dot, out=_rows.memory(buffers[5], shape, dtype)
            )
            # step 61: y_dot = (r_dot + where(rejected >= -least, 0, exp(r)*r_dot/u_2) +
            #   where(chosen >= -least, 0, -c_dot*exp(c)/u) - c_dot)*sigmoid(u_3)*weight
            #   - c_dot
            y_dot = np.exp(r, out=r)
            y_dot = np.multiply(y_dot, r_dot, out=y_dot)
            y_dot = np.divide(y_dot, u_2, out=y_dot)
            y_dot = _rows.select(mask_2, 0.0, y_dot, out=y_dot)
            y_dot = np.add(r_dot, y_dot, out=y_dot)
        if chosen_dot_rows is not None:
            part_2 = np.exp(c, out=c)
            part_2 = np.multiply(c_dot, part_2, out=part_2)
            part_2 = np.negative(part_2, out=part_2)
            part_2 = np.divide(part_2, u, out=part_2)
            part_2 = _rows.select(mask, 0.0, part_2, out=part_2)
        if chosen_dot_rows is not None and rejected_dot_rows is not None:
            y_dot = np.add(y_dot, part_2, out=part_2)
        if rejected_dot_rows is None:
            y_dot = part_2
        if chosen_dot_rows is not None:
            y_dot = np.subtract(y_dot, c_dot, out=y_dot)
        part_3 = _functions.sigmoid(u_3, out=u_3)
        y_dot = np.multiply(y_dot, part_3, out=y_dot_block)
        y_dot = np.multiply(y_dot, weight, out=y_dot)
        if chosen_dot_rows is not None:
            y_dot = np.subtract(y_dot, c_dot, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(chosen_rows, rejected_rows, chosen_dot_rows, rejected_dot_rows),
        into=(y_dot_out,),
        buffers=6,
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
        ddodds = where(chosen >= -least, 0, ddchosen*(1 + exp(c)/u)) + where(rejected >=
            -least, 0, -ddrejected*(1 + exp(r)/u_2))
        d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
        d2chosen = where(chosen >= -least, 0, d2odds + ddchosen*dodds*exp(c)/u +
            exp(c)*(d2odds/u + ddchosen*dodds*exp(c)/u**2))
        d2rejected = where(rejected >= -least, 0, (-exp(r)*(d2odds/u_2 +
            ddrejected*dodds*exp(r)/u_2**2)) - d2odds - ddrejected*dodds*exp(r)/u_2)
        ddy = where(chosen >= -least, 0, -ddchosen) - weight*ddodds*sigmoid(u_3)

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
        (saved.chosen, saved.rejected, saved.weight, saved.least),
    )
    return SecondGradients(*_calls.returned((dchosen_, drejected_, ddy_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddchosen_rows, ddrejected_rows = arguments
    chosen_rows, rejected_rows, weight, least = fields
    dchosen_out, drejected_out, ddy_out = results
    shape, dtype, _ = call
    weight = np.asarray(weight, dtype)
    least = np.asarray(least, dtype)
    # step 1: c = where(chosen >= -least, -least, chosen)
    part = np.negative(least)
    # step 62: dodds = -sigmoid(u_3)*dy*weight
    part_3 = np.negative(weight)

    def block(
        chosen,
        rejected,
        dy,
        ddchosen,
        ddrejected,
        dchosen_block=None,
        drejected_block=None,
        ddy_block=None,
        buffers=(None,) * 8,
    ):
        # step 1: c = where(chosen >= -least, -least, chosen)
        mask = chosen >= part
        c = _rows.select(
            mask, part, chosen, out=_rows.memory(dchosen_block, shape, dtype)
        )
        # step 2: r = where(rejected >= -least, -least, rejected)
        mask_2 = rejected >= part
        r = _rows.select(
            mask_2, part, rejected, out=_rows.memory(drejected_block, shape, dtype)
        )
        # step 3: total = c - r
        total = np.subtract(c, r, out=ddy_block)
        # step 4: expm1_c = expm1(c)
        expm1_c = np.expm1(c, out=buffers[0])
        # step 5: u = -expm1_c
        u = np.negative(expm1_c, out=expm1_c)
        # step 6: log_u = log(u)
        log_u = np.log(u, out=buffers[1])
        # step 7: total_2 = total - log_u
        total_2 = np.subtract(total, log_u, out=total)
        # step 8: expm1_r = expm1(r)
        expm1_r = np.expm1(r, out=buffers[1])
        # step 9: u_2 = -expm1_r
        u_2 = np.negative(expm1_r, out=expm1_r)
        # step 10: log_u_2 = log(u_2)
        log_u_2 = np.log(u_2, out=buffers[2])
        # step 11: odds = log_u_2 + total_2
        odds = np.add(log_u_2, total_2, out=total_2)
        # step 12: u_3 = -odds
        u_3 = np.negative(odds, out=odds)
        # step 62: dodds = -sigmoid(u_3)*dy*weight
        part_2 = _functions.sigmoid(u_3, out=u_3)
        dodds = np.multiply(part_2, dy, out=buffers[2])
        dodds = np.multiply(dodds, part_3, out=dodds)
        # step 65: ddodds = where(chosen >= -least, 0, (exp(c)/u + 1)*ddchosen) +
        #   where(rejected >= -least, 0, (-1 - exp(r)/u_2)*ddrejected)
        part_4 = np.exp(c, out=c)
        if ddchosen_rows is not None:
            ddodds = np.divide(part_4, u, out=buffers[3])
            ddodds = np.add(ddodds, 1.0, out=ddodds)
            ddodds = np.multiply(ddodds, ddchosen, out=ddodds)
            ddodds = _rows.select(mask, 0.0, ddodds, out=ddodds)
        part_5 = np.exp(r, out=r)
        if ddrejected_rows is not None:
            part_6 = np.divide(part_5, u_2, out=buffers[4])
            part_6 = np.subtract(-1.0, part_6, out=part_6)
            part_6 = np.multiply(part_6, ddrejected, out=part_6)
            part_6 = _rows.select(mask_2, 0.0, part_6, out=part_6)
        if ddchosen_rows is not None and ddrejected_rows is not None:
            ddodds = np.add(ddodds, part_6, out=ddodds)
        if ddchosen_rows is None:
            ddodds = part_6
        # step 68: d2odds = (1 - sigmoid(u_3))*sigmoid(u_3)*ddodds*dy*weight
        d2odds = np.subtract(1.0, part_2, out=buffers[5])
        d2odds = np.multiply(d2odds, part_2, out=d2odds)
        d2odds = np.multiply(d2odds, ddodds, out=d2odds)
        d2odds = np.multiply(d2odds, dy, out=d2odds)
        d2odds = np.multiply(d2odds, weight, out=d2odds)
        # step 77: d2chosen = where(chosen >= -least, 0, d2odds +
        #   ddchosen*dodds*exp(c)/u + (d2odds/u + ddchosen*dodds*exp(c)/u**2)*exp(c))
        if ddchosen_rows is not None:
            part_7 = np.multiply(ddchosen, dodds, out=buffers[4])
            part_7 = np.multiply(part_7, part_4, out=part_7)
            d2chosen = np.divide(part_7, u, out=buffers[6])
            d2chosen = np.add(d2odds, d2chosen, out=d2chosen)
        else:
            d2chosen = d2odds
        part_8 = np.divide(d2odds, u, out=buffers[7])
        if ddchosen_rows is not None:
            part_9 = np.square(u, out=u)
            part_9 = np.divide(part_7, part_9, out=part_9)
            part_8 = np.add(part_8, part_9, out=part_9)
        part_8 = np.multiply(part_8, part_4, out=part_4)
        d2chosen = np.add(d2chosen, part_8, out=part_8)
        d2chosen = _rows.select(mask, 0.0, d2chosen, out=d2chosen)
        # step 84: d2rejected = where(rejected >= -least, 0, (-d2odds/u_2 -
        #   ddrejected*dodds*exp(r)/u_2**2)*exp(r) - d2odds -
        #   ddrejected*dodds*exp(r)/u_2)
        d2rejected = np.divide(d2odds, u_2, out=buffers[0])
        d2rejected = np.negative(d2rejected, out=d2rejected)
        if ddrejected_rows is not None:
            part_10 = np.multiply(ddrejected, dodds, out=dodds)
            part_10 = np.multiply(part_10, part_5, out=part_10)
            part_11 = np.square(u_2, out=buffers[6])
            part_11 = np.divide(part_10, part_11, out=part_11)
            d2rejected = np.subtract(d2rejected, part_11, out=d2rejected)
        d2rejected = np.multiply(d2rejected, part_5, out=part_5)
        d2rejected = np.subtract(d2rejected, d2odds, out=d2rejected)
        if ddrejected_rows is not None:
            part_12 = np.divide(part_10, u_2, out=buffers[0])
            d2rejected = np.subtract(d2rejected, part_12, out=d2rejected)
        d2rejected = _rows.select(mask_2, 0.0, d2rejected, out=d2rejected)
        # step 85: ddy = where(chosen >= -least, 0, -ddchosen) -
        #   sigmoid(u_3)*ddodds*weight
        if ddchosen_rows is not None:
            ddy = np.negative(ddchosen, out=buffers[0])
            ddy = _rows.select(mask, 0.0, ddy, out=ddy)
        else:
            ddy = 0.0
        part_13 = np.multiply(part_2, ddodds, out=part_2)
        part_13 = np.multiply(part_13, weight, out=part_13)
        ddy = np.subtract(ddy, part_13, out=part_13)
        return d2chosen, d2rejected, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(chosen_rows, rejected_rows, dy_rows, ddchosen_rows, ddrejected_rows),
        into=(dchosen_out, drejected_out, ddy_out),
        buffers=8,
    )


def saved_from(
    *,
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    weight: float,
    least: float,
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
    fields_ = (chosen, rejected, weight, least)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, chosen, rejected, weight, least)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "orpo")
    _calls.check_first_fields(saved, (True, True))
    _calls.check_number("weight", saved.weight)
    _calls.check_number("least", saved.least)
    _shape = saved.shape
    _calls.check_kept(_shape, chosen=saved.chosen, rejected=saved.rejected)


INTERFACE: _interface.Interface = {
    "name": "orpo",
    "minimum_features": 1,
    "inputs": [_interface.given("chosen", "Row"), _interface.given("rejected", "Row")],
    "constants": [
        _interface.constant("weight", default=0.1),
        _interface.constant("least", default=1e-7, sign="nonnegative"),
    ],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("chosen", "input", ["...", "D"]),
        _interface.saved("rejected", "input", ["...", "D"]),
        _interface.saved("weight", "constant", []),
        _interface.saved("least", "constant", []),
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
        least: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        weight: float = 0.1,
        least: float = 1e-7,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.weight = self._constant("weight", weight, True)
        self.least = self._constant("least", least, False)

    def forward(
        self, chosen: npt.NDArray[Any], rejected: npt.NDArray[Any], *, save: bool = True
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            chosen,
            rejected,
            weight=self.weight,
            least=self.least,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> _Gradients:
        """Return `(dchosen, drejected)`, given the gradient of a loss with respect to
        the output, once for each `forward`.
        """
        found = self._gradients(dy)
        return found.dchosen, found.drejected
