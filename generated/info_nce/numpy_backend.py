# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import directions as _directions
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
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
    return _FORWARD.call((similarity, positive, scale), save, out, threads)


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
    return _BACKWARD.call(saved, (dy,), out, threads)


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
    return _JVP.call(saved, (similarity_dot, scale_dot), out, threads)


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
    arguments_ = (*_calls.each_cotangent(cotangents, ("dy",)), ddsimilarity, ddscale)
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


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
    return _LAYER.saved_from(fields_, shape, dtype, dtypes)


_LAYER = _directions.HostLayer(INTERFACE, Saved)
_FORWARD = _directions.ForwardCall(
    _LAYER, _directions.only, _kernels.forward, at_once=True
)
_BACKWARD = _directions.LaterCall(
    _LAYER, "backward", Gradients, _kernels.backward, at_once=True
)
_JVP = _directions.LaterCall(
    _LAYER, "jvp", _directions.only, _second_order.jvp, at_once=True
)
_BACKWARD_BACKWARD = _directions.LaterCall(
    _LAYER,
    "backward_backward",
    SecondGradients,
    _second_order.backward_backward,
    at_once=True,
)
