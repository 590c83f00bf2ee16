# SPDX-License-Identifier: MIT
"""Emitted layers as the `forward` of modules of a model, as the `counterparts` of their `INTERFACE` allow.

A module stays the object that it is, with its parameters, state and hooks; its class becomes one made of its own, whose
`forward` calls the layer. So a copy has its own parameters, and nothing refers to the module. Nothing that a definition
names is imported: a class that is not loaded has no module in a model.
"""

import inspect
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..protocol.interface import CounterpartEntry
from . import Module
from .alike import Unlike, compare, shown
from .asked import Tensor, torch
from .forward import LayerForward, ModuleCalls, is_met

_MODE = "training"


class Misnamed(Exception):
    """A class or an attribute that a definition names and that is not there."""


class Replaced(NamedTuple):
    """Module of a model, and the layer that now computes its `forward`.

    The `reason` says why there is no layer or, of a mode that it does not stand for, which it does.
    """

    name: str
    module: torch.nn.Module
    layer: str
    reason: str

    def __str__(self) -> str:
        computed = f"is computed by {self.layer}{self.reason and f' {self.reason}'}"
        state = computed if self.layer else f"stays: {self.reason}"
        return f"{self.name or 'the model'}: {self.module._get_name()} {state}"


@dataclass(frozen=True)
class Replacement:
    """Modules that were `replaced`, and modules that `stayed` though their class is a norm by name, or a counterpart.

    Its text has a line for each of them.
    """

    replaced: tuple[Replaced, ...]
    stayed: tuple[Replaced, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.replaced, *self.stayed)))

    def undo(self) -> None:
        """Give each module the `forward` of its class back.

        Raises RuntimeError, and changes nothing, if another `forward` was set on one of them since.
        """
        taken = [each for each in self.replaced if "forward" in vars(each.module)]
        if taken:
            raise RuntimeError(f"another forward was set on {taken[0].name} since; take that off first")
        for each in self.replaced:
            each.module.__class__ = _own_class(each.module)


class _Candidate(NamedTuple):
    """A layer that can stand for a class."""

    layer: type[Module]
    counterpart: CounterpartEntry

    @property
    def name(self) -> str:
        """Name of the definition."""
        return str(self.layer._layer.interface["name"])


def replace(model: torch.nn.Module, layers: Iterable[type[Module]], *, are_chosen: bool) -> Replacement:
    """Let layers compute the `forward` of a model's modules that they can replace.

    A subclass with a `forward` of its own may compute another function: its modules stay. Before any change, each
    module and its layer are compared on random rows.

    Raises Misnamed for an attribute that a module lacks. If the layers `are_chosen`, it also raises Misnamed for a
    class that does not exist in its Python module.
    """
    known: dict[Any, ModuleCalls] = {}
    candidates = _by_class(layers, are_chosen)
    modules = model.named_modules(remove_duplicate=False)
    found = [_looked(name, module, candidates, known) for name, module in modules]
    replaced = [(entry, forward) for entry, forward in found if entry and forward]
    for entry, forward in replaced:
        entry.module.__class__ = _class_of(forward)
    stayed = tuple(entry for entry, forward in found if entry and not forward)
    return Replacement(tuple(entry for entry, _ in replaced), stayed)


def _by_class(layers: Iterable[type[Module]], are_chosen: bool) -> dict[str, list[_Candidate]]:
    """Layers by the name of the class that they can stand for, which has several where it is imported elsewhere."""
    found: dict[str, list[_Candidate]] = {}
    for layer in layers:
        for counterpart in layer._layer.interface["counterparts"]:
            candidate, (place, _, name) = _Candidate(layer, counterpart), counterpart["name"].rpartition(".")
            there = getattr(sys.modules.get(place), "__dict__", {}).get(name)
            if are_chosen and place in sys.modules and not isinstance(there, type):
                raise Misnamed(
                    f"the definition of {candidate.name} names {place}.{name}, and {place} has no such class"
                )
            found.setdefault(_name(there) if isinstance(there, type) else counterpart["name"], []).append(candidate)
    return found


def _name(of: type) -> str:
    return f"{of.__module__}.{of.__qualname__}"


def _looked(
    name: str, module: torch.nn.Module, candidates: dict[str, list[_Candidate]], known: dict[Any, ModuleCalls]
) -> tuple[Replaced | None, LayerForward | None]:
    """The entry of a module, None for one that is of no concern, and its `forward` to come."""
    kind, reasons = _own_class(module), []
    try:
        for candidate in _candidates(kind, candidates):
            if "forward" in vars(module):
                raise Unlike("a forward was set on it")
            try:
                forward = _forward(name, module, candidate, known)
                return Replaced(name, module, candidate.name, _mode(candidate.counterpart)), forward
            except Unlike as reason:
                reasons.append(str(reason))
    except Unlike as reason:
        reasons.append(str(reason))
    if kind is not type(module) and not reasons:
        return None, None
    if hasattr(kind, "_layer"):
        reasons = [f"it is the module of an emitted layer already, of {kind.__module__}"]
    if not reasons and "norm" not in kind.__name__.lower():
        return None, None
    return Replaced(name, module, "", reasons[0] if reasons else f"no layer names {_name(kind)}"), None


def _candidates(of: type, candidates: dict[str, list[_Candidate]]) -> Iterator[_Candidate]:
    """Layers that can stand for a class. Raises Unlike for one that has another `forward` than the class they name."""
    own = None
    for base in of.__mro__:
        if found := candidates.get(_name(base)):
            if own:
                raise Unlike(f"{own.__name__} has a forward of its own, not that of {_name(base)}")
            yield from found
            return
        own = own or (base if "forward" in vars(base) else None)


def _mode(counterpart: CounterpartEntry) -> str:
    """The mode of a module that a layer stands for; the module computes the other one itself."""
    value = counterpart["conditions"].get(_MODE)
    return "" if value is None else "in training alone" if value else "in evaluation alone"


def _forward(name: str, module: torch.nn.Module, candidate: _Candidate, known: dict[Any, ModuleCalls]) -> LayerForward:
    """The `forward` of a module. Raises Unlike if it would not compute the same."""
    entry = candidate.counterpart
    others = [entry["reduction"]["attribute"]] if "reduction" in entry else []
    others += ["momentum", *entry["statistics"]] if "statistics" in entry else []
    for attribute in (*entry["attributes"], *entry["conditions"], *others):
        if not hasattr(module, attribute):
            where = f"{name or 'the model'}, of class {_name(_own_class(module))},"
            raise Misnamed(f"the definition of {candidate.name} names the attribute {attribute}, which {where} lacks")
    if any(map(torch.nn.parameter.is_lazy, (*module._parameters.values(), *module._buffers.values()))):
        raise Unlike("its parameters have no shapes yet")
    for attribute, value in entry["conditions"].items():
        if attribute != _MODE and not is_met(module, attribute, value):
            found = getattr(module, attribute)
            is_ = shown(found) if isinstance(found, Tensor) else repr(found)
            raise Unlike(f"its {attribute} is {is_}, and has to be {value!r}")
    for attribute in entry.get("statistics", {}):
        if getattr(module, attribute) is None:
            raise Unlike(f"its {attribute} is None")
    try:
        forward = LayerForward(_own_class(module), *candidate[:2])
    except (TypeError, ValueError) as error:
        raise Unlike("the arguments of its forward are not known") from error
    forward.calls = compare(forward, module, known)
    return forward


# ---- the class of a replaced module


class _Standing:
    """Methods of the class of a replaced module, besides those that it had."""

    _lngen_forward: LayerForward

    def __prepare_scriptable__(self) -> None:
        """Raises TypeError, before torch.jit.script looks for the source of what has none."""
        name = type(self).__name__
        raise TypeError(f"{name} is computed by lngen; use torch.export, torch.compile or torch.jit.trace, or undo it")

    def __reduce_ex__(self, protocol: Any) -> Any:
        made: Any = super().__reduce_ex__(protocol)
        forward = type(self)._lngen_forward
        return _made, (forward,), *made[2:]


def _class_of(forward: LayerForward) -> type:
    """The class of modules that a layer computes, by the name of the one that they had."""

    def computed(self: Any, *args: Any, **named: Any) -> Any:
        return forward(self, *args, **named)

    computed.__name__ = "forward"
    computed.__signature__ = inspect.signature(forward.kind.forward)  # type: ignore[attr-defined]
    names = {"forward": computed, "_lngen_forward": forward, "__module__": forward.kind.__module__}
    return type(forward.kind.__name__, (_Standing, forward.kind), {**names, "__qualname__": forward.kind.__qualname__})


def _made(forward: LayerForward) -> Any:
    """A module of a layer, whose state is yet to come."""
    return object.__new__(_class_of(forward))


def _own_class(module: torch.nn.Module) -> Any:
    """The class that a module had."""
    return type(module)._lngen_forward.kind if isinstance(module, _Standing) else type(module)
