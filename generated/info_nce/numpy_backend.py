# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

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
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dsimilarity: npt.NDArray[Any]
    dscale: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
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


def _forward(
    _by: _blocks.ArrayFunction,
    similarity: Any,
    positive: Any,
    scale: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    similarity = _calls.array("similarity", similarity, True)
    positive = _calls.integers("positive", positive, True)
    scale = _calls.scalar("scale", scale, False)
    _shape = _calls.row_shape("similarity", similarity, 1)
    _calls.check_shapes(
        _shape[:-1], "the shape of similarity without its last axis", positive=positive
    )
    _read = {"similarity": similarity, "positive": positive, "scale": scale}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], similarity.dtype, _read, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_, Z_),
        _blocks.Work(_shape, _dtype, threads),
        (similarity, positive, _calls.number(scale, _dtype)),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_shape, _dtype, _dtypes, similarity, positive, scale, m_, Z_)
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    similarity_rows, positive_rows, scale = values
    y_out, m_out, Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)

    def block(similarity, positive, buffers=(None,)):
        # step 1: z = similarity*scale
        if scale is not None:
            z = np.multiply(similarity, scale, out=buffers[0])
        else:
            z = similarity
        # step 2: sum_where_z = sum(where(index() == positive, z, 0))
        sum_where_z = _rows.entry(z, positive)
        # step 3: m = max(z)
        m = _rows.shift(z)
        # step 2, pass 1: sum_where_z_shifted = sum_where_z - m
        sum_where_z_shifted = sum_where_z - m
        # step 4: similarity_shifted = z - m
        similarity_shifted = np.subtract(z, m, out=buffers[0])
        # step 5: exp_shifted = exp(similarity_shifted)
        exp_shifted = np.exp(similarity_shifted, out=similarity_shifted)
        # step 6: Z = sum(exp_shifted)
        Z = _rows.row_dot(exp_shifted, ones)
        # step 7: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 8, pass 2: y = log_Z - sum_where_z_shifted
        y = log_Z - sum_where_z_shifted
        return y[..., 0], m[..., 0], Z[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(similarity_rows,),
        row_scalars=(positive_rows,),
        into_row_scalars=(y_out, m_out, Z_out),
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


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_similarity, _of_positive, _of_scale = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.similarity": saved.similarity,
        "saved.positive": saved.positive,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dsimilarity_, dscale_ = _calls.results(
        out,
        _read,
        _by.empty,
        dsimilarity=(_shape, _of_similarity),
        dscale=((), _of_scale),
    )
    _by.fill(
        (dsimilarity_, dscale_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.similarity,
            saved.positive,
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.Z,
        ),
    )
    return Gradients(*_calls.returned((dsimilarity_, dscale_), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    similarity_rows, positive_rows, scale, m_rows, Z_rows = fields
    dsimilarity_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    if scale is not None:
        scale = np.asarray(scale, dtype)
    # step 21, pass 4: dz = exp_shifted*dy_scaled + where(index() == positive, -dy, 0)
    index = np.arange(features)

    def block(similarity, positive, dy, m, Z, dsimilarity_block=None, buffers=(None,)):
        dscale = None
        # step 21, pass 3: dy_scaled = dy/Z
        dy_scaled = dy / Z
        # step 1: z = similarity*scale
        if scale is not None:
            z = np.multiply(similarity, scale, out=dsimilarity_block)
        else:
            z = similarity
        # step 4: similarity_shifted = z - m
        similarity_shifted = np.subtract(z, m, out=dsimilarity_block)
        # step 5: exp_shifted = exp(similarity_shifted)
        exp_shifted = np.exp(similarity_shifted, out=similarity_shifted)
        # step 21, pass 4: dz = exp_shifted*dy_scaled + where(index() == positive, -dy,
        #   0)
        dz = np.multiply(exp_shifted, dy_scaled, out=exp_shifted)
        mask = index == positive
        part = np.negative(dy)
        part_2 = _rows.select(
            mask, part, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        dz = np.add(dz, part_2, out=dz)
        # step 23: sum_dz_similarity = sum(dz*similarity)
        if scale is not None:
            sum_dz_similarity = _rows.row_dot(dz, similarity)
            # step 23: dscale = sum over rows of sum_dz_similarity
            dscale = np.add.reduce(sum_dz_similarity, axis=None)
            # step 22: dsimilarity = dz*scale
            dsimilarity = np.multiply(dz, scale, out=dz)
        else:
            dsimilarity = dz
        return dsimilarity, dscale

    dsimilarity, dscale = _blocks.each_block(
        block,
        call,
        rows=(similarity_rows,),
        row_scalars=(positive_rows, dy_rows, m_rows, Z_rows),
        into=(dsimilarity_out,),
        buffers=1,
        sums=1,
    )
    if scale is not None:
        dscale = np.full((), dscale, dtype)
    return dsimilarity, dscale


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


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    similarity_dot: Any,
    scale_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_similarity, _of_positive, _of_scale = saved[2]
    similarity_dot = _calls.array("similarity_dot", similarity_dot, False)
    scale_dot = _calls.scalar("scale_dot", scale_dot, False)
    _calls.check_any("tangent", similarity_dot, scale_dot)
    _calls.check_left_out("scale_dot", scale_dot, "scale", _of_scale)
    _shape = saved.shape
    _calls.check_shapes(
        _shape, "the shape of similarity", similarity_dot=similarity_dot
    )
    _read = {
        "similarity_dot": similarity_dot,
        "scale_dot": scale_dot,
        "saved.similarity": saved.similarity,
        "saved.positive": saved.positive,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_similarity, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (similarity_dot, _calls.number(scale_dot, _dtype)),
        (
            saved.similarity,
            saved.positive,
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.Z,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    similarity_dot_rows, scale_dot = arguments
    similarity_rows, positive_rows, scale, m_rows, Z_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if scale_dot is not None:
        scale_dot = np.asarray(scale_dot, dtype)
    # step 34, pass 5: mean_index_z_dot = mean(where(index() == positive, z_dot, 0))
    index = np.arange(features)

    def block(similarity, similarity_dot, positive, m, Z, buffers=(None,) * 4):
        # step 1: z = similarity*scale
        if scale is not None:
            z = np.multiply(similarity, scale, out=buffers[0])
        else:
            z = similarity
        # step 4: similarity_shifted = z - m
        similarity_shifted = np.subtract(z, m, out=buffers[0])
        # step 5: exp_shifted = exp(similarity_shifted)
        exp_shifted = np.exp(similarity_shifted, out=similarity_shifted)
        # step 24: z_dot = similarity*scale_dot + similarity_dot*scale
        if scale_dot is not None:
            z_dot = np.multiply(similarity, scale_dot, out=buffers[1])
        if scale is not None and similarity_dot_rows is not None:
            part = np.multiply(similarity_dot, scale, out=buffers[2])
        if scale is None:
            part = similarity_dot
        if similarity_dot_rows is not None and scale_dot is not None:
            z_dot = np.add(z_dot, part, out=z_dot)
        if scale_dot is None:
            z_dot = part
        # step 34, pass 5: mean_index_z_dot = mean(where(index() == positive, z_dot, 0))
        mask = index == positive
        part_2 = _rows.select(
            mask, z_dot, 0.0, out=_rows.memory(buffers[3], shape, dtype)
        )
        mean_index_z_dot = _rows.row_dot(part_2, one_over_D)
        # step 34, pass 6: mean_exp_shifted_z_dot = mean(exp_shifted*z_dot)
        mean_exp_shifted_z_dot = _rows.row_dot(exp_shifted, z_dot) / D
        # step 34, pass 7: y_dot = (mean_exp_shifted_z_dot/Z - mean_index_z_dot)*D
        y_dot = (mean_exp_shifted_z_dot / Z - mean_index_z_dot) * D
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(similarity_rows, similarity_dot_rows),
        row_scalars=(positive_rows, m_rows, Z_rows),
        into_row_scalars=(y_dot_out,),
        buffers=4,
    )


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
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddsimilarity, ddscale, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddsimilarity: Any,
    ddscale: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_similarity, _of_positive, _of_scale = saved[2]
    dy, ddsimilarity = _calls.arrays(1, dy=dy, ddsimilarity=ddsimilarity)
    ddscale = _calls.scalar("ddscale", ddscale, False)
    _calls.check_any("cotangent of a gradient", ddsimilarity, ddscale)
    _calls.check_left_out("ddscale", ddscale, "scale", _of_scale)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of similarity", ddsimilarity=ddsimilarity)
    _read = {
        "cotangents[0]": dy,
        "ddsimilarity": ddsimilarity,
        "ddscale": ddscale,
        "saved.similarity": saved.similarity,
        "saved.positive": saved.positive,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dsimilarity_, dscale_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dsimilarity=(_shape, _of_similarity),
        dscale=((), _of_scale),
        ddy=(_shape[:-1], dy.dtype),
    )
    _by.fill(
        (dsimilarity_, dscale_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddsimilarity, _calls.number(ddscale, _dtype)),
        (
            saved.similarity,
            saved.positive,
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.Z,
        ),
    )
    return SecondGradients(*_calls.returned((dsimilarity_, dscale_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddsimilarity_rows, ddscale = arguments
    similarity_rows, positive_rows, scale, m_rows, Z_rows = fields
    dsimilarity_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_scale_and_ddsimilarity = scale is not None and ddsimilarity_rows is not None
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if ddscale is not None:
        ddscale = np.asarray(ddscale, dtype)
    # step 37, pass 9: dz = exp_shifted*dy_scaled + where(index() == positive, -dy, 0)
    if scale is not None:
        index = np.arange(features)

    def block(
        similarity,
        ddsimilarity,
        positive,
        dy,
        m,
        Z,
        dsimilarity_block=None,
        buffers=(None,) * 4,
    ):
        d2scale = None
        # step 37, pass 8: dy_scaled = dy/Z
        dy_scaled = dy / Z
        # step 1: z = similarity*scale
        if scale is not None:
            z = np.multiply(similarity, scale, out=dsimilarity_block)
        else:
            z = similarity
        # step 4: similarity_shifted = z - m
        similarity_shifted = np.subtract(z, m, out=dsimilarity_block)
        # step 5: exp_shifted = exp(similarity_shifted)
        exp_shifted = np.exp(similarity_shifted, out=similarity_shifted)
        # step 37, pass 9: dz = exp_shifted*dy_scaled + where(index() == positive, -dy,
        #   0)
        if scale is not None:
            dz = _rows.by_row(np.multiply, exp_shifted, dy_scaled, out=buffers[0])
            mask = index == positive
            part = np.negative(dy)
            part_2 = _rows.select(
                mask, part, 0.0, out=_rows.memory(buffers[1], shape, dtype)
            )
            dz = np.add(dz, part_2, out=dz)
        # step 63: mean_ddsimilarity_dz = mean(ddsimilarity*dz)
        if with_scale_and_ddsimilarity:
            mean_ddsimilarity_dz = _rows.row_dot(ddsimilarity, dz) / D
            # step 45: ddz = ddsimilarity*scale + similarity*ddscale
            ddz = np.multiply(ddsimilarity, scale, out=buffers[1])
        if scale is None:
            ddz = ddsimilarity
        if ddscale is not None:
            part_3 = np.multiply(similarity, ddscale, out=buffers[2])
        if ddsimilarity_rows is not None and ddscale is not None:
            ddz = np.add(ddz, part_3, out=ddz)
        if ddsimilarity_rows is None:
            ddz = part_3
        # step 54, pass 10: sum_ddz_exp_shifted = sum(ddz*exp_shifted)
        sum_ddz_exp_shifted = _rows.row_dot(ddz, exp_shifted)
        # step 65, pass 11: sum_ddz_index = sum(where(index() == positive, -ddz, 0))
        part_4 = np.negative(ddz, out=buffers[3])
        sum_ddz_index = _rows.entry(part_4, positive)
        # step 54, pass 12: sum_ddz_exp_shifted_scaled = sum_ddz_exp_shifted/Z
        sum_ddz_exp_shifted_scaled = sum_ddz_exp_shifted / Z
        # step 65, pass 13: ddy = sum_ddz_index + sum_ddz_exp_shifted/Z
        ddy = sum_ddz_index + sum_ddz_exp_shifted_scaled
        # step 54, pass 14: d2similarity_shifted = (ddz -
        #   sum_ddz_exp_shifted_scaled)*exp_shifted*dy_scaled
        d2similarity_shifted = np.subtract(
            ddz, sum_ddz_exp_shifted_scaled, out=buffers[1]
        )
        d2similarity_shifted = np.multiply(
            d2similarity_shifted, exp_shifted, out=exp_shifted
        )
        d2similarity_shifted = np.multiply(
            d2similarity_shifted, dy_scaled, out=d2similarity_shifted
        )
        # step 63: mean_d2similarity_shifted_simila =
        #   mean(d2similarity_shifted*similarity)
        if scale is not None:
            mean_d2similarity_shifted_simila = (
                _rows.row_dot(d2similarity_shifted, similarity) / D
            )
            # step 60: d2similarity = d2similarity_shifted*scale + dz*ddscale
            d2similarity = np.multiply(
                d2similarity_shifted, scale, out=d2similarity_shifted
            )
        else:
            d2similarity = d2similarity_shifted
        if ddscale is not None:
            part_5 = np.multiply(dz, ddscale, out=dz)
            d2similarity = np.add(d2similarity, part_5, out=d2similarity)
        # step 63, pass 15: mean_d2similarity_shifted_simila_2 =
        #   (mean_d2similarity_shifted_simila + mean_ddsimilarity_dz)*D
        if with_scale_and_ddsimilarity:
            mean_d2similarity_shifted_simila_2 = (
                mean_d2similarity_shifted_simila + mean_ddsimilarity_dz
            )
        if ddsimilarity_rows is None:
            mean_d2similarity_shifted_simila_2 = mean_d2similarity_shifted_simila
        if scale is not None:
            mean_d2similarity_shifted_simila_2 = mean_d2similarity_shifted_simila_2 * D
            # step 63, pass 16: d2scale = sum over rows of
            #   mean_d2similarity_shifted_simila_2
            d2scale = np.add.reduce(mean_d2similarity_shifted_simila_2, axis=None)
        return d2similarity, ddy[..., 0], d2scale

    d2similarity, ddy, d2scale = _blocks.each_block(
        block,
        call,
        rows=(similarity_rows, ddsimilarity_rows),
        row_scalars=(positive_rows, dy_rows, m_rows, Z_rows),
        into=(dsimilarity_out,),
        into_row_scalars=(ddy_out,),
        buffers=4,
        sums=1,
    )
    if scale is not None:
        d2scale = np.full((), d2scale, dtype)
    return d2similarity, d2scale, ddy


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
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, similarity, positive, scale, m, Z)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "info_nce")
    _calls.check_first_fields(saved, (True, True, False))
    _calls.check_number("scale", saved.scale, saved.dtypes[2] is not None)
    _shape = saved.shape
    _calls.check_kept(_shape, similarity=saved.similarity)
    _calls.check_kept_integers(_shape[:-1], positive=saved.positive)
    _calls.check_kept(_shape[:-1], m=saved.m, Z=saved.Z)


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

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class InfoNce(_modules.NumpyModule):
    """`info_nce` as an object with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        scale: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype)
        self._parameter("scale", scale, (), 1)

    def forward(
        self,
        similarity: npt.NDArray[Any],
        positive: npt.NDArray[Any],
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            similarity,
            positive,
            self.parameters.get("scale"),
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dsimilarity, given the gradient of a loss with respect to the output,
        once for each `forward`. `gradients` then has those of the parameters, of this
        call alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(scale=found.dscale)
        return found.dsimilarity
