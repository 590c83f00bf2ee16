# SPDX-License-Identifier: MIT
"""An emitted layer as the `forward` of a module of another class."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..protocol.interface import CounterpartEntry
from ..protocol.parameters import constants_of, is_parameter
from .kernels import Tensor, torch

Types: TypeAlias = dict[tuple[Any, Any], tuple[Any, Any]]
"""Map from the types of a row and of a parameter to the compute type and the type of results."""


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
        self.arguments = [each for each in interface["inputs"] if not is_parameter(interface, each)]
        places = {each["name"]: place for place, each in enumerate(self.arguments)}
        self.inputs = [(attributes.get(each["name"]), places.get(each["name"])) for each in interface["inputs"]]
        self.constants = [(attributes.get(each["name"]), each["default"]) for each in constants_of(interface)]
        self.sizes = [
            (attributes.get(each["name"]), each["default"]) for each in interface.get("layout", {}).get("sizes", [])
        ]
        self.counts = len(interface["constants"]) - len(self.constants)  # which are the last
        parameters = parameters_of_call(type(module))
        self.names = [*parameters]
        self.required = [name for name, each in parameters.items() if each.default is each.empty]
        self.types: Types = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute the layer with the module's parameters as they are now."""
        rows = self.rows(args, named)
        if rows is None:
            return type(self.module).forward(self.module, *args, **named)
        inputs, constants, kind = self.values(rows)
        computed, returned = self.types.get((rows[0].dtype, kind), (None, None))
        if computed is None:
            return self.computed(*inputs, *constants)
        inputs = [
            value if place is None or value is None else value.to(computed)
            for value, (_, place) in zip(inputs, self.inputs, strict=True)
        ]
        return self.computed(*inputs, *constants).to(returned)

    def computed(self, *values: Any) -> Any:
        """Return the outputs of the layer; `values` are its inputs, then its Constants."""
        layer = self.layer._layer
        return layer.sized(self.given(), *values) if self.sizes else layer.call(*values)

    def given(self) -> list[Any]:
        """Return the sizes that are arguments of the layer."""
        return [default if attribute is None else getattr(self.module, attribute) for attribute, default in self.sizes]

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
        if not isinstance(rows[0], Tensor):
            return None
        for name, value in self.conditions.items():
            if getattr(self.module, name) != value:
                return None
        if self.features is not None:
            shape = getattr(self.module, self.features)
            if ((shape,) if isinstance(shape, int) else tuple(shape)) != tuple(rows[0].shape[-1:]):
                return None
        rows = [*rows, *[None] * (len(self.arguments) - len(rows))]
        return rows if self._are_arranged(rows) else None

    def _are_arranged(self, rows: Sequence[Any]) -> bool:
        """Test whether arrays have the axes of a layer whose axes have names."""
        arranged = getattr(self.layer._layer, "arranged", None)
        try:
            return arranged is None or bool(arranged.sizes(self.values(rows)[0], self.given()))
        except (TypeError, ValueError):
            return False

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
        return inputs, self.numbers(rows[0].dtype), kind

    def numbers(self, dtype: Any) -> list[Any]:
        """The Constants of a call with rows of a type; one that is None is the step of the type that is computed in."""
        found = []
        for attribute, value in self.constants:
            value = value if attribute is None else getattr(self.module, attribute)
            if value is None:  # as PyTorch has it
                value = torch.finfo(torch.promote_types(dtype, torch.float32)).eps
            found.append(value)
        return [*found, *[None] * self.counts]


def parameters_of_call(of: type) -> dict[str, inspect.Parameter]:
    """Parameters of the `forward` of a class by name, without the module itself."""
    _, *parameters = inspect.signature(of.forward).parameters.items()  # type: ignore[attr-defined]
    return dict(parameters)
