"""Graph of array operations, and the value of each node in each case of absent arguments.

A node is one ufunc call. An absent argument is its neutral number, and numbers fold. In such a case a node may *be* a
number, or the array of one of its operands, and is not computed. Multiplication by a left-out gamma therefore costs
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import product
from typing import Any, Literal, TypeAlias

import sympy
from sympy import Expr, S

from lngen.algebra.numeric import COMPARE
from lngen.algebra.symbols import HEADS, NOTHING, Axes, RowScalarSymbol, RowSymbol, of_number
from lngen.plan.presence import NEVER, Condition, any_of

Phase = Literal["prologue", "block", "epilogue"]
_PHASES: tuple[Phase, ...] = ("prologue", "block", "epilogue")

ROW, ROW_SCALAR = RowSymbol.varies, RowScalarSymbol.varies


@dataclass(frozen=True)
class ArrayValue:
    """The result of the operation of node `root`, and the axes that this result really has."""

    root: int
    axes: Axes


Value: TypeAlias = Expr | ArrayValue
"""An exact number, or an array."""


@dataclass(frozen=True)
class NodeForm:
    """Value of a node in some cases; `through` is the operand that it equals, if any."""

    value: Value
    cases: Condition
    through: int | None = None


@dataclass(frozen=True)
class ArrayNode:
    """One operation; `name` is the argument that it loads, or the result that it is.

    `source` and `line` are the step and the formula that it is part of.
    """

    index: int
    operation: str
    operands: tuple[int, ...]
    axes: Axes
    phase: Phase
    forms: tuple[NodeForm, ...]
    name: str = ""
    integer: bool = False
    source: str = ""
    line: str = ""

    @property
    def boolean(self) -> bool:
        """Test whether the entries are truth values."""
        return self.operation in COMPARISONS

    @property
    def number(self) -> Any:
        """The number that the node is in every case, if it is one."""
        value = self.forms[0].value
        return value if len(self.forms) == 1 and not isinstance(value, ArrayValue) else None

    def computed(self) -> Condition:
        """The cases in which the operation is carried out."""
        return self.cases_of(lambda value: isinstance(value, ArrayValue) and value.root == self.index)

    def cases_of(self, test: Callable[[Value], bool]) -> Condition:
        """The cases in which the value passes a test."""
        return any_of(form.cases for form in self.forms if test(form.value))

    def values(self, cases: Condition) -> list[Value]:
        """The values that the node has in some cases."""
        return [form.value for form in self.forms if form.cases & cases]


COMPARISONS = frozenset(function.__name__ for function in COMPARE.values())

_OF_NUMBERS: dict[str, Callable[..., Expr]] = {
    "negative": lambda a: -a,
    "real": lambda a: a,
    "square": lambda a: a**2,
    "sqrt": sympy.sqrt,
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: a**b,
    **{name: partial(of_number, name) for name in HEADS},
    **{function.__name__: relation for relation, function in COMPARE.items()},
}
_NEUTRAL = {"add": (0, 0), "subtract": (None, 0), "multiply": (1, 1), "divide": (None, 1)}
"""The number in the place of an operand with which the result is the other operand."""

SHIFT = "shift"
"""The largest entry of a row, and 0 where that is infinite."""

FILLS = frozenset({"expand", "result", "real"})
"""Operations that write a value out in memory of its own; one of integers is `real` numbers then."""

OF_SHAPE = frozenset({"index", "features"})
"""Integers that the shape of the rows gives: the places of a row, and their number."""

REDUCTIONS = frozenset({"sum", "mean", "max", "min", SHIFT})
ENTRY = "entry"
"""The entry of each row at a place, and 0 where the row has no such place."""

TO_ROW_SCALARS = REDUCTIONS | {"residual", ENTRY}
IN_PLACE = frozenset({"corrected", "less_residual"})
"""Operations that change an operand in place."""


@dataclass
class Graph:
    """Nodes, each made once: the same operation on the same operands is the same node.

    `source` and `line` are the step and the formula whose nodes are made now.
    """

    everything: Condition
    nodes: list[ArrayNode] = field(default_factory=list)
    source: str = ""
    line: str = ""
    _known: dict[tuple[object, ...], int] = field(default_factory=dict)

    def readers(self) -> list[list[int]]:
        """The nodes that read each node, one as often as it does."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for node in self.nodes:
            for operand in node.operands:
                found[operand].append(node.index)
        return found

    def number(self, value: Expr) -> int:
        """The node of an exact number."""
        return self._made("number", (), [NodeForm(value, self.everything)])

    def of_shape(self, operation: str) -> int:
        """The node of an integer of `OF_SHAPE`."""
        axes = Axes(False, operation == "index")
        return self._made(operation, (), [self._own(axes, self.everything)], axes, integer=True)

    def load(
        self, name: str, axes: Axes, phase: Phase, present: Condition, neutral: Expr | None, integer: bool = False
    ) -> int:
        """The node of a value that is given: its neutral number in the cases in which it is not present."""
        forms = [self._own(axes, present & self.everything)]
        absent = self.everything & ~present
        if absent and neutral is not None:
            forms.append(NodeForm(neutral, absent))
        return self._made("load", (), forms, axes, phase, name, integer)

    def total(self, name: str, axes: Axes, *operands: int) -> int:
        """The node of a sum over all rows, times a number per row if there is one; zero where either is."""
        zero = any_of(self.nodes[operand].cases_of(lambda value: value == 0) for operand in operands)
        forms = [self._own(axes, self.everything & ~zero), NodeForm(S.Zero, zero)]
        return self._made("total", operands, forms, axes, "epilogue", name)

    def apply(self, operation: str, *operands: int) -> int:
        """The node of an operation."""
        forms = []
        for chosen in product(*(self.nodes[operand].forms for operand in operands)):
            cases = reduce(lambda a, b: a & b, (form.cases for form in chosen), self.everything)
            if not cases:
                continue
            values = [form.value for form in chosen]
            folded = fold(operation, values)
            if folded is None:
                forms.append(self._own(_axes(operation, values), cases))
            elif isinstance(folded, int):
                forms.append(NodeForm(chosen[folded].value, cases, operands[folded]))
            else:
                forms.append(NodeForm(folded, cases))
        nodes = [self.nodes[operand] for operand in operands]
        integer = operation not in ("real", ENTRY, *COMPARISONS) and any(node.integer for node in nodes)
        return self._made(operation, operands, forms, _axes(operation, nodes), integer=integer)

    def either(self, first: int, cases: Condition, second: int) -> int:
        """The node that is `first` in these cases and `second` in the others."""
        chosen = [(first, cases), (second, self.everything & ~cases)]
        forms = [NodeForm(f.value, f.cases & part, node) for node, part in chosen for f in self.nodes[node].forms]
        return self._made("either", (first, second), forms)

    def in_place(self, operation: str, target: int, *operands: int) -> int:
        """Add the node of an operation on `target` in its own memory; the old value must not be read later."""
        forms = [NodeForm(form.value, form.cases, target) for form in self.nodes[target].forms]
        return self._made(operation, (target, *operands), forms, self.nodes[target].axes)

    def expanded(self, operand: int, axes: Axes, keep: str = "zero") -> int:
        """Add the operand expanded to all of these axes in every case, for an operation that must see each entry.

        The numbers that it can take are kept: "every number", "zero", or "nothing".
        """
        forms = []
        for form in self.nodes[operand].forms:
            value = form.value
            if isinstance(value, ArrayValue):
                as_it_is = value.axes.join(axes) == value.axes
            else:
                as_it_is = keep == "every number" or (keep == "zero" and value == 0)
            forms.append(NodeForm(value, form.cases, operand) if as_it_is else self._own(axes, form.cases))
        return self._copied("expand", operand, forms, axes, "block" if axes.rows else self.nodes[operand].phase, keep)

    def result(self, name: str, operand: int, axes: Axes, phase: Phase, taken: Mapping[int, Condition]) -> int:
        """The operand as an array of its own with these axes: a copy where it is a number, lacks axes, or is taken.

        An argument is taken, and so are the arrays of earlier results in these cases. Of no axes NumPy makes no array.
        """
        forms = []
        for form in self.nodes[operand].forms:
            value, free = form.value, NEVER
            if isinstance(value, ArrayValue) and value.axes == axes != NOTHING:
                free = form.cases & ~taken.get(value.root, NEVER)
                free = NEVER if self.nodes[value.root].operation == "load" else free
            forms += [NodeForm(value, free, operand), self._own(axes, form.cases & ~free)]
        return self._copied("result", operand, forms, axes, phase, name)

    def _copied(self, operation: str, operand: int, forms: list[NodeForm], axes: Axes, phase: Phase, name: str) -> int:
        """The node of a copy of an operand, or the operand where no case needs one."""
        if all(form.through is not None for form in forms if form.cases):
            return operand
        return self._made(operation, (operand,), forms, axes, phase, name)

    def _own(self, axes: Axes, cases: Condition) -> NodeForm:
        """The form of the next node in the cases in which it is computed."""
        return NodeForm(ArrayValue(len(self.nodes), axes), cases)

    def _made(
        self,
        operation: str,
        operands: tuple[int, ...],
        forms: Iterable[NodeForm],
        axes: Axes | None = None,
        phase: Phase | None = None,
        name: str = "",
        integer: bool = False,
    ) -> int:
        nodes = [self.nodes[operand] for operand in operands]
        if axes is None:
            axes = _axes(operation, nodes)
        if phase is None:
            phase = _PHASES[max((_PHASES.index(node.phase) for node in nodes), default=0)]
        merged: dict[tuple[Value, int | None], Condition] = {}
        for form in forms:
            key = (form.value, form.through)
            merged[key] = merged.get(key, NEVER) | form.cases
        kept = tuple(NodeForm(value, cases, through) for (value, through), cases in merged.items() if cases)
        values = {form.value for form in kept}
        if operands and len(values) == 1 and not isinstance(kept[0].value, ArrayValue):
            # Nothing computes it, so it has no variable: it is spelled where it is read.
            return self.number(kept[0].value)
        same = (operation, operands, axes, name, kept[0].value if operation == "number" else None)
        if same not in self._known:
            self._known[same] = len(self.nodes)
            provenance = self.source, self.line
            made = ArrayNode(len(self.nodes), operation, operands, axes, phase, kept, name, integer, *provenance)
            self.nodes.append(made)
        return self._known[same]


def _axes(operation: str, of: Iterable[ArrayNode | Value]) -> Axes:
    """The axes of the result of an operation on nodes or values; a number has none."""
    axes = NOTHING
    for each in of:
        axes = axes.join(getattr(each, "axes", NOTHING))
    return Axes(axes.rows, False) if operation in TO_ROW_SCALARS else axes


def fold(operation: str, values: list[Value]) -> Expr | int | None:
    """Return the result of an operation if no array is computed: a number, the position of an operand, or None.

    >>> one, array = S.One, ArrayValue(0, ROW)
    >>> fold("multiply", [one, array]), fold("add", [one, one]), fold("add", [one, array])
    (1, 2, None)
    """
    numbers = [None if isinstance(value, ArrayValue) else value for value in values]
    known = [number for number in numbers if number is not None]
    if operation in REDUCTIONS:
        if S.Zero in known:
            return S.Zero
        return sympy.prod(known) if operation != "sum" and len(known) == len(values) else None
    if operation in (ENTRY, "residual"):
        return S.Zero if numbers[0] is not None and (operation != ENTRY or numbers[0] == 0) else None
    if operation == "attains_first":
        return None
    if operation == "where":
        if numbers[0] is None:
            return numbers[1] if numbers[1] is not None and numbers[1] == numbers[2] else None
        taken = 1 if numbers[0] == sympy.true else 2
        return S.NaN if numbers[0] is S.NaN else taken if numbers[taken] is None else numbers[taken]
    if len(known) == len(values):
        if operation in COMPARISONS and not all(number.is_real for number in known):
            return S.NaN
        return _OF_NUMBERS[operation](*known)
    if S.Zero in {"multiply": numbers, "divide": numbers[:1]}.get(operation, ()):
        return S.Zero
    neutral = _NEUTRAL.get(operation, ())
    return next(
        (1 - place for place, number in enumerate(neutral) if number is not None and numbers[place] == number), None
    )
