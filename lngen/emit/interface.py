"""The interface of a layer, read off its two programs: inputs, Constants, outputs, gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
from lngen.emit import Notes
from lngen.emit.spelling import gradient, marked, reading
from lngen.errors import LngenError
from lngen.language.axes import AxisParts, AxisSize, Pattern, RowAxes
from lngen.language.names import numbered, value_fault
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.interface import DATA, Kind, is_held

MEANINGS: dict[Kind, str] = {
    "Row": "shape (..., D)",
    "RowScalar": "one value per row, shape {rows}.shape[:-1]",
    "Feature": "one value per feature, shape (D,)",
    "Scalar": "a number or a 0-d array",
    "Data": "shape (..., D), without a gradient",
    'Data["..."]': "one value per row, shape {rows}.shape[:-1], without a gradient",
    'Data["d"]': "one value per feature, shape (D,), without a gradient",
    "Int": "integers of shape (..., D)",
    'Int["..."]': "one integer per row, shape {rows}.shape[:-1]",
    'Int["d"]': "one integer per feature, shape (D,)",
    'Int[""]': "an integer or a 0-d array of one",
}
"""Values of each kind, in the words of a docstring; `rows` is an argument that has rows."""

_PER_ROW: tuple[tuple[Kind, Kind], ...] = (("Row", "RowScalar"), ("Data", 'Data["..."]'))
_INTEGERS_PER_ROW: tuple[Kind, Kind] = ("Int", 'Int["..."]')
_OUTPUTS: dict[type, Kind] = {RowSymbol: "Row", RowScalarSymbol: "RowScalar"}


@dataclass(frozen=True)
class PublicName:
    """Pair of names: `name` in the programs, which is marked, and `public` for callers."""

    name: str
    public: str

    @property
    def derivative(self) -> PublicName:
        """Return the names of the gradient, the cotangent or the tangent."""
        return PublicName(gradient(self.name), f"d{self.public}")


@dataclass(frozen=True)
class PublicInput(PublicName):
    """A positional argument of forward; `neutral` is None for one that is required. A seed `draws` random numbers.

    `parts` are the names in the programs of those of an array that they read in parts, in order.
    """

    kind: Kind
    neutral: Fraction | None
    pattern: Pattern | None = None
    parts: tuple[str, ...] = ()
    draws: bool = False

    def meaning(self, rows: str) -> str:
        """Describe the values of the input in the words of a docstring."""
        return MEANINGS[self.kind].format(rows=rows)

    @property
    def required(self) -> bool:
        return self.neutral is None

    @property
    def has_gradient(self) -> bool:
        return self.kind not in DATA


@dataclass(frozen=True)
class PublicConstant(PublicName):
    """A Constant, a keyword argument of forward; `default` is None for one that is required."""

    default: Fraction | None


@dataclass(frozen=True)
class PublicOutput(PublicName):
    """A result of forward, a Row or a RowScalar.

    `cast` is the type that it is rounded to; None is that of the rows. One that is made of `parts`, names in the
    programs, has a pattern of its own.
    """

    kind: Kind
    cast: str | None = None
    pattern: Pattern | None = None
    parts: tuple[str, ...] = ()

    def meaning(self, rows: str) -> str:
        """Describe the values of the output in the words of a docstring."""
        return MEANINGS[self.kind].format(rows=rows) + (f", rounded to {self.cast}" if self.cast else "")


Entry = TypeVar("Entry", PublicInput, PublicOutput)


@dataclass(frozen=True)
class PublicInterface:
    """Public interface of a layer.

    `counts` are the sizes of the axes that number parts of arrays, by name. Parts that are saved `together` are those
    of one array, by their names in the programs.
    """

    inputs: tuple[PublicInput, ...]
    constants: tuple[PublicConstant, ...]
    outputs: tuple[PublicOutput, ...]
    nonnegative: frozenset[str]
    layout: RowAxes | None = None
    sizes: tuple[AxisSize, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    together: tuple[tuple[str, ...], ...] = ()

    @property
    def axes(self) -> str:
        """The names of the axes of the rows, apart; empty if they have none."""
        return " ".join(self.layout.pattern.names) if self.layout else ""

    def meaning(self, each: PublicInput | PublicOutput) -> str:
        """Describe the values of an input or an output, in the words of a docstring."""
        if self.layout is None or each.kind in ("Scalar", 'Int[""]'):
            return each.meaning(self.rows[0].public)
        pattern = each.pattern
        if pattern is None and isinstance(each, PublicOutput) and each.kind == "Row":
            pattern = self.layout.pattern
        axes = " ".join(self.layout.rows) if pattern is None else str(pattern)
        counted = () if pattern is None else (name for name in pattern.names if name in self.counts)
        axes += "".join(f", {name} of size {self.counts[name]}" for name in counted)
        rounded = f", rounded to {each.cast}" if isinstance(each, PublicOutput) and each.cast else ""
        return f"an array with the axes {axes}{rounded}" + ", without a gradient" * (each.kind in DATA)

    def described(self, output: PublicOutput) -> str:
        """Describe an output in a sentence."""
        return f"{output.public} {'is' if self.layout else 'has'} {self.meaning(output)}"

    def is_parameter(self, given: PublicInput) -> bool:
        """Test whether a class holds an input as a parameter: a shared one, or an array without the first axis."""
        first = self.layout.pattern.axes[0] if self.layout else ()
        return is_held(given.kind, given.pattern.names if given.pattern else None, first)

    @property
    def differentiable(self) -> tuple[PublicInput, ...]:
        """The inputs that have a gradient and a tangent."""
        return tuple(given for given in self.inputs if given.has_gradient)

    @property
    def optional(self) -> tuple[str, ...]:
        """Return the optional inputs."""
        return tuple(given.name for given in self.inputs if not given.required)

    @property
    def rows(self) -> tuple[PublicInput, ...]:
        """The inputs that are rows and have a gradient."""
        return tuple(given for given in self.inputs if given.kind == "Row")


def moved(program: RowProgram, layer: PublicInterface) -> dict[str, PublicInput]:
    """Return the tangents, or cotangents of gradients, that a direction takes: `ddx` with its input `x`."""
    inputs = {given.name for given in layer.inputs}
    names = [name for name, _ in program.optional if name not in inputs]
    return dict(zip(names, layer.differentiable, strict=True)) if names else {}


@dataclass(frozen=True)
class OwnFields:
    """Names of the three fields that `Saved` has for every layer."""

    shape: str
    dtype: str
    dtypes: str

    @classmethod
    def beside(cls, taken: Iterable[str]) -> OwnFields:
        """Choose the names; a name that a field of the layer has gets an underscore at its end.

        >>> OwnFields.beside(["x", "shape"])
        OwnFields(shape='shape_', dtype='dtype', dtypes='dtypes')
        """
        names = set(taken)
        return cls(*(f"{name}_" if name in names else name for name in ("shape", "dtype", "dtypes")))


def interface(forward: RowProgram, notes: Notes) -> PublicInterface:
    """The interface of a layer, its names marked if those of `forward` are.

    Raises LngenError for a layer without a Row input, and for a name that two things have or no definition may use.
    """
    is_marked = any(not row.name.isascii() for row in forward.rows)

    def spelled(name: str) -> str:
        return marked(name) if is_marked else name

    optional, casts, data = dict(forward.optional), dict(forward.casts), set(map(spelled, notes.data))
    kinds: dict[str, Kind] = {}
    for row in forward.rows:
        place = 1 - isinstance(row.symbol, RowSymbol)
        kinds[row.name] = _PER_ROW[row.name in data][place] if not row.symbol.is_integer else _INTEGERS_PER_ROW[place]
    for parameter in forward.parameters:
        if parameter.symbol.is_integer:
            kinds[parameter.name] = 'Int["d"]' if parameter.kind == "Feature" else 'Int[""]'
        elif parameter.kind != "Constant":
            kinds[parameter.name] = 'Data["d"]' if parameter.name in data else parameter.kind
    order = tuple(map(spelled, notes.inputs)) or tuple(kinds)
    unknown = [name for name in order if name not in kinds]
    if unknown or set(kinds) - set(order):
        raise LngenError(
            f"{notes.layer}: the inputs {', '.join(order)} are not those that forward reads, "
            f"{', '.join(kinds)}; use every input in the definition, or take it out"
        )

    def public(name: str) -> str:
        return dict(notes.renamed).get(reading(name), reading(name))

    patterns = {spelled(name): pattern for name, pattern in notes.patterns.items()}
    seeds = {row.seed.name for row in forward.random}
    inputs = tuple(
        PublicInput(name, public(name), kinds[name], optional.get(name), patterns.get(name), draws=name in seeds)
        for name in order
    )
    constants = tuple(
        PublicConstant(p.name, public(p.name), p.default) for p in forward.parameters if p.kind == "Constant"
    )
    outputs = tuple(
        PublicOutput(name, public(name), _OUTPUTS[type(store.symbol)], casts.get(name))
        for store in forward.results
        for name in store.names
    )
    if not any(given.kind == "Row" for given in inputs):
        raise LngenError(f"{notes.layer}: no input is a Row, so there are no rows to work on; add one")
    names = [each.name for each in (*inputs, *constants, *outputs)]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise LngenError(f"{notes.layer}: {name} is the name of two things; rename the input or the output")
        if wrong := value_fault(public(name)):
            raise LngenError(f"{notes.layer}: emitted code cannot use the name {name}, which {wrong}; choose another")
    required_first = tuple(sorted(inputs, key=lambda given: not given.required))
    nonnegative = frozenset(map(spelled, notes.nonnegative))
    together = tuple(tuple(map(spelled, each)) for each in (*notes.together, *(each.names for each in notes.parts)))
    rows = PublicInterface(
        required_first, constants, outputs, nonnegative, notes.layout, notes.sizes, together=together
    )
    if not notes.parts:
        return rows
    taken = {reading(name) for name in (*names, *(symbol.name for symbol in forward.saved))}
    return _as_wholes(
        rows,
        [each.renamed(spelled) for each in notes.parts],
        {each.name: spelled(numbered(each.name, taken.__contains__)) for each in notes.parts},
    )


def _as_wholes(rows: PublicInterface, parts: Sequence[AxisParts], called: Mapping[str, str]) -> PublicInterface:
    """The interface with arrays as wholes, of that with their parts; an array is `called` by a name of its own."""
    of_part = {name: each for each in parts for name in each.names if name}

    def wholes(entries: Iterable[Entry]) -> tuple[Entry, ...]:
        found: dict[str, Entry] = {}
        for entry in entries:
            each = of_part.get(entry.name)
            if each is not None:
                own = called[each.name], each.name
                entry = replace(entry, name=own[0], public=own[1], pattern=each.pattern, parts=each.names)
            found.setdefault(entry.public, entry)
        return tuple(found.values())

    counts = {each.axis: len(each.names) for each in parts}
    return replace(rows, inputs=wholes(rows.inputs), outputs=wholes(rows.outputs), counts=counts)
