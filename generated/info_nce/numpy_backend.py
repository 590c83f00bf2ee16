# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _saved
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "info_nce",
    "minimum_features": 1,
    "inputs": [
        _interface.given("similarity", "Row"),
        _interface.given("positive", 'Int["..."]'),
        _interface.given("scale", "Scalar", default=1),
    ],
    "constants": [],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("similarity", "input", ["...", "D"]),
        _interface.saved("positive", "input", ["..."]),
        _interface.saved("scale", "input", []),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("similarity"),
        _interface.gradient("scale", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dsimilarity: npt.NDArray[Any]
    dscale: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dsimilarity: npt.NDArray[Any]
    dscale: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    similarity: npt.NDArray[Any]  # argument similarity of forward
    positive: npt.NDArray[Any]  # argument positive of forward
    scale: float | npt.NDArray[Any] | None  # argument scale of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row


@overload
def forward(
    similarity: npt.NDArray[Any],
    positive: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    similarity: npt.NDArray[Any],
    positive: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    similarity: npt.NDArray[Any],
    positive: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

        z = scale*similarity
        sum_where_z = sum(where(index() == positive, z, 0))
        m = max(z)
        exp_shifted = exp(z - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        y = m + log_Z - sum_where_z

    Args:
        similarity: shape (..., D).
        positive: one integer per row, shape similarity.shape[:-1].
        scale: a number or a 0-d array. If omitted it is 1, at no cost.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape similarity.shape[:-1]. `saved`
    is the argument of the other directions. The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, similarity, positive, scale, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        p = exp_shifted/Z
        dz = dy*p + where(index() == positive, -dy, 0)
        dsimilarity = scale*dz
        dscale = sum_rows(sum(dz*similarity))

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


def jvp(
    saved: Saved,
    similarity_dot: npt.NDArray[Any] | None = None,
    scale_dot: float | npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        z_dot = scale_dot*similarity + scale*similarity_dot
        p = exp_shifted/Z
        y_dot = D*(mean(p*z_dot) - mean(where(index() == positive, z_dot, 0)))

    Args:
        saved: the second result of `forward`.
        similarity_dot: the tangent of similarity, in its shape; None stands for zero.
        scale_dot: the tangent of scale, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, similarity_dot, scale_dot, out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddsimilarity: npt.NDArray[Any] | None = None,
    ddscale: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        p = exp_shifted/Z
        dz = dy*p + where(index() == positive, -dy, 0)
        ddz = ddscale*similarity + scale*ddsimilarity
        d2similarity_shifted = dy*p*(ddz - sum(ddz*p))
        d2similarity = scale*d2similarity_shifted + ddscale*dz
        d2scale = sum_rows(D*(mean(d2similarity_shifted*similarity) +
            mean(ddsimilarity*dz)))
        ddy = sum(ddz*p) + sum(where(index() == positive, -ddz, 0))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddsimilarity: the cotangent of dsimilarity, in its shape; None stands for zero.
        ddscale: the cotangent of dscale, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dsimilarity is d2similarity,
    dscale is d2scale) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy, ddsimilarity, ddscale, out, threads
    )


def saved_from(
    *,
    similarity: npt.NDArray[Any],
    positive: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    m: npt.NDArray[Any],
    Z: npt.NDArray[Any],
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
    fields_ = (similarity, positive, scale, m, Z)
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


def _forward(
    _by: _blocks.ArrayFunction,
    similarity: Any,
    positive: Any,
    scale: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    similarity = _calls.array("similarity", similarity, True)
    positive = _calls.integers("positive", positive, True)
    scale = _calls.scalar("scale", scale, False)
    _shape = _calls.row_shape("similarity", similarity, 1)
    _calls.check_shape(
        "positive",
        positive,
        _shape[:-1],
        "the shape of similarity without its last axis",
    )
    _read = (similarity, positive, scale)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = (
        {} if out is None else dict(zip(("similarity", "positive", "scale"), _read))
    )
    y_ = _calls.result("y", out, _shape[:-1], similarity.dtype, _given, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, m_, Z_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(_made, _work, (similarity, positive, _calls.number(scale, _dtype)))
    _saved = (
        Saved(_shape, _dtype, _dtypes, similarity, positive, scale, m_, Z_)
        if save
        else None
    )
    _shown = y_ if out is None else out
    return _shown, _saved


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_similarity, _of_positive, _of_scale = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape[:-1], "the shape of y")
    _read = (dy, saved.similarity, saved.positive, saved.scale, saved.m, saved.Z)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "dy",
                    "saved.similarity",
                    "saved.positive",
                    "saved.scale",
                    "saved.m",
                    "saved.Z",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dsimilarity", "dscale"))
    dsimilarity_ = _calls.result(
        "dsimilarity", _out[0], _shape, _of_similarity, _given, _by.empty
    )
    dscale_ = _calls.result("dscale", _out[1], (), _of_scale, _given, _by.empty)
    _made = (dsimilarity_, dscale_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy,),
        (
            saved.similarity,
            saved.positive,
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.Z,
        ),
    )
    return Gradients(*_calls.returned(_made, out))


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    similarity_dot: Any,
    scale_dot: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_similarity, _of_positive, _of_scale = saved[2]
    similarity_dot = _calls.array("similarity_dot", similarity_dot, False)
    scale_dot = _calls.scalar("scale_dot", scale_dot, False)
    _calls.check_any("tangent", similarity_dot, scale_dot)
    _calls.check_left_out("scale_dot", scale_dot, "scale", _of_scale)
    _shape = saved.shape
    _calls.check_shape(
        "similarity_dot", similarity_dot, _shape, "the shape of similarity"
    )
    _read = (
        similarity_dot,
        scale_dot,
        saved.similarity,
        saved.positive,
        saved.scale,
        saved.m,
        saved.Z,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "similarity_dot",
                    "scale_dot",
                    "saved.similarity",
                    "saved.positive",
                    "saved.scale",
                    "saved.m",
                    "saved.Z",
                ),
                _read,
            )
        )
    )
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_similarity, _given, _by.empty)
    _made = (y_dot_,)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (similarity_dot, _calls.number(scale_dot, _dtype)),
        (
            saved.similarity,
            saved.positive,
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.Z,
        ),
    )
    return y_dot_ if out is None else out


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddsimilarity: Any,
    ddscale: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_similarity, _of_positive, _of_scale = saved[2]
    dy = _calls.array("dy", dy, True)
    ddsimilarity = _calls.array("ddsimilarity", ddsimilarity, False)
    ddscale = _calls.scalar("ddscale", ddscale, False)
    _calls.check_any("cotangent of a gradient", ddsimilarity, ddscale)
    _calls.check_left_out("ddscale", ddscale, "scale", _of_scale)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape[:-1], "the shape of y")
    _calls.check_shape("ddsimilarity", ddsimilarity, _shape, "the shape of similarity")
    _read = (
        dy,
        ddsimilarity,
        ddscale,
        saved.similarity,
        saved.positive,
        saved.scale,
        saved.m,
        saved.Z,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "cotangents[0]",
                    "ddsimilarity",
                    "ddscale",
                    "saved.similarity",
                    "saved.positive",
                    "saved.scale",
                    "saved.m",
                    "saved.Z",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dsimilarity", "dscale", "ddy"))
    dsimilarity_ = _calls.result(
        "dsimilarity", _out[0], _shape, _of_similarity, _given, _by.empty
    )
    dscale_ = _calls.result("dscale", _out[1], (), _of_scale, _given, _by.empty)
    ddy_ = _calls.result("ddy", _out[2], _shape[:-1], dy.dtype, _given, _by.empty)
    _made = (dsimilarity_, dscale_, ddy_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy, ddsimilarity, _calls.number(ddscale, _dtype)),
        (
            saved.similarity,
            saved.positive,
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.Z,
        ),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "info_nce")
    _calls.check_first_fields(saved, (True, True, False))
    _calls.check_number("scale", saved.scale, saved.dtypes[2] is not None)
    _shape = saved.shape
    _calls.check_kept("similarity", saved.similarity, _shape)
    _calls.check_kept("positive", saved.positive, _shape[:-1], of_integers=True)
    _calls.check_kept("m", saved.m, _shape[:-1])
    _calls.check_kept("Z", saved.Z, _shape[:-1])


_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
