"""Random well-typed definitions, by seed and number.

An expression is made for the kind that is asked for, so that nothing has to be thrown away. The argument of a root, a
logarithm or a divisor is mostly made positive. In the other cases the point has to be chosen for it. Some productions
are pieces of layers (a centred row, a row over a root of its mean square, exponentials over their sum), since the rules
of simplification apply to those.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from dataclasses import dataclass

from lngen.language.syntax import Kind
from lngen.runtime.protocol.casts import TARGETS
from tests.fuzz.axes import with_axes
from tests.fuzz.names import PLAIN_INPUTS, PLAIN_STATEMENTS, awkwardly_named
from tests.fuzz.tree import tidy

DATA = {Kind.ROW: Kind.DATA, Kind.ROW_SCALAR: Kind.DATA_PER_ROW, Kind.FEATURE: Kind.DATA_PER_FEATURE}
_INTEGERS = (Kind.INT_PER_ROW, Kind.INT, Kind.INT_PER_FEATURE, Kind.INT_NUMBER)
ROW, ROW_SCALAR, FEATURE, SCALAR = Kind.ROW, Kind.ROW_SCALAR, Kind.FEATURE, Kind.SCALAR


@dataclass(frozen=True)
class Profile:
    """Size limits of definitions: statements before hoisting, depth of an expression, its operations, inputs."""

    statements: int
    depth: int
    operations: int
    inputs: int


SMALL = Profile(statements=2, depth=2, operations=3, inputs=3)
FULL = Profile(statements=5, depth=4, operations=7, inputs=4)

AXES, INTEGERS, SEEDS, CASTS = 0.2, 0.3, 0.15, 0.15
"""Shares of definitions with named axes, with integers, with random numbers and with an output that is cast."""

_ANY = ("tanh", "sigmoid", "sin", "cos", "erf", "gelu", "silu", "softplus", "relu", "abs", "sign", "stop_gradient")
_STEEP = ("exp", "expm1")
_NUMBERS = ("2", "0.5", "3", "1.5", "0.25", "-1", "1e-3", "4", "0.7")
_FEATURE_COUNTS = ("D", "1/D", "sqrt(D)", "(D + 1)", "1/(D - 1)", "D/2")


def definition_text(seed: int, number: int, profile: Profile = FULL, awkward: bool = False) -> str:
    """The text of a definition: the same for the same arguments, everywhere. `awkward` changes its names alone.

    >>> print(definition_text(0, 3, SMALL) == definition_text(0, 3, SMALL))
    True
    """
    rng = random.Random(f"lngen fuzz {seed} {number} {profile}")
    while True:
        text = _Writer(rng, profile).definition()
        if text is not None:
            text = awkwardly_named(text, rng) if awkward else text
            dice = random.Random(f"axes {seed} {number}")
            return with_axes(text, dice) if dice.random() < AXES else text


class _Writer:
    def __init__(self, rng: random.Random, profile: Profile) -> None:
        self.rng = rng
        self.profile = profile
        self.scope: dict[str, Kind] = {}
        self.integers: dict[str, Kind] = {}
        self.seed = ""
        self.lines: list[str] = []
        self.left = 0

    def definition(self) -> str | None:
        """A whole definition; None if it came out without a Row."""
        rng = self.rng
        signature = self._inputs()
        for _ in range(rng.randint(1, self.profile.statements)):
            self._statement(self._some_kind())
        results = self._results(rng.choice((1, 1, 1, 1, 2, 2, 3)))
        if self.dice.random() < CASTS:
            results[-1] = self._assigned(f"cast({results[-1]}, '{self.dice.choice(sorted(TARGETS))}')", ROW)
        last = self.lines[-1].split(" = ", 1)
        if len(results) == 1 and results[0] == last[0] and rng.random() < 0.3 and "y" not in self.scope:
            self.lines[-1] = f"return {last[1]}"
        else:
            self.lines.append(f"return {', '.join(results)}")
        body = "".join(f"    {line}\n" for line in self.lines)
        return tidy(ast.parse(f"def layer({signature}):\n{body}"))

    def _inputs(self) -> str:
        rng = self.rng
        names = rng.sample(PLAIN_INPUTS, self.profile.inputs)
        kinds = [
            ROW,
            *rng.choices(
                (ROW, ROW_SCALAR, FEATURE, SCALAR, Kind.CONSTANT),
                (4, 3, 6, 3, 3),
                k=rng.randint(0, self.profile.inputs - 1),
            ),
        ]
        parts = []
        # By dice of their own, so that all else of a definition is what its number always gave.
        dice = self.dice = random.Random(" ".join(names))
        for name, kind in zip(names, kinds, strict=False):
            default = ""
            if kind is Kind.CONSTANT:
                default = f" = {rng.choice(('1e-05', '0.5', '2'))}"
            elif parts and rng.random() < 0.4:
                default = f" = {rng.choice(('1', '0', '0', '-1', '0.5'))}"
            annotation = DATA[kind] if kind in DATA and parts and dice.random() < 0.25 else kind
            parts.append((bool(default), f"{name}: {annotation.value}{default}"))
            self.scope[name] = Kind.join(kind)
        if dice.random() < INTEGERS:
            for name in dice.sample([name for name in PLAIN_INPUTS if name not in names], dice.choice((1, 1, 2))):
                kind = self.integers[name] = dice.choices(_INTEGERS, (5, 2, 2, 2))[0]
                default = dice.choice(("", "", " = 1", " = 0"))
                parts.append((bool(default), f"{name}: {kind.value}{default}"))
        if dice.random() < SEEDS:
            self.seed = dice.choice([name for name in PLAIN_INPUTS if name not in (*names, *self.integers)])
            parts.append((False, f"{self.seed}: {Kind.INT_NUMBER.value}"))
        return ", ".join(text for _, text in sorted(parts, key=lambda part: part[0]))

    def _some_kind(self) -> Kind:
        weights = {ROW: 6.0, ROW_SCALAR: 3.0}
        if self._names(FEATURE):
            weights[FEATURE] = 1.0
        if self._names(SCALAR):
            weights[SCALAR] = 0.5
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def _results(self, count: int) -> list[str]:
        kinds = [(line.split(" = ", 1)[0], self.scope[line.split(" = ", 1)[0]]) for line in self.lines]
        candidates = [name for name, kind in kinds if kind.over_rows]
        if not candidates or candidates[-1] != kinds[-1][0]:
            candidates.append(self._statement(ROW))
        others = self.rng.sample(candidates[:-1], min(count - 1, len(candidates) - 1))
        return [candidates[-1], *others]

    def _statement(self, kind: Kind) -> str:
        """Write `name = expression`, with an operation in it, and return the name."""
        self.left = self.profile.operations
        return self._assigned(self._operation(kind, self.rng.randint(1, self.profile.depth)), kind)

    def _assigned(self, text: str, kind: Kind) -> str:
        free = [name for name in PLAIN_STATEMENTS if name not in self.scope]
        name = self.rng.choice(free) if free else f"v{len(self.scope)}"
        self.lines.append(f"{name} = {text}")
        self.scope[name] = kind
        return name

    # --- expressions ----------------------------------------------------------------------------------------

    def _names(self, kind: Kind) -> list[str]:
        return [name for name, own in self.scope.items() if own is kind]

    def _below(self, kind: Kind) -> Kind:
        """A kind that varies over no more."""
        kinds = [k for k in (ROW, ROW_SCALAR, FEATURE, SCALAR) if Kind.join(k, kind) is kind]
        return self.rng.choice([k for k in kinds if k in (kind, SCALAR) or self._names(k)])

    def _leaf(self, kind: Kind) -> str:
        if self.integers and self.dice.random() < 0.25 and (made := self._of_integers(kind)):
            return made
        if self.seed and kind is ROW and self.dice.random() < 0.3:
            return self._of_random_numbers()
        names = self._names(kind)
        if kind is SCALAR and (not names or self.rng.random() < 0.5):
            return self.rng.choice(_NUMBERS if self.rng.random() < 0.7 else _FEATURE_COUNTS)
        if names:
            # What was written last is most likely to be used next.
            return self.rng.choices(names, [1 + 2 * place for place in range(len(names))])[0]
        if kind is FEATURE:
            raise AssertionError("a Feature is asked for only where there is one")
        return f"{self.rng.choice(('mean', 'sum'))}({self._leaf(ROW)})"

    def _places(self, kind: Kind) -> list[str]:
        """Integers that vary over no more than a kind does."""
        names = [name for name, own in self.integers.items() if Kind.join(own, kind) is kind]
        return [*names, *(["index()"] * kind.over_features)]

    def _of_integers(self, kind: Kind) -> str | None:
        """A value that is made of integers; None if there are none of the kind."""
        places = self._places(kind)
        if not places or not self._names(kind):
            return None
        if kind is ROW_SCALAR and self._names(ROW) and self.dice.random() < 0.8:
            return f"pick({self.dice.choice(self._names(ROW))}, {self.dice.choice(places)})"
        form = self.dice.choice(("({} + 0.1 * {})", "({} - {} / D)", "(0.3 * {} * (1 + {}))"))
        return form.format(self.dice.choice(self._names(kind)), self.dice.choice(places))

    def _of_random_numbers(self) -> str:
        row, stream = self.dice.choice(self._names(ROW)), self.dice.choice(("", "", ", 1"))
        form = self.dice.choice(("dropout({}, {}, {})", "({} - {} * uniform({}))"))
        return form.format(row, self.dice.choice(("0.1", "0.5")), self.seed + stream)

    def _compared_integers(self, kind: Kind) -> str | None:
        """A comparison of integers; None if there are none of the kind."""
        places = self._places(kind)
        if not self.integers or not places or self.dice.random() < 0.4:
            return None
        sign = self.dice.choice(("<", "<=", ">", ">=", "==", "!="))
        other = self.dice.choice(("0", "2", "D - 1", *(f"{name} - 1" for name in places)))
        return f"{self.dice.choice(places)} {sign} {other}"

    def _expression(self, kind: Kind, depth: int) -> str:
        if depth <= 0 or self.left <= 0 or self.rng.random() < 0.15:
            return self._leaf(kind)
        return self._operation(kind, depth)

    def _operation(self, kind: Kind, depth: int) -> str:
        self.left -= 1
        choices: dict[Callable[[Kind, int], str], float] = {
            self._sum: 4, self._product: 5, self._quotient: 2, self._function: 4, self._guarded: 2, self._power: 2,
            self._extreme: 1, self._select: 1, self._negated: 0.5,
        }  # fmt: skip
        if not kind.over_features and (kind is ROW_SCALAR or self._names(FEATURE)):
            choices[self._reduction] = 8
        if kind is ROW:
            choices[self._piece] = 4
        return self.rng.choices(list(choices), list(choices.values()))[0](kind, depth - 1)

    def _pair(self, kind: Kind, depth: int) -> tuple[str, str]:
        pair = [self._expression(kind, depth), self._expression(self._below(kind), depth)]
        self.rng.shuffle(pair)
        return pair[0], pair[1]

    def _sum(self, kind: Kind, depth: int) -> str:
        a, b = self._pair(kind, depth)
        return f"({a} {self.rng.choice('+-')} {b})"

    def _product(self, kind: Kind, depth: int) -> str:
        a, b = self._pair(kind, depth)
        return f"({a} * {b})"

    def _quotient(self, kind: Kind, depth: int) -> str:
        below = self._below(kind)
        if self.rng.random() < 0.5:
            return f"({self._expression(kind, depth)} / {self._positive(below, depth)})"
        return f"({self._expression(below, depth)} / {self._positive(kind, depth)})"

    def _function(self, kind: Kind, depth: int) -> str:
        function = self.rng.choice(_ANY if self.rng.random() < 0.85 else _STEEP)
        return f"{function}({self._expression(kind, depth)})"

    def _guarded(self, kind: Kind, depth: int) -> str:
        return f"{self.rng.choice(('sqrt', 'rsqrt', 'log', 'log1p'))}({self._positive(kind, depth)})"

    def _power(self, kind: Kind, depth: int) -> str:
        if self.rng.random() < 0.6:
            return f"({self._expression(kind, depth)} ** {self.rng.choice(('2', '2', '3', '4'))})"
        exponent = self.rng.choice(("0.5", "(-1)", "(-0.5)", "1.5", "(-2)", "0.25", "(1/3)", "(-0.75)"))
        return f"({self._positive(kind, depth)} ** {exponent})"

    def _extreme(self, kind: Kind, depth: int) -> str:
        a, b = self._pair(kind, depth)
        return f"{self.rng.choice(('maximum', 'minimum'))}({a}, {b})"

    def _select(self, kind: Kind, depth: int) -> str:
        a, b = self._pair(kind, depth)
        operator = self.rng.choice(("<", "<=", ">", ">=", ">", "==", "!="))
        compared = self._below(kind)
        # Two numbers would decide it.
        compared = kind if compared is SCALAR and not self._names(SCALAR) else compared
        left, right = self._pair(compared, depth - 1)
        if left == right:
            right = "0.1"
        comparison = self._compared_integers(compared) or f"{left} {operator} {right}"
        return f"where({self._joined(comparison, compared)}, {a}, {b})"

    def _joined(self, comparison: str, kind: Kind) -> str:
        """A comparison, or a condition made of it, by dice of its own."""
        dice = random.Random(comparison)
        others = [name for name, own in self.scope.items() if Kind.join(own, kind) is kind]
        if not others or dice.random() < 0.6:
            return comparison
        form = dice.choice(("({}) & ({})", "({}) | ({})", "~({}) & ({})", "({}) | ~({})"))
        return form.format(comparison, f"{dice.choice(others)} {dice.choice(('<', '>=', '!='))} 0.3")

    def _negated(self, kind: Kind, depth: int) -> str:
        return f"(-{self._expression(kind, depth)})"

    def _reduction(self, kind: Kind, depth: int) -> str:
        function = self.rng.choice(("mean", "mean", "mean", "sum", "sum", "max", "min"))
        return f"{function}({self._expression(Kind.of(kind.over_rows, over_features=True), depth)})"

    def _positive(self, kind: Kind, depth: int) -> str:
        if self.rng.random() < 0.1:
            return self._expression(kind, depth)
        form = self.rng.choice(
            (
                "({} ** 2 + 0.5)",
                "exp({})",
                "softplus({})",
                "(abs({}) + 1)",
                "(1 + sigmoid({}))",
                "(1.5 + cos({}))",
                "maximum({}, 0.1)",
            )
        )
        if not kind.over_features and (kind is ROW_SCALAR or self._names(FEATURE)) and self.rng.random() < 0.6:
            kind = Kind.of(kind.over_rows, over_features=True)
            form = self.rng.choice(
                ("(mean({} ** 2) + 1e-05)", "(sum(abs({})) + 0.001)", "sum(exp({}))", "(mean({} ** 4) + 0.1)")
            )
        return form.format(self._expression(kind, depth))

    def _piece(self, kind: Kind, depth: int) -> str:
        """A piece of a layer around a row, which is given a name if it is more than one."""
        row = self._expression(kind, depth)
        if not row.isidentifier():
            row = self._assigned(row, kind)
        form = self.rng.choice(
            (
                "({0} - mean({0}))",
                "({0} * rsqrt(mean({0} ** 2) + 1e-05))",
                "({0} / sqrt(sum({0} ** 2) + 0.001))",
                "(({0} - mean({0})) / sqrt(mean(({0} - mean({0})) ** 2) + 1e-05))",
                "(({0} - mean({0})) * rsqrt(mean({0} ** 2) - mean({0}) ** 2 + 0.01))",
                "(exp({0}) / sum(exp({0})))",
                "(exp({0} - max({0})) / sum(exp({0} - max({0}))))",
                "({0} - log(sum(exp({0}))))",
                "({0} / (mean(abs({0})) + 0.01))",
                "({0} / maximum(sqrt(sum({0} ** 2)), 0.1))",
                "({0} * sigmoid({0}))",
                "({0} / (max(abs({0})) + 0.1))",
            )
        )  # fmt: skip
        return form.format(row)
