"""A forward definition as a value: inputs with kinds, statements, outputs.

>>> from lngen.language.parsing import parse
>>> definition = parse('''
... from lngen.language import Row, Feature, mean
... def scaled(x: Row, gamma: Feature = 1):
...     ms = mean(x**2)
...     return gamma * x / (1 + ms)
... ''')
>>> print(definition.canonical())
def scaled(x: Row, gamma: Feature = 1)
ms: RowScalar = mean((x ** 2))
y: Row = ((gamma * x) / (1 + ms))
return y
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction

from lngen.language.axes import AxisParts, AxisSize, Pattern, RowAxes
from lngen.language.syntax import Binary, Call, Expression, Kind, Name, Number, SourceSpan, render, walk
from lngen.runtime.protocol.interface import DIRECTIONS


@dataclass(frozen=True)
class Draw:
    """Random numbers `uniform(seed, stream)`, one for each entry; `seed` names an input that is an integer."""

    seed: str
    stream: int = 0

    def __str__(self) -> str:
        return f"uniform({self.seed}{f', {self.stream}' if self.stream else ''})"


@dataclass(frozen=True)
class Input:
    """An argument of the layer. `default` is its neutral value, or the default of a Constant.

    `pattern` are the axes of an array that names them; it may lack some that its kind varies over. One that `draws` is
    Data that no caller passes: random numbers, which are made wherever they are read.
    """

    name: str
    kind: Kind
    default: Fraction | None
    span: SourceSpan
    pattern: Pattern | None = None
    draws: Draw | None = None

    @property
    def is_positive(self) -> bool:
        """Test whether the input is assumed positive, as a Constant with a positive default is."""
        return self.kind is Kind.CONSTANT and self.default is not None and self.default > 0


@dataclass(frozen=True)
class Statement:
    """`name = expression`; `kind` is the expression's."""

    name: str
    expression: Expression
    kind: Kind
    span: SourceSpan


@dataclass(frozen=True)
class Statistic:
    """Attribute of a module that is a running average of an output, times `D/(D - lost)`: a variance loses 1."""

    attribute: str
    output: str
    lost: int = 0


@dataclass(frozen=True)
class LossReduction:
    """Attribute of a module that says how an output of rows is reduced: "mean", "sum" or "none".

    The mean is over the rows whose `label` is not the number `ignored`.
    """

    attribute: str
    output: str
    label: str
    ignored: str


@dataclass(frozen=True)
class Counterpart:
    """Module of PyTorch that the layer can replace; `name` is its class, as `torch.nn.Norm`.

    `attributes` pairs an attribute of the module with an input, a Size or an axis, as the file spells it, or with D.
    `conditions` pairs an attribute with the value that it has to have. The module returns the outputs that are not its
    `statistics`, reduced if there is a `reduction`.
    """

    name: str
    attributes: tuple[tuple[str, str], ...]
    conditions: tuple[tuple[str, bool | int | float | None], ...] = ()
    statistics: tuple[Statistic, ...] = ()
    reduction: LossReduction | None = None


@dataclass(frozen=True)
class Definition:
    """A forward definition that obeys every rule of the language.

    `outputs` name statements, each a Row or a RowScalar, each once. An unnamed result is the statement `y`.
    Every input and every statement reaches an output. `minimum_features` is the smallest D for which no
    divisor made of D and numbers alone is zero, here and for every larger D. `renamed` has the names that the file
    spells otherwise, as pairs of the name here and the name there: `dx` is left to the gradient of an input `x`.
    `casts` pairs an output with the type that it is rounded to. Its statement has the value before, and no other
    statement reads it. `layout` are the axes of the rows if they have names, and `sizes` the inputs that are the size
    of one. `parts` are the arrays that callers pass and get as a whole, and that are several inputs or outputs here.
    `directions` are those that are derived: the first two, and those of the others that are asked for.
    """

    name: str
    docstring: str
    inputs: tuple[Input, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[str, ...]
    source: str
    filename: str
    minimum_features: int
    renamed: tuple[tuple[str, str], ...] = ()
    counterparts: tuple[Counterpart, ...] = ()
    casts: tuple[tuple[str, str], ...] = ()
    layout: RowAxes | None = None
    sizes: tuple[AxisSize, ...] = ()
    parts: tuple[AxisParts, ...] = ()
    directions: tuple[str, ...] = DIRECTIONS

    @property
    def constants(self) -> tuple[Input, ...]:
        """The hyper-parameters."""
        return self._inputs_of(Kind.CONSTANT)

    @property
    def rows(self) -> tuple[Input, ...]:
        """Return the Row inputs, at least one; none is Data."""
        return self._inputs_of(Kind.ROW)

    @property
    def data(self) -> tuple[Input, ...]:
        """The Data inputs that callers pass, of any axes."""
        return tuple(entry for entry in self.passed if entry.kind.is_data)

    @property
    def passed(self) -> tuple[Input, ...]:
        """The inputs that callers pass: all but random numbers."""
        return tuple(entry for entry in self.inputs if entry.draws is None)

    @property
    def features(self) -> tuple[Input, ...]:
        """The Feature inputs."""
        return self._inputs_of(Kind.FEATURE)

    @property
    def scalars(self) -> tuple[Input, ...]:
        """The Scalar inputs."""
        return self._inputs_of(Kind.SCALAR)

    @property
    def parameters(self) -> tuple[Input, ...]:
        """The inputs that all rows share and that have a gradient: Features and Scalars."""
        return tuple(entry for entry in self.differentiable if not entry.kind.over_rows)

    @property
    def differentiable(self) -> tuple[Input, ...]:
        """The inputs that have a gradient, in order: all but Data and the Constants."""
        return tuple(entry for entry in self.inputs if entry.kind.has_gradient)

    @property
    def positional(self) -> tuple[Input, ...]:
        """The inputs that emitted functions take by position, in order: all but the Constants."""
        return tuple(entry for entry in self.passed if entry.kind is not Kind.CONSTANT)

    @property
    def needed_positive(self) -> tuple[str, ...]:
        """Return the Constants whose sign may have been used: a root, a logarithm or an `abs` depends on them.

        >>> from lngen.language.parsing import parse
        >>> parse("def f(x: Row, eps: Constant = 1, c: Constant = 2): return c*x/sqrt(x**2 + eps)").needed_positive
        ('eps',)
        """

        def signed(part: Expression) -> Expression | None:
            match part:
                case Call(function="sqrt" | "rsqrt" | "log" | "abs" | "sign"):
                    return part
                case Binary("**", base, Number(exponent)):
                    return base if exponent.denominator != 1 else None
                case Binary("**"):
                    return part
            return None

        return self._positive_constants_in(signed)

    @property
    def exponents(self) -> tuple[str, ...]:
        """Return the Constants that an exponent depends on, and whose default is positive: a call may pass 0.

        >>> from lngen.language.parsing import parse
        >>> parse("def f(x: Row, p: Constant = 2, c: Constant = 1): return c*abs(x)**(1 + p)").exponents
        ('p',)
        """

        def exponent(part: Expression) -> Expression | None:
            return part.right if isinstance(part, Binary) and part.operator == "**" else None

        return self._positive_constants_in(exponent)

    @property
    def stops_gradients(self) -> bool:
        """True if a statement stops gradients, so that a difference of the forward sees more than the gradient.

        >>> from lngen.language.parsing import parse
        >>> parse("def f(x: Row): return x*stop_gradient(x)").stops_gradients
        True
        """
        return self.calls(frozenset({"stop_gradient"}))

    def calls(self, functions: Collection[str]) -> bool:
        """Test whether a statement calls one of some functions."""
        parts = (part for statement in self.statements for part in walk(statement.expression))
        return any(isinstance(part, Call) and part.function in functions for part in parts)

    def _positive_constants_in(self, which: Callable[[Expression], Expression | None]) -> tuple[str, ...]:
        """Return the Constants with a positive default that some parts of the statements depend on."""
        depends = {entry.name: {entry.name} if entry.is_positive else set() for entry in self.inputs}

        def constants_in(expression: Expression) -> set[str]:
            return set().union(*(depends[part.name] for part in walk(expression) if isinstance(part, Name)))

        found: set[str] = set()
        for statement in self.statements:
            parts = map(which, walk(statement.expression))
            found |= set().union(*(constants_in(part) for part in parts if part is not None))
            depends[statement.name] = constants_in(statement.expression)
        return tuple(entry.name for entry in self.constants if entry.name in found)

    def input(self, name: str) -> Input:
        """Return the input of that name; raises KeyError if there is none."""
        for entry in self.inputs:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def statement(self, name: str) -> Statement:
        """Return the statement of that name; raises KeyError if there is none."""
        for entry in self.statements:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def lacks(self, entry: Input) -> tuple[str, ...]:
        """Return the axes over which the gradient of an input is summed: those of its kind that it has not."""
        return self.layout.lacks(entry.pattern) if self.layout and entry.pattern else ()

    def output_kind(self, name: str) -> Kind:
        """ROW or ROW_SCALAR; KeyError if no output has that name."""
        if name not in self.outputs:
            raise KeyError(name)
        return self.statement(name).kind

    @property
    def straight_through(self) -> Definition:
        """The definition whose outputs are not rounded, which derivatives are of."""
        return replace(self, casts=())

    def whole(self, name: str) -> AxisParts | None:
        """Return the array that an input or an output is a part of; None for one that is no part."""
        return next((each for each in self.parts if name in each.names), None)

    def public(self, name: str) -> str:
        """Return the name of an input, an output or a statement in the file and in the signatures of emitted
        functions.
        """
        return dict(self.renamed).get(name, name)

    def canonical(self) -> str:
        """The definition in normal form: the same for every layout, comment and docstring; for hashing."""
        lines = [f"def {self.name}({', '.join(_signature(entry) for entry in self.inputs)})"]
        lines += [f"{s.name}: {s.kind.value} = {render(s.expression)}" for s in self.statements]
        lines += [f"return {', '.join(self.outputs)}", *(f"{name} is cast to {target}" for name, target in self.casts)]
        if self.layout:
            given = ", ".join(f"{size.name} = {size.default}" for size in self.sizes)
            lines.append(f"rows {self.layout.pattern} of {' '.join(self.layout.features)}; sizes {given}")
        lines += [f"{each.name} of {each.pattern} is {each.axis} of {', '.join(each.names)}" for each in self.parts]
        lines += [f"directions {' '.join(self.directions)}"] * (self.directions != DIRECTIONS)
        return "\n".join([*lines, *(f"{name} is written {written}" for name, written in self.renamed)])

    def _inputs_of(self, kind: Kind) -> tuple[Input, ...]:
        return tuple(entry for entry in self.inputs if entry.kind is kind)


def _signature(entry: Input) -> str:
    default = "" if entry.default is None else f" = {entry.default}"
    axes = f" of {entry.pattern}" if entry.pattern else f" of {entry.draws}" if entry.draws else ""
    return f"{entry.name}: {entry.kind.value}{axes}{default}"
