"""Backends that a layer is emitted for: what each emits, the others that it needs, and its templates.

lngen's own are listed here. Others are extensions (`lngen.backends`), which are found where one is named; "all" is all
of lngen's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from lngen import entry_points
from lngen.emit import Notes, cpu, cuda, jax, numpy, render, torch
from lngen.errors import LngenError, nearest, printable
from lngen.language.definition import Definition
from lngen.language.syntax import Call, walk
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram
from lngen.runtime.emitted import BACKENDS


@dataclass(frozen=True)
class Backend:
    """Backend of a layer.

    `emit` returns the texts of its files by name. `title` is its name for readers. `needs` are backends whose files its
    own import. `templates` are the folders of the templates that it prints with, in `folder` or else in lngen's.
    `remark` says in a line what readers of its files have to know of a plan.
    `adapter` calls the functions of its module, `NAME_backend.py`, for the checks (`lngen.checks.adapter.Adapter`). One
    of an extension `takes_integers` if it has code for them.
    """

    emit: Callable[[Sequence[RowProgram], Notes], Mapping[str, str]]
    title: str
    needs: tuple[str, ...] = ("numpy",)
    templates: tuple[str, ...] = ()
    folder: Path | None = None
    remark: Callable[[Plan], str] = lambda plan: ""
    adapter: Callable[[ModuleType], Any] | None = None
    takes_integers: bool = False

    def sources(self) -> dict[str, str]:
        """The text of every template that it prints with, by its path."""
        return render.sources(*self.templates, folder=self.folder)


_OWN: Mapping[str, Backend] = {
    "numpy": Backend(numpy.emit, "NumPy", (), ("numpy",)),
    "cpu": Backend(cpu.emit, "C++", ("numpy",), ("cpu", "cpp")),
    "cuda": Backend(cuda.emit, "CUDA", ("numpy",), ("cuda", "cpp")),
    "torch": Backend(torch.emit, "PyTorch", (), ("torch", "cpu", "cpp", "triton")),
    "jax": Backend(jax.emit, "JAX", (), ("jax",)),
}

WITHIN = {"triton": "torch"}
"""Code that a backend has beside its own, and launches, by a name that `lngen check` knows."""


def known() -> tuple[str, ...]:
    """The names of all backends, lngen's own first."""
    return (*BACKENDS, *(name for name in entry_points.extensions(entry_points.BACKENDS) if name not in _OWN))


def backend(name: str) -> Backend:
    """The backend that has a name. Raises LngenError for an unknown or a broken one."""
    found: Backend | None = _OWN.get(name) or entry_points.find(entry_points.BACKENDS, name, _required)
    if found is None:
        raise LngenError(_unknown(name))
    return found


def takes_integers(name: str, definition: Definition) -> bool:
    """Test whether a backend has code for the integers of a definition, if that has any; it is left out otherwise.

    The seed of random numbers is such an integer.
    """
    calls = (part for each in definition.statements for part in walk(each.expression) if isinstance(part, Call))
    has_places = any(part.function in ("index", "pick") for part in calls)
    has_integers = has_places or any(entry.kind.is_integer for entry in definition.inputs)
    return name in BACKENDS or not has_integers or backend(name).takes_integers


def adapter(name: str) -> Callable[[ModuleType], Any]:
    """The adapter of an extension's backend, for the checks. Raises LngenError where there is none."""
    found = backend(name).adapter
    if found is None:
        raise LngenError(f"the code of the backend {name} is not checked by itself: its `Backend` has no `adapter`.")
    return found


def _required(found: Any) -> Backend:
    if not isinstance(found, Backend):
        raise TypeError(f"this is no lngen.emit.backends.Backend but a {type(found).__name__}")
    return found


def _unknown(name: object) -> str:
    names = (*known(), "all")
    return f"there is no backend {printable(repr(name))}; there are {', '.join(names)}.{nearest(str(name), names)}"


def with_needed(names: Iterable[str]) -> tuple[str, ...]:
    """The backends and those that they need, lngen's own first, in the order of `BACKENDS`.

    >>> with_needed(["cpu"])
    ('numpy', 'cpu')
    """
    left = list(names)
    every = set() if {*left} <= {*_OWN} else {"numpy"}  # which every extension has
    while left:
        name = left.pop()
        left += {*backend(name).needs} - every
        every.add(name)
    return (*(name for name in BACKENDS if name in every), *sorted(every - {*BACKENDS}))


def named(names: Any, where: str) -> tuple[str, ...]:
    """The backends of a list of names with what they need; "all" is each of lngen's own. `where` is the list's place.

    Raises LngenError, which begins with `where`, for what is no list of names, an empty one, or an unknown name.

    >>> named(["jax"], "--backend")
    ('jax',)
    """
    if isinstance(names, str) or not isinstance(names, Iterable) or not (found := list(names)):
        shown = ", ".join((*known(), "all"))
        raise LngenError(f'{where}: pass a list of backends, such as ["numpy", "cuda"]; there are {shown}.')
    for name in found:
        if name not in (*BACKENDS, "all") and name not in known():
            raise LngenError(f"{where}: {_unknown(name)}")
    return with_needed(each for name in found for each in (BACKENDS if name == "all" else (name,)))


def names_in(words: str) -> list[str]:
    """The names of an option, such as "numpy,cuda"."""
    return [word.strip() for word in words.split(",") if word.strip()]


def parsed(words: str) -> tuple[str, ...]:
    """The backends of an option with what they need. Raises as `named` does."""
    return named(names_in(words), "--backend")


def added(words: str, chosen: Iterable[str]) -> str:
    """Say which backends are emitted besides those of an option, and what needs them; empty if there are none.

    >>> added("cpu", with_needed(["cpu"]))
    'cpu needs numpy: written too'
    """
    asked = names_in(words)
    more = [] if "all" in asked else [name for name in chosen if name not in asked]
    by = [name for name in asked if name != "all" and not {"numpy", *backend(name).needs}.isdisjoint(more)]
    return f"{', '.join(by)} {'needs' if len(by) == 1 else 'need'} {', '.join(more)}: written too" if more else ""
