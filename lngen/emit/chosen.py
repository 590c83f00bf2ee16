"""The backends that a layer is emitted for: their names, and those that one needs besides."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from lngen.errors import LngenError, printable
from lngen.runtime.emitted import BACKENDS

NEEDS: Mapping[str, tuple[str, ...]] = {
    "numpy": (),
    "cpu": ("numpy",),
    "cuda": ("numpy",),
    "torch": ("numpy", "cpu"),
    "jax": ("numpy", "cpu"),
}
"""The backends whose emitted files those of a backend import. On a GPU, torch and jax find cuda where it is there."""

OVER_PARTS = ("numpy", "cpu", "cuda")
"""The backends that code for rows in parts is written in."""


def with_needed(names: Iterable[str]) -> tuple[str, ...]:
    """The backends and those that they need, in the order of `BACKENDS`.

    >>> with_needed(["torch"])
    ('numpy', 'cpu', 'torch')
    """
    every = {needed for name in names for needed in (name, "numpy", *NEEDS[name])}
    return tuple(name for name in BACKENDS if name in every)


def named(names: Any, where: str) -> tuple[str, ...]:
    """The backends of a list of names with what they need; "all" is every one. `where` says where the names are from.

    Raises LngenError, which begins with `where`, for what is no list of names, an empty one, or an unknown name.

    >>> named(["jax"], "--backend")
    ('numpy', 'cpu', 'jax')
    """
    known = (*BACKENDS, "all")
    if isinstance(names, str) or not isinstance(names, Iterable) or not (found := list(names)):
        raise LngenError(f'{where}: pass a list of backends, such as ["numpy", "cuda"]; there are {", ".join(known)}.')
    for name in found:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            shown = printable(repr(name))
            raise LngenError(f"{where}: there is no backend {shown}; there are {', '.join(known)}.{hint}")
    return with_needed(BACKENDS if "all" in found else found)


def names_in(words: str) -> list[str]:
    """The names of an option, such as "numpy,cuda"."""
    return [word.strip() for word in words.split(",") if word.strip()]


def parsed(words: str) -> tuple[str, ...]:
    """The backends of an option with what they need. Raises as `named` does."""
    return named(names_in(words), "--backend")


def added(words: str, chosen: Iterable[str]) -> str:
    """Say which backends are emitted besides those of an option, and what needs them; empty if there are none.

    >>> added("torch", with_needed(["torch"]))
    'torch needs numpy, cpu: written too'
    """
    asked = names_in(words)
    more = [] if "all" in asked else [name for name in chosen if name not in asked]
    by = [name for name in asked if not {"numpy", *NEEDS.get(name, ())}.isdisjoint(more)]
    if not by:  # nothing that was named
        by = ["code for rows in parts"]
    return f"{', '.join(by)} {'needs' if len(by) == 1 else 'need'} {', '.join(more)}: written too" if more else ""
