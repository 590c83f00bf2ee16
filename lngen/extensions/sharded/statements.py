"""The statements of emitted modules that say which steps a direction takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit.layout import call, statement, table
from lngen.emit.spelling import reading
from lngen.extensions.sharded.parts import Exchange, ShardedProgram


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

    def statement(self, title: str, kind: str, steps: str, before: str, *results: str) -> list[str]:
        """Return the statement that makes the direction of its steps.

        `kind` is how its class begins, `steps` the class of the steps, `before` the prefix of a part's name.
        """
        name = self.form.program.direction
        is_forward = name == "forward"
        function = kind + ("Forward" if is_forward else "Later")
        own = ["_LAYER", *([] if is_forward else [f'"{name}"']), *results, self._made(title, steps, before)]
        return statement(f"_{name.upper()} = {call(function, *own)}")

    def _made(self, title: str, steps: str, before: str) -> str:
        program = self.form.program
        exchanges = [
            call(
                "_sharded.ExchangeStep",
                part=f"{before}{part.name}",
                reads=_texts(part.reads),
                **_exchange(merge, exchange),
            )
            for (part, merge), exchange in zip(self.exchanges, self.form.exchanges, strict=True)
        ]
        ends = {
            keyword: call(
                "_sharded.Last", function=f"{where}{end.name}", reads=_texts(end.reads), makes=_texts(end.makes)
            )
            for keyword, end, where in (("last", self.last, before), ("common", self.common, "_kernels."))
            if end
        }
        made = self.last.makes if self.last else []
        casts = {name: f'"{target}"' for name, target in program.casts if name not in made}
        drawn = {each.symbol.name: f'("{each.seed.name}", {each.stream})' for each in self.form.drawn}
        known = {
            each: f'"{store.symbol.name}"'
            for store in program.results
            for each in store.names
            if each != store.symbol.name
        }
        return call(
            steps,
            f'"{title} {program.direction}"',
            exchanges=f"[{', '.join(exchanges)}]" if exchanges else "",
            **ends,
            known_as=table(known) if known else "",
            cast_to=table(casts) if casts else "",
            drawn=table(drawn) if drawn else "",
            minimum_features=str(program.minimum_features) if program.minimum_features > 1 else "",
            counts_first="True" if self.form.counts_first else "",
        )


def _exchange(merge: StepFunction | None, exchange: Exchange) -> dict[str, str]:
    """The keywords of what is exchanged, and of the function that merges it."""
    sends = [f'("{sent.symbol.name}", {_number(sent.of_nothing)})' for sent in exchange.sent]
    totals = [reading(total.name) for total in exchange.totals]
    found = {"sends": f"[{', '.join(sends)}]", "totals": _texts(totals) if totals else ""}
    if merge and exchange.merge:
        own = [store.names[0] for store in exchange.merge.results]
        found |= {"merge": f"_kernels.{merge.name}", "needs": _texts(merge.reads)}
        found |= {"makes": _texts([each for each in merge.makes if each not in own]), "own": _texts(own) if own else ""}
    return found


def _texts(values: Sequence[str]) -> str:
    """A list of texts."""
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def _number(value: float) -> str:
    return f'float("{value}")' if value in (float("inf"), -float("inf")) else repr(value)


def told(signature: Sequence[str]) -> list[str]:
    """A signature, with overloads before it, whose function tells the other processes of an error.

    >>> told(["@overload", "def f(x: int): ...", "", "def f(x):"])
    ['@overload', 'def f(x: int): ...', '', '@_collectives.told', 'def f(x):']
    """
    last = max(number for number, line in enumerate(signature) if line.startswith("def "))
    return [*signature[:last], "@_collectives.told", *signature[last:]]
