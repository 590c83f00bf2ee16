"""Layers with both of their modules for the processor, and all that these compute of some arguments, by name."""

from __future__ import annotations

import atexit
import functools
import importlib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from lngen.checks.inputs import ordinary
from lngen.checks.layer import Case, Checkable, outputs_by_name, positional
from lngen.language.definition import Definition
from lngen.language.parsing import parse
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import Derived, derived
from tests import corpus
from tests.hosts import compile_nothing

_FOLDER = tempfile.TemporaryDirectory(prefix="lngen-compiled-")
atexit.register(_FOLDER.cleanup)


@dataclass(frozen=True)
class Layer:
    """A layer, where its files are, and its `numpy_backend` and `cpu_backend`."""

    derived: Derived
    folder: Path
    numpy: ModuleType
    cpu: ModuleType

    @property
    def definition(self) -> Definition:
        """Return the definition of the layer."""
        return self.derived.definition


@functools.cache
def layer(text: str) -> Layer:
    """The layer of a text, or of a name of the corpus."""
    definition = corpus.definition(text) if text in corpus.NAMES else parse(text)
    made = derived(definition, proved=False)
    own = Path(_FOLDER.name) / f"layer{len(list(Path(_FOLDER.name).iterdir()))}"
    manifest.write(made.emission, own)
    folder = own / made.emission.name
    package = loading.load(folder).__name__
    numpy, cpu = (importlib.import_module(f"{package}.{name}_backend") for name in ("numpy", "cpu"))
    return Layer(made, folder, numpy, cpu)


def backend(text: str, name: str) -> Any:
    """A backend of the layer of a text, or of a name of the corpus."""
    return importlib.import_module(f"{layer(text).numpy.__package__}.{name}_backend")


def on_numpy(text: str, framework: str) -> Any:
    """The function of a layer in a framework, by the framework's operations: nothing is compiled."""
    module = backend(text, framework)
    if framework != "jax":
        compile_nothing([module], setattr)
    return getattr(module, module.__all__[-1])


def the_long_way(module: Any, put: Callable[[Any, str, Any], None]) -> None:
    """Have every call of a `cpu_backend` take the long way; `put` sets an attribute, as that of `monkeypatch` does."""
    straight = vars(module).get("_straight")  # named axes take the long way at all times

    def refuse(*given: Any) -> Any:
        raise straight.Unusual

    for name in ("rows", "kept") if straight else ():
        put(straight, name, refuse)


def results(module: Any, definition: Definition, case: Case, **options: Any) -> dict[str, Any]:
    """Return the results of all four functions for a case, with its inputs and cotangents as directions."""
    checkable = Checkable(definition, module)
    inputs, constants = positional(checkable, case)
    cotangents = [case.cotangents.get(name) for name in definition.outputs]
    names = [entry.name for entry in definition.differentiable]
    along = [case.inputs.get(name) for name in names]
    with np.errstate(all="ignore"):
        outputs, saved = module.forward(*inputs, **constants, **options)
        gradients = module.backward(saved, *cotangents, **options)
        moved = module.jvp(saved, *along, **options)
        second = module.backward_backward(saved, cotangents, *along, **options)
    found = outputs_by_name(checkable, outputs)
    found |= {f"backward d{name}": value for name, value in zip(names, gradients, strict=True)}
    found |= {f"jvp d{name}": value for name, value in outputs_by_name(checkable, moved).items()}
    second_names = [f"second d{name}" for name in names] + [f"second dd{name}" for name in definition.outputs]
    return found | dict(zip(second_names, second, strict=True))


def drawn(definition: Definition, rows: int, features: int, dtype: Any, seed: int = 0) -> Case:
    """A case in a storage type."""
    return ordinary(definition, rows, features, seed).astype(dtype)


def off(found: Mapping[str, Any], exact: Mapping[str, Any]) -> dict[str, float]:
    """Return the error of each result, relative to its largest entry or 1."""
    return {
        name: float(
            np.abs(np.asarray(value, np.longdouble) - exact[name]).max(initial=0)
            / max(1, np.abs(exact[name]).max(initial=0))
        )
        for name, value in found.items()
        if value is not None
    }


def assert_same_bits(
    one: Mapping[str, Any], other: Mapping[str, Any], part: Callable[[Any], Any] = lambda a: a
) -> None:
    """Two sets of results are one, of the second what `part` takes of it. NaN is NaN."""
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert (value is None) == (other[name] is None), name
        if value is not None:
            np.testing.assert_array_equal(value, part(other[name]), err_msg=name)
