# SPDX-License-Identifier: MIT
"""Shared part of the class of every layer: a layer as a class, with parameters and their gradients."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ..emitted import backend_module, is_emitted
from ..protocol.calls import Array, DType, array, is_float, thread_count
from ..protocol.interface import Interface
from ..protocol.parameters import (
    Features,
    Parameters,
    checked,
    checked_features,
    described,
    parameters_of,
    shape_of,
    start,
)

Output = TypeVar("Output")
Gradient = TypeVar("Gradient")

Backend: TypeAlias = Literal["numpy", "cpu", "auto"]


class NumpyModule(Generic[Output, Gradient]):
    """Layer as an object: `forward` keeps the values for `backward`, and `backward` releases them."""

    _package: ClassVar[str]
    _interface: ClassVar[Interface]

    def __init__(
        self,
        features: Features,
        parameters: Mapping[str, bool],
        constants: Mapping[str, float],
        backend: Backend,
        threads: int,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        """Make a layer; `parameters` says by name which are present, in the order of the inputs.

        `constants` are by attribute. Raises TypeError or ValueError if `D` is not a whole number or is too small, for
        an invalid constant, and for an invalid type, backend or number of threads.
        """
        self.backend: Backend = _checked_backend(backend)
        self.threads = thread_count(threads)
        for name, is_there in parameters.items():
            if not isinstance(is_there, (bool, np.bool_)):
                raise TypeError(
                    f"{name} is of type {type(is_there).__name__}; pass True or False, and set its values by "
                    f"parameters[{name!r}] = ..."
                )
        self._made_for, self._features = features, checked_features(self._interface, features)
        self._sizes = self._features if isinstance(self._features, Mapping) else {}
        entries, kind = parameters_of(self._interface), _float_type(dtype)
        # By place: what an input is called here may have an underscore more.
        self._names = {each["name"]: name for name, each in zip(parameters, entries, strict=True)}
        self._absent = [name for name, is_there in parameters.items() if not is_there]
        self.parameters = Parameters(
            type(self).__name__,
            {
                name: np.full(shape_of(self._interface, each, self._features), start(each), kind)
                for (name, is_there), each in zip(parameters.items(), entries, strict=True)
                if is_there
            },
        )
        self.gradients: dict[str, Array] = {}
        self._constants = tuple(constants)
        for name, value in checked(self._interface, constants).items():
            setattr(self, name, value)
        self._saved: Any = None

    def __repr__(self) -> str:
        constants = {name: getattr(self, name) for name in self._constants}
        return f"{type(self).__name__}({described(self._made_for, constants, self._absent)})"

    def _forward(self, save: bool, *given: Any) -> Output:
        """Call the layer with its parameters and the given inputs, and return its outputs."""
        self._saved = None
        rest = iter(given)
        inputs = [
            self.parameters.get(self._names[each["name"]]) if each["name"] in self._names else next(rest)
            for each in self._interface["inputs"]
        ]
        self._check_features(inputs)
        names = [each["name"] for each in self._interface["constants"]]
        constants = {name: getattr(self, own) for name, own in zip(names, self._constants, strict=True)}
        layout = self._interface.get("layout")
        sizes = {each["name"]: self._sizes[each["name"]] for each in layout["sizes"]} if layout else {}
        made, self._saved = self._computed().forward(*inputs, **constants, **sizes, save=save, threads=self.threads)
        output: Output = made
        return output

    def _check_features(self, inputs: Sequence[Any]) -> None:
        """Refuse rows of another length than the parameters have."""
        if not isinstance(self._features, int):
            return
        for each, value in zip(self._interface["inputs"], inputs, strict=True):
            found = array(each["name"], value, False) if each["kind"] == "Row" else None
            if found is not None:
                if found.ndim and found.shape[-1] != self._features:
                    raise ValueError(
                        f"{each['name']} has shape {found.shape}, and this {type(self).__name__} was made for rows of "
                        f"{self._features} features; pass (..., {self._features})"
                    )
                return

    def _backward(self, *cotangents: Any) -> Gradient:
        """The gradients of all that is not a parameter, a tuple of several."""
        if self._saved is None:
            name = type(self).__name__
            raise RuntimeError(f"{name} has no saved values; call forward before each backward")
        made = self._computed().backward(self._saved, *cotangents, threads=self.threads)
        self._saved = None
        found = {each["of"]: value for each, value in zip(self._interface["gradients"], made, strict=True)}
        self.gradients = {name: np.asarray(found[of]) for of, name in self._names.items() if name in self.parameters}
        given = [value for of, value in found.items() if of not in self._names]
        gradient: Gradient = given[0] if len(given) == 1 else tuple(given)  # type: ignore[assignment]
        return gradient

    def _computed(self) -> Any:
        # No attribute of an object: one that is pickled may be loaded where there is no compiler.
        return _backend(self._package, self.backend)


def _checked_backend(wanted: Any) -> Any:
    if wanted not in ("numpy", "cpu", "auto"):
        raise ValueError(f'backend is {wanted!r}; pass "numpy", "cpu" or "auto"')
    return wanted


def _backend(package: str, wanted: Backend) -> Any:
    """The module of a layer that computes."""
    _checked_backend(wanted)  # an attribute may have been set since
    if wanted == "auto":
        folder = Path(str(import_module(package).__file__)).parent
        wanted = "cpu" if is_emitted(folder, "cpu") and _can_run_compiled(folder) else "numpy"
    return backend_module(package, wanted)


def _can_run_compiled(folder: Path) -> bool:
    # By its name: what looks for a compiler takes time to load, and is there with compiled code alone.
    found: bool = import_module("..native.compiler", __package__).can_run(folder)
    return found


def _float_type(dtype: npt.DTypeLike) -> DType:
    try:
        # NumPy takes None for float64, and is not asked: it is what is left out.
        found = np.dtype(np.float32 if dtype is None else dtype)
    except TypeError:
        found = None
    if found is None or not is_float(found):
        raise TypeError(f"dtype is {dtype!r}; pass a type of floats, such as np.float32")
    return found
