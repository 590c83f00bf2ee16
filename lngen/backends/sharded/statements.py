"""The statements of emitted modules that say which steps a direction takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lngen.backends.layout import WIDTH
from lngen.backends.spelling import reading
from lngen.plan.parts import ShardedProgram


@dataclass(frozen=True)
class StepFunction:
    """A function of the emitted module: its name, its values and its results, as the runtime passes them."""

    name: str
    reads: list[str]
    makes: list[str]
    lines: list[str]


@dataclass(frozen=True)
class DirectionSteps:
    """Steps of a direction: a part and a merge of each exchange, the last part, and the common part."""

    form: ShardedProgram
    exchanges: list[tuple[StepFunction, StepFunction | None]]
    last: StepFunction | None
    common: StepFunction | None

    def parts(self) -> list[StepFunction]:
        """Return the steps of each process by itself."""
        return [part for part, _ in self.exchanges] + ([self.last] if self.last else [])

    def functions(self) -> list[list[str]]:
        """The lines of the function of each."""
        every = (*(step for pair in self.exchanges for step in pair), self.last, self.common)
        return [step.lines for step in every if step]

    def statement(self, title: str, steps: str, before: str) -> list[str]:
        """Return the expression that makes them; `steps` is the class, `before` the prefix of a part's name."""
        program = self.form.program
        lines = [f"    {steps}(", f'        "{title} {program.direction}",']
        lines += ["        exchanges=["] if self.exchanges else []
        for (part, merge), exchange in zip(self.exchanges, self.form.exchanges, strict=True):
            sends = [f'("{sent.symbol.name}", {_number(sent.of_nothing)})' for sent in exchange.sent]
            lines += ["            _sharded.ExchangeStep("]
            lines += _entry("part", f"{before}{part.name}", 16) + listed("reads", part.reads, 16)
            lines += _entries("sends", sends, 16)
            lines += listed("totals", [reading(total.name) for total in exchange.totals], 16) if exchange.totals else []
            if merge and exchange.merge:
                own = [store.names[0] for store in exchange.merge.results]
                lines += _entry("merge", f"_kernels.{merge.name}", 16) + listed("needs", merge.reads, 16)
                lines += listed("makes", [each for each in merge.makes if each not in own], 16)
                lines += listed("own", own, 16) if own else []
            lines += ["            ),"]
        lines += ["        ],"] if self.exchanges else []
        for keyword, end, where in (("last", self.last, before), ("common", self.common, "_kernels.")):
            if end:
                lines += [f"        {keyword}=_sharded.Last("]
                lines += _entry("function", f"{where}{end.name}", 12) + listed("reads", end.reads, 12)
                lines += [*listed("makes", end.makes, 12), "        ),"]
        known = {
            each: store.symbol.name for store in program.results for each in store.names if each != store.symbol.name
        }
        lines += _dictionary("known_as", known, 8) if known else []
        lines += [f"        minimum_features={program.minimum_features},"] if program.minimum_features > 1 else []
        lines += ["        counts_first=True,"] if self.form.counts_first else []
        return [*lines, "    ),"]


def listed(name: str, values: Sequence[str], indent: int) -> list[str]:
    """A keyword whose value is a list of texts."""
    return _entries(name, [f'"{value}"' for value in values], indent)


def _number(value: float) -> str:
    return f'float("{value}")' if value in (float("inf"), -float("inf")) else repr(value)


def _entry(name: str, value: str, indent: int) -> list[str]:
    return [f"{' ' * indent}{name}={value},"]


def _dictionary(name: str, values: Mapping[str, str], indent: int) -> list[str]:
    return _entries(name, [f'"{key}": "{value}"' for key, value in values.items()], indent, "{}")


def _entries(name: str, entries: Sequence[str], indent: int, brackets: str = "[]") -> list[str]:
    """A keyword whose value has several entries, on one line or an entry a line."""
    pad, before, after = " " * indent, brackets[0], brackets[1]
    line = f"{pad}{name}={before}{', '.join(entries)}{after},"
    if len(line) <= WIDTH:
        return [line]
    return [f"{pad}{name}={before}", *(f"{pad}    {entry}," for entry in entries), f"{pad}{after},"]


def told(signature: Sequence[str]) -> list[str]:
    """A signature, with overloads before it, whose function tells the other processes of an error.

    >>> told(["@overload", "def f(x: int): ...", "", "def f(x):"])
    ['@overload', 'def f(x: int): ...', '', '@_collectives.told', 'def f(x):']
    """
    last = max(number for number, line in enumerate(signature) if line.startswith("def "))
    return [*signature[:last], "@_collectives.told", *signature[last:]]
