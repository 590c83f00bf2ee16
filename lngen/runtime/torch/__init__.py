# SPDX-License-Identifier: MIT
"""Shared part of every layer's `torch_backend`: the layer as a function of tensors, and as a module."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from numbers import Integral
from typing import Any, ClassVar, TypeAlias

from ..native.compiled import CompiledDirection
from .asked import Tensor, torch
from .layers import Printed, TorchLayer, constant

__all__ = ["CompiledDirection", "Device", "Dtype", "Module", "Printed", "Tensor", "TorchLayer", "multiple", "size"]

Device: TypeAlias = "torch.device | str | int | None"
Dtype: TypeAlias = "torch.dtype | None"


class Module(torch.nn.Module):
    """A layer as a module, whose parameters are the layer's inputs of kind Feature and Scalar.

    `_theirs` are the names that its counterparts have for attributes of this class, and `_arguments` for sizes.
    """

    _layer: ClassVar[TorchLayer[Any]]
    _theirs: ClassVar[Sequence[tuple[str, str]]] = ()
    _arguments: ClassVar[Sequence[tuple[str, str]]] = ()
    _ours: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Give a layer's class the names that its counterparts have for its parameters and Constants."""
        super().__init_subclass__(**keywords)
        if "__init__" in vars(cls) and "_layer" in vars(cls):
            cls.__init__ = _told(cls.__init__, dict((*cls._theirs, *cls._arguments)))  # type: ignore[method-assign]
        cls._ours = dict(cls._theirs)
        for theirs, ours in cls._theirs:
            setattr(cls, theirs, property(partial(_value, ours)))

    def __init__(self, **sizes: int) -> None:
        """`sizes` are the number of features, `D`, or those of axes, by the names of the constructor's arguments."""
        super().__init__()
        self._sizes, self._starts, self._constants = sizes, dict[str, float](), list[str]()

    def _parameter(self, name: str, is_there: bool, shape: Any, start: float, device: Device, dtype: Dtype) -> None:
        """Add a parameter, or None. Raises TypeError for what does not say if it is there."""
        if not isinstance(is_there, bool):
            problem = f"{name} is {is_there!r}; pass True, or False to leave it out"
            raise TypeError(f"{problem}. The parameter begins at {start:g}: set its values afterwards")
        self._starts[name] = start
        made = torch.nn.Parameter(torch.empty(shape, device=device, dtype=dtype)) if is_there else None
        self.register_parameter(name, made)
        if made is not None:
            torch.nn.init.constant_(made, start)

    def _constant(self, name: str, value: float, signed: bool) -> float:
        """Add a Constant, and return it. Raises TypeError or ValueError for one that no call would take."""
        self._constants.append(name)
        return float(constant(name, value, signed))

    def __prepare_scriptable__(self) -> None:
        """Raises TypeError, before torch.jit.script looks for the source of what has none."""
        name = type(self).__name__
        raise TypeError(f"{name} cannot be scripted; use torch.export, torch.compile or torch.jit.trace")

    def reset_parameters(self) -> None:
        """Set each parameter to its value when omitted, or to 1 if it is required."""
        for name, start in self._starts.items():
            parameter = getattr(self, name)
            if parameter is not None:
                torch.nn.init.constant_(parameter, start)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a parameter or a Constant, by a counterpart's name for it too."""
        super().__setattr__(self._ours.get(name, name), value)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *arguments: Any) -> None:
        """Load the state of a counterpart too: its parameters are known by their names there."""
        for theirs, ours in self._theirs:
            if f"{prefix}{theirs}" in state_dict:
                state_dict.setdefault(f"{prefix}{ours}", state_dict.pop(f"{prefix}{theirs}"))
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    def extra_repr(self) -> str:
        """Return the text in brackets after the name of the class."""
        shown = [str(value) if name == "D" else f"{name}={value}" for name, value in self._sizes.items()]
        shown += [f"{name}={getattr(self, name)!r}" for name in self._constants]
        return ", ".join([*shown, *(f"{name}=False" for name in self._starts if getattr(self, name) is None)])


def size(name: str, count: Any, least: int = 1) -> int:
    """Check a size of a constructor; raises TypeError or ValueError if it is no whole number from the `least` on."""
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise TypeError(f"{name} is {count!r} of type {type(count).__name__}; pass a whole number, {least} or more")
    if count < least:
        raise ValueError(f"{name} is {count}; pass {least} or more")
    return int(count)


def multiple(name: str, count: Any, of: int) -> int:
    """Check a size of an axis that is another one of a known size, several times. Raises as `size` does."""
    if size(name, count) % of:
        raise ValueError(f"{name} is {count}; pass a multiple of the other size, {of}")
    return int(count)


def _told(init: Callable[..., None], theirs: Mapping[str, str]) -> Callable[..., None]:
    """A constructor that says which arguments there are, and what those of a counterpart are called here."""
    _, *given = inspect.signature(init).parameters.values()
    accepted = [each.name for each in given]
    sizes = [each.name for each in given if each.kind is not each.KEYWORD_ONLY]
    optional = [each.name for each in given if each.default is True]

    @wraps(init)
    def made(self: Any, *arguments: Any, **keywords: Any) -> None:
        for name in keywords:
            if name not in accepted:
                ours = f"{name} is {theirs[name]} here; " if theirs.get(name) in accepted else ""
                absent = f"; {optional[0]}=False leaves {optional[0]} out" if optional else ""
                taken = ", ".join(accepted)
                raise TypeError(f"{type(self).__name__} has no argument {name}; {ours}it takes {taken}{absent}")
        if len(arguments) > len(sizes):
            found, others = f"{arguments[len(sizes)]!r} is passed by place", ", ".join(accepted[len(sizes) :])
            where = f"{type(self).__name__} takes {', '.join(sizes) or 'nothing'} so"
            raise TypeError(f"{found}; {where}, and by name {others}")
        init(self, *arguments, **keywords)

    return made


def _value(ours: str, module: Module) -> Any:
    return getattr(module, ours)
