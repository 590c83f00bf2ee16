"""Function of a direction: work once per call, the function of a block of rows, and work once after all rows.

`blocks.each_block` calls the function of a block for block after block, or for all rows at once.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import cached_property

from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol
from lngen.emit.expressions import decimal, formula
from lngen.emit.layout import WIDTH, call, listed, statement, tuple_of
from lngen.emit.numpy.buffers import BufferPlan
from lngen.emit.numpy.code import (
    CodeLine,
    called,
    laid_out,
    named_conditions,
    read_by,
    reads,
    that_count,
    unpacked,
)
from lngen.emit.numpy.expressions import SCRATCH, NodeExpressions
from lngen.emit.numpy.finite import require_finite
from lngen.emit.numpy.graph import ROW, ArrayNode, ArrayValue
from lngen.emit.numpy.naming import LocalNames
from lngen.emit.numpy.operations import Schedule
from lngen.emit.numpy.reads import CAN_WARN, lines_of, needs
from lngen.plan.presence import NEVER, Condition

_SHAPES = (
    (RowSymbol, "shape"),
    (RowScalarSymbol, "shape[:-1]"),
    (FeatureSymbol, "shape[-1:]"),
    (ScalarSymbol, "()"),
)


class DirectionBody:
    """Function of one direction.

    `wanted` has the results in their order, each with the cases in which it is needed, and `groups` the values of each
    parameter that is a tuple. For those that are `filled`, None is replaced by zeros. Raises
    LngenError if a left-out input makes a value infinite that is read.
    """

    def __init__(
        self,
        schedule: Schedule,
        names: LocalNames,
        wanted: Mapping[str, Condition],
        groups: Mapping[str, Sequence[str]],
        filled: Sequence[str] = (),
    ) -> None:
        self.schedule, self.names, self.wanted, self.groups = schedule, names, wanted, groups
        self.filled = filled
        self.cases, self.nodes, self.everything = schedule.cases, schedule.graph.nodes, schedule.graph.everything
        self.need = needs(schedule, wanted)
        require_finite(schedule, self.need)
        line_of = lines_of(schedule, self.need)
        self.plan = BufferPlan(schedule, self.need, wanted, line_of)
        self.of = NodeExpressions(schedule, self.need, line_of, self.plan, names)
        self.lines: dict[str, list[CodeLine]] = {"prologue": [], "block": [], "epilogue": []}
        self.results = {name: self.nodes[schedule.results[name]] for name in wanted}
        self.rows = {name: node for name, node in self.results.items() if name in schedule.stored and node.axes == ROW}
        self.row_scalars = {name: self.results[name] for name in wanted if name in schedule.stored.keys() - self.rows}

    def function(self, name: str, summary: str) -> list[str]:
        """The lines of the function."""
        for node in self.nodes:
            if node.operation != "number" and node.name != "D" and node.index not in self.of.line_of:
                self._make(node)
        block, returned = self._block()
        in_block = read_by(block, self.cases).union(*map(reads, returned))
        made = [self.of.variables[node.index] for node in self.results.values()]
        after = that_count(self._epilogue(), self.cases, made)
        arguments = self._arguments() if returned else {}
        read = in_block | read_by(after, self.cases).union(*map(reads, arguments.values()))
        before = that_count(self._prologue(), self.cases, read)
        filled = self._zeros()
        read |= read_by(before, self.cases).union(*map(reads, filled))
        goes_on = bool(after) or self._made() != made
        texts = named_conditions([before, block, after], self.cases, self.names.internal)
        parts = [laid_out(lines, self.cases, texts, to) for lines, to in ((before, 4), (block, 8), (after, 4))]
        # A condition whose every run is the `else` of another needs no name.
        tests = {line.strip() for part in parts for line in part}
        texts = {key: text for key, text in texts.items() if f"if {text}:" in tests}
        measures = ["shape" if read & {"shape", "features"} else "_", "dtype" if "dtype" in read else "_", "_"]
        return [
            *self._silence(),
            *statement(f"def {name}({', '.join([*self.groups, 'results', 'call'])}):"),
            f'    """{summary}"""',
            *self._unpacked(read),
            *unpacked(measures, "call", 4) * any(each != "_" for each in measures),
            *["    features = shape[-1]"] * ("features" in read),
            *filled,
            *(line for key, text in texts.items() for line in statement(f"{text} = {self.cases.condition(key)}", 4)),
            *parts[0],
            *self._taken(parts[1], returned, arguments, goes_on),
            *parts[2],
            *[f"    return {listed(made)}"] * (goes_on or not returned),
        ]

    def _zeros(self) -> list[str]:
        """The lines that replace None by zeros, where too many conditions would follow."""
        program = self.schedule.program
        rows = {row.name: row.symbol for row in program.rows}
        parameters = {parameter.name: parameter.symbol for parameter in program.parameters}
        lines = []
        for name in self.filled:
            symbol = rows.get(name) or parameters[name]
            shape = next(shape for kind, shape in _SHAPES if isinstance(symbol, kind))
            variable = self.names.parameter(name, name in rows)
            lines += statement(f"{variable} = _blocks.or_zeros({variable}, {shape}, dtype)", 4)
        return lines

    def _silence(self) -> list[str]:
        """The line that keeps NumPy from warning, or raising what a caller has it raise, of what is as it should be.

        An exponential that is too small is 0, and what a select does not choose may be infinite.
        """
        whole = {*self.schedule.results.values()}
        for node in reversed(self.nodes):
            if node.index in whole:
                whole.update(node.operands[:1] if node.operation == "where" else node.operands)
        read = [node for node in self.nodes if self.need[node.index]]
        quiet = {"under": any(node.operation == "exp" for node in read)}
        in_part = any(node.operation in CAN_WARN and node.index not in whole for node in read)
        quiet |= dict.fromkeys(("over", "divide", "invalid"), in_part)
        words = ", ".join(f'{each}="ignore"' for each, is_quiet in quiet.items() if is_quiet)
        return [f"@np.errstate({words})"] * bool(words)

    # Lines

    def _make(self, node: ArrayNode) -> None:
        """Add the lines of a node, one for each way in which it comes about."""
        heading = f"{node.source}: {node.line}" if node.line else ""
        need, variable, is_total = self.need[node.index], self.of.variables[node.index], node.operation == "total"
        lines = self.lines["block" if is_total else node.phase]
        computed = need & node.computed()
        if node.operation == "residual":
            row, mean, spread = map(self.of.operand, node.operands)
            heading += f" where |{mean}| > far_from*sqrt({spread}), else 0"
            heading += f"; it is taken off {row} in place, and {spread} is put right"
        if computed and (value := self.of.expression(node)) != variable:
            lines.append(CodeLine(variable, value, computed, heading, node.operation == "residual"))
        others: dict[tuple[str, bool], Condition] = {}
        for form in node.forms:
            if not need & form.cases:
                continue
            if node.operation == "less_residual":
                made = called("_rows.less_residual", *map(self.of.operand, node.operands)), True
            elif form.through is not None and self.of.variables[form.through] != variable:
                made = self.of.operand(form.through), False
            elif form.through is None and not isinstance(form.value, ArrayValue):
                made = self.of.literal(form.value), False
            else:
                continue
            others[made] = others.get(made, NEVER) | need & form.cases
        if is_total:
            lines, heading = self.lines["epilogue"], ""
        lines += [CodeLine(variable, value, cases, heading, acts) for (value, acts), cases in others.items()]

    @cached_property
    def _totals(self) -> list[ArrayNode]:
        """The sums over rows, those with a value per feature first."""
        totals = [node for node in self.nodes if node.operation == "total" and self.need[node.index] & node.computed()]
        return sorted(totals, key=lambda node: node.axes != FeatureSymbol.varies)

    def _loaded(self) -> list[ArrayNode]:
        """The arguments that the function of a block reads."""
        return [n for n in self.nodes if n.operation == "load" and n.phase == "block" and self.need[n.index]]

    # The function of a block

    def _block(self) -> tuple[list[CodeLine], list[str]]:
        """The lines of the function of a block, and what it returns: rows, row scalars, sums over rows."""
        lines, nothing, casts = self.lines["block"], list[str](), dict(self.schedule.program.casts)
        returned: list[str] = []
        for name, node in (*self.rows.items(), *self.row_scalars.items()):
            value, need = self.of.variables[node.index], self.need[node.index]
            wanted = self.wanted[name] & self.everything
            if need & ~wanted:
                lines.append(CodeLine(value, "None", need & ~wanted))
            if self.everything & ~need:
                nothing.append(value)
            if name in self.row_scalars:
                if wanted == self.everything:
                    value = f"{value}[..., 0]"
                else:
                    lines.append(CodeLine(value, f"{value}[..., 0]", wanted))
            returned.append(called("_casts.cast", value, f'"{casts[name]}"') if name in casts else value)
        for node in self._totals:
            returned.append(self.of.variables[node.index])
            if self.everything & ~(self.need[node.index] & node.computed()):
                nothing.append(returned[-1])
        lines = that_count(lines, self.cases, {name for value in returned for name in reads(value)})
        # A space that does not break stands before each "=", so that a line breaks between two names.
        chained = textwrap.wrap(" ".join(f"{name}\N{NO-BREAK SPACE}=" for name in nothing), WIDTH - 13)
        targets = [line.replace("\N{NO-BREAK SPACE}", " ").removesuffix(" =") for line in chained]
        return [*(CodeLine(target, "None") for target in targets), *lines], returned

    def _arguments(self) -> dict[str, str]:
        """The arguments of `each_block`, by their names."""
        loads = [(node.axes == ROW, self.names.with_suffix(node.name, "rows")) for node in self._loaded()]
        tuples = {
            "rows": [rows for is_row, rows in loads if is_row],
            "row_scalars": [rows for is_row, rows in loads if not is_row],
            "features": [self.of.variables[index] for index in self.of.wide],
            "into": [self.names.with_suffix(name, "out") for name in self.rows],
            "into_row_scalars": [self.names.with_suffix(name, "out") for name in self.row_scalars],
        }
        of_features = sum(node.axes == FeatureSymbol.varies for node in self._totals)
        counts = {scratch: self.plan.count(axes) for axes, scratch in SCRATCH.items()}
        counts |= {"feature_sums": of_features, "sums": len(self._totals) - of_features}
        found = {name: tuple_of(values) for name, values in tuples.items() if values}
        return found | {name: str(count) for name, count in counts.items() if count}

    def _taken(
        self, block: Sequence[str], returned: Sequence[str], arguments: Mapping[str, str], goes_on: bool
    ) -> list[str]:
        """The function of a block, and the call that runs it over the rows; no lines if the direction reads no rows."""
        if not returned:
            return []
        loads = sorted(self._loaded(), key=lambda node: node.axes != ROW)
        parameters = [self.names.own(node.name) for node in loads]
        parameters += self.of.wide.values()
        parameters += [f"{self.names.with_suffix(name, 'block')}=None" for name in self.rows]
        for axes, scratch in SCRATCH.items():
            count = self.plan.count(axes)
            parameters += [f"{scratch}=(None,)" + f" * {count}" * (count > 1)] * bool(count)
        before = f"{listed(self._made())} = " if goes_on else "return "
        return [
            "",
            *statement(f"def block({', '.join(parameters)}):", 4),
            *block,
            *statement(f"return {listed(returned)}", 8),
            "",
            *statement(before + call("_blocks.each_block", "block", "call", **arguments), 4),
        ]

    def _made(self) -> list[str]:
        """The variables of what `each_block` returns; `_` where one value goes into a second result."""
        nodes = [*self.rows.values(), *self.row_scalars.values(), *self._totals]
        names = [self.of.variables[node.index] for node in nodes]
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
        lines = [
            CodeLine("one_over_D", called("_rows.equal_weights", "features", "1.0 / features", "dtype")),
            CodeLine("ones", called("_rows.equal_weights", "features", "1.0", "dtype")),
            CodeLine("D", called("_rows.number", "features", "dtype")),
            CodeLine("far_from", called("_rows.number", self.of.far_from, "dtype")),
            *self._random(),
            *self.lines["prologue"],
        ]
        for index in self.of.wide:
            # An argument is always there, if only as None.
            node = self.nodes[index]
            is_argument = node.operation == "load" and self.of.variables[index] == self.names.own(node.name)
            missing = self.everything & ~self.need[index]
            if missing and not is_argument:
                lines.append(CodeLine(self.of.variables[index], "None", missing))
        # Last, as the lines above name numbers too.
        numbers = [
            CodeLine(name, f'dtype.type("{decimal(value)}")', heading=formula(value))
            for value, name in self.of.constants.items()
        ]
        return [*numbers, *lines]

    def _random(self) -> list[CodeLine]:
        """The lines that give the rows of random numbers, each of its seed as the caller passed it."""
        lines = []
        for row in self.schedule.program.random:
            rows = self.names.with_suffix(row.symbol.name, "rows")
            need = self.need[self.schedule.names[row.symbol.name]] & self.everything
            made = called("_random.uniform", self.names.own(row.seed.name), str(row.stream), "call")
            lines.append(CodeLine(rows, made, need, f"{row.symbol.name} = {row.text}"))
            if missing := self.everything & ~need:
                lines.append(CodeLine(rows, "None", missing))
        return lines

    def _epilogue(self) -> list[CodeLine]:
        """The lines once after all rows."""
        lines = self.lines["epilogue"]
        made = set(self._made())
        for name in self.schedule.after:
            node = self.results[name]
            variable, need = self.of.variables[node.index], self.need[node.index]
            # A sum over rows is None already where it is not made.
            missing = need & ~self.wanted[name] | (NEVER if variable in made else ~need)
            if missing & self.everything:
                lines.append(CodeLine(variable, "None", missing & self.everything))
        return lines
