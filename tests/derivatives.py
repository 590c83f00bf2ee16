"""Emitted NumPy modules with `jvp` and `backward_backward`, made once per process."""

import functools
import types
from collections.abc import Mapping

from lngen.checks.derived import checkable
from lngen.checks.layer import Checkable
from lngen.emit import Notes, numpy
from lngen.language.parsing import parse
from lngen.pipeline import stages
from lngen.pipeline.files.loading import module_from_files
from lngen.plan.planner import Plan
from tests import corpus

CORPUS = {**corpus.FILES, **corpus.TEXTS}


@functools.cache
def planned(text: str) -> Plan:
    """The plan of a definition, or of a name of the corpus, with all directions and without proofs."""
    return corpus.planned(text) if text in corpus.NAMES else stages.planned(parse(text), proved=False)


@functools.cache
def source(text: str) -> dict[str, str]:
    """The emitted files."""
    found = planned(text)
    definition = found.derivation.definition
    inputs, data = ([entry.name for entry in entries] for entries in (definition.positional, definition.data))
    notes = Notes(definition.name, definition.name, inputs=tuple(inputs), data=tuple(data))
    return numpy.emit(found.programs(), notes)


def run(files: Mapping[str, str]) -> types.ModuleType:
    """A module of emitted files."""
    return module_from_files(files, "emitted")


@functools.cache
def module(text: str) -> types.ModuleType:
    """The emitted module."""
    return run(source(text))


def layer(text: str, changed: Mapping[str, str] | None = None) -> Checkable:
    """The emitted module, or one of changed files, ready to be checked."""
    return checkable(planned(text), module(text) if changed is None else run(changed))
