"""What is known of a function of the language: one entry, which every stage reads.

The entries are in `lngen.language`, each at the name that a definition imports. Their formulas take what they compute
with as their first argument, `f`, whose attributes are functions by name: those of the language, and what else numbers
of that sort have. So one formula serves numbers of several sorts, and the table imports none of them.

>>> import cmath, math
>>> formula = lambda f, u: f.exp(u) + 1
>>> formula(Named(partial(getattr, math)), 0), formula(Named(partial(getattr, cmath)), 0)
(2.0, (2+0j))
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NoReturn, TypeAlias

Role: TypeAlias = Literal["reduction", "elementwise", "select", "stop"]
Formula: TypeAlias = Callable[..., Any]


@dataclass(frozen=True)
class FunctionEntry:
    """A row of the table of functions.

    `domain` says in words for which arguments the function is finite and real. `hard_points` are arguments
    worth testing: ties, kinks, the ends of the domain, and where a careless formula cancels or overflows.

    A function of one number needs no more than `written`, which says it by others, and `slope`: code is emitted for
    what it is written as. One that the backends compute in one call has a `head`.
    """

    name: str
    arity: int
    role: Role
    domain: str
    doc: str
    hard_points: tuple[float, ...] = ()

    written: Formula | None = None
    """The function by other functions, for SymPy (`f.sqrt(2)`, `f.Rational(1, 3)`), and elsewhere where no field below
    says it better. None for a function that SymPy has under the same name."""

    head: str = ""
    """The class that SymPy has for it; with a `derivative`, the class that is made for it from this entry."""

    derivative: Formula | None = None
    """For a class that SymPy does not have: its derivative, for SymPy."""

    positive: bool = False
    """Whether its values are positive, though they may be 0 in floats."""

    bounded: bool = False
    """Whether its values are of order one, however large the argument."""

    exact: Formula | None = None
    """Its value in mpmath, whose context is `f.mp`. If that has a function of this name, there need be none."""

    keeps_fractions: bool = False
    """Whether its value at fractions is one, and `exact` gives it."""

    lowest: int | None = None
    """Where `domain` begins; whether that belongs to it is said there."""

    far: Literal["", "no float", "sign"] = ""
    """What it is taken for where the argument is so large that its exponential is beyond any float."""

    real: Formula | None = None
    """Its value on an array of float64 or longdouble, stable for every argument, with the functions of
    `lngen.oracle.real_functions` and NumPy as `f.np`. If NumPy has a function of this name, there need be none."""

    slope: Formula | None = None
    """Its derivative on an array of float64, as `real`. That of SymPy is compared with it."""

    curvature: Formula | float | None = None
    """A bound of the second derivative for arguments in [v - r, v + r], as `real` of v and r."""

    roundings: float = 0
    """Twice the units in the last place by which a backend may be off. NumPy states at most 4 for its functions in
    float32 and float64; those of `lngen.runtime` are compositions of two or three such."""

    numpy: str = ""
    """What the NumPy backend calls; without it, NumPy's function of this name."""

    cuda: str = ""
    """What the CUDA backend calls; without it, the function of this name in `math` of `rows.cuh`."""

    latex: str = ""
    """How a formula shows it, `{u}` being the argument; without it, its name and the argument in parentheses."""

    reads_late: tuple[int, ...] = ()
    """The operands that it still reads when it has begun to write: its result must not have their memory."""

    work: int = 0
    """Buffers of its own shape that it needs while it runs."""

    @property
    def is_helper(self) -> bool:
        """Whether the NumPy backend calls one of `lngen.runtime`, which is more than one ufunc."""
        return self.numpy.startswith("_")

    @property
    def is_total(self) -> bool:
        """Whether every real argument has a finite value."""
        return self.domain.startswith("every real")

    def holds(self, value: Any) -> bool:
        """Whether the domain, as it begins in `lowest`, has a number."""
        if self.lowest is None:
            return True
        return bool(value >= self.lowest if ">=" in self.domain else value > self.lowest)


TABLE: dict[str, FunctionEntry] = {}
"""What `entry` has put down; to be read as `lngen.language.FUNCTIONS`."""


def not_run(name: str) -> NoReturn:
    """Tell who calls a word of the language what it is for."""
    raise TypeError(
        f"{name} belongs to the definition language: a definition is parsed, not run. "
        "Write it in a file and use `lngen derive FILE`."
    )


def entry(
    domain: str, hard_points: tuple[float, ...] = (), role: Role = "elementwise", **known: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a documented name into the table, with what is `known` of it: fields of `FunctionEntry`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        arity = len(inspect.signature(function).parameters)
        doc = inspect.getdoc(function) or ""
        TABLE[name] = FunctionEntry(name, arity, role, domain, doc, hard_points, **known)

        @functools.wraps(function)
        def teach(*arguments: Any, **keywords: Any) -> NoReturn:
            not_run(name)

        return teach

    return register


class Named:
    """Functions as attributes: what a formula has for its first argument."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._find(name)


def in_mpmath(entry: FunctionEntry, f: Any) -> Callable[..., Any]:
    """A function of one argument or two in mpmath, in the context `f.mp`."""
    formula = entry.exact or entry.written
    return getattr(f.mp, entry.name) if formula is None else partial(formula, f)
