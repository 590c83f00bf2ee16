# SPDX-License-Identifier: MIT
"""Layers in the place of modules of PyTorch's, as the `counterparts` of their `INTERFACE` allow."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .interface import Counterpart
from .parameters import parameters_of
from .torch import Module, class_of
from .torch_kernels import torch

__all__ = ["Replaced", "replace"]


class Replaced(NamedTuple):
    """A module of a model: what it was, and what stands for it now, or why nothing does."""

    name: str
    before: str
    after: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.before} " + (f"is now {self.after}" if self.after else f"stays: {self.reason}")


class _Stays(Exception):
    """Why a module stays."""


def replace(model: torch.nn.Module, modules: Iterable[type[Module]]) -> list[Replaced]:
    """Put emitted modules in the place of those of PyTorch's that they can stand for, everywhere inside a model.

    They take over the very parameters, so that an optimizer goes on with them, and mode, device and type. Returns an
    entry for each module of such a class, also for one that has to stay. A class that inherits from one of PyTorch's
    is another class, and stays without an entry.
    """
    by_class = dict(_by_class(modules))
    made: dict[int, Any] = {}
    found = []
    for name, module in [*model.named_modules(remove_duplicate=False)]:
        if type(module) not in by_class:
            continue
        try:
            if not name:
                raise _Stays("it is the model itself; pass what it is a part of")
            if id(module) not in made:
                made[id(module)] = _instead(module, *by_class[type(module)])
        except _Stays as reason:
            found.append(Replaced(name, repr(module), "", str(reason)))
        else:
            parent, _, child = name.rpartition(".")
            setattr(model.get_submodule(parent), child, made[id(module)])
            found.append(Replaced(name, repr(module), repr(made[id(module)]), ""))
    return found


def _by_class(modules: Iterable[type[Module]]) -> Iterator[tuple[type, tuple[type[Module], Counterpart]]]:
    for module in modules:
        for counterpart in module._layer.interface["counterparts"]:
            if (there := class_of(counterpart)) is not None:
                yield there, (module, counterpart)


def _instead(module: torch.nn.Module, ours: Any, counterpart: Counterpart) -> Any:
    """The module of ours; raises _Stays."""
    if hooks := [name for name, value in vars(module).items() if name.endswith("_hooks") and value]:
        raise _Stays(f"it has {hooks[0].strip('_').replace('_', ' ')}, which a new module would not have")
    for name, value in counterpart["conditions"].items():
        if getattr(module, name) != value:
            raise _Stays(f"its {name} is {getattr(module, name)!r}, and has to be {value!r}")
    theirs = {public: getattr(module, name) for name, public in counterpart["attributes"].items()}
    interface = ours._layer.interface
    inputs = parameters_of(interface)
    parameters = {each["name"]: theirs.get(each["name"]) for each in inputs}
    arguments: dict[str, Any] = {
        each["name"]: parameters[each["name"]] is not None for each in inputs if each["default"] is not None
    }
    for constant in interface["constants"]:
        if constant["name"] in theirs:
            arguments[constant["name"]] = _constant(constant["name"], theirs[constant["name"]], parameters)
    # A name that every module has already is another one there.
    known = inspect.signature(ours).parameters
    named = {name if name in known else f"{name}_": value for name, value in arguments.items()}
    place = {"device": "meta"} if inputs else {}
    features = [_features(theirs["D"])] if "D" in known else []
    new = ours(*features, **named, **place)
    for name, parameter in zip([*new._parameters], parameters.values(), strict=True):
        new.register_parameter(name, parameter)
    return new.train(module.training)


def _constant(name: str, value: Any, parameters: Mapping[str, Any]) -> float:
    """A Constant; PyTorch says None for the step of the type, which is taken from the parameters."""
    if value is None:
        kinds = [each.dtype for each in parameters.values() if each is not None]
        if not kinds:
            raise _Stays(
                f"its {name} is None, and there is no parameter whose type says what that is; give it a number"
            )
        return float(torch.finfo(kinds[0]).eps)
    return float(value)


def _features(shape: Any) -> int:
    sizes = [shape] if isinstance(shape, int) else [*shape]
    if len(sizes) != 1:
        raise _Stays(f"its rows are of {len(sizes)} axes {tuple(sizes)}; a row here has one")
    return int(sizes[0])
