# SPDX-License-Identifier: MIT
"""An emitted layer as the `forward` of a module of another class."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..protocol.axes import REST, Sizes
from ..protocol.interface import INTEGERS, CounterpartEntry
from ..protocol.parameters import is_parameter
from .dispatch import are_plain
from .kernels import Tensor, torch
from .results import REDUCTIONS, is_autocast, keep, reduced

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


class ModuleForward:
    """An emitted layer as the `forward` of a module, whose attributes it reads in each call.

    It is an attribute of the module, so that it is copied and saved with it. A call that the layer does not stand for,
    such as one of rows of another length, is left to the `forward` of the module's class. `layer` is the class of an
    emitted module, by which it is found when it is loaded.
    """

    def __init__(self, module: torch.nn.Module, layer: Any, counterpart: CounterpartEntry) -> None:
        interface = layer._layer.interface
        attributes = {ours: theirs for theirs, ours in counterpart["attributes"].items()}
        self.module, self.layer = module, layer
        self.conditions, self.features = counterpart["conditions"], attributes.get("D")
        self.arguments = [
            each for each in interface["inputs"] if not is_parameter(interface, each) and each["name"] not in attributes
        ]
        self.row = next((place for place, each in enumerate(self.arguments) if len(each["axes"]) == 2), 0)
        places = {each["name"]: place for place, each in enumerate(self.arguments)}
        self.inputs = [(attributes.get(each["name"]), places.get(each["name"])) for each in interface["inputs"]]
        self.constants = [(attributes.get(each["name"]), each["default"]) for each in interface["constants"]]
        layout = interface.get("layout", {"sizes": [], "pattern": []})
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
        parameters = parameters_of_call(type(module))
        self.names = [*parameters]
        self.required = [name for name, each in parameters.items() if each.default is each.empty]
        self.calls = ModuleCalls()

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute the layer with the module's parameters as they are now."""
        rows = self.rows(args, named)
        inputs, constants, kind = self.values(rows) if rows else ([], [], None)
        if rows is None or (self.calls.refuses_labels and not self._are_labels(inputs)):
            return type(self.module).forward(self.module, *args, **named)
        computed, returned = self.types_of(rows[self.row].dtype, kind)
        if self.reduction is not None and is_autocast(rows[self.row]):
            computed = returned = torch.float32
        if computed is not None:
            inputs = [
                value.to(computed)
                if place is not None and isinstance(value, Tensor) and value.is_floating_point()
                else value
                for value, (_, place) in zip(inputs, self.inputs, strict=True)
            ]
        return self.finished(inputs, self.computed(*inputs, *constants), returned)

    __code__ = __call__.__code__  # torch.export asks where a forward stands

    def types_of(self, row: Any, parameter: Any) -> tuple[Any, Any]:
        """Return the compute type and the type of results, which are None if they are what the layer makes of them.

        A running average may be wider than rows, and takes no value that was rounded to their type.
        """
        computed, returned = self.calls.types.get((row, parameter), (None, None))
        for attribute, _, _ in self.statistics:
            wide = torch.promote_types(computed or row, getattr(self.module, attribute).dtype)
            if wide != (computed or row):
                computed, returned = wide, returned or row
        return computed, returned

    def computed(self, *values: Any) -> Any:
        """Return the outputs of the layer; `values` are its inputs, then its Constants."""
        layer = self.layer._layer
        return layer.sized(self.given(), *values) if self.sizes else layer.call(*values)

    def finished(self, inputs: Sequence[Any], made: Any, returned: Any) -> Any:
        """Return what the module does, given the outputs of the layer, and keep their running averages."""
        is_one = isinstance(made, Tensor) and self.reduction is None
        if is_one and 1 not in self.calls.places.values():
            return made if returned is None else made.to(returned)
        outputs = made if isinstance(made, tuple) else (made,)
        if self.statistics:
            entries = self._entries(inputs)
            factors = [entries / (entries - lost) if lost else 1.0 for _, _, lost in self.statistics]
            averaged = zip(self.statistics, factors, strict=True)
            keep(self.module, ((attribute, outputs[place] * factor) for (attribute, place, _), factor in averaged))
        place_of_features = -1 if self.is_arranged else self.calls.places[self._first(inputs).ndim - 1]
        results = []
        for place, is_row in self.returned[: self.calls.results]:
            result = outputs[place]
            if is_row and place_of_features != -1:
                result = result.movedim(-1, place_of_features)
            if self.reduction is not None:
                label, ignored = self._counted(inputs)
                result = reduced(result, getattr(self.module, self.reduction["attribute"]), label, ignored)
            results.append(result if returned is None else result.to(returned))
        return results[0] if len(results) == 1 else tuple(results)

    def _first(self, inputs: Sequence[Any]) -> Any:
        """The first rows among the inputs."""
        return next(value for value, (_, place) in zip(inputs, self.inputs, strict=True) if place == self.row)

    def _entries(self, inputs: Sequence[Any]) -> Any:
        """Number of entries of a row, which a traced program may not know."""
        if not self.is_arranged:
            return self._first(inputs).shape[-1]
        arranged = self.layer._layer.arranged
        return arranged.arrangement.row_shape(arranged.sizes(inputs, self.given()))[-1]

    def _counted(self, inputs: Sequence[Any]) -> tuple[Any, Any]:
        """The labels of a loss, and the one that does not count; None, None if it is not reduced."""
        if self.reduction is None:
            return None, None
        given = self.layer._layer.interface["inputs"]
        names = [each["name"] for each in given]
        label, ignored = names.index(self.reduction["label"]), names.index(self.reduction["ignored"])
        return inputs[label], given[ignored]["default"] if inputs[ignored] is None else inputs[ignored]

    def _are_labels(self, inputs: Sequence[Any]) -> bool:
        """Test whether labels are ignored or entries of the row, where no device has to be waited for."""
        label, ignored = self._counted(inputs)
        for place in self.labels:
            value = inputs[place]
            if torch.compiler.is_compiling() or not are_plain([value]):
                continue
            is_entry = (value >= 0) & (value < self._first(inputs).shape[-1])
            if not bool((is_entry | (value == ignored) if value is label else is_entry).all()):
                return False
        return True

    def given(self) -> list[Any]:
        """Return the sizes that are arguments of the layer."""
        return [default if attribute is None else getattr(self.module, attribute) for attribute, default in self.sizes]

    @property
    def is_arranged(self) -> bool:
        """Test whether the axes of the layer have names."""
        return hasattr(self.layer._layer, "arranged")

    @property
    def __signature__(self) -> inspect.Signature:
        """Signature of the `forward` of the module's class."""
        return inspect.signature(type(self.module).forward.__get__(self.module))

    def rows(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Any] | None:
        """The arguments of a call in the order of the layer's, or None if the layer does not stand for it."""
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
        if not all(is_met(self.module, *each) for each in self.conditions.items()):
            return None
        if any(getattr(self.module, attribute) is None for attribute, _, _ in self.statistics):
            return None
        if self.reduction is not None and getattr(self.module, self.reduction["attribute"]) not in REDUCTIONS:
            return None
        found = self._arranged(rows) if self.is_arranged else self._of_shape(rows)
        if found is None or torch.compiler.is_exporting():  # a program that is exported has any number of rows
            return found
        is_large = isinstance(row.numel(), int) and row.numel() > MOST_COPIED
        return None if is_large and self._is_apart(found) else found

    def _is_apart(self, rows: Sequence[Any]) -> bool:
        """Test whether the entries of a row are not one behind the other, as classes along axis 1 are."""
        row = rows[self.row]
        if self.is_arranged:
            arranged = self.layer._layer.arranged
            sizes = arranged.sizes(self.values(rows)[0], self.given())
            of = arranged.arrangement
            how = of.arranged(of.patterns[self.arguments[self.row]["name"]], sizes)
            row = row.reshape(how.split).permute(how.order)
            last = [size for size in how.features if size != 1]
            axis = max((axis for axis in range(row.ndim) if row.shape[axis] != 1), default=-1)
            return bool(last) and row.stride(axis) != 1
        return bool(row.shape[-1] != 1 and row.stride(-1) != 1)

    def _of_shape(self, rows: list[Any]) -> list[Any] | None:
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
        if not self._has(features):
            return None
        return rows if len(rows) == 1 or self._agree(rows, lead, features) else None

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

    def _has(self, features: Any) -> bool:
        """Test whether rows of a module, and of the layer, have a number of features; a module may not say so."""
        if self.features is None:
            return bool(features >= self.layer._layer.interface["minimum_features"])
        shape = getattr(self.module, self.features)
        return bool(((shape,) if isinstance(shape, int) else tuple(shape)) == (features,))

    def _arranged(self, rows: list[Any]) -> list[Any] | None:
        """Arguments of a layer whose axes have names, or None if they do not have them, or one entry in a row.

        A module may refuse to normalize one entry.
        """
        arranged = self.layer._layer.arranged
        try:
            sizes: Sizes = arranged.sizes(self.values(rows)[0], self.given())
        except (TypeError, ValueError):
            return None
        entries, least = arranged.arrangement.row_shape(sizes)[-1], max([1, *[lost for _, _, lost in self.statistics]])
        are_known = self._has(entries) and all(sizes[axis] == (getattr(self.module, own),) for own, axis in self.axes)
        return rows if len(sizes.get(REST, ())) in self.calls.places and entries > least and are_known else None

    def values(self, rows: Sequence[Any]) -> tuple[list[Any], list[Any], Any]:
        """Return the layer's inputs and Constants, and the type of the parameters, which is None if there are none."""
        inputs, kind = [], None
        for attribute, place in self.inputs:
            value = None
            if place is not None:
                value = rows[place]
            elif attribute is not None:
                value = getattr(self.module, attribute)
                kind = value.dtype if isinstance(value, Tensor) else kind
            inputs.append(value)
        return inputs, self.numbers(rows[self.row].dtype), kind

    def numbers(self, dtype: Any) -> list[Any]:
        """The Constants of a call with rows of a type; one that is None is the step of the type that is computed in."""
        found = []
        for attribute, value in self.constants:
            value = value if attribute is None else getattr(self.module, attribute)
            if value is None:  # as PyTorch has it
                value = torch.finfo(torch.promote_types(dtype, torch.float32)).eps
            found.append(value)
        return found


def is_met(module: torch.nn.Module, attribute: str, value: Any) -> bool:
    """Test whether an attribute of a module has a value, which is a number or None."""
    found = getattr(module, attribute)
    return found is value or (not isinstance(found, Tensor) and bool(found == value))


def parameters_of_call(of: type) -> dict[str, inspect.Parameter]:
    """Parameters of the `forward` of a class by name, without the module itself."""
    _, *parameters = inspect.signature(of.forward).parameters.items()  # type: ignore[attr-defined]
    return dict(parameters)
