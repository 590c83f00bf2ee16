# Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit dpo.py and run: lngen derive dpo.py
# definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
"""Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.

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
    reference_chosen: npt.NDArray[Any] | None  # argument reference_chosen of forward
    reference_rejected: npt.NDArray[Any] | None  # argument reference_rejected of forward
    beta: float  # constant beta of forward
    smoothing: float  # constant smoothing of forward


@overload
def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    reference_chosen: npt.NDArray[Any] | None = None,
    reference_rejected: npt.NDArray[Any] | None = None,
    *,
    beta: float = 0.1,
    smoothing: float = 0.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    reference_chosen: npt.NDArray[Any] | None = None,
    reference_rejected: npt.NDArray[Any] | None = None,
    *,
    beta: float = 0.1,
    smoothing: float = 0.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    reference_chosen: npt.NDArray[Any] | None = None,
    reference_rejected: npt.NDArray[Any] | None = None,
    *,
    beta: float = 0.1,
    smoothing: float = 0.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.

        total_2 = chosen - rejected - reference_chosen
        margin = beta*(reference_rejected + total_2)
        u = -margin
        softplus_u = softplus(u)
        softplus_margin = softplus(margin)
        y = smoothing*softplus_margin + softplus_u*(1 - smoothing)

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        reference_chosen: shape (..., D), without a gradient. If omitted it is 0, at no cost.
        reference_rejected: shape (..., D), without a gradient. If omitted it is 0, at no cost.
        beta: a constant, a finite number.
        smoothing: a constant, a finite number.
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
        chosen,
        rejected,
        reference_chosen,
        reference_rejected,
        beta,
        smoothing,
        save,
        out,
        threads,
    )


def _forward(
    _by: _blocks.ArrayFunction,
    chosen: Any,
    rejected: Any,
    reference_chosen: Any,
    reference_rejected: Any,
    beta: Any,
    smoothing: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    beta = _calls.constant("beta", beta)
    smoothing = _calls.constant("smoothing", smoothing)
    threads = _calls.thread_count(threads)
    chosen, rejected, reference_chosen, reference_rejected = _calls.arrays(
        2,
        chosen=chosen,
        rejected=rejected,
        reference_chosen=reference_chosen,
        reference_rejected=reference_rejected,
    )
    _shape = _calls.row_shape("chosen", chosen, 1)
    _calls.check_shapes(
        _shape,
        "the shape of chosen",
        rejected=rejected,
        reference_chosen=reference_chosen,
        reference_rejected=reference_rejected,
    )
    _read = {
        "chosen": chosen,
        "rejected": rejected,
        "reference_chosen": reference_chosen,
        "reference_rejected": reference_rejected,
    }
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, chosen.dtype, _read, _by.empty)
    _by.fill(
        (y_,),
        _blocks.Work(_shape, _dtype, threads),
        (chosen, rejected, reference_chosen, reference_rejected, beta, smoothing),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _shape,
            _dtype,
            _dtypes,
            chosen,
            rejected,
            reference_chosen,
            reference_rejected,
            beta,
            smoothing,
        )
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    (
        chosen_rows,
        rejected_rows,
        reference_chosen_rows,
        reference_rejected_rows,
        beta,
        smoothing,
    ) = values
    (y_out,) = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    smoothing = np.asarray(smoothing, dtype)
    # step 7: y = softplus_margin*smoothing + softplus_u*(1 - smoothing)
    part = 1.0 - smoothing

    def block(
        chosen,
        rejected,
        reference_chosen,
        reference_rejected,
        y_block=None,
        buffers=(None,),
    ):
        # step 1: total = chosen - rejected
        total = np.subtract(chosen, rejected, out=y_block)
        # step 2: total_2 = total - reference_chosen
        if reference_chosen_rows is not None:
            total_2 = np.subtract(total, reference_chosen, out=total)
        else:
            total_2 = total
        # step 3: margin = (reference_rejected + total_2)*beta
        if reference_rejected_rows is not None:
            margin = np.add(reference_rejected, total_2, out=total_2)
        else:
            margin = total_2
        margin = np.multiply(margin, beta, out=margin)
        # step 4: u = -margin
        u = np.negative(margin, out=buffers[0])
        # step 5: softplus_u = softplus(u)
        softplus_u = _functions.softplus(u, out=u)
        # step 6: softplus_margin = softplus(margin)
        softplus_margin = _functions.softplus(margin, out=margin)
        # step 7: y = softplus_margin*smoothing + softplus_u*(1 - smoothing)
        y = np.multiply(softplus_margin, smoothing, out=softplus_margin)
        part_2 = np.multiply(softplus_u, part, out=softplus_u)
        y = np.add(y, part_2, out=y)
        return (y,)

    return _blocks.each_block(
        block,
        call,
        rows=(
            chosen_rows,
            rejected_rows,
            reference_chosen_rows,
            reference_rejected_rows,
        ),
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

        dchosen = beta*dy*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))
        drejected = -dchosen

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
    _of_chosen, _of_rejected, _of_reference_chosen, _of_reference_rejected = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.chosen": saved.chosen,
        "saved.rejected": saved.rejected,
        "saved.reference_chosen": saved.reference_chosen,
        "saved.reference_rejected": saved.reference_rejected,
    }
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
        (
            saved.chosen,
            saved.rejected,
            saved.reference_chosen,
            saved.reference_rejected,
            saved.beta,
            saved.smoothing,
        ),
    )
    return Gradients(*_calls.returned((dchosen_, drejected_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (
        chosen_rows,
        rejected_rows,
        reference_chosen_rows,
        reference_rejected_rows,
        beta,
        smoothing,
    ) = fields
    dchosen_out, drejected_out = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    smoothing = np.asarray(smoothing, dtype)

    def block(
        chosen,
        rejected,
        reference_chosen,
        reference_rejected,
        dy,
        dchosen_block=None,
        drejected_block=None,
    ):
        # step 1: total = chosen - rejected
        total = np.subtract(chosen, rejected, out=dchosen_block)
        # step 2: total_2 = total - reference_chosen
        if reference_chosen_rows is not None:
            total_2 = np.subtract(total, reference_chosen, out=total)
        else:
            total_2 = total
        # step 3: margin = (reference_rejected + total_2)*beta
        if reference_rejected_rows is not None:
            margin = np.add(reference_rejected, total_2, out=total_2)
        else:
            margin = total_2
        margin = np.multiply(margin, beta, out=margin)
        # step 4: u = -margin
        u = np.negative(margin, out=drejected_block)
        # step 18: dchosen = dy*((sigmoid(margin) + sigmoid(u))*smoothing -
        #   sigmoid(u))*beta
        dchosen = _functions.sigmoid(margin, out=margin)
        part = _functions.sigmoid(u, out=u)
        dchosen = np.add(dchosen, part, out=dchosen)
        dchosen = np.multiply(dchosen, smoothing, out=dchosen)
        dchosen = np.subtract(dchosen, part, out=dchosen)
        dchosen = np.multiply(dy, dchosen, out=dchosen)
        dchosen = np.multiply(dchosen, beta, out=dchosen)
        # step 19: drejected = -dchosen
        drejected = np.negative(dchosen, out=drejected_block)
        return dchosen, drejected

    return _blocks.each_block(
        block,
        call,
        rows=(
            chosen_rows,
            rejected_rows,
            reference_chosen_rows,
            reference_rejected_rows,
            dy_rows,
        ),
        into=(dchosen_out, drejected_out),
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

        margin_dot = beta*(chosen_dot - rejected_dot)
        softplus_u_dot = -margin_dot*sigmoid(u)
        y_dot = softplus_u_dot + smoothing*(margin_dot*sigmoid(margin) - softplus_u_dot)

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
    _of_chosen, _of_rejected, _of_reference_chosen, _of_reference_rejected = saved[2]
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
        "saved.reference_chosen": saved.reference_chosen,
        "saved.reference_rejected": saved.reference_rejected,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_chosen, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (chosen_dot, rejected_dot),
        (
            saved.chosen,
            saved.rejected,
            saved.reference_chosen,
            saved.reference_rejected,
            saved.beta,
            saved.smoothing,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    chosen_dot_rows, rejected_dot_rows = arguments
    (
        chosen_rows,
        rejected_rows,
        reference_chosen_rows,
        reference_rejected_rows,
        beta,
        smoothing,
    ) = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    smoothing = np.asarray(smoothing, dtype)

    def block(
        chosen,
        rejected,
        reference_chosen,
        reference_rejected,
        chosen_dot,
        rejected_dot,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        if chosen_dot_rows is not None:
            chosen_dot_value = chosen_dot
        else:
            chosen_dot_value = 0.0
        # step 1: total = chosen - rejected
        total = np.subtract(chosen, rejected, out=y_dot_block)
        # step 2: total_2 = total - reference_chosen
        if reference_chosen_rows is not None:
            total_2 = np.subtract(total, reference_chosen, out=total)
        else:
            total_2 = total
        # step 3: margin = (reference_rejected + total_2)*beta
        if reference_rejected_rows is not None:
            margin = np.add(reference_rejected, total_2, out=total_2)
        else:
            margin = total_2
        margin = np.multiply(margin, beta, out=margin)
        # step 4: u = -margin
        u = np.negative(margin, out=buffers[0])
        # step 22: margin_dot = (chosen_dot - rejected_dot)*beta
        if rejected_dot_rows is not None:
            margin_dot = np.subtract(chosen_dot_value, rejected_dot, out=buffers[1])
        else:
            margin_dot = chosen_dot_value
        margin_dot = np.multiply(margin_dot, beta, out=buffers[1])
        # step 25: softplus_u_dot = -sigmoid(u)*margin_dot
        softplus_u_dot = _functions.sigmoid(u, out=u)
        softplus_u_dot = np.multiply(softplus_u_dot, margin_dot, out=softplus_u_dot)
        softplus_u_dot = np.negative(softplus_u_dot, out=softplus_u_dot)
        # step 28: y_dot = softplus_u_dot + (sigmoid(margin)*margin_dot -
        #   softplus_u_dot)*smoothing
        y_dot = _functions.sigmoid(margin, out=margin)
        y_dot = np.multiply(y_dot, margin_dot, out=y_dot)
        y_dot = np.subtract(y_dot, softplus_u_dot, out=y_dot)
        y_dot = np.multiply(y_dot, smoothing, out=y_dot)
        y_dot = np.add(softplus_u_dot, y_dot, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(
            chosen_rows,
            rejected_rows,
            reference_chosen_rows,
            reference_rejected_rows,
            chosen_dot_rows,
            rejected_dot_rows,
        ),
        into=(y_dot_out,),
        buffers=2,
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

        ddchosen_2 = ddchosen - ddrejected
        d2chosen = beta**2*ddchosen_2*dy*(smoothing*sigmoid(margin)*(1 -
            sigmoid(margin)) + sigmoid(u)*(1 - smoothing)*(1 - sigmoid(u)))
        d2rejected = -d2chosen
        ddy = beta*ddchosen_2*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))

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
    _of_chosen, _of_rejected, _of_reference_chosen, _of_reference_rejected = saved[2]
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
        "saved.reference_chosen": saved.reference_chosen,
        "saved.reference_rejected": saved.reference_rejected,
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
        (
            saved.chosen,
            saved.rejected,
            saved.reference_chosen,
            saved.reference_rejected,
            saved.beta,
            saved.smoothing,
        ),
    )
    return SecondGradients(*_calls.returned((dchosen_, drejected_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddchosen_rows, ddrejected_rows = arguments
    (
        chosen_rows,
        rejected_rows,
        reference_chosen_rows,
        reference_rejected_rows,
        beta,
        smoothing,
    ) = fields
    dchosen_out, drejected_out, ddy_out = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    smoothing = np.asarray(smoothing, dtype)
    # step 39: d2chosen = ddchosen_2*dy*((1 - sigmoid(margin))*sigmoid(margin)*smoothing
    #   + (1 - sigmoid(u))*sigmoid(u)*(1 - smoothing))*beta**2
    part_5 = 1.0 - smoothing
    part_6 = np.square(beta)

    def block(
        chosen,
        rejected,
        reference_chosen,
        reference_rejected,
        dy,
        ddchosen,
        ddrejected,
        dchosen_block=None,
        drejected_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        if ddchosen_rows is not None:
            ddchosen_value = ddchosen
        else:
            ddchosen_value = 0.0
        # step 1: total = chosen - rejected
        total = np.subtract(chosen, rejected, out=dchosen_block)
        # step 2: total_2 = total - reference_chosen
        if reference_chosen_rows is not None:
            total_2 = np.subtract(total, reference_chosen, out=total)
        else:
            total_2 = total
        # step 3: margin = (reference_rejected + total_2)*beta
        if reference_rejected_rows is not None:
            margin = np.add(reference_rejected, total_2, out=total_2)
        else:
            margin = total_2
        margin = np.multiply(margin, beta, out=margin)
        # step 4: u = -margin
        u = np.negative(margin, out=drejected_block)
        # step 31: ddchosen_2 = ddchosen - ddrejected
        if ddrejected_rows is not None:
            ddchosen_2 = np.subtract(ddchosen_value, ddrejected, out=ddy_block)
        else:
            ddchosen_2 = ddchosen_value
        # step 39: d2chosen = ddchosen_2*dy*((1 -
        #   sigmoid(margin))*sigmoid(margin)*smoothing + (1 - sigmoid(u))*sigmoid(u)*(1
        #   - smoothing))*beta**2
        d2chosen = np.multiply(ddchosen_2, dy, out=buffers[0])
        part = _functions.sigmoid(margin, out=buffers[1])
        part_2 = np.subtract(1.0, part, out=dchosen_block)
        part_2 = np.multiply(part_2, part, out=part_2)
        part_2 = np.multiply(part_2, smoothing, out=part_2)
        part_3 = _functions.sigmoid(u, out=buffers[2])
        part_4 = np.subtract(1.0, part_3, out=drejected_block)
        part_4 = np.multiply(part_4, part_3, out=part_4)
        part_4 = np.multiply(part_4, part_5, out=part_4)
        part_2 = np.add(part_2, part_4, out=part_2)
        d2chosen = np.multiply(d2chosen, part_2, out=part_2)
        d2chosen = np.multiply(d2chosen, part_6, out=d2chosen)
        # step 42: d2rejected = -d2chosen
        d2rejected = np.negative(d2chosen, out=drejected_block)
        # step 43: ddy = ddchosen_2*((sigmoid(margin) + sigmoid(u))*smoothing -
        #   sigmoid(u))*beta
        ddy = np.add(part, part_3, out=buffers[0])
        ddy = np.multiply(ddy, smoothing, out=ddy)
        ddy = np.subtract(ddy, part_3, out=ddy)
        ddy = np.multiply(ddchosen_2, ddy, out=ddy_block)
        ddy = np.multiply(ddy, beta, out=ddy)
        return d2chosen, d2rejected, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(
            chosen_rows,
            rejected_rows,
            reference_chosen_rows,
            reference_rejected_rows,
            dy_rows,
            ddchosen_rows,
            ddrejected_rows,
        ),
        into=(dchosen_out, drejected_out, ddy_out),
        buffers=3,
    )


def saved_from(
    *,
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    reference_chosen: npt.NDArray[Any] | None = None,
    reference_rejected: npt.NDArray[Any] | None = None,
    beta: float,
    smoothing: float,
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
    fields_ = (chosen, rejected, reference_chosen, reference_rejected, beta, smoothing)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(
        *first_, chosen, rejected, reference_chosen, reference_rejected, beta, smoothing
    )
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "dpo")
    _calls.check_first_fields(saved, (True, True, False, False))
    _calls.check_number("beta", saved.beta)
    _calls.check_number("smoothing", saved.smoothing)
    _shape = saved.shape
    _calls.check_kept(_shape, chosen=saved.chosen, rejected=saved.rejected)
    _calls.check_kept(
        _shape, saved.dtypes[2] is not None, reference_chosen=saved.reference_chosen
    )
    _calls.check_kept(
        _shape, saved.dtypes[3] is not None, reference_rejected=saved.reference_rejected
    )


INTERFACE: _interface.Interface = {
    "name": "dpo",
    "minimum_features": 1,
    "inputs": [
        _interface.given("chosen", "Row"),
        _interface.given("rejected", "Row"),
        _interface.given("reference_chosen", "Data", default=0),
        _interface.given("reference_rejected", "Data", default=0),
    ],
    "constants": [
        _interface.constant("beta", default=0.1),
        _interface.constant("smoothing", default=0),
    ],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("chosen", "input", ["...", "D"]),
        _interface.saved("rejected", "input", ["...", "D"]),
        _interface.saved("reference_chosen", "input", ["...", "D"]),
        _interface.saved("reference_rejected", "input", ["...", "D"]),
        _interface.saved("beta", "constant", []),
        _interface.saved("smoothing", "constant", []),
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


class Dpo(_modules.NumpyModule):
    """`dpo` as an object without parameters.

    Args:
        beta: a constant, a finite number.
        smoothing: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        beta: float = 0.1,
        smoothing: float = 0.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.beta = self._constant("beta", beta, True)
        self.smoothing = self._constant("smoothing", smoothing, True)

    def forward(
        self,
        chosen: npt.NDArray[Any],
        rejected: npt.NDArray[Any],
        reference_chosen: npt.NDArray[Any] | None = None,
        reference_rejected: npt.NDArray[Any] | None = None,
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            chosen,
            rejected,
            reference_chosen,
            reference_rejected,
            beta=self.beta,
            smoothing=self.smoothing,
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
