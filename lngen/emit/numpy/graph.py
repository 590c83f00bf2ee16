"""Graph of array operations, and the value of each node in each case of absent arguments.

A node is one ufunc call. An absent argument is its neutral number, and numbers fold. In such a case a node may *be* a
number, or the array of one of its operands, and is not computed. Multiplication by a left-out gamma therefore costs
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Literal

import sympy
from sympy import Expr, S

from lngen.algebra.numeric import COMPARE
from lngen.algebra.symbols import HEADS, NOTHING, Axes, RowScalarSymbol, RowSymbol, of_number
from lngen.plan.presence import NEVER, Condition, any_of

Phase = Literal["prologue", "block", "epilogue"]

ROW, ROW_SCALAR = RowSymbol.varies, RowScalarSymbol.varies


@dataclass(frozen=True)
class NumberNode:
    """A node that is an exact number."""

    value: Expr


@dataclass(frozen=True)
class ArrayValue:
    """A node that is the result of node `root`, and the axes that result really has."""

    root: int
    axes: Axes


Value = NumberNode | ArrayValue


@dataclass(frozen=True)
class NodeForm:
    """Value of a node in some cases; `through` is the operand that it equals, if any."""

    value: Value
    cases: Condition
    through: int | None = None


@dataclass(frozen=True)
class ArrayNode:
    """One operation. `operation` is a key of the printer's table, "number" or "load"; `name` is a load's
    name."""

    index: int
    operation: str
    operands: tuple[int, ...]
    axes: Axes
    phase: Phase
    forms: tuple[NodeForm, ...]
    name: str = ""
    number: Expr | None = None
    boolean: bool = False
    integer: bool = False

    def computed(self) -> Condition:
        """The cases in which the operation is carried out."""
        return any_of(
            form.cases for form in self.forms if isinstance(form.value, ArrayValue) and form.value.root == self.index
        )


_UNARY: dict[str, Callable[[Expr], Expr]] = {
    "negative": lambda a: -a,
    "real": lambda a: a,
    "square": lambda a: a**2,
    "sqrt": sympy.sqrt,
    **{name: partial(of_number, name) for name in HEADS},
}

_BINARY: dict[str, Callable[[Expr, Expr], Expr]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: a**b,
    **{function.__name__: relation for relation, function in COMPARE.items()},
}

COMPARISONS = frozenset(function.__name__ for function in COMPARE.values())
SHIFT = "shift"
"""The largest entry of a row, and 0 where that is infinite."""

FILLS = frozenset({"expand", "write out", "result", "real"})
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
    """Nodes, each made once: the same operation on the same operands is the same node."""

    everything: Condition
    nodes: list[ArrayNode] = field(default_factory=list)
    _known: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number(self, value: Expr) -> int:
        """The node of an exact number."""
        return self._make(
            "number", (), NOTHING, "prologue", (NodeForm(NumberNode(value), self.everything),), number=value
        )

    def of_shape(self, operation: str) -> int:
        """The node of an integer of `OF_SHAPE`."""
        axes = Axes(False, operation == "index")
        form = NodeForm(ArrayValue(len(self.nodes), axes), self.everything)
        return self._make(operation, (), axes, "prologue", (form,), integer=True)

    def load(
        self,
        name: str,
        axes: Axes,
        phase: Phase,
        present: Condition,
        neutral: Expr | None,
        *,
        integer: bool = False,
    ) -> int:
        """The node of a value that is given: its neutral number in the cases in which it is not present."""
        index = len(self.nodes)
        forms = [NodeForm(ArrayValue(index, axes), present & self.everything)]
        absent = self.everything & ~present
        if absent and neutral is not None:
            forms.append(NodeForm(NumberNode(neutral), absent))
        return self._make("load", (), axes, phase, tuple(forms), name=name, integer=integer)

    def total(self, name: str, axes: Axes, body: int, weights: int | None = None) -> int:
        """The node of a sum over all rows of `body`, times a number per row; zero in the cases in which either is."""
        index = len(self.nodes)
        operands = (body,) if weights is None else (body, weights)
        zero = any_of(self.cases_of_number(operand, S.Zero) for operand in operands)
        forms = [NodeForm(ArrayValue(index, axes), self.everything & ~zero)]
        if zero:
            forms.append(NodeForm(NumberNode(S.Zero), zero))
        return self._make("total", operands, axes, "epilogue", tuple(form for form in forms if form.cases), name=name)

    def apply(self, operation: str, *operands: int) -> int:
        """The node of an operation."""
        nodes = [self.nodes[operand] for operand in operands]
        axes = NOTHING
        for node in nodes:
            axes = axes.join(node.axes)
        if operation in TO_ROW_SCALARS:
            axes = Axes(axes.rows, False)
        phases = {node.phase for node in nodes}
        phase: Phase = "epilogue" if "epilogue" in phases else "block" if "block" in phases else "prologue"
        forms = self._forms(operation, operands)
        boolean = operation in COMPARISONS
        integer = not boolean and operation not in ("real", ENTRY) and any(node.integer for node in nodes)
        return self._make(operation, operands, axes, phase, forms, boolean=boolean, integer=integer)

    def either(self, first: int, cases: Condition, second: int) -> int:
        """The node that is `first` in these cases and `second` in the others."""
        chosen = [(first, cases), (second, self.everything & ~cases)]
        forms = [NodeForm(f.value, f.cases & part, node) for node, part in chosen for f in self.nodes[node].forms]
        node = self.nodes[first]
        kept = tuple(form for form in forms if form.cases)
        return self._make("either", (first, second), node.axes, node.phase, kept)

    def in_place(self, operation: str, target: int, *operands: int) -> int:
        """Add the node of an operation on `target` in its own memory; the old value must not be read later."""
        node = self.nodes[target]
        forms = tuple(NodeForm(form.value, form.cases, target) for form in node.forms)
        return self._make(operation, (target, *operands), node.axes, node.phase, forms)

    def expanded(self, operand: int, axes: Axes, keep_numbers: bool, keep_zero: bool = True) -> int:
        """Add the operand expanded to all of these axes in every case, for an operation that must see each entry.

        A zero stays a number unless the reader cannot take one, and so does every number if the reader can.
        """
        node = self.nodes[operand]
        forms = []
        index = len(self.nodes)
        for form in node.forms:
            value = form.value
            as_it_is = (
                (keep_numbers or (keep_zero and value.value == 0))
                if isinstance(value, NumberNode)
                else value.axes.join(axes) == value.axes
            )
            new = NodeForm(value, form.cases, operand) if as_it_is else NodeForm(ArrayValue(index, axes), form.cases)
            forms.append(new)
        if all(form.through is not None for form in forms):
            return operand
        operation = "expand" if keep_zero else "write out"
        return self._make(operation, (operand,), axes, "block" if axes.rows else node.phase, _merged(forms))

    def written_out(self, operand: int, axes: Axes) -> int:
        """The operand as an array with these axes in every case, numbers too."""
        return self.expanded(operand, axes, keep_numbers=False, keep_zero=False)

    def result(self, name: str, operand: int, axes: Axes, phase: Phase, taken: Mapping[int, Condition]) -> int:
        """The operand as an array of its own with these axes: a copy where it is a number, lacks axes, or is taken.

        An argument is taken, and so are the arrays of earlier results in these cases. Of no axes NumPy makes no array.
        """
        index, forms = len(self.nodes), []
        for form in self.nodes[operand].forms:
            value, free = form.value, NEVER
            is_argument = isinstance(value, ArrayValue) and self.nodes[value.root].operation == "load"
            if isinstance(value, ArrayValue) and value.axes == axes != NOTHING and not is_argument:
                free = form.cases & ~taken.get(value.root, NEVER)
            forms += [NodeForm(form.value, free, operand)] * bool(free)
            forms += [NodeForm(ArrayValue(index, axes), form.cases & ~free)] * bool(form.cases & ~free)
        if all(form.through is not None for form in forms):
            return operand
        return self._make("result", (operand,), axes, phase, _merged(forms), name=name)

    def cases_of_number(self, index: int, value: Expr) -> Condition:
        """The cases in which a node is this number."""
        return any_of(form.cases for form in self.nodes[index].forms if form.value == NumberNode(value))

    def one_number(self, index: int) -> Expr | None:
        """The number that a node is in every case; None for one that is computed, or that is not always the same."""
        values = {form.value for form in self.nodes[index].forms}
        value = next(iter(values))
        return value.value if len(values) == 1 and isinstance(value, NumberNode) else None

    def _make(
        self,
        operation: str,
        operands: tuple[int, ...],
        axes: Axes,
        phase: Phase,
        forms: tuple[NodeForm, ...],
        name: str = "",
        number: Expr | None = None,
        boolean: bool = False,
        integer: bool = False,
    ) -> int:
        key = (operation, operands, axes, name, number)
        if key not in self._known:
            index = self._known[key] = len(self.nodes)
            made = ArrayNode(index, operation, operands, axes, phase, forms, name, number, boolean, integer)
            self.nodes.append(made)
        return self._known[key]

    def _forms(self, operation: str, operands: tuple[int, ...]) -> tuple[NodeForm, ...]:
        index = len(self.nodes)
        forms = []
        for chosen in product(*(self.nodes[operand].forms for operand in operands)):
            cases = self.everything
            for form in chosen:
                cases &= form.cases
            if not cases:
                continue
            folded = fold(operation, tuple(form.value for form in chosen))
            if isinstance(folded, NumberNode):
                forms.append(NodeForm(folded, cases))
            elif folded is not None:
                forms.append(NodeForm(chosen[folded].value, cases, operands[folded]))
            else:
                real = NOTHING
                for form in chosen:
                    real = real.join(form.value.axes if isinstance(form.value, ArrayValue) else NOTHING)
                if operation in TO_ROW_SCALARS:
                    real = Axes(real.rows, False)
                forms.append(NodeForm(ArrayValue(index, real), cases))
        return _merged(forms)


def fold(operation: str, values: tuple[Value, ...]) -> NumberNode | int | None:
    """Return the result of an operation if no array is computed: a number, the position of an operand, or None.

    >>> one, array = NumberNode(S.One), ArrayValue(0, ROW)
    >>> fold("multiply", (one, array)), fold("add", (one, one)), fold("add", (one, array))
    (1, NumberNode(value=2), None)
    """
    numbers = [value.value if isinstance(value, NumberNode) else None for value in values]
    if operation in REDUCTIONS:
        if any(number == 0 for number in numbers):
            return NumberNode(S.Zero)
        known = [number for number in numbers if number is not None]
        return NumberNode(sympy.prod(known)) if operation != "sum" and len(known) == len(values) else None
    if operation == ENTRY:
        return NumberNode(S.Zero) if numbers[0] == 0 else None
    if operation == "attains_first":
        return None
    if operation == "residual":
        return None if numbers[0] is None else NumberNode(S.Zero)
    if operation == "where":
        if numbers[0] is S.NaN:
            return NumberNode(S.NaN)
        if numbers[0] is not None:
            taken = 1 if numbers[0] == sympy.true else 2
            taken_number = numbers[taken]
            return taken if taken_number is None else NumberNode(taken_number)
        return NumberNode(numbers[1]) if numbers[1] is not None and numbers[1] == numbers[2] else None
    if all(number is not None for number in numbers):
        if operation in COMPARISONS and not all(number.is_real for number in numbers if number is not None):
            return NumberNode(S.NaN)
        function = _UNARY.get(operation) or _BINARY[operation]
        return NumberNode(function(*numbers))
    if len(values) < 2:
        return None
    left, right = numbers
    if operation == "add":
        return 1 if left == 0 else 0 if right == 0 else None
    if operation == "subtract":
        return 0 if right == 0 else None
    if operation == "multiply":
        if left == 0 or right == 0:
            return NumberNode(S.Zero)
        return 1 if left == 1 else 0 if right == 1 else None
    if operation == "divide":
        return NumberNode(S.Zero) if left == 0 else 0 if right == 1 else None
    return None


def _merged(forms: list[NodeForm]) -> tuple[NodeForm, ...]:
    merged: dict[tuple[Value, int | None], Condition] = {}
    for form in forms:
        key = (form.value, form.through)
        merged[key] = merged.get(key, NEVER) | form.cases
    return tuple(NodeForm(value, cases, through) for (value, through), cases in merged.items() if cases)
