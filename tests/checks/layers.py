"""Layers made ready for checking."""

from functools import cache
from pathlib import Path
from types import SimpleNamespace

from lngen.checks import Checkable
from lngen.checks.derived import checkable
from lngen.emit import Notes
from lngen.emit.numpy import emit
from lngen.language.parsing import load
from lngen.pipeline import stages
from lngen.pipeline.files.loading import module_from_files
from lngen.plan.planner import Plan
from tests.shipped import REST, WHOLE

ROOT = Path(__file__).parents[2]
DEFINITIONS = sorted(
    [*(ROOT / "derive" / f"{name}.py" for name in WHOLE), *(ROOT / "tests" / "definitions").glob("*.py")]
)
CENTRED = ROOT / "derive" / "layer_norm.py"
OTHER_LAYERS = [ROOT / "derive" / f"{name}.py" for name in REST]


@cache
def planned(path: Path) -> Plan:
    return stages.planned(load(path), proved=False)


def emitted_files(layer: Plan, forward, backward):
    definition = layer.derivation.definition
    inputs, data = ([entry.name for entry in entries] for entries in (definition.positional, definition.data))
    about = Notes(definition.name, "A layer of the tests.", inputs=tuple(inputs), data=tuple(data))
    return emit((forward, backward), about)


@cache
def derived(path: Path) -> Checkable:
    """A definition derived, planned, emitted as NumPy and loaded."""
    layer = planned(path)
    files = emitted_files(layer, layer.forward, layer.backward)
    return checkable(layer, module_from_files(files, path.stem))


@cache
def two_functions() -> Checkable:
    """A centred norm as a module that somebody wrote: forward and backward alone, with the programs they follow."""
    layer = derived(CENTRED)
    module = SimpleNamespace(forward=layer.module.forward, backward=layer.module.backward)
    return Checkable(layer.definition, module, layer.forward_program, layer.backward_program, layer.adjoint)
