"""The parts of the catalogue: examples of refusals, in sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lngen.language.definition import Draw
from lngen.language.oracle.random import drawn_from

Value = Callable[..., Any]


@dataclass(frozen=True)
class Example:
    """A definition that is refused, and the one that its remedy leads to.

    `value` computes, with NumPy, what was asked for; its arguments are inputs by their names, random numbers from `low`
    to `high`. `outside` has inputs of `followed` that the remedy says to compute outside, from other inputs.
    """

    written: str
    followed: str
    value: Value
    outside: Mapping[str, Value] = field(default_factory=dict)
    low: float = -2.0
    high: float = 2.0


@dataclass(frozen=True)
class Section:
    """A heading, a sentence, and the examples under it."""

    title: str
    about: str
    examples: tuple[Example, ...]


def returning(expression: str, inputs: str = "x: Row") -> str:
    """A definition of one expression.

    >>> print(returning("2*x"))
    def f(x: Row):
        return 2*x
    """
    return f"def f({inputs}):\n    return {expression}"


def drawn(seed: Any, stream: int = 0) -> Any:
    """Return the random numbers of a row of the examples, `uniform(seed, stream)`."""
    return drawn_from(Draw("seed", stream), {"seed": seed}, (3, 5))


def formula(
    written: str,
    followed: str,
    value: Value,
    inputs: str = "x: Row",
    outside: Mapping[str, Value] | None = None,
    low: float = -2.0,
    high: float = 2.0,
    extra: str = "",
) -> Example:
    """An expression that is refused, and the one to write instead; `extra` has inputs that only the latter has."""
    more = ", ".join(filter(None, [inputs, extra]))
    return Example(returning(written, inputs), returning(followed, more), value, outside or {}, low, high)
