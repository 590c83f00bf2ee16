"""Names of a kernel's arguments, results and sums as the emitted text declares them: `constexpr Name<ROWS, 0> X;`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, count

from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol, TypedSymbol
from lngen.emit.cpp.contract import KernelArgument, LaunchContract
from lngen.emit.cpp.expressions import Kinds, real
from lngen.emit.cpp.presence import cpp
from lngen.emit.cpp.reserved import CPP
from lngen.emit.expressions import number_of
from lngen.emit.spelling import Language, marked, reading
from lngen.plan.presence import ALWAYS, Condition

_OF_THE_DRIVER = {"workspace": "WORKSPACE", "rows": "ROW_COUNT", "D": "D", "blocks": "BLOCKS"}

_RESULTS: Mapping[type[TypedSymbol], str] = {
    RowSymbol: "ROWS_OUT",
    RowScalarSymbol: "ROW_NUMBERS_OUT",
    FeatureSymbol: "FEATURES_OUT",
    ScalarSymbol: "SCALARS_OUT",
}

# Macros of headers that a kernel includes, or that a compiler brings.
_MACROS = re.compile(
    r"NULL|EOF|NAN|INFINITY|HUGE\w*|DOMAIN|SING|OVERFLOW|UNDERFLOW|[PT]LOSS|MATH_\w+|(M|FP|FLT|DBL|LDBL|MM)_\w+"
    r"|(U?INT|SIZE|PTRDIFF|SIG|WCHAR|WINT|U?CHAR|SCHAR|U?SHRT|U?LONG|U?LLONG|RAND|BUF|EXIT)\w*_(MIN|MAX|WIDTH|C)"
    r"|LNGEN_\w*|X_TLOSS|BUFSIZ|I|unix|linux"
)
TEXT = Language(
    CPP.silent, lambda name: not _MACROS.fullmatch(name) and "__" not in name if name.isupper() else CPP.legal(name)
)
"""The language of `layer.h`, where a name in capitals is a tag."""


@dataclass(frozen=True)
class Tag:
    """One name: its spelling, the kind and the index of `names.h`, where it is there, its value where it is not.

    `cast` is the type that a result is rounded to.
    """

    text: str
    kind: str
    index: int
    there: Condition = ALWAYS
    neutral: Fraction = Fraction(0)
    cast: str = ""

    @property
    def value(self) -> str:
        """The type of the value where it is absent."""
        if self.kind in _INTEGERS.values() and self.neutral not in (0, 1):
            return f"Fixed<{self.neutral}>"
        # Products of more numbers that are known would leave the range of int.
        return {Fraction(0): "Zero", Fraction(1): "One"}.get(self.neutral, f"Absent_{self.text}")

    @property
    def kinds(self) -> Kinds:
        """The types that its value may have, numbers apart."""
        absent = self.there != ALWAYS and not self.value.startswith("Absent_")
        return Kinds(absent and self.neutral == 0, absent and self.neutral != 0)

    def declaration(self) -> list[str]:
        """The lines that declare it."""
        parts = [self.kind, str(self.index)]
        if self.there != ALWAYS:
            parts += [cpp(self.there)]
            parts += [self.value] if self.neutral or self.kind in HAVE_VALUES else []
        if self.cast:
            parts = [self.kind, str(self.index), cpp(self.there), "Zero", f"cast::{self.cast}"]
        lines = []
        if self.there != ALWAYS and self.value.startswith("Absent_"):
            lines.append(f"struct {self.value} {{ static constexpr double VALUE = {real(number_of(self.neutral))}; }};")
        return [*lines, f"constexpr Name<{', '.join(parts)}> {self.text};"]


_INTEGERS = {
    "row": "INTEGER_ROWS",
    "Feature": "INTEGER_FEATURES",
    "row scalar": "ROW_INTEGERS",
    "Scalar": "INTEGER",
}
HAVE_VALUES = ("ROWS", "RANDOM", "FEATURES", "ROW_NUMBERS", "SCALAR", *_INTEGERS.values())
"""Kinds of arrays that a caller passes, or leaves out."""


class Tags:
    """Tags of one namespace, with spellings of their own; no value of the text has such a name."""

    def __init__(self, values: Iterable[str]) -> None:
        self.all: list[Tag] = []
        self._taken = set(values)
        self._count: Counter[str] = Counter()

    def add(
        self,
        name: str,
        kind: str,
        there: Condition = ALWAYS,
        neutral: Fraction = Fraction(0),
        cast: str = "",
        index: int | None = None,
    ) -> Tag:
        """Add a name, in capitals; its `index` is that of the next of its kind if no other is given."""
        capitals = reading(name).upper()
        spellings = chain([capitals], (f"{capitals}_{number}" for number in count(2)))
        text = next(text for text in map(marked, spellings) if text not in self._taken)
        self._taken.add(text)
        tag = Tag(text, kind, self._count[kind] if index is None else index, there, neutral, cast)
        self._count[kind] += 1
        self.all.append(tag)
        return tag

    def declarations(self) -> list[str]:
        """The lines that declare them."""
        return [line for tag in self.all for line in tag.declaration()]


def kind_of(argument: KernelArgument, results: Mapping[str, TypedSymbol]) -> str:
    """The kind of a kernel's argument; `results` are the symbols of its results by name."""
    if argument.role == "result":
        return _RESULTS[type(results[argument.name])]
    if argument.element in ("integer", "one integer"):
        return _INTEGERS[argument.role]
    if argument.role == "row scalar":
        return "SAVED" if argument.element == "compute" else "ROW_NUMBERS"
    return {
        "row": "ROWS",
        "saved": "SAVED",
        "Feature": "FEATURES",
        "Scalar": "SCALAR",
        "Constant": "NUMBER",
        "save": "SAVED_OUT",
    }[argument.role]


def given(contract: LaunchContract, tags: Mapping[str, Tag]) -> str:
    """The declaration of a kernel's parameters in order."""
    names = [_OF_THE_DRIVER.get(a.name) or tags[a.name].text for a in contract.arguments]
    return f"using Given = decltype(names({', '.join(names)}));"
