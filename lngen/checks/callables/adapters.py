"""Functions that lngen has not written in the form of its backends, by framework."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from lngen.checks.adapter import Adapter, OnHost
from lngen.checks.callables.calling import Calling, Given, forward_of, is_module
from lngen.checks.claim import FEATURES
from lngen.checks.executed import drawn_by_name
from lngen.checks.frameworks import FrameworkAdapter
from lngen.checks.in_jax import InJax
from lngen.checks.in_torch import InTorch
from lngen.checks.inputs import ordinary
from lngen.checks.layer import Case, as_tuple
from lngen.errors import LngenError, ToolchainMissing, counted
from lngen.language.definition import Definition
from lngen.language.names import cotangent

ASKED = frozenset({"leading axes", "no rows", "types", "recorded inputs", "second calls"})
"""Words of what every function can be asked."""

_RUNS = 10


@dataclass(frozen=True)
class TakenInputs:
    """The inputs of a definition that a function takes; the other Constants have a `fixed` value."""

    definition: Definition
    names: frozenset[str]
    fixed: Mapping[str, float]

    def of(self, case: Case) -> Case:
        """The case without the inputs that the function does not take."""
        numbers = {entry.name: float(entry.default or 0) for entry in self.definition.constants} | dict(self.fixed)
        inputs = {name: value if name in self.names else numbers.get(name) for name, value in case.inputs.items()}
        return replace(case, inputs=inputs)


class _CalledLayer:
    """A function in the place of an emitted layer: its arguments are the inputs of the definition, then Constants."""

    def __init__(self, definition: Definition, function: Calling) -> None:
        self.names = [entry.name for entry in (*definition.positional, *definition.constants)]
        self.rows, self.function = [entry.name for entry in definition.rows], function

    def values(self, *given: Any) -> dict[str, Any]:
        """The values that a call may pass, by name, with the length of a row."""
        values = dict(zip(self.names, given, strict=True))
        return {**values, "D": next(values[row].shape[-1] for row in self.rows if values[row] is not None)}

    def call(self, *given: Any) -> Any:
        return self.function(self.values(*given))


class _Stranger(Adapter):
    """Part of each adapter of a function that lngen has not written: its inputs, and how often it is run."""

    repeats = "ten runs"
    keeps_bits = False
    mixes_rows = False
    lengths = (FEATURES, 1000)
    taken: TakenInputs

    def given(self, case: Case) -> Case:
        return self.taken.of(case)

    def again(self) -> Iterator[AbstractContextManager[Any]]:
        yield from (nullcontext() for _ in range(1, _RUNS))


class _OfStranger(_Stranger, FrameworkAdapter):
    """A framework's adapter of a function that lngen has not written."""

    can = ASKED | {"strides", "arguments left out"}

    def __init__(self, definition: Definition, function: Calling, taken: TakenInputs, device: str) -> None:
        stand_in: Any = SimpleNamespace(_LAYER=_CalledLayer(definition, function))
        super().__init__(definition, stand_in)
        self.taken, self.device, self.needed = taken, device, function.needed
        self.function = function


class TorchFunction(_OfStranger, InTorch):
    """A function or a module of PyTorch."""

    def setting(self) -> AbstractContextManager[Any]:
        """Make tensors on the device."""
        there: AbstractContextManager[Any] = self.torch.device(self.device) if self.device else nullcontext()
        return there


class JaxFunction(_OfStranger, InJax):
    """A function of JAX."""

    can = _OfStranger.can - {"strides"}

    @contextmanager
    def setting(self) -> Iterator[None]:
        """Allow float64, on the device."""
        with super().setting(), self.jax.default_device(self.jax.devices(self.device)[0] if self.device else None):
            yield


class NumpyFunction(_Stranger, OnHost):
    """A function of NumPy and its backward, which is passed inputs, outputs and cotangents by name.

    `backward` returns a dictionary by input, or the gradients in the order of the definition's inputs.
    """

    can = (ASKED - {"recorded inputs"}) | {"strides", "arguments left out"}

    def __init__(self, definition: Definition, function: Calling, backward: Calling, taken: TakenInputs) -> None:
        super().__init__(SimpleNamespace(forward=self._forward, backward=self._backward))
        self.definition, self.taken, self.needed, self.function = definition, taken, function.needed, function
        self.layer, self.pulled_back = _CalledLayer(definition, function), backward

    def _forward(self, *inputs: Any, **constants: float) -> tuple[Any, Any]:
        numbers = [constants.get(self.definition.public(entry.name)) for entry in self.definition.constants]
        names = [entry.name for entry in self.definition.differentiable]
        made, pull = self.pulled_by_name(self.function, self.layer.values(*inputs, *numbers), names)
        return made if len(made) > 1 else made[0], pull

    def _backward(self, saved: Any, *cotangents: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = saved(cotangents)
        return found

    def pulled_by_name(
        self, call: Calling, values: Mapping[str, Any], moved: Sequence[str]
    ) -> tuple[tuple[Any, ...], Callable[[Sequence[Any]], tuple[Any, ...]]]:
        """Return the results of a call, and a function of their cotangents that gives some gradients.

        The gradient of an input that was left out is None.
        """
        names, made = outputs_of(self.definition), as_tuple(call(values))
        saved = {**values, **dict(zip(names, made, strict=True))}

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            found = self.pulled_back({**saved, **dict(zip(map(cotangent, names), cotangents, strict=True))})
            if not isinstance(found, Mapping):
                found = dict(zip([n for n in moved if n in self.taken.names], as_tuple(found), strict=True))
            by_name = {name.removeprefix("d") if name not in moved else name: value for name, value in found.items()}
            return tuple(by_name.get(name) if saved[name] is not None else None for name in moved)

        return made, pull


def outputs_of(definition: Definition) -> list[str]:
    """The names of the results of a call, where an output that is made of parts is one."""
    wholes = {name: each.name for each in definition.parts for name in each.names}
    return [*dict.fromkeys(wholes.get(name, name) for name in definition.outputs)]


def adapted(
    definition: Definition, function: Calling, backward: Calling | None, fixed: Mapping[str, float], device: str = ""
) -> tuple[Adapter, str]:
    """Return the adapter of a function and the name of its framework: the one whose arrays it takes and returns.

    Arrays are made on the `device`, as the framework calls it. Raises LngenError where the function takes those of no
    framework, and for one of NumPy without a backward; ToolchainMissing where there is no such device.
    """
    only = None
    if is_module(function.function) and definition.layout:
        raise LngenError(f"arrays of {definition.name} have named axes: name a function of them, not a module.")
    if is_module(function.function) and not isinstance(function.function, type):
        function, held, only = _made(definition, function)
        fixed = {**held, **fixed}
    taken = TakenInputs(definition, function.taken, fixed)
    if backward is not None:
        if device:
            raise LngenError("a function of NumPy runs on the processor: leave --device out.")
        return NumpyFunction(definition, function, backward, taken), "NumPy"
    troubles = []
    for package, make, kind in (("torch", TorchFunction, "Tensor"), ("jax", JaxFunction, "Array")):
        framework = sys.modules.get(package)
        if framework is None:
            continue
        on: Any = make(definition, function, taken, device)
        on.only_features = only
        if device:
            _require(on, package)
        with on.setting():
            trouble = _refusal(on, getattr(framework, kind))
        if not trouble:
            return on, {"torch": "PyTorch", "jax": "JAX"}[package]
        troubles.append(trouble)
        if is_module(function.function):
            break
    raise LngenError(
        troubles[0] if troubles else "a function of NumPy needs --backward, the function of its gradients."
    )


def _require(on: Any, package: str) -> None:
    try:
        with on.setting():
            on.array(np.zeros(1))
    except (RuntimeError, AssertionError) as error:
        why = str(error).partition("\n")[0]
        raise ToolchainMissing(f"{package} has no device {on.device!r} here: {why}") from None


def _made(definition: Definition, function: Calling) -> tuple[Calling, dict[str, float], int | None]:
    """Return the call of a module that is made, the Constants that it has, and the one length of its rows."""
    module: Any = function.function
    own = dict(module.named_parameters())
    words = [(name, word.name) for name, word in function.named if isinstance(word, Given)]
    held = {of: getattr(module, name) for name, of in words if isinstance(getattr(module, name, None), int | float)}
    features = {entry.name for entry in definition.features}
    sizes = {own[name].shape[-1] for name, of in words if of in features and name in own}
    kept = tuple((name, word) for name, word in function.named if name in own or name in forward_of(module))
    return replace(function, named=kept), held, sizes.pop() if len(sizes) == 1 else None


def _refusal(on: Any, kind: type) -> str:
    """Say why a function does not take a framework's arrays; empty if it does."""
    definition = on.definition
    try:
        given = {n: on.array(value) if isinstance(value, np.ndarray) else value for n, value in _drawn(on).items()}
        made = as_tuple(on.function(given))
    except LngenError:
        raise
    except Exception as error:  # whatever a stranger's function raises
        return f"the function raises {type(error).__name__}: {' '.join(str(error).split())[:300]}"
    wanted = outputs_of(definition)
    if len(made) != len(wanted):
        raise LngenError(
            f"the function returns {counted(len(made), 'result')}, and {definition.name} has {', '.join(wanted)}: "
            + (
                'choose one by its place, as in --call "f(x)[0]".'
                if len(made) > len(wanted)
                else "hold it to a definition that returns what it returns."
            )
        )
    return "" if all(isinstance(each, kind) for each in made) else f"the function returns {type(made[0]).__name__}"


def _drawn(on: Any) -> dict[str, Any]:
    """Values for a first call, by name."""
    definition = on.definition
    if definition.layout:
        return drawn_by_name(definition, on.taken.names)
    features = on.row_length(definition, 5)
    return {**on.given(ordinary(definition, 2, features, 0)).astype(np.float32).inputs, "D": features}
