"""Entries of the functions of the language: one entry for each function, which every stage reads.

The entries are in `lngen.language`, each under the name that a definition imports. The first argument of an entry's
formula is `f`, an arithmetic. The attributes of `f` are functions by name: those of the language, and further ones that
its numbers have. One formula serves numbers of several sorts, and the table imports none of them.

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
from importlib import import_module
from typing import Any, Literal, NoReturn, TypeAlias

Role: TypeAlias = Literal["reduction", "elementwise", "select", "stop", "place", "draw"]
Formula: TypeAlias = Callable[..., Any]


@dataclass(frozen=True)
class FunctionEntry:
    """Row of the table of functions.

    `domain` says in words for which arguments the function is finite and real. `hard_points` are arguments worth
    testing: ties, kinks, the ends of the domain, and points where a careless formula cancels or overflows.

    A function of one number needs only `written`, its formula in other functions, and `slope`: code is emitted for the
    formula. One of several numbers needs only `written`: a definition is read as if it said that. A function that the
    backends compute in one call has a `head`.
    """

    name: str
    parameters: tuple[str, ...]
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
    """Derivative for SymPy, of a class that SymPy does not have."""

    positive: bool = False
    """True if the values are positive, though they may round to 0 in floats."""

    bounded: bool = False
    """True if the values are of order one, however large the argument."""

    exact: Formula | None = None
    """Value in mpmath, whose context is `f.mp`; not needed if mpmath has a function of this name."""

    keeps_fractions: bool = False
    """True if the value at a fraction is a fraction, which `exact` gives."""

    lowest: int | None = None
    """Lower end of `domain`, which also says whether the end belongs to it."""

    highest: int | None = None
    """Upper end of `domain`, which belongs to it."""

    far: Literal["", "no float", "sign"] = ""
    """Value assumed where the argument is so large that its exponential overflows every float."""

    real: Formula | None = None
    """Value on an array of float64 or longdouble, stable for every argument.

    The formula may use the functions of `lngen.language.oracle.real_functions`, and NumPy as `f.np`. It is not needed
    if NumPy has a function of this name.
    """

    slope: Formula | None = None
    """Derivative on an array of float64, in the form of `real`; a test compares SymPy's derivative with it."""

    curvature: Formula | float | None = None
    """A bound of the second derivative for arguments in [v - r, v + r], as `real` of v and r."""

    roundings: float = 0
    """Error of a backend, in halves of a unit in the last place.

    NumPy states at most 4 for its functions in float32 and float64; those of `lngen.runtime` are compositions of two or
    three of them.
    """

    numpy: str = ""
    """Function that the NumPy backend calls; if empty, NumPy's function of this name."""

    cuda: str = ""
    """Function that the CUDA backend calls; if empty, the function of this name in `math` of `rows.cuh`."""

    latex: str = ""
    """Template in LaTeX, with `{u}` for the argument; if empty, the name and the argument in parentheses."""

    reads_late: tuple[int, ...] = ()
    """The operands that it still reads when it has begun to write: its result must not have their memory."""

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.parameters)

    @property
    def usage(self) -> str:
        """A call of the function, as in `maximum(a, b)`."""
        return f"{self.name}({', '.join(self.parameters)})"

    @property
    def is_shorthand(self) -> bool:
        """Test whether a definition is read as if it said what the function is `written` by."""
        return self.arity > 1 and self.written is not None

    @property
    def is_helper(self) -> bool:
        """Test whether the NumPy backend calls a helper of `lngen.runtime` instead of one ufunc."""
        return self.numpy.startswith("_")

    @property
    def is_total(self) -> bool:
        """Test whether the function has a finite value at every real argument."""
        return self.domain.startswith("every real")

    def holds(self, value: Any) -> bool:
        """Test whether a number lies in the domain, which `lowest` and `highest` are the ends of."""
        if self.highest is not None and value > self.highest:
            return False
        return self.lowest is None or bool(value >= self.lowest if "=" in self.domain else value > self.lowest)


TABLE: dict[str, FunctionEntry] = {}
"""Table that `entry` fills; read it as `lngen.language.FUNCTIONS`."""


def not_run(name: str) -> NoReturn:
    """Raise an error for a call of a word of the language that has no value by itself."""
    raise TypeError(
        f"{name} has no value by itself: it needs the definition as a whole. "
        "Use `lngen.run(pathlib.Path(FILE), x=...)` for values, and `lngen derive FILE` for code."
    )


def entry(
    domain: str, hard_points: tuple[float, ...] = (), role: Role = "elementwise", **known: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a documented name in the table, with its `known` fields of `FunctionEntry`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        taken = inspect.signature(function).parameters.values()
        parameters = tuple(each.name for each in taken if each.default is each.empty)
        doc = inspect.getdoc(function) or ""
        TABLE[name] = FunctionEntry(name, parameters, role, domain, doc, hard_points, **known)

        @functools.wraps(function)
        def computed(*arguments: Any) -> Any:
            # Who parses needs neither values nor NumPy, and values need this table.
            return import_module("lngen.language.oracle.direct").applied(name, arguments)

        return computed

    return register


class Named:
    """Functions as attributes: the first argument of a formula."""

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
