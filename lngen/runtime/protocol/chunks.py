# SPDX-License-Identifier: MIT
"""Losses of rows that are a product `h @ weight.T`, made chunk by chunk: arguments of a call, and rows of a chunk."""

import inspect
from collections.abc import Mapping, Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple

from .interface import PER_ROW, Interface, Pattern

_REDUCTIONS = ("mean", "sum", "none")
_OWN = ("bias", "reduction")


class ChunkedArguments(NamedTuple):
    """Arguments of the layer in its order, with None in the place of the rows; its Constants; the reduction."""

    inputs: list[Any]
    constants: list[Any]
    reduction: str


class RowLoss:
    """Loss of rows that are made chunk by chunk: a layer with one output, a number for each row.

    Its first Row is the product, at `place`. `per_row` says of each input if rows have values of their own. Raises
    TypeError for a layer that is no such loss.
    """

    def __init__(self, interface: Interface) -> None:
        name, inputs, outputs = interface["name"], interface["inputs"], interface["outputs"]
        rows = [place for place, each in enumerate(inputs) if each["kind"] == "Row"]
        if not rows:
            raise TypeError(f"{name} has no Row, which h @ weight.T could be")
        if len(outputs) != 1 or outputs[0]["kind"] != "RowScalar" or "cast" in outputs[0]:
            raise TypeError(f"{name} does not return one number for each row; chunks take a loss that does")
        if any(each.get("draws") for each in inputs):
            raise TypeError(f"{name} makes random numbers by the number of a row, which a row of a chunk does not have")
        if "layout" in interface and not _are_rows(interface):
            raise TypeError(f"{name} arranges its axes; chunks take a layer whose arrays have rows, then features")
        if taken := {each["name"] for each in (*inputs, *interface["constants"])} & {*_OWN}:
            raise TypeError(f"{name} has an argument {min(taken)}, which a loss of chunks has too; rename it")
        self.name, self.place = name, rows[0]
        self.names = [each["name"] for each in inputs]
        self.per_row = [each["kind"] in PER_ROW for each in inputs]
        self.over_features = [each["axes"][-1:] == ["D"] for each in inputs]
        self._signature = _signature(interface, self.place)

    def bound(self, inputs: Sequence[Any], named: Mapping[str, Any], reduction: Any) -> ChunkedArguments:
        """Return the arguments of the layer. Raises TypeError or ValueError for one that it does not take."""
        if (reduction or "mean") not in _REDUCTIONS:
            raise ValueError(f"reduction is {reduction!r}; pass one of {', '.join(_REDUCTIONS)}")
        found = self._signature.bind(*inputs, **named)
        found.apply_defaults()
        values = [*found.arguments.values()]
        values.insert(self.place, None)
        count = len(self.names)
        return ChunkedArguments(values[:count], values[count:], reduction or "mean")

    def rows_of(self, inputs: Sequence[Any], lead: Sequence[int]) -> list[Any]:
        """The inputs with one axis for all rows, which they number by the axes `lead`. Raises ValueError for others."""
        found = []
        for name, value, is_per_row, over in zip(self.names, inputs, self.per_row, self.over_features, strict=True):
            if value is None or not is_per_row:
                found.append(value)
                continue
            shape, rest = tuple(value.shape), tuple(value.shape[len(lead) :])
            if shape[: len(lead)] != tuple(lead) or len(rest) != over:
                meaning = "the shape of the rows" if over else "the shape of h without its last axis"
                raise ValueError(f"{name} has shape {shape}; pass {meaning}, {tuple(lead)}{' and D' if over else ''}")
            found.append(value.reshape((prod(lead), *rest)))
        return found


class ChunkedLinear:
    """Loss of rows `h @ weight.T + bias`, as a function of `h`, `weight` and the other inputs of a layer.

    `layer` is that of the loss. Its first Row is the product, which is made of as many `rows` at once.
    """

    def __init__(self, layer: Any, rows: int | None = None) -> None:
        self.loss, self.rows, self.layer = RowLoss(layer.interface), checked_rows(rows), layer

    def __repr__(self) -> str:
        return f"chunked_linear({self.loss.name})"


class Chunks(NamedTuple):
    """Chunks of a call, by what they have in common besides arrays: `rows` rows each, made in the type `kind`.

    Sums over rows are in a `wide` type.
    """

    layer: Any
    loss: RowLoss
    constants: tuple[Any, ...]
    kind: Any
    wide: Any
    rows: int
    reduction: str

    @property
    def is_each(self) -> bool:
        """Test whether each row has a loss in the result."""
        return self.reduction == "none"


def layer_of(emitted: Any, modules: Mapping[str, Any]) -> Any:
    """Return the layer of an emitted module, function or class; of one whose axes have names, that of its rows.

    Raises TypeError for anything else. `modules` are those that are imported.
    """
    place = modules.get(getattr(emitted, "__module__", ""))
    is_of_place = place is not None and getattr(place, getattr(emitted, "__name__", ""), None) is emitted
    found = getattr(emitted, "_layer", None) or getattr(emitted if place is None else place, "_LAYER", None)
    if found is None or not (is_of_place or place is None):
        raise TypeError(f"{emitted!r} is no emitted layer; pass its name, its function, or what lngen.load returns")
    return found


def chunk_rows(rows: int, features: int, entries: int, wanted: int | None) -> int:
    """Return the rows of a chunk, of entries that are a product with `features` terms.

    A chunk takes as much memory as the weight, or as h if that is larger: the gradients of both are there anyway, and a
    product with as many rows as features keeps a processor busy. Chunks are of one size, but for the last.

    >>> chunk_rows(2048, 512, 32000, None), chunk_rows(100, 8, 50, None), chunk_rows(0, 8, 50, None)
    (512, 15, 1)
    """
    if wanted is not None:
        return wanted
    most = max(features, rows * features // max(entries, 1), 1)
    count = -(-rows // most)
    return max(-(-rows // max(count, 1)), 1)


def check_product(arrays: Mapping[str, Any], is_cast: bool = False) -> None:
    """Check `h`, `weight` and `bias`, by their names; raises TypeError or ValueError for arrays without a product.

    They are of one type, unless a call casts them.
    """
    h, weight, bias = arrays.values()
    if h.ndim < 1 or weight.ndim != 2 or weight.shape[1] != h.shape[-1]:
        shapes = f"h has shape {tuple(h.shape)} and weight {tuple(weight.shape)}"
        raise ValueError(f"{shapes}; pass (..., features) and (entries of a row, features)")
    if bias is not None and tuple(bias.shape) != tuple(weight.shape[:1]):
        raise ValueError(f"bias has shape {tuple(bias.shape)}; pass ({len(weight)},)")
    for name, each in arrays.items():
        if each is not None and each.dtype != h.dtype and not is_cast:
            raise TypeError(f"{name} is of type {each.dtype} and h of {h.dtype}; pass one type")


def checked_rows(rows: Any) -> int | None:
    """Return the rows of a chunk that a caller asks for; raises ValueError if they are no whole number from 1 on."""
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 1):
        raise ValueError(f"rows is {rows!r}; pass how many rows a chunk has, 1 or more, or None")
    return None if rows is None else int(rows)


def _are_rows(interface: Interface) -> bool:
    """Test whether arrays lie as rows do: axes that number the rows come first, and no array lacks some of them."""
    layout = interface["layout"]
    names, features = _names(layout["pattern"]), layout["features"]
    rows = [name for name in names if name not in features]
    patterns = [_names(each["pattern"]) for each in interface["inputs"] if "pattern" in each]
    there: list[list[str]] = [[*rows, *features], rows, [*features], []]
    return not layout["sizes"] and names == there[0] and all(each in there for each in patterns)


def _names(pattern: Pattern) -> list[str]:
    return [*chain.from_iterable(pattern)]


def _signature(interface: Interface, place: int) -> inspect.Signature:
    """Signature of the arguments besides the rows: inputs in their order, and Constants by their names."""
    inputs = [each for number, each in enumerate(interface["inputs"]) if number != place]
    found = [
        _parameter(each["name"], inspect.Parameter.POSITIONAL_OR_KEYWORD, each["default"], None) for each in inputs
    ]
    found += [
        _parameter(each["name"], inspect.Parameter.KEYWORD_ONLY, each["default"], each["default"])
        for each in interface["constants"]
    ]
    return inspect.Signature(found)


def _parameter(name: str, kind: Any, default: Any, absent: Any) -> inspect.Parameter:
    """A parameter that is required if there is no default, and else is `absent` if it is left out."""
    return inspect.Parameter(name, kind, default=inspect.Parameter.empty if default is None else absent)
