# SPDX-License-Identifier: MIT
"""An emitted layer as the `forward` of modules of another class."""

import inspect
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ..protocol.axes import REST, Arrangement, Sizes
from ..protocol.interface import INTEGERS, CounterpartEntry, is_held
from .asked import FLOATS, Tensor, are_alone, is_exporting, torch
from .layers import each_of, is_autocast

REDUCTIONS = ("none", "sum", "mean")
"""The values of an attribute that says how a loss is reduced."""

MOST_COPIED = 2**15
"""Entries of rows at the most whose entries lie apart; to copy more takes longer than the module's own `forward`."""


class ModuleCalls(NamedTuple):
    """Calls of a module that a layer stands for.

    `places` has the place of the axis of features by the number of the other axes or, in a layer whose axes have names,
    of those that `...` stands for. `types` maps the types of a row and of a parameter to the compute type and the type
    of results, where that is not the row's. The module returns the first `results` of the layer's. `refuses_labels`
    says that it refuses a label outside of the row.
    """

    places: Mapping[int, int] = {}
    types: Mapping[tuple[Any, Any], tuple[Any, Any]] = {}
    results: int = 1
    refuses_labels: bool = False


class LayerForward:
    """An emitted layer as the `forward` of modules of a class, whose attributes it reads in each call.

    A call that the layer does not stand for, such as one of rows of another length, is left to the `forward` of the
    class. `layer` is the class of an emitted module.
    """

    def __init__(self, kind: type, layer: Any, counterpart: CounterpartEntry) -> None:
        interface = layer._layer.interface
        attributes = {ours: theirs for theirs, ours in counterpart["attributes"].items()}
        self.kind, self.layer = kind, layer
        self.conditions, self.features = counterpart["conditions"], attributes.get("D")
        layout = interface.get("layout", {"sizes": [], "pattern": []})
        first = layout["pattern"][0] if layout["pattern"] else ()
        names = [[*chain.from_iterable(each["pattern"])] if "pattern" in each else None for each in interface["inputs"]]
        self.arguments = [
            each
            for each, own in zip(interface["inputs"], names, strict=True)
            if each["name"] not in attributes and not is_held(each["kind"], own, first)
        ]
        self.row = next((place for place, each in enumerate(self.arguments) if len(each["axes"]) == 2), 0)
        places = {each["name"]: place for place, each in enumerate(self.arguments)}
        self.inputs = [(attributes.get(each["name"]), places.get(each["name"])) for each in interface["inputs"]]
        self.constants = [(attributes.get(each["name"]), each["default"]) for each in interface["constants"]]
        self.arrangement = Arrangement(interface, traced=True) if "layout" in interface else None
        self.sizes = [(attributes.get(each["name"]), each["default"]) for each in layout["sizes"]]
        given = {each["name"] for each in (*interface["inputs"], *interface["constants"], *layout["sizes"])}
        axes = {name for axis in layout["pattern"] for name in axis} - given
        self.axes = [(theirs, ours) for ours, theirs in attributes.items() if ours in axes]
        outputs = [each["name"] for each in interface["outputs"]]
        self.statistics = [
            (attribute, outputs.index(each["of"]), each["lost"])
            for attribute, each in counterpart.get("statistics", {}).items()
        ]
        kept = [place for _, place, _ in self.statistics]
        self.returned = [
            (place, each["axes"][-1:] == ["D"]) for place, each in enumerate(interface["outputs"]) if place not in kept
        ]
        self.reduction = counterpart.get("reduction")
        self.labels = [place for place, each in enumerate(interface["inputs"]) if each["kind"] == 'Int["..."]']
        parameters = parameters_of_call(kind)
        self.names = [*parameters]
        self.required = [name for name, each in parameters.items() if each.default is each.empty]
        self.names_of_numbers = [each["name"] for each in (*interface["constants"], *layout["sizes"])]
        self.calls = ModuleCalls()

    def __call__(self, module: torch.nn.Module, *args: Any, **named: Any) -> Any:
        """Compute the layer with a module's parameters as they are now."""
        rows = self.rows(module, args, named)
        inputs, constants, kind = self.values(module, rows) if rows else ([], [], None)
        if rows is None or (self.calls.refuses_labels and not self._are_labels(inputs)):
            return self.kind.forward(module, *args, **named)  # type: ignore[attr-defined]
        row = rows[self.row]
        computed, returned = self._types(module, row.dtype, kind)
        if self.reduction is not None and is_autocast(row):
            computed = returned = torch.float32
        if computed is not None:
            inputs = [
                value.to(computed)
                if place is not None and isinstance(value, Tensor) and value.is_floating_point()
                else value
                for value, (_, place) in zip(inputs, self.inputs, strict=True)
            ]
        return self.finished(module, inputs, self.computed(module, inputs, constants), returned)

    def _types(self, module: Any, row: Any, parameter: Any) -> tuple[Any, Any]:
        """Return the compute type and the type of results, which are None if they are what the layer makes of them.

        A running average may be wider than rows, and takes no value that was rounded to their type.
        """
        computed, returned = self.calls.types.get((row, parameter), (None, None))
        for attribute, _, _ in self.statistics:
            wide = torch.promote_types(computed or row, getattr(module, attribute).dtype)
            if wide != (computed or row):
                computed, returned = wide, returned or row
        return computed, returned

    def computed(self, module: Any, inputs: Sequence[Any], constants: Sequence[Any]) -> Any:
        """Return the outputs of the layer."""
        return self.layer._layer.emitted.function(*inputs, **self.named(module, constants))

    def named(self, module: Any, constants: Sequence[Any]) -> dict[str, Any]:
        """Return Constants and sizes by the names that the functions of the layer have for them."""
        return dict(zip(self.names_of_numbers, [*constants, *self.given(module)], strict=True))

    def finished(self, module: Any, inputs: Sequence[Any], made: Any, returned: Any) -> Any:
        """Return what a module does, given the outputs of the layer, and keep its running averages."""
        outputs, first = each_of(made), self._first(inputs)
        if self.statistics:
            entries = self._row_shape(module, inputs)[-1]
            factors = [entries / (entries - lost) if lost else 1.0 for _, _, lost in self.statistics]
            averaged = zip(self.statistics, factors, strict=True)
            _keep(module, [(attribute, outputs[place] * factor) for (attribute, place, _), factor in averaged])
        place_of_features = -1 if self.arrangement else self.calls.places[first.ndim - 1]
        results = []
        for place, is_row in self.returned[: self.calls.results]:
            result = outputs[place]
            if is_row and place_of_features != -1:
                result = result.movedim(-1, place_of_features)
            if self.reduction is not None:
                result = _reduced(result, getattr(module, self.reduction["attribute"]), *self.counted(inputs))
            result = result if returned is None else result.to(returned)
            results.append(_like(result, first) if is_row and self.arrangement else result)
        return results[0] if len(results) == 1 else tuple(results)

    def _first(self, inputs: Sequence[Any]) -> Any:
        """The first rows among the inputs."""
        return next(value for value, (_, place) in zip(inputs, self.inputs, strict=True) if place == self.row)

    def _row_shape(self, module: Any, inputs: Sequence[Any]) -> Sequence[Any]:
        """The shape of rows, whose sizes a traced program may not know."""
        if self.arrangement is None:
            return tuple(self._first(inputs).shape)
        return self.arrangement.row_shape(self.sizes_of(module, inputs))

    def sizes_of(self, module: Any, inputs: Sequence[Any]) -> Sizes:
        """Return the sizes of the axes of arrays. Raises TypeError or ValueError for a wrong shape or size."""
        assert self.arrangement is not None
        names = [each["name"] for each in self.layer._layer.interface["inputs"]]
        shapes = {name: tuple(value.shape) for name, value in zip(names, inputs, strict=True) if value is not None}
        return self.arrangement.sizes(shapes, dict(zip(self.arrangement.sizes_given, self.given(module), strict=True)))

    def counted(self, inputs: Sequence[Any]) -> tuple[Any, Any]:
        """Return the labels of a loss, and the one that does not count; None, None if it is not reduced."""
        if self.reduction is None:
            return None, None
        given = self.layer._layer.interface["inputs"]
        names = [each["name"] for each in given]
        label, ignored = names.index(self.reduction["label"]), names.index(self.reduction["ignored"])
        return inputs[label], given[ignored]["default"] if inputs[ignored] is None else inputs[ignored]

    def _are_labels(self, inputs: Sequence[Any]) -> bool:
        """Test whether labels are ignored or entries of the row, where no device has to be waited for."""
        label, ignored = self.counted(inputs)
        for place in self.labels:
            value = inputs[place]
            if torch.compiler.is_compiling() or not are_alone([value]):
                continue
            is_entry = (value >= 0) & (value < self._first(inputs).shape[-1])
            if not bool((is_entry | (value == ignored) if value is label else is_entry).all()):
                return False
        return True

    def given(self, module: Any) -> list[Any]:
        """Return the sizes that are arguments of the layer."""
        return [default if attribute is None else getattr(module, attribute) for attribute, default in self.sizes]

    def rows(self, module: Any, args: Sequence[Any], named: Mapping[str, Any]) -> list[Any] | None:
        """Return the arguments of a call in the order of the layer's, or None if the layer does not stand for it."""
        rows = [*args]
        if named or len(args) != len(self.names):
            later = self.names[len(args) :]
            if len(args) > len(self.names) or not set(self.required[len(args) :]) <= set(named) <= set(later):
                return None
            rows += [named.get(name) for name in later]
        rows = [*rows, *[None] * (len(self.arguments) - len(rows))]
        row = rows[self.row]
        if not isinstance(row, Tensor) or row.is_nested or row.layout != torch.strided:
            return None
        if not all(is_met(module, *each) for each in self.conditions.items()):
            return None
        if any(getattr(module, attribute) is None for attribute, _, _ in self.statistics):
            return None
        if self.reduction is not None and getattr(module, self.reduction["attribute"]) not in REDUCTIONS:
            return None
        found = self._arranged(module, rows) if self.arrangement else self._of_shape(module, rows)
        if found is None or is_exporting():  # a program that is exported has any number of rows
            return found
        is_large = isinstance(row.numel(), int) and row.numel() > MOST_COPIED
        return None if is_large and self._is_apart(module, found) else found

    def _is_apart(self, module: Any, rows: Sequence[Any]) -> bool:
        """Test whether kernels would get a copy of rows, as where classes lie along axis 1."""
        row = rows[self.row]
        if self.arrangement:
            sizes = self.sizes_of(module, self.values(module, rows)[0])
            how = self.arrangement.arranged(self.arrangement.patterns[self.arguments[self.row]["name"]], sizes)
            return not row.reshape(how.split).permute(how.order).is_contiguous()
        return bool(row.shape[-1] != 1 and row.stride(-1) != 1)

    def _of_shape(self, module: Any, rows: list[Any]) -> list[Any] | None:
        """Arguments whose features are the last axis, or None if they are not of the layer's shapes."""
        place = self.calls.places.get(rows[self.row].ndim - 1)
        if place is None:
            return None
        if place != -1:
            rows = [
                value.movedim(place, -1) if isinstance(value, Tensor) and len(each["axes"]) == 2 else value
                for value, each in zip(rows, self.arguments, strict=True)
            ]
        *lead, features = rows[self.row].shape
        return rows if self._has(module, features) and self._agree(rows, lead, features) else None

    def _agree(self, rows: list[Any], lead: list[Any], features: Any) -> bool:
        """Test whether arguments have the shapes of these rows, and labels the type that modules take."""
        for value, each in zip(rows, self.arguments, strict=True):
            axes = each["axes"]
            if isinstance(value, Tensor) and (
                tuple(value.shape) != (*lead * ("..." in axes), *[features] * ("D" in axes))
                or (each["kind"] in INTEGERS and value.dtype != torch.int64)
            ):
                return False
        return True

    def _has(self, module: Any, features: Any) -> bool:
        """Test whether rows of a module, and of the layer, have a number of features; a module may not say so."""
        if self.features is None:
            return bool(features >= self.layer._layer.interface["minimum_features"])
        shape = getattr(module, self.features)
        return bool(((shape,) if isinstance(shape, int) else tuple(shape)) == (features,))

    def _arranged(self, module: Any, rows: list[Any]) -> list[Any] | None:
        """Arguments of a layer whose axes have names, or None if they do not have them, or one entry in a row.

        A module may refuse to normalize one entry.
        """
        assert self.arrangement is not None
        try:
            sizes = self.sizes_of(module, self.values(module, rows)[0])
        except (TypeError, ValueError):
            return None
        entries, least = self.arrangement.row_shape(sizes)[-1], max([1, *[lost for _, _, lost in self.statistics]])
        are_known = self._has(module, entries) and all(
            sizes[axis] == (getattr(module, own),) for own, axis in self.axes
        )
        return rows if len(sizes.get(REST, ())) in self.calls.places and entries > least and are_known else None

    def values(self, module: Any, rows: Sequence[Any]) -> tuple[list[Any], list[Any], Any]:
        """Return the layer's inputs and Constants, and the type of the parameters, which is None if there are none."""
        inputs, kind = [], None
        for attribute, place in self.inputs:
            value = rows[place] if place is not None else None if attribute is None else getattr(module, attribute)
            kind = value.dtype if place is None and isinstance(value, Tensor) else kind
            inputs.append(value)
        return inputs, self.numbers(module, rows[self.row].dtype), kind

    def numbers(self, module: Any, dtype: Any) -> list[Any]:
        """The Constants of a call with rows of a type; one that is None is the step that PyTorch takes."""
        found = [value if attribute is None else getattr(module, attribute) for attribute, value in self.constants]
        step = _STEPS.get(dtype, _STEPS[torch.float32])
        return [step if value is None else value for value in found]


def _step(dtype: Any) -> float:
    """The step of PyTorch's norms whose eps is None: of the type that is computed in, and in 2.6 of the rows' own."""
    steps = [float(torch.finfo(kind).eps) for kind in (dtype, torch.promote_types(dtype, torch.float32))]
    row = torch.full((1,), steps[1] ** 0.5, dtype=dtype)
    return steps[bool(_NORM(1, elementwise_affine=False)(row) > 0.5)]


def _may_have_none(kind: Any) -> bool:
    eps = inspect.signature(kind).parameters.get("eps")
    return eps is not None and eps.default is None


_NORMS = torch.nn.modules.normalization
_NORM: Any = next(kind for kind in map(vars(_NORMS).get, _NORMS.__all__) if _may_have_none(kind))
_STEPS = {dtype: _step(dtype) for dtype in FLOATS}


def _keep(module: Any, averages: Sequence[tuple[str, Tensor]]) -> None:
    """Move running averages of a module, by their attributes, to values of a call.

    This is as PyTorch's norms do it: by the `momentum` of the module or, where that is None, so that every call counts
    the same, of which `num_batches_tracked` is the number.
    """
    with torch.no_grad():
        count, rate = getattr(module, "num_batches_tracked", None), module.momentum
        if count is not None:
            count.add_(1)
        if rate is None:
            rate = 0.0 if count is None else count.double().reciprocal()
        for attribute, value in averages:
            average = getattr(module, attribute)
            wide = torch.promote_types(average.dtype, torch.float32)
            average.copy_((1 - rate) * average.to(wide) + rate * value.to(wide))


def _reduced(loss: Tensor, how: str, label: Tensor, ignored: Any) -> Tensor:
    """Reduce a loss of rows: the mean is over those whose label is not the one `ignored`."""
    if how == "none":
        return loss
    total = loss.sum(dtype=torch.promote_types(loss.dtype, torch.float32))
    return (total / (label != ignored).sum() if how == "mean" else total).to(loss.dtype)


def _like(result: Tensor, rows: Tensor) -> Tensor:
    """A result whose channels lie last in memory where those of the rows do."""
    kept = {4: torch.channels_last, 5: torch.channels_last_3d}.get(rows.ndim)
    if kept is None or rows.is_contiguous() or not rows.is_contiguous(memory_format=kept):
        return result
    return result.contiguous(memory_format=kept)


def is_met(module: torch.nn.Module, attribute: str, value: Any) -> bool:
    """Test whether an attribute of a module has a value, which is a number or None."""
    found = getattr(module, attribute)
    return found is value or (not isinstance(found, Tensor) and bool(found == value))


def parameters_of_call(of: type) -> dict[str, inspect.Parameter]:
    """Parameters of the `forward` of a class by name, without the module itself."""
    _, *parameters = inspect.signature(of.forward).parameters.items()  # type: ignore[attr-defined]
    return dict(parameters)
