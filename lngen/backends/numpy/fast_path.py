"""Fast path, `forward_fast` or `backward_fast`: rows that fit one block, in one piece.

For a few thousand entries, calls of ufuncs and lines of Python take most of the time. These functions therefore have
only the operations of the blocks, in the same order and with the same bits. Arrays keep their shape, NumPy allocates
memory, and a sum over rows is one product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from lngen.backends.numpy.buffers import needs, overwritten
from lngen.backends.numpy.graph import ROW, ROW_SCALAR, TO_ROW_SCALARS, Array, ArrayNode
from lngen.backends.numpy.lines import UFUNCS, NodeLines
from lngen.backends.numpy.operations import Event, Schedule
from lngen.backends.numpy.text import CodeLine, laid_out, read_only_assigned, words
from lngen.backends.spelling import belongs_to, gradient
from lngen.expressions.symbols import NOTHING, Axes, FeatureSymbol
from lngen.plan.presence import NEVER, Condition

_MEASURES = {
    "rows": "prod(shape[:-1])",
    "features": "shape[-1]",
    "scalar": "dtype.type",
    "vecdot": "np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces",
}
"""Local names that lines may use, with their expressions in the arguments `shape` and `dtype`."""

_OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "greater": ">",
    "greater_equal": ">=",
    "less": "<",
    "less_equal": "<=",
    "equal": "==",
    "not_equal": "!=",
}
"""The ufuncs that Python has an operator for, which is shorter and faster."""


@dataclass(frozen=True)
class FastPath:
    """Finished function: the variables of its arguments, and its lines.

    `flags` are further variables: the presence of inputs that no argument shows.
    """

    parameters: Mapping[str, str]
    flags: Mapping[str, str]
    lines: tuple[str, ...]


def fast_path(
    schedule: Schedule,
    wanted: Mapping[str, Condition],
    given: Mapping[str, Condition],
    results: Sequence[str],
    flagged: Sequence[str] = (),
    zeros: Mapping[str, str] = MappingProxyType({}),
) -> FastPath:
    """Return the lines that return `results` in this order, None for one that is not needed in a case.

    `wanted` and `given` are as in `body`. `flagged` are the optional inputs whose presence no argument shows: each has
    a flag. `zeros` are the gradients that are always zero, each with its shape.
    """
    return _FastPathLines(schedule, wanted, given, flagged).print(results, zeros)


class _FastPathLines(NodeLines):
    converted = False

    def __init__(
        self,
        schedule: Schedule,
        wanted: Mapping[str, Condition],
        given: Mapping[str, Condition],
        flagged: Sequence[str],
    ) -> None:
        super().__init__(schedule, wanted, needs(schedule, wanted), schedule.cases)
        self.given = given
        self.flags = {name: self.names.internal(f"wants_{gradient(name)}") for name in flagged}
        self.everywhere = schedule.graph.everything
        tests = dict(schedule.cases.tests) | self.flags
        tests |= {n.name: f"{self._parameter(n)} is not None" for n in self.arguments() if n.phase == "block"}
        self.cases = replace(schedule.cases, tests=tuple(tests.items()))
        self.ending: list[CodeLine] = []
        self.returned: dict[str, str] = {}
        self.roots: dict[int, Condition] = {}
        self.overwritten = overwritten(schedule, self.need)

    def print(self, results: Sequence[str], zeros: Mapping[str, str]) -> FastPath:
        for event in self.schedule.events:
            if event.kind == "make":
                self.make(event)
            elif event.kind == "sum":
                self._sum(event)
            else:
                self._result(event)
        prologue = self.weights() + self.parameters() + self.lines["prologue"]
        self.returned |= {name: self._zeros(name, shape) for name, shape in zeros.items()}
        returned = ", ".join(self.returned[name] for name in results)
        returned = f"({returned},)" if len(results) == 1 else returned
        own = self.lines["block"] + self.lines["epilogue"] + self.ending
        lines = self.numbers() + prologue + self._rows() + own + [CodeLine(f"return {returned}")]
        truths, (lines,) = self.conditions_named([read_only_assigned(lines)])
        used = words(lines)
        measures = [CodeLine(f"{name} = {value}") for name, value in _MEASURES.items() if name in used]
        return FastPath(
            parameters={
                node.name: self._parameter(node) if node.phase == "block" else node.name for node in self.arguments()
            },
            flags={name: flag for name, flag in self.flags.items() if flag in used},
            lines=(*truths, *laid_out(measures + lines, 4)),
        )

    # Work on the rows

    def out(self, node: ArrayNode) -> str:
        """Return memory that is free, or new memory if NumPy's own result could be smaller than the node."""
        if node.index in self.overwritten and UFUNCS.get(node.operation, "").startswith("np."):
            return self.spelled(self.overwritten[node.index])
        in_full = node.index in self.guards or node.operation in ("where", "expand", "write out")
        if not in_full and self._broadcast(node) == node.axes:
            return ""
        return self._empty(node.axes, node.boolean)

    def _broadcast(self, node: ArrayNode) -> Axes:
        """The axes that a ufunc of the operands has in every case in which it is carried out."""
        cases = self.need[node.index] & node.computed()
        joined = NOTHING
        for operand in node.operands:
            forms = [form.value for form in self.nodes[operand].forms if form.cases & cases]
            axes = [form.axes if isinstance(form, Array) else NOTHING for form in forms]
            joined = joined.join(Axes(all(a.rows for a in axes), all(a.features for a in axes)))
        return node.axes if node.operation in TO_ROW_SCALARS else joined

    def ufunc(self, node: ArrayNode, arguments: list[str]) -> str:
        operator = _OPERATORS.get(node.operation)
        if operator and len(arguments) == 2:
            return f" {operator} ".join(arguments)
        return super().ufunc(node, arguments)

    def row_reduction(self, operation: str, operands: list[str], into: list[str]) -> str:
        total = f"vecdot({', '.join(operands)})"
        return f"{total if operation == 'sum' else f'({total} / {self.width()})'}[..., np.newaxis]"

    def _sum(self, event: Event) -> None:
        total = self.nodes[event.node]
        cases = self.need[total.index] & total.computed()
        variable = self.variables[total.index]
        if cases and total.axes == FeatureSymbol.varies:
            value, *weights = [self.spelled(operand) for operand in total.operands]
            weight = f"{weights[0]}.ravel()" if weights else "_rows.equal_weights(rows, 1.0, dtype)"
            block = f"{value}.reshape(-1, features)"
            self.add("block", f"{variable} = _rows.sum_of_rows({weight}, {block})", cases, event)
        elif cases:
            value = self.spelled(total.operands[0])
            self.add("block", f"{variable} = np.add.reduce({value}, axis=None)", cases, event)
        self.lines["block"] += self.absent(total) if self.need[total.index] else []

    # Arguments and results

    def _rows(self) -> list[CodeLine]:
        lines = []
        for node, cases in self.loaded("block"):
            column = "" if node.axes == ROW else "[..., np.newaxis]"
            text = f"{self.variables[node.index]} = {self._parameter(node)}{column}"
            renamed = cases and not self._as_given(node)
            lines += [CodeLine(text, self.cases.condition(cases))] if renamed else []
            lines += self.absent(node)
        return lines

    def _as_given(self, node: ArrayNode) -> bool:
        """Test whether lines use an argument unchanged, in every case in which they read it."""
        return node.axes == ROW and not self.need[node.index] & ~node.computed()

    def _parameter(self, node: ArrayNode) -> str:
        return self.variables[node.index] if self._as_given(node) else f"{node.name}_rows"

    def _result(self, event: Event) -> None:
        """A result: the array itself where it is one of its own in full, else a copy."""
        node = self.nodes[event.node]
        axes = event.store.symbol.varies if event.store else ROW_SCALAR
        wanted = self.wanted[event.name]
        phase = "epilogue" if event.kind == "result" else "block"
        copied = self._shared(node, axes, wanted)
        variable = self.variables[event.node]
        # A stretched value is read later in its own shape.
        stretched = any(isinstance(form.value, Array) and form.value.axes != axes for form in node.forms)
        if node.number is not None or stretched or variable in self.returned.values():
            variable = self.names.internal(f"{event.name}_result")
            if wanted & ~copied:
                self.add(phase, f"{variable} = {self.spelled(event.node)}", wanted & ~copied)
        if copied:
            self.add(
                phase, f"{variable} = _rows.filled({self.spelled(event.node)}, out={self._empty(axes, False)})", copied
            )
        if axes == ROW_SCALAR:
            self.ending.append(CodeLine(f"{variable} = {variable}[..., 0]", self.cases.condition(wanted)))
        # A row scalar that nothing is going to read is there all the same, as in `forward`, with anything in it.
        nothing = "None" if event.store else "np.empty(shape[:-1], dtype)"
        for place, name in enumerate(event.store.names if event.store else (event.name,)):
            value = f"{variable}.copy()" if place else variable
            self.returned[name] = self._returned(name, variable, value, wanted, nothing)

    def _returned(self, name: str, variable: str, value: str, wanted: Condition, nothing: str) -> str:
        """The variable of one of the names of a result, which has this value: `nothing` where that has no array."""
        given = self.given.get(name, wanted) & self.everywhere
        absent = self.everywhere & ~given
        if value != variable or given != wanted & self.everywhere:
            variable = self.names.internal(f"{name}_result")
            self.ending.append(CodeLine(f"{variable} = {value}", self.cases.condition(given)))
        if absent:
            self.ending.append(CodeLine(f"{variable} = {nothing}", self.cases.condition(absent)))
        return variable

    def _zeros(self, name: str, shape: str) -> str:
        """Return the variable of a gradient that is zero: None if its input is absent."""
        own, given = self.names.internal(f"{name}_result"), self.cases.present(belongs_to(name)) & self.everywhere
        for value, cases in ((f"np.zeros({shape}, dtype)", given), ("None", self.everywhere & ~given)):
            if cases:
                self.ending.append(CodeLine(f"{own} = {value}", self.cases.condition(cases)))
        return own

    def _shared(self, node: ArrayNode, axes: Axes, wanted: Condition) -> Condition:
        """Return the cases in which a result is an argument or another result, or lacks axes."""
        shared = NEVER
        for form in node.forms:
            cases = wanted & form.cases
            if not isinstance(form.value, Array) or form.value.axes != axes or axes == NOTHING:
                shared |= cases
                continue
            root = form.value.root
            taken = self.everywhere if self.nodes[root].operation == "load" else self.roots.get(root, NEVER)
            shared |= cases & taken
            self.roots[root] = self.roots.get(root, NEVER) | cases
        return shared

    def _empty(self, axes: Axes, boolean: bool) -> str:
        shapes = {ROW: "shape", ROW_SCALAR: "(*shape[:-1], 1)", FeatureSymbol.varies: "features", NOTHING: "()"}
        return f"np.empty({shapes[axes]}, {'bool' if boolean else 'dtype'})"
