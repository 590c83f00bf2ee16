# SPDX-License-Identifier: MIT
"""Shared part of every layer's `torch_backend`: the layer as a function of tensors, and as a module."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any, ClassVar, TypeAlias

from ..protocol.interface import Interface
from ..protocol.parameters import Features, checked, checked_features, described, parameters_of, shape_of, start
from .guards import Tensor, torch
from .layers import Printed, TorchLayer

__all__ = ["Device", "Dtype", "Module", "Printed", "Tensor", "TorchLayer"]

Device: TypeAlias = "torch.device | str | int | None"
Dtype: TypeAlias = "torch.dtype | None"


class Module(torch.nn.Module):
    """A layer as a module, whose parameters are the layer's inputs of kind Feature and Scalar."""

    _layer: ClassVar[TorchLayer[Any]]
    _ours: ClassVar[dict[str, str]]

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Give a layer's class the names that its counterparts have for its parameters and Constants."""
        super().__init_subclass__(**keywords)
        interface = cls._layer.interface
        if "__init__" in vars(cls) and "_layer" in vars(cls):
            cls.__init__ = _told(cls.__init__, interface)  # type: ignore[method-assign]
        names = [each["name"] for each in (*parameters_of(interface), *interface["constants"])]
        taken, cls._ours = torch.nn.Module(), {}
        for counterpart in interface["counterparts"]:
            for theirs, ours in counterpart["attributes"].items():
                if ours in names and theirs not in names and not hasattr(taken, theirs):
                    cls._ours[theirs] = ours
                    setattr(cls, theirs, property(partial(_value, ours)))

    def __init__(
        self,
        features: Features,
        parameters: Mapping[str, bool],
        constants: Mapping[str, float],
        device: Device,
        dtype: Dtype,
    ) -> None:
        """`parameters` says by attribute which there are, in the order of the inputs; `constants` are by attribute too.

        Raises TypeError or ValueError for features that are no whole number, or too few, and for a Constant that no
        call would take.
        """
        super().__init__()
        interface = self._layer.interface
        self._features = checked_features(interface, features)
        self._sizes = self._features if isinstance(self._features, Mapping) else {}
        inputs = parameters_of(interface)
        # An input may have an underscore more in its name here.
        entries = (*inputs, *interface["constants"])
        self._names = {each["name"]: name for each, name in zip(entries, (*parameters, *constants), strict=True)}
        self._defaults = {name: start(each) for name, each in zip(parameters, inputs, strict=True)}
        for (name, is_there), each in zip(parameters.items(), inputs, strict=True):
            shape = shape_of(interface, each, self._features)
            made = torch.nn.Parameter(torch.empty(shape, device=device, dtype=dtype)) if is_there else None
            self.register_parameter(name, made)
        self._constants = tuple(constants)
        for name, value in checked(interface, constants).items():
            setattr(self, name, value)
        self.reset_parameters()

    def __prepare_scriptable__(self) -> None:
        """Raises TypeError, before torch.jit.script looks for the source of what has none."""
        name = type(self).__name__
        raise TypeError(f"{name} cannot be scripted; use torch.export, torch.compile or torch.jit.trace")

    def reset_parameters(self) -> None:
        """Set each parameter to its value when omitted, or to 1 if it is required."""
        for name, default in self._defaults.items():
            parameter = getattr(self, name)
            if parameter is not None:
                torch.nn.init.constant_(parameter, default)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a parameter or a Constant, by a counterpart's name for it too."""
        super().__setattr__(self._names[self._ours[name]] if name in self._ours else name, value)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *arguments: Any) -> None:
        """Load the state of a counterpart too: its parameters are known by their names there."""
        for theirs, ours in self._ours.items():
            if f"{prefix}{theirs}" in state_dict:
                state_dict.setdefault(f"{prefix}{self._names[ours]}", state_dict.pop(f"{prefix}{theirs}"))
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    def extra_repr(self) -> str:
        """Return the text in brackets after the name of the class."""
        constants = {name: getattr(self, name) for name in self._constants}
        return described(self._features, constants, [name for name in self._defaults if getattr(self, name) is None])


def _told(init: Callable[..., None], interface: Interface) -> Callable[..., None]:
    """A constructor that says what the arguments of a counterpart are called here."""
    accepted = [name for name in inspect.signature(init).parameters if name != "self"]
    theirs = {theirs: ours for each in interface["counterparts"] for theirs, ours in each["attributes"].items()}

    @wraps(init)
    def made(self: Any, *arguments: Any, **keywords: Any) -> None:
        for name in keywords:
            if name not in accepted:
                ours = f"{name} is {theirs[name]} here; " if theirs.get(name) in accepted else ""
                absent = next((f"; {each}=False leaves {each} out" for each in accepted if each in optional), "")
                taken = ", ".join(accepted)
                raise TypeError(f"{type(self).__name__} has no argument {name}; {ours}it takes {taken}{absent}")
        init(self, *arguments, **keywords)

    optional = [each["name"] for each in parameters_of(interface) if each["default"] is not None]
    return made


def _value(ours: str, module: Module) -> Any:
    return getattr(module, module._names[ours])
