"""Emitted NumPy modules with `jvp` and `backward_backward`, made once a process."""

import functools
import types

from lngen.backends import Notes, numpy
from lngen.check.derived import checkable
from lngen.check.layer import Checkable
from lngen.definition import parse
from lngen.plan import Plan, plan
from lngen.secondary import with_secondary
from lngen.simplify import derive
from lngen.simplify.second_order import second_order
from tests.corpus import FILES, TEXTS

CORPUS = {**FILES, **TEXTS}


@functools.cache
def planned(text: str) -> Plan:
    """The plan of a definition, or of a name of the corpus, with all directions and without proofs."""
    return with_secondary(plan(second_order(derive(parse(CORPUS.get(text, text))))))


@functools.cache
def source(text: str) -> str:
    """The emitted module's text."""
    found = planned(text)
    definition = found.derivation.definition
    notes = Notes(definition.name, definition.name, inputs=tuple(entry.name for entry in definition.differentiable))
    files = numpy.emit(found.forward, found.backward, notes, found.jvp, found.backward_backward)
    return files["numpy_backend.py"]


def run(text: str) -> types.ModuleType:
    """A module of an emitted text."""
    module = types.ModuleType("emitted")
    exec(compile(text, "emitted", "exec"), module.__dict__)
    return module


@functools.cache
def module(text: str) -> types.ModuleType:
    """The emitted module."""
    return run(source(text))


def layer(text: str, changed: str | None = None) -> Checkable:
    """The emitted module, or one with a changed text, ready to be checked."""
    return checkable(planned(text), module(text) if changed is None else run(changed))
