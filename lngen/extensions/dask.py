"""Emitted layers on arrays of Dask, chunk by chunk of rows: each chunk is a call of the emitted functions.

Rows do not meet, so nothing is exchanged but sums over rows, which are added up chunk after chunk, in float64 and in
the same order each time. Importing this imports Dask, and needs it: `pip install 'dask[array]'`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lngen.errors import LngenError
from lngen.pipeline.files.loading import Layer
from lngen.runtime.numpy.blocks import round_to
from lngen.runtime.protocol.calls import Array, DType, computed
from lngen.runtime.protocol.interface import PER_ROW, InputEntry, Interface, OutputEntry

try:
    import dask
    import dask.array as da
except ImportError as error:
    raise LngenError("lngen.extensions.dask needs Dask, which is not installed: pip install 'dask[array]'") from error

__all__ = ["Saved", "backward", "forward"]


def added(parts: Sequence[Array] | Array) -> Array:
    """Add arrays of one shape in their order, in float64 or a wider type, and round to their own type."""
    wide: DType = computed([parts[0].dtype, np.dtype(np.float64)])
    total = parts[0].astype(wide)
    for part in parts[1:]:
        total += part.astype(wide, copy=False)
    made = np.empty(total.shape, parts[0].dtype)
    round_to(made, ..., total)
    return made


class Saved(NamedTuple):
    """Values that forward saves for backward.

    Fields: the layer, its inputs, its outputs, the saved values of each chunk (they stay on their worker), and the
    saved values of a call with no rows.
    """

    layer: Layer
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    chunks: Any
    of_no_rows: Any


def forward(layer: Layer, *inputs: Any, **constants: float) -> tuple[Any, Saved]:
    """Return the outputs of a layer, a tuple of several, and the argument of `backward`; nothing is computed yet.

    `layer` is an emitted module, as `lngen.load` returns it. Inputs over rows are Dask arrays of shape (..., D) or
    (...), in chunks of whole rows that are the same for all; other inputs are arrays, or None.

    Raises LngenError for another type or other chunks. Raises the layer's own TypeError or ValueError for a wrong
    shape, type or Constant.
    """
    _require_layer(layer)
    interface = layer.INTERFACE
    _require_known(interface, inputs, constants)
    _require_no_draws(interface)
    given = (*inputs, *[None] * (len(interface["inputs"]) - len(inputs)))
    blocks = _blocks(interface, given)
    made_of_none, saved_of_none = _without_rows(layer, interface, given, constants)
    first = next(each for each in blocks if each is not None)
    made: Any = np.empty(first.shape, object)
    for place in np.ndindex(first.shape):
        own = [each if at is None else at[place] for each, at in zip(given, blocks, strict=True)]
        made[place] = dask.delayed(_forward, nout=2)(layer.forward, own, constants)
    rows = next(
        each for entry, each in zip(interface["inputs"], given, strict=True) if _is_row(entry) and each is not None
    )
    outputs = tuple(
        _joined(made, functools.partial(_output, number), rows, own.dtype, entry["kind"] == "Row")
        for number, (entry, own) in enumerate(zip(interface["outputs"], made_of_none, strict=True))
    )
    saved = Saved(layer, given, outputs, made, saved_of_none)
    return (outputs[0] if len(outputs) == 1 else outputs), saved


def backward(saved: Saved, *cotangents: Any) -> Any:
    """Return the gradients of every input, as `Gradients` of the layer; nothing is computed yet.

    `cotangents` are arrays of Dask or NumPy, of the shapes of the outputs; other chunks are rechunked, and one of
    several may be None. A gradient of rows has their chunks. A gradient of a parameter is one chunk, the sum over all.

    Raises LngenError for another type, and the layer's own TypeError or ValueError.
    """
    if not isinstance(saved, Saved):
        raise LngenError(f"saved is of type {type(saved).__name__}. Pass what forward returned as its second value.")
    layer, given, chunks = saved.layer, saved.inputs, saved.chunks
    cots = _cotangents(saved, cotangents)
    of_none = [None if each is None else _nothing_of(each, entry["kind"] == "Row") for entry, each in cots]
    with np.errstate(all="ignore"):
        sample = _on_numpy(layer).backward(saved.of_no_rows, *of_none)
    parts = [None if each is None else each.to_delayed().reshape(chunks.shape) for _, each in cots]
    made: Any = np.empty(chunks.shape, object)
    for place in np.ndindex(chunks.shape):
        own = [None if part is None else part[place] for part in parts]
        made[place] = dask.delayed(_backward)(layer.backward, chunks[place][1], own)
    kinds = {entry["name"]: (number, entry["kind"]) for number, entry in enumerate(layer.INTERFACE["inputs"])}
    found: list[Any] = []
    for number, (gradient, own) in enumerate(zip(layer.INTERFACE["gradients"], sample, strict=True)):
        input_number, kind = kinds[gradient["of"]]
        take = functools.partial(_taken, number)
        if own is None:
            found.append(None)
        elif kind in PER_ROW:
            found.append(_joined(made, take, given[input_number], own.dtype, kind == "Row"))
        else:
            parts_of = [dask.delayed(take)(each) for each in made.flat]
            found.append(da.from_delayed(dask.delayed(added)(parts_of), own.shape, own.dtype))
    return layer.Gradients(*found)


def _require_layer(layer: Any) -> None:
    if not all(hasattr(layer, name) for name in ("INTERFACE", "forward", "backward")):
        raise LngenError(
            f"layer is of type {type(layer).__name__}. Pass an emitted layer, as lngen.load(NAME) gives it."
        )
    if "layout" in layer.INTERFACE:
        raise LngenError("the axes of the layer have names, and chunks are of rows. Call the layer on NumPy.")


def _require_known(interface: Interface, inputs: Sequence[Any], constants: Mapping[str, Any]) -> None:
    """Refuse too many inputs, and keywords that are not Constants, such as an input by its name, or `out`."""
    names = [entry["name"] for entry in interface["inputs"]]
    if len(inputs) > len(names):
        raise LngenError(f"{interface['name']} is given {len(inputs)} inputs. Pass {', '.join(names)}.")
    known = [entry["name"] for entry in interface["constants"]]
    for name in constants:
        if name not in known:
            there = ", ".join(known) or "none"
            raise LngenError(
                f"{name} is not a Constant of {interface['name']}; its Constants are: {there}. Pass inputs, which are "
                f"{', '.join(names)}, without their names."
            )


def _require_no_draws(interface: Interface) -> None:
    """Refuse random numbers, which go by the number of a row among all rows: a chunk has none of its rows' numbers."""
    for entry in interface["inputs"]:
        if entry.get("draws"):
            raise LngenError(
                f"{interface['name']} makes random numbers of {entry['name']} by the number of each row, which a chunk "
                "does not have. Call the layer on whole arrays, or pass a mask as Data."
            )


def _is_row(entry: InputEntry | OutputEntry) -> bool:
    return len(entry["axes"]) == 2


def _without_rows(
    layer: Layer, interface: Interface, given: Sequence[Any], constants: Mapping[str, float]
) -> tuple[Sequence[Any], Any]:
    """Return the outputs and the saved values of a call with no rows.

    The call checks its arguments as any other call does, before anything is computed.
    """
    values = []
    for entry, each in zip(interface["inputs"], given, strict=True):
        if dask.is_dask_collection(each) and not isinstance(each, da.Array):
            raise LngenError(f"{entry['name']} is of type {type(each).__name__}. Pass an array of NumPy or of Dask.")
        if isinstance(each, da.Array):
            each = _nothing_of(each, _is_row(entry)) if entry["kind"] in PER_ROW else np.ones(each.shape, each.dtype)
        values.append(each)
    with np.errstate(all="ignore"):
        made, saved = _on_numpy(layer).forward(*values, **constants)
    return (made if isinstance(made, tuple) else (made,)), saved


def _nothing_of(array: Any, has_features: bool) -> Any:
    """Return an array with no rows, like the given one, or one row if it has no other axes."""
    leading = (0,) * (array.ndim - (1 if has_features else 0))
    return np.ones((*leading, *array.shape[len(leading) :]), array.dtype)


def _on_numpy(layer: Any) -> Layer:
    """Return the layer on NumPy, since this process may lack the compiler of the workers."""
    found: Any = importlib.import_module(f"{layer.__package__}.numpy_backend")
    return found  # type: ignore[no-any-return]


def _cotangents(saved: Saved, cotangents: Sequence[Any]) -> list[tuple[OutputEntry, Any]]:
    """A cotangent for each output, chunked as it is, or None."""
    outputs = saved.layer.INTERFACE["outputs"]
    if len(cotangents) > len(outputs):
        names = ", ".join(entry["name"] for entry in outputs)
        raise LngenError(f"there are {len(cotangents)} cotangents. Pass one for each output: {names}.")
    found: list[tuple[OutputEntry, Any]] = []
    padded = (*cotangents, *[None] * (len(outputs) - len(cotangents)))
    for entry, output, each in zip(outputs, saved.outputs, padded, strict=True):
        name = f"the cotangent of {entry['name']}"
        if each is None:
            found.append((entry, None))
            continue
        if not isinstance(each, (da.Array, np.ndarray)):
            raise LngenError(f"{name} is of type {type(each).__name__}. Pass an array of Dask or of NumPy.")
        if each.shape != output.shape:
            raise LngenError(f"{name} has shape {each.shape}. Pass that of {entry['name']}, which is {output.shape}.")
        if isinstance(each, np.ndarray):
            each = da.from_array(each, chunks=output.chunks)
        found.append((entry, each if each.chunks == output.chunks else each.rechunk(output.chunks)))
    return found


def _blocks(interface: Interface, given: Sequence[Any]) -> list[Any]:
    """The chunks of each input that is over rows, by their place; None for the others."""
    found: list[Any] = []
    leading: Any = None
    features: Any = None
    for entry, each in zip(interface["inputs"], given, strict=True):
        if entry["kind"] not in PER_ROW or each is None:
            found.append(None)
            continue
        name, is_row = entry["name"], _is_row(entry)
        if not isinstance(each, da.Array):
            raise LngenError(
                f"{name} is of type {type(each).__name__}. Pass an array of Dask, as da.from_array({name})."
            )
        if is_row and each.ndim and each.numblocks[-1] != 1:
            raise LngenError(
                f"{name} has {each.numblocks[-1]} chunks along the features. Pass {name}.rechunk({{-1: -1}})."
            )
        axes = each.chunks[:-1] if is_row else each.chunks
        if leading is not None and axes != leading:
            raise LngenError(
                f"{name} is chunked {axes} over its rows and another input {leading}. Rechunk one of them."
            )
        leading = axes
        if is_row and each.ndim:
            if np.isnan(each.shape[-1]):
                raise LngenError(f"{name} has an unknown number of features. Call {name}.compute_chunk_sizes().")
            if features not in (None, each.shape[-1]):
                raise LngenError(
                    f"{name} has {each.shape[-1]} features, and another input has {features}. Pass the same number."
                )
            features = each.shape[-1]
        found.append(each.to_delayed().reshape([len(sizes) for sizes in axes]))
    if leading is None:
        raise LngenError("there is no row among the inputs. Pass at least one.")
    return found


def _joined(made: Any, take: Any, like: Any, dtype: Any, has_features: bool) -> Any:
    """Join an array from a part of each chunk; `like` is an input of rows in those chunks."""
    parts: Any = np.empty(made.shape, object)
    for place in np.ndindex(made.shape):
        rows = tuple(sizes[at] for sizes, at in zip(like.chunks, place, strict=False))
        shape = (*rows, like.shape[-1]) if has_features else rows
        parts[place] = da.from_delayed(dask.delayed(take)(made[place]), shape, dtype)
    if not parts.ndim:
        return parts[()]
    joined = _block(parts.tolist(), 0)
    chunks = (*like.chunks[: parts.ndim], *joined.chunks[parts.ndim :])
    # Joined chunks have lost the empty ones, and backward expects each where the input has it.
    return joined.rechunk(chunks) if any(0 in sizes for sizes in chunks) else joined


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
