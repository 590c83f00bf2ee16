"""Emitted layers on arrays of Dask, chunk by chunk of rows: each chunk is a call of the emitted functions.

Rows do not meet, so nothing is exchanged but sums over rows, which are added up chunk after chunk, in the same order
each time. Importing this imports Dask, and needs it: `pip install 'lngen[dask]'`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lngen.errors import LngenError
from lngen.files.loading import Layer
from lngen.runtime.interface import Interface

try:
    import dask
    import dask.array as da
except ImportError as error:
    raise LngenError("lngen.dask needs Dask, which is not installed: pip install 'lngen[dask]'") from error

__all__ = ["Saved", "backward", "forward"]

_PER_ROW = ("Row", "RowScalar", "Data")


class Saved(NamedTuple):
    """What forward keeps for backward: the layer, its inputs, and what each chunk saved, which stays where it is."""

    layer: Layer
    inputs: tuple[Any, ...]
    chunks: Any


def forward(layer: Layer, *inputs: Any, **constants: float) -> tuple[Any, Saved]:
    """The outputs of a layer, a tuple of several, and what `backward` needs; nothing is computed yet.

    `layer` is an emitted module, as `lngen.load` gives it. Inputs that are over rows are arrays of Dask, (..., D) or
    (...), in chunks of whole rows that are the same for all; the others are arrays of NumPy, or None.

    Raises LngenError for what is no such array, or is chunked otherwise.
    """
    interface = layer.INTERFACE
    given = (*inputs, *[None] * (len(interface["inputs"]) - len(inputs)))
    blocks = _blocks(interface, given)
    first = next(each for each in blocks if each is not None)
    made: Any = np.empty(first.shape, object)
    for place in np.ndindex(first.shape):
        own = [each if at is None else at[place] for each, at in zip(given, blocks, strict=True)]
        made[place] = dask.delayed(_forward, nout=2)(layer.forward, own, constants)
    rows = next(each for each, at in zip(given, blocks, strict=True) if at is not None and each.ndim > 1)
    outputs = [
        _joined(made, functools.partial(_output, number), rows.chunks[:-1], rows, entry["kind"] == "Row")
        for number, entry in enumerate(interface["outputs"])
    ]
    return (outputs[0] if len(outputs) == 1 else tuple(outputs)), Saved(layer, given, made)


def backward(saved: Saved, *cotangents: Any) -> Any:
    """The gradients of every input, as `Gradients` of the layer; nothing is computed yet.

    `cotangents` are arrays of Dask, chunked as the outputs are. A gradient of rows is chunked as they are; one of a
    parameter is one chunk, the sum over all.
    """
    layer, given = saved.layer, saved.inputs
    chunks: Any = saved.chunks
    parts = [each.to_delayed().reshape(chunks.shape) for each in cotangents]
    made: Any = np.empty(chunks.shape, object)
    for place in np.ndindex(chunks.shape):
        made[place] = dask.delayed(_backward)(layer.backward, chunks[place][1], [part[place] for part in parts])
    kinds = {entry["name"]: (number, entry["kind"]) for number, entry in enumerate(layer.INTERFACE["inputs"])}
    found: list[Any] = []
    for number, gradient in enumerate(layer.INTERFACE["gradients"]):
        input_number, kind = kinds[gradient["of"]]
        owner, take = given[input_number], functools.partial(_taken, number)
        if owner is None:
            found.append(None)
        elif kind in _PER_ROW:
            axes = owner.chunks[:-1] if kind == "Row" else owner.chunks
            found.append(_joined(made, take, axes, owner, kind == "Row"))
        else:
            parts_of = [dask.delayed(take)(each) for each in made.flat]
            whole = functools.reduce(dask.delayed(operator.add), parts_of)
            found.append(da.from_delayed(whole, np.shape(owner), np.asarray(owner).dtype))
    return layer.Gradients(*found)


def _blocks(interface: Interface, given: Sequence[Any]) -> list[Any]:
    """The chunks of each input that is over rows, by their place; None for the others."""
    found: list[Any] = []
    leading: Any = None
    for entry, each in zip(interface["inputs"], given, strict=True):
        if entry["kind"] not in _PER_ROW or each is None:
            found.append(None)
            continue
        name, is_row = entry["name"], entry["kind"] != "RowScalar"
        if not isinstance(each, da.Array):
            raise LngenError(
                f"{name} is of type {type(each).__name__}. Pass an array of Dask, as da.from_array({name})."
            )
        if is_row and each.numblocks[-1] != 1:
            raise LngenError(
                f"{name} has {each.numblocks[-1]} chunks along the features. Pass {name}.rechunk({{-1: -1}})."
            )
        axes = each.chunks[:-1] if is_row else each.chunks
        if leading is not None and axes != leading:
            raise LngenError(
                f"{name} is chunked {axes} over its rows and another input {leading}. Rechunk one of them."
            )
        leading = axes
        found.append(each.to_delayed().reshape([len(sizes) for sizes in axes]))
    if leading is None:
        raise LngenError("there is no row among the inputs. Pass at least one.")
    return found


def _joined(made: Any, take: Any, leading: Any, like: Any, has_features: bool) -> Any:
    """An array of what is taken from each chunk."""
    parts: Any = np.empty(made.shape, object)
    for place in np.ndindex(made.shape):
        rows = tuple(sizes[at] for sizes, at in zip(leading, place, strict=True))
        shape = (*rows, like.shape[-1]) if has_features else rows
        parts[place] = da.from_delayed(dask.delayed(take)(made[place]), shape, like.dtype)
    if not parts.ndim:
        return parts[()]
    return _block(parts.tolist(), 0)


def _block(nested: Any, axis: int) -> Any:
    """Lists in lists of arrays, joined along an axis and those after it; the features' axis has no list."""
    if not isinstance(nested, list):
        return nested
    return da.concatenate([_block(each, axis + 1) for each in nested], axis)


def _forward(function: Any, inputs: Sequence[Any], constants: dict[str, float]) -> Any:
    return function(*inputs, **constants)


def _backward(function: Any, saved: Any, cotangents: Sequence[Any]) -> Any:
    return function(saved, *cotangents)


def _output(number: int, made: Any) -> Any:
    y = made[0]
    return y[number] if isinstance(y, tuple) else y


def _taken(number: int, gradients: Any) -> Any:
    return gradients[number]
