"""Function of a direction: work once per call, the function of a block of rows, and work once after all rows.

`blocks.each_block` calls the function of a block for block after block, or for all rows at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from lngen.algebra.symbols import NOTHING, FeatureSymbol
from lngen.emit.expressions import decimal, formula
from lngen.emit.layout import WIDTH, statement, tuple_of
from lngen.emit.numpy.buffers import allocate, needs
from lngen.emit.numpy.code import (
    Code,
    CodeLine,
    called,
    laid_out,
    listed,
    named_conditions,
    read_by,
    that_count,
    unpacked,
)
from lngen.emit.numpy.expressions import DTYPE, FEATURES, KINDS, NodeExpressions
from lngen.emit.numpy.finite import require_finite
from lngen.emit.numpy.graph import ROW, ArrayNode, NumberNode
from lngen.emit.numpy.naming import LocalNames
from lngen.emit.numpy.nested import nested
from lngen.emit.numpy.operations import Event, Schedule
from lngen.emit.numpy.selects import guards
from lngen.plan.presence import NEVER, Condition


class DirectionBody:
    """Function of one direction.

    `wanted` has the results in their order, each with the cases in which it is needed, and `groups` the values of each
    parameter that is a tuple. Raises LngenError if a left-out input makes a value infinite that is read.
    """

    def __init__(
        self,
        schedule: Schedule,
        names: LocalNames,
        wanted: Mapping[str, Condition],
        groups: Mapping[str, Sequence[str]],
    ) -> None:
        self.schedule, self.names, self.wanted, self.groups = schedule, names, wanted, groups
        self.cases, self.nodes, self.everything = schedule.cases, schedule.graph.nodes, schedule.graph.everything
        self.need = needs(schedule, wanted)
        require_finite(schedule, self.need)
        guarded = guards(schedule, self.need)
        line_of = nested(schedule, self.need, guarded)
        self.plan = allocate(schedule, self.need, wanted, guarded, line_of)
        self.of = NodeExpressions(schedule, self.need, guarded, line_of, self.plan, names)
        self.lines: dict[str, list[CodeLine]] = {"prologue": [], "block": [], "epilogue": []}
        results = {event.name: event for event in schedule.events if event.kind in ("store", "save", "result")}
        self.results = [results[name] for name in wanted]
        per_row = [event for event in self.results if event.kind != "result"]
        self.casts = dict(schedule.program.casts)
        self.rows = [event for event in per_row if self.nodes[event.node].axes == ROW]
        self.row_scalars = [event for event in per_row if event not in self.rows]

    def saved_cases(self) -> dict[str, Condition]:
        """The cases in which each saved row scalar is read."""
        return {symbol.name: self.need[self.schedule.names[symbol.name]] for symbol in self.schedule.program.saved}

    def function(self, name: str, summary: str) -> list[str]:
        """The lines of the function."""
        for event in self.schedule.events:
            if event.kind == "make":
                self._make(event)
            elif event.kind == "sum":
                self._sum(event)
        block, returned = self._block()
        in_block = read_by(block, self.cases) | {name for value in returned for name in value.reads}
        made = [self.of.variables[event.node] for event in self.results]
        after = that_count(self._epilogue(), self.cases, made)
        arguments = self._arguments() if returned else {}
        read = in_block | read_by(after, self.cases) | {name for each in arguments.values() for name in each.reads}
        before = that_count(self._prologue(), self.cases, read)
        read |= read_by(before, self.cases)
        goes_on = bool(after) or self._made() != made
        texts = named_conditions([before, block, after], self.cases, self.names.internal)
        parts = [laid_out(lines, self.cases, texts, to) for lines, to in ((before, 4), (block, 8), (after, 4))]
        # A condition whose every run is the `else` of another needs no name.
        tests = {line.strip() for part in parts for line in part}
        texts = {key: text for key, text in texts.items() if f"if {text}:" in tests}
        measures = ["shape" if read & {"shape", "features"} else "_", "dtype" if "dtype" in read else "_", "_"]
        may_underflow = any(node.operation == "exp" and self.need[node.index] for node in self.nodes)
        return [
            # An exponential that is too small is 0, also for a caller who has NumPy raise an error.
            *['@np.errstate(under="ignore")'] * may_underflow,
            *statement(f"def {name}({', '.join([*self.groups, 'results', 'call'])}):"),
            f'    """{summary}"""',
            *self._unpacked(read),
            *unpacked(measures, "call", 4) * any(each != "_" for each in measures),
            *["    features = shape[-1]"] * ("features" in read),
            *(line for key, text in texts.items() for line in statement(f"{text} = {self.cases.condition(key)}", 4)),
            *parts[0],
            *self._taken(parts[1], returned, arguments, goes_on),
            *parts[2],
            *[f"    return {listed(made)}"] * (goes_on or not returned),
        ]

    # Lines

    def _add(self, phase: str, target: str, value: Code, cases: Condition, event: Event, acts: bool = False) -> None:
        heading = f"{event.source}: {event.heading}" if event.heading else ""
        self.lines[phase].append(CodeLine(target, value, cases, heading, acts))

    def _make(self, event: Event) -> None:
        """Add the lines of a node, one for each way in which it comes about."""
        node = self.nodes[event.node]
        if node.index in self.of.inside:
            return
        need, variable = self.need[node.index], self.of.variables[node.index]
        if computed := need & node.computed():
            self._add(node.phase, variable, self.of.expression(node), computed, event, node.operation == "residual")
        others: dict[tuple[Code, bool], Condition] = {}
        for form in node.forms:
            if not need & form.cases:
                continue
            if node.operation == "less_residual":
                made = called("_rows.less_residual", *map(self.of.operand, node.operands)), True
            elif form.through is not None and self.of.variables[form.through] != variable:
                made = self.of.operand(form.through), False
            elif isinstance(form.value, NumberNode) and form.through is None:
                made = self.of.literal(form.value.value), False
            else:
                continue
            others[made] = others.get(made, NEVER) | need & form.cases
        for (value, acts), cases in others.items():
            self._add(node.phase, variable, value, cases, event, acts)

    def _sum(self, event: Event) -> None:
        total = self.nodes[event.node]
        operands = list(map(self.of.operand, total.operands))
        if total.axes == FeatureSymbol.varies:
            value = called("_rows.sum_rows", *operands)
        else:
            value = called("np.add.reduce", *operands, axis=Code("None"))
        if cases := self.need[total.index] & total.computed():
            self._add("block", self.of.variables[total.index], value, cases, event)

    @cached_property
    def _totals(self) -> list[ArrayNode]:
        """The sums over rows, those with a value per feature first."""
        totals = [node for node in self.nodes if node.operation == "total" and self.need[node.index] & node.computed()]
        return sorted(totals, key=lambda node: node.axes != FeatureSymbol.varies)

    def _absent(self, node: ArrayNode) -> list[CodeLine]:
        """The lines that give a node's variable its number, in the cases in which it is one."""
        variable, need = self.of.variables[node.index], self.need[node.index]
        return [
            CodeLine(variable, self.of.literal(form.value.value), need & form.cases)
            for form in node.forms
            if isinstance(form.value, NumberNode) and need & form.cases
        ]

    def _loaded(self, phase: str) -> list[tuple[ArrayNode, Condition]]:
        """The arguments that are read in a phase, and in which cases they are arrays."""
        return [
            (node, self.need[node.index] & node.computed())
            for node in self.nodes
            if node.operation == "load" and node.phase == phase and self.need[node.index] and node.name != "D"
        ]

    # The function of a block

    def _block(self) -> tuple[list[CodeLine], list[Code]]:
        """The lines of the function of a block, and what it returns: rows, row scalars, sums over rows."""
        lines, nothing = [], []
        for node, cases in self._loaded("block"):
            if self.of.variables[node.index] != self.names.own(node.name) and cases:
                lines.append(CodeLine(self.of.variables[node.index], Code.of(self.names.own(node.name)), cases))
            lines += self._absent(node)
        lines += self.lines["block"]
        returned = []
        for event in (*self.rows, *self.row_scalars):
            variable, need = self.of.variables[event.node], self.need[event.node]
            value, wanted = Code.of(variable), self.wanted[event.name] & self.everything
            if event.kind == "save":
                if self.everything & ~need:
                    lines.append(CodeLine(variable, self._anything(), self.everything & ~need))
            else:
                if need & ~wanted:
                    lines.append(CodeLine(variable, Code("None"), need & ~wanted))
                if self.everything & ~need:
                    nothing.append(variable)
            if event in self.row_scalars:
                entries = Code(f"{variable}[..., 0]", value.reads)
                if event.kind == "save" or wanted == self.everything:
                    value = entries
                else:
                    lines.append(CodeLine(variable, entries, wanted))
            if event.name in self.casts:
                value = called("_casts.cast", value, Code(f'"{self.casts[event.name]}"'))
            returned.append(value)
        for node in self._totals:
            returned.append(Code.of(self.of.variables[node.index]))
            if self.everything & ~(self.need[node.index] & node.computed()):
                nothing.append(self.of.variables[node.index])
        lines = that_count(lines, self.cases, {name for value in returned for name in value.reads})
        absent = [CodeLine(" = ".join(names), Code("None")) for names in _lines_of(nothing)]
        return absent + lines, returned

    def _anything(self) -> Code:
        """Return a placeholder with a number per row, for a row scalar that nothing reads."""
        per_row = [event for event in (*self.rows, *self.row_scalars) if event.kind == "store"]
        rows = [(node, cases) for node, cases in self._loaded("block") if node.axes == ROW]
        rows += [(self.nodes[event.node], self.wanted[event.name] & self.everything) for event in per_row]
        row = next(self.of.variables[node.index] for node, cases in rows if cases == self.everything)
        return Code(f"np.empty_like({row}[..., :1])", frozenset({row}))

    def _arguments(self) -> dict[str, Code]:
        """The arguments of `each_block`, by their names."""
        loads = [node for node, _ in self._loaded("block")]
        wide = [Code.of(self.of.variables[index]) for index in self.of.wide]
        rows = [Code.of(self.names.with_suffix(node.name, "rows")) for node in loads if node.axes == ROW]
        row_scalars = [Code.of(self.names.with_suffix(node.name, "rows")) for node in loads if node.axes != ROW]
        into = [Code.of(self.names.with_suffix(event.name, "out")) for event in self.rows]
        into_row_scalars = [Code.of(self.names.with_suffix(event.name, "out")) for event in self.row_scalars]
        tuples = {
            "rows": rows,
            "row_scalars": row_scalars,
            "features": wide,
            "into": into,
            "into_row_scalars": into_row_scalars,
        }
        found = {
            name: Code(tuple_of(value.text for value in values), frozenset().union(*(value.reads for value in values)))
            for name, values in tuples.items()
            if values
        }
        of_features = sum(node.axes == FeatureSymbol.varies for node in self._totals)
        counts = {name: self.plan.count(*kind) for kind, name in KINDS.items()}
        counts |= {"feature_sums": of_features, "sums": len(self._totals) - of_features}
        return found | {name: Code(str(count)) for name, count in counts.items() if count}

    def _taken(
        self, block: Sequence[str], returned: Sequence[Code], arguments: Mapping[str, Code], goes_on: bool
    ) -> list[str]:
        """The function of a block, and the call that runs it over the rows; no lines if the direction reads no rows."""
        if not returned:
            return []
        loads = [node for node, _ in self._loaded("block")]
        parameters = [self.names.own(node.name) for node in sorted(loads, key=lambda node: node.axes != ROW)]
        parameters += self.of.wide.values()
        parameters += [f"{self.names.with_suffix(event.name, 'block')}=None" for event in self.rows]
        for kind, name in KINDS.items():
            count = self.plan.count(*kind)
            parameters += [f"{name}=(None,)" + f" * {count}" * (count > 1)] * bool(count)
        before = f"{listed(self._made())} = " if goes_on else "return "
        made = called("_blocks.each_block", Code.of("block", "call"), **arguments)
        return [
            "",
            *statement(f"def block({', '.join(parameters)}):", 4),
            *block,
            *statement(f"return {listed([value.text for value in returned])}", 8),
            "",
            *statement(f"{before}{made.text}", 4),
        ]

    def _made(self) -> list[str]:
        """The variables of what `each_block` returns; `_` where one value goes into a second result."""
        nodes = [event.node for event in (*self.rows, *self.row_scalars)] + [node.index for node in self._totals]
        names = [self.of.variables[node] for node in nodes]
        return ["_" if name in names[:place] else name for place, name in enumerate(names)]

    # Around it

    def _unpacked(self, read: set[str]) -> list[str]:
        program = self.schedule.program
        rows = {row.name for row in program.rows} | {symbol.name for symbol in program.saved}
        groups = {
            group: [self.names.parameter(name, name in rows) for name in names] for group, names in self.groups.items()
        }
        groups["results"] = [self.names.with_suffix(name, "out") for name in self.wanted]
        return [
            line
            for group, names in groups.items()
            if not read.isdisjoint(names)
            for line in unpacked([name if name in read else "_" for name in names], group, 4)
        ]

    def _prologue(self) -> list[CodeLine]:
        """The lines once per call: numbers, parameters, and what is made of them."""
        lines = []
        for name, weight in (("one_over_D", "1.0 / features"), ("ones", "1.0")):
            lines.append(CodeLine(name, called("_rows.equal_weights", FEATURES, Code(weight, FEATURES.reads), DTYPE)))
        lines.append(CodeLine("D", called("_rows.number", FEATURES, DTYPE)))
        lines.append(CodeLine("far_from", called("_rows.number", Code(self.of.far_from), DTYPE)))
        lines += self._random()
        for node, cases in self._loaded("prologue"):
            name, variable = self.names.own(node.name), self.of.variables[node.index]
            if cases and node.axes == NOTHING:
                lines.append(CodeLine(variable, called("np.asarray", Code.of(name), DTYPE), cases))
            elif cases and variable != name:
                lines.append(CodeLine(variable, Code.of(name), cases))
            lines += self._absent(node)
        lines += self.lines["prologue"]
        for index in self.of.wide:
            # An argument is always there, if only as None.
            node = self.nodes[index]
            is_argument = node.operation == "load" and self.of.variables[index] == self.names.own(node.name)
            missing = self.everything & ~self.need[index]
            if missing and not is_argument:
                lines.append(CodeLine(self.of.variables[index], Code("None"), missing))
        # Last, as the lines above name numbers too.
        numbers = [
            CodeLine(name, Code(f'dtype.type("{decimal(value)}")', DTYPE.reads), heading=formula(value))
            for value, name in self.of.constants.items()
        ]
        return [*numbers, *lines]

    def _random(self) -> list[CodeLine]:
        """The lines that give the rows of random numbers, each of its seed as the caller passed it."""
        lines = []
        for row in self.schedule.program.random:
            rows = self.names.with_suffix(row.symbol.name, "rows")
            need = self.need[self.schedule.names[row.symbol.name]] & self.everything
            key = Code.of(self.names.own(row.seed.name)), Code(str(row.stream))
            made = called("_random.uniform", *key, Code.of("call"))
            lines.append(CodeLine(rows, made, need, f"{row.symbol.name} = {row.text}"))
            if missing := self.everything & ~need:
                lines.append(CodeLine(rows, Code("None"), missing))
        return lines

    def _epilogue(self) -> list[CodeLine]:
        """The lines once after all rows."""
        lines = [line for node in self.nodes if node.operation == "total" for line in self._absent(node)]
        lines += self.lines["epilogue"]
        made = set(self._made())
        for event in self.results:
            if event.kind != "result":
                continue
            variable, need = self.of.variables[event.node], self.need[event.node]
            # A sum over rows is None already where it is not made.
            missing = need & ~self.wanted[event.name] | (NEVER if variable in made else ~need)
            if missing & self.everything:
                lines.append(CodeLine(variable, Code("None"), missing & self.everything))
        return lines


def _lines_of(names: Sequence[str]) -> list[list[str]]:
    """Share names out among lines that assign one value to all of theirs.

    >>> [len(line) for line in _lines_of(["a" * 30, "b" * 30, "c" * 30])]
    [2, 1]
    """
    lines: list[list[str]] = []
    for name in names:
        if not lines or len(" = ".join([*lines[-1], name, "None"])) > WIDTH - 8:
            lines.append([])
        lines[-1].append(name)
    return lines
