"""Layers made ready for checking: the hand-written one, and definitions taken through the whole pipeline."""

from functools import cache
from pathlib import Path

from lngen.check import Checkable
from lngen.check.derived import checkable, second_derivation
from lngen.emit import Notes
from lngen.emit.numpy import emit
from lngen.language.parsing import load, parse
from lngen.pipeline import stages
from lngen.pipeline.files.loading import module_from_files
from lngen.plan.planner import Plan
from tests.check import standin
from tests.shipped import REST, WHOLE

ROOT = Path(__file__).parents[2]
DEFINITIONS = sorted(
    [*(ROOT / "derive" / f"{name}.py" for name in WHOLE), *(ROOT / "tests" / "definitions").glob("*.py")]
)
OTHER_LAYERS = [ROOT / "derive" / f"{name}.py" for name in REST]


@cache
def hand_written() -> Checkable:
    """The stand-in, with the programs that it follows."""
    plan = stages.planned(parse(standin.DEFINITION), proved=False)
    adjoint = second_derivation(plan.derivation)
    return Checkable(plan.derivation.definition, standin.MODULE, plan.forward, plan.backward, adjoint)


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
