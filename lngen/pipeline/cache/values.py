"""Frozen dataclasses and SymPy expressions as JSON text and back.

The text is a list of nodes, each after its parts, and equal ones are one node. A node is a number, a text, a truth
value or null, or a list: the name of a class and the numbers of the nodes that it is built from. Only the table below
defines names, so that reading runs nothing but these constructors.

SymPy's constructors are called without evaluation: the structure that is read is the one that was written.

>>> from lngen.algebra.symbols import Mean, RowSymbol
>>> x = RowSymbol("x")
>>> text = encode(x * Mean(x * x))
>>> text
'["x","real",true,["tuple",1,2],["tuple",3],["RowSymbol",0,4],2,["Integer",6],["Pow",5,7],["Mean",8],["Mul",9,5]]'
>>> decode(text)
x*Mean(x**2)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import sympy
from sympy import Basic

from lngen.algebra import equations, normal, symbols
from lngen.algebra.growth import Growth
from lngen.derivation import derivation, vjp
from lngen.language import definition, syntax
from lngen.language.definition import Definition
from lngen.pipeline.cache.results import NotKept
from lngen.pipeline.files import manifest
from lngen.plan import planner, program
from lngen.plan.passes import moments

_GIVEN = "given"


class _Class(NamedTuple):
    parts: Callable[[Any], tuple[Any, ...]]
    build: Callable[..., Any]


def encode(value: Any, given: Definition | None = None) -> str:
    """Encode a value as text; `given` is replaced by a mark. Raises NotKept for a class that is not in the table."""
    nodes: list[Any] = []
    numbers: dict[tuple[Any, ...], int] = {}
    seen: dict[int, int] = {}

    def number(part: Any) -> int:
        if id(part) in seen:
            return seen[id(part)]
        node = node_of(part)
        # True equals 1, and is another node.
        key = tuple(node) if isinstance(node, list) else (type(node), node)
        if key not in numbers:
            numbers[key] = len(nodes)
            nodes.append(node)
        if isinstance(part, Basic):  # which its owner holds, so nothing else gets its id
            seen[id(part)] = numbers[key]
        return numbers[key]

    def node_of(part: Any) -> Any:
        if part is None or type(part) in (bool, int, str):
            return part
        if part is given:
            return [_GIVEN]
        name = _NAME_OF.get(type(part))
        if name is None:
            raise NotKept(f"{type(part).__name__} is not in the table of {__name__}")
        return [name, *map(number, _CLASSES[name].parts(part))]

    try:
        number(value)
    except RecursionError:
        raise NotKept("the value is too deep") from None
    return json.dumps(nodes, separators=(",", ":"))


def decode(text: str, given: Definition | None = None) -> Any:
    """The value that was written. Raises ValueError if the text is no such text."""
    values: list[Any] = []
    try:
        for node in json.loads(text):
            if isinstance(node, list):
                name, *numbers = node
                parts = [values[number] for number in numbers]
                values.append(given if name == _GIVEN else _CLASSES[name].build(*parts))
            else:
                values.append(node)
        return values[-1]
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no text of {__name__}") from error


def encode_surely(value: Any, given: Definition | None = None) -> str:
    """`encode`, after a look at whether it is read back as it was: assumptions, order of operands and all.

    Raises NotKept if it is not.
    """
    text = encode(value, given)
    try:
        again = decode(text, given)
    except ValueError as error:
        raise NotKept("it cannot be read back") from error
    if again != value or encode(again, given) != text:
        raise NotKept("it is read back as another value")
    return text


# ---- the table


def _dataclass(kind: type) -> _Class:
    names = [field.name for field in fields(kind)]
    return _Class(lambda value: tuple(getattr(value, name) for name in names), kind)


def _symbol(kind: type) -> _Class:
    # The arguments that pickle would store: the name, and the given assumptions.
    return _Class(
        lambda value: (value.name, tuple(sorted(value.__getnewargs_ex__()[1].items()))),
        lambda name, assumptions: kind(name, **dict(assumptions)),
    )


def _associative(kind: Any) -> _Class:
    return _Class(lambda value: value.args, lambda *operands: kind._from_args(operands))


def _application(kind: Any) -> _Class:
    return _Class(lambda value: value.args, partial(kind, evaluate=False))


def _constant(value: Any) -> _Class:
    return _Class(lambda value: (), lambda: value)


_DATACLASSES = (
    definition.Input,
    syntax.SourceSpan,
    derivation.Derivation,
    derivation.StepEvidence,
    derivation.Proof,
    derivation.Derivative,
    derivation.Step,
    vjp.Adjoint,
    vjp.Contribution,
    manifest.Emission,
    planner.Plan,
    program.Assignment,
    program.FeatureReduction,
    program.Parameter,
    program.PassLine,
    program.RowArgument,
    program.RowProgram,
    program.RowsReduction,
    program.Stage,
    program.Store,
    equations.Equation,
    equations.Forward,
)
_SYMBOLS = tuple(symbols.SYMBOL_OF_AXES.values())
_ASSOCIATIVE = (sympy.Add, sympy.Mul)
_APPLICATIONS = (
    sympy.Pow,
    *symbols.ENTRY_OF,
    normal.NormalDensity,
    normal.Phi,
    sympy.Max,
    sympy.Min,
    sympy.StrictLessThan,
    sympy.LessThan,
    sympy.StrictGreaterThan,
    sympy.GreaterThan,
    sympy.Equality,
    sympy.Unequality,
    symbols.Mean,
    symbols.FeatureSum,
    symbols.RowMax,
    symbols.RowMin,
    symbols.AttainsFirst,
    symbols.SumRows,
    symbols.StopGradient,
    symbols.Where,
    moments.CorrectedProducts,
    moments.CorrectedSquares,
)
_CONSTANTS = (sympy.pi, sympy.E, sympy.oo, -sympy.oo, sympy.true, sympy.false)
_INTEGER = _Class(lambda value: (int(value),), sympy.Integer)
_RATIONAL = _Class(lambda value: (int(value.p), int(value.q)), sympy.Rational)

_TABLE: dict[type, _Class] = {
    tuple: _Class(lambda value: value, lambda *parts: parts),
    Fraction: _Class(lambda value: (value.numerator, value.denominator), Fraction),
    Growth: _Class(
        lambda value: (
            tuple(value.degrees.items()),
            value.most,
            tuple(value.complements.items()),
            value.vanishing,
            value.at_most_one,
            value.beside,
            value.small,
        ),
        lambda degrees, most, complements, *end: Growth(dict(degrees), most, dict(complements), *end),
    ),
    syntax.Kind: _Class(lambda value: (value.value,), syntax.Kind),
    **{kind: _dataclass(kind) for kind in _DATACLASSES},
    **{kind: _symbol(kind) for kind in _SYMBOLS},
    **{kind: _associative(kind) for kind in _ASSOCIATIVE},
    **{kind: _application(kind) for kind in _APPLICATIONS},
    **{type(value): _constant(value) for value in _CONSTANTS},
    # SymPy has a class of its own for each of some numbers.
    **{type(sympy.Integer(value)): _INTEGER for value in (-1, 0, 1, 2)},
    **{type(sympy.Rational(*parts)): _RATIONAL for parts in ((1, 2), (1, 3))},
}
_NAME_OF = {kind: kind.__name__ for kind in _TABLE}
_CLASSES = {_NAME_OF[kind]: entry for kind, entry in _TABLE.items()}
assert len(_CLASSES) == len(_TABLE)
