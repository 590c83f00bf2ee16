"""From a schedule to the lines of `_forward` or `_backward`.

Lists of lines: what is done once a call before the rows, what is done to a block of rows, what each worker sets
up and how it takes block after block, how a few rows are taken as one block, and what is done once after all
rows. The template puts them where they belong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr

from lngen.backends.expressions import decimal, formula, is_short
from lngen.backends.layout import WIDTH, truth, wrapped
from lngen.backends.numpy.buffers import Allocation, Buffer, allocate, needs
from lngen.backends.numpy.finite import require_finite
from lngen.backends.numpy.graph import REDUCTIONS, ROW, ROW_SCALAR, Array, Node, Number
from lngen.backends.numpy.lowering import Event, Schedule
from lngen.backends.numpy.naming import names_of, variables
from lngen.backends.numpy.selects import guards
from lngen.backends.numpy.text import Line, laid_out, named_conditions, read_only_assigned
from lngen.symbolic import NOTHING, Axes, FeatureSymbol

_UFUNCS = {
    "add": "np.add",
    "subtract": "np.subtract",
    "multiply": "np.multiply",
    "divide": "np.divide",
    "power": "np.power",
    "negative": "np.negative",
    "square": "np.square",
    "sqrt": "np.sqrt",
    "exp": "np.exp",
    "log": "np.log",
    "sin": "np.sin",
    "cos": "np.cos",
    "tanh": "np.tanh",
    "absolute": "np.absolute",
    "sign": "np.sign",
    "log1p": "np.log1p",
    "expm1": "np.expm1",
    "sigmoid": "_sigmoid",
    "softplus": "_softplus",
    "erf": "_erf",
    "greater": "np.greater",
    "greater_equal": "np.greater_equal",
    "less": "np.less",
    "less_equal": "np.less_equal",
    "equal": "np.equal",
    "not_equal": "np.not_equal",
}

_HELPERS = ("sigmoid", "softplus", "erf")


@dataclass
class _Passed:
    """What the block function is given of one kind: its parameters' names, and where they come from.

    `setup` is done once a worker, `after` after each block; `part` are the arguments for a block, `whole` those for all
    rows as one. `inside` stands at the block function's beginning.
    """

    names: list[str] = field(default_factory=list)
    setup: list[Line] = field(default_factory=list)
    after: list[Line] = field(default_factory=list)
    part: list[str] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)
    inside: list[Line] = field(default_factory=list)


@dataclass(frozen=True)
class Body:
    """A direction's lines, finished; `helpers` names the functions of the module that they call."""

    arguments: tuple[str, ...]
    parameters: tuple[str, ...]
    prologue: tuple[str, ...]
    block_parameters: tuple[str, ...]
    block: tuple[str, ...]
    few: tuple[str, ...]
    few_call: tuple[str, ...]
    setup: tuple[str, ...]
    loop: tuple[str, ...]
    epilogue: tuple[str, ...]
    helpers: frozenset[str]
    row_buffers: int
    saved_cases: Mapping[str, int]


def body(schedule: Schedule, wanted: Mapping[str, int], given: Mapping[str, int]) -> Body:
    """The lines of one direction.

    `wanted` says of what leaves the program, by its first name, in which cases it is asked for, and `given`
    in which cases each of its names has an array.

    Raises LngenError where an input that is left out makes something infinite that is read.
    """
    need = needs(schedule, wanted)
    require_finite(schedule, need)
    return _Printer(schedule, wanted, given, need, allocate(schedule, need, wanted)).print()


class _Printer:
    def __init__(
        self,
        schedule: Schedule,
        wanted: Mapping[str, int],
        given: Mapping[str, int],
        need: list[int],
        allocation: Allocation,
    ) -> None:
        self.schedule, self.wanted, self.given = schedule, wanted, given
        self.need, self.allocation = need, allocation
        self.program, self.nodes, self.cases = schedule.program, schedule.graph.nodes, schedule.cases
        self.names = names_of(schedule)
        self.constants: dict[Expr, str] = {}
        self.helpers: set[str] = set()
        self.wide: dict[int, tuple[str, int]] = {}
        self.variables = variables(schedule, need, self.names)
        self.guards = guards(schedule, need)
        self.buffer_names = [self._buffer_name(buffer) for buffer in allocation.buffers]
        self.lines: dict[str, list[Line]] = {"prologue": [], "block": [], "epilogue": []}

    def print(self) -> Body:
        for event in self.schedule.events:
            if event.kind == "make":
                self._make(event)
            elif event.kind == "sum":
                self._sum(event)
            elif event.kind in ("store", "save"):
                self._kept(event)
            else:
                value = self._spelled(event.node, self.variables[event.node])
                assert event.store is not None
                for name in event.store.names:
                    target = f"{self.names[name]}_out"
                    shared = self.cases.condition(self.given[name])
                    self.lines["epilogue"].append(Line(f"{target}[...] = {value}", shared))
        loads = self._loads()
        kept = self._writers()
        buffers = self._buffers()
        totals, sums = self._totals()
        prologue = self._parameters() + self.lines["prologue"] + self._wide_parameters()
        if "ones" in self.helpers:
            prologue.insert(0, Line("ones = np.ones(features, dtype)"))
        constants = [
            Line(f'{name} = scalar("{decimal(value)}")', heading=formula(value))
            for value, name in self.constants.items()
        ]
        if "each_row" in self.helpers:
            totals.append(Line("each_row = np.ones((height, 1), dtype)"))
        column = ["column"] if "column" in self.helpers else []
        if column:
            buffers.setup.append(Line("column = np.empty(features, dtype)"))
        chunk = ["chunk"] if any("[chunk]" in line.text for line in self.lines["block"]) else []
        own = read_only_assigned([*loads.inside, *buffers.inside, *self.lines["block"]])
        call = f"block({', '.join([*chunk, *loads.part, *kept.part, *buffers.part, *column])})"
        loop = [Line(call), *kept.after]
        few = ["0"] * len(chunk) + [*loads.whole, *kept.whole, *buffers.whole] + ["None"] * len(column)
        parts = [constants + prologue + totals, own, [*loads.setup, *kept.setup, *buffers.setup], loop]
        names, (outer, own, setup, loop, epilogue) = named_conditions(
            [*parts, sums + self.lines["epilogue"]], self.names.internal
        )
        truths = [line for condition, name in names.items() for line in truth(name, condition, 4)]
        return Body(
            arguments=tuple(node.name for node in self._arguments()),
            parameters=self._signature(),
            prologue=(*truths, *laid_out(outer, 4)),
            block_parameters=(*chunk, *loads.names, *kept.names, *buffers.names, *column),
            block=laid_out(own, 8),
            few=tuple(line for text in self._few() for line in wrapped(text, 4)),
            few_call=tuple(wrapped(f"block({', '.join(few)})", 8)),
            setup=laid_out(setup, 8),
            loop=laid_out(loop, 12),
            epilogue=laid_out(epilogue, 4),
            helpers=frozenset(self.helpers),
            row_buffers=self.allocation.count(ROW),
            saved_cases=self._saved_cases(),
        )

    def _kept(self, event: Event) -> None:
        """A finished value, in the memory of its result: there it is, or there it is copied."""
        node = self.nodes[event.node]
        own = next(n for n, buffer in enumerate(self.allocation.buffers) if buffer.result == event.name)
        elsewhere = 0
        for form in node.forms:
            root = form.value.root if isinstance(form.value, Array) else None
            if root is None or self.allocation.of_node.get(root) != own:
                elsewhere |= self._wanted(event) & form.cases
        if elsewhere:
            value = self._spelled(event.node, self.variables[event.node])
            self._add("block", f"{self.buffer_names[own]}[...] = {value}", elsewhere)

    def _few(self) -> list[str]:
        """Whether all rows can be one block as they stand."""
        rows = [f"{self.names[node.name]}_rows" for node, _ in self._loaded("block")]
        stores = [event for event in self.schedule.events if event.kind in ("store", "save")]
        groups = [event.store.names if event.store else (event.name,) for event in stores]
        results = [[f"{self.names[name]}_out" for name in names] for names in groups]
        arrays = ", ".join(["rows * features", "dtype", *rows, *(name for names in results for name in names)])
        shared = [names for names in results if len(names) > 1]
        self.helpers |= {"same"} if shared else set()
        return [f"few = _are_few({arrays})", *(f"few = few and _same({', '.join(names)})" for names in shared)]

    # Names

    def _buffer_name(self, buffer: Buffer) -> str:
        if buffer.result:
            return self.names.internal(f"{buffer.result}_block")
        kind = "row_scalar" if buffer.axes == ROW_SCALAR else "buffer"
        return self.names.internal(f"{kind}_mask_{buffer.number}" if buffer.boolean else f"{kind}_{buffer.number}")

    def _spelled(self, index: int, variable: str) -> str:
        node = self.nodes[index]
        return self._literal(node.number) if node.number is not None else variable

    def _literal(self, number: Expr) -> str:
        """A number as Python. One that a type might round is a constant of the compute type, rounded once."""
        if number.is_Boolean:
            return str(bool(number))
        if is_short(number):
            return repr(float(number))
        if number not in self.constants:
            self.constants[number] = self.names.internal(f"constant_{len(self.constants) + 1}")
        return self.constants[number]

    # Lines

    def _add(self, phase: str, text: str, cases: int, event: Event | None = None) -> None:
        heading = ""
        if event is not None:
            heading = f"step {event.step}: {event.heading}"
        self.lines[phase].append(Line(text, self.cases.condition(cases), heading))

    def _wanted(self, event: Event) -> int:
        return self.wanted[event.name]

    def _make(self, event: Event) -> None:
        node = self.nodes[event.node]
        need = self.need[node.index]
        variable = self.variables[node.index]
        computed = need & node.computed()
        if computed:
            self._add(node.phase, f"{variable} = {self._call(node)}", computed, event)
        for form in node.forms:
            cases = need & form.cases
            if not cases:
                continue
            if node.operation == "less_residual":
                target, residual = (self.variables[operand] for operand in node.operands)
                self.helpers.add(node.operation)
                self._add(node.phase, f"{variable} = _less_residual({target}, {residual})", cases, event)
            elif form.through is not None and self.variables[form.through] != variable:
                same = self._spelled(form.through, self.variables[form.through])
                self._add(node.phase, f"{variable} = {same}", cases, event)
            elif isinstance(form.value, Number) and form.through is None:
                self._add(node.phase, f"{variable} = {self._literal(form.value.value)}", cases, event)

    def _call(self, node: Node) -> str:
        operands = [self._spelled(index, self.variables[index]) for index in node.operands]
        in_loop = node.phase == "block"
        out = self.buffer_names[self.allocation.of_node[node.index]] if in_loop else ""
        if node.operation in REDUCTIONS:
            return self._reduction(node.operation, operands, out)
        if node.operation == "residual":
            self.helpers |= {"residual", "row_mean", "row_sum", "ones"}
            over_row = f"_row_{self.nodes[node.operands[2]].operation}"
            return f"_residual({', '.join(operands)}, {over_row}, ones, out={out})"
        if node.operation in ("expand", "write out"):
            if not in_loop:
                return f"np.full(features, {operands[0]}, dtype)"
            self.helpers.add("filled")
            return f"_filled({operands[0]}, out={out})"
        if node.operation == "attains_first":
            self.helpers.add("attains_first")
            return f"_attains_first({', '.join(operands + ([f'out={out}'] if in_loop else []))})"
        if node.operation == "where":
            if not in_loop:
                return f"np.where({', '.join(operands)})"
            self.helpers.add("select")
            return f"_select({', '.join(operands)}, out={out})"
        arguments = operands + ([f"out={out}"] if in_loop else [])
        if node.index in self.guards:
            mask, holds = self.guards[node.index]
            arguments.append(f"where={'' if holds else '~'}{self.variables[mask]}")
        if node.operation in _HELPERS:
            self.helpers.add(node.operation)
            work = [self.buffer_names[buffer] for buffer in self.allocation.work.get(node.index, ())]
            arguments += [f"work=({', '.join(work)})"] if work else []
        if in_loop and node.index not in self.guards and self._is_by_feature(node):
            self.helpers.add("by_feature")
            arguments[1] = self._repeated(node)
            return f"_by_feature({_UFUNCS[node.operation]}, {', '.join(arguments)})"
        return f"{_UFUNCS[node.operation]}({', '.join(arguments)})"

    def _is_by_feature(self, node: Node) -> bool:
        """Whether a node is made of a row, and of a parameter that has a value a feature whenever it is."""
        if [self.nodes[operand].axes for operand in node.operands] != [ROW, FeatureSymbol.varies]:
            return False
        cases = self.need[node.index] & node.computed()
        values = [form.value for form in self.nodes[node.operands[1]].forms if form.cases & cases]
        there = all(isinstance(value, Array) and value.axes == FeatureSymbol.varies for value in values)
        return there and self.nodes[node.operands[1]].phase == "prologue"

    def _repeated(self, node: Node) -> str:
        """The name of a node's parameter, repeated for several rows."""
        index, cases = node.operands[1], self.need[node.index] & node.computed()
        name, known = self.wide.get(index) or (self.names.internal(f"{self.variables[index]}_wide"), 0)
        self.wide[index] = name, known | cases
        return name

    def _reduction(self, operation: str, operands: list[str], out: str) -> str:
        if operation in ("max", "min"):
            ufunc = f"np.{operation}imum.reduce"
            return f"{ufunc}({operands[0]}, axis=-1, keepdims=True, out={out})" if out else f"{ufunc}({operands[0]})"
        if len(operands) == 1:
            self.helpers.add("ones")
            operands = [operands[0], "ones"]
        if not out:
            total = f"np.vecdot({operands[0]}, {operands[1]})"
            return f"{total} / features" if operation == "mean" else total
        self.helpers.add("row_sum")
        if operation == "mean":
            self.helpers.add("row_mean")
        return f"_row_{operation}({operands[0]}, {operands[1]}, out={out})"

    def _sum(self, event: Event) -> None:
        total = self.nodes[event.node]
        cases = self.need[total.index] & total.computed()
        if not cases:
            return
        value, *weights = [self._spelled(operand, self.variables[operand]) for operand in total.operands]
        sums = f"{self.variables[total.index]}_sums[chunk]"
        if total.axes == FeatureSymbol.varies:
            self.helpers |= {"add_rows", "column"} | (set() if weights else {"each_row"})
            self._add("block", f"_add_rows({value}, {(weights or ['each_row'])[0]}, {sums}, column)", cases, event)
        else:
            self._add("block", f"{sums} += np.add.reduce({value}, axis=None)", cases, event)

    # What surrounds the lines

    def _loaded(self, phase: str) -> list[tuple[Node, int]]:
        return [
            (node, self.need[node.index] & node.computed())
            for node in self.nodes
            if node.operation == "load" and node.phase == phase and self.need[node.index]
        ]

    def _loads(self) -> _Passed:
        passed = _Passed()
        for node, cases in self._loaded("block"):
            name, variable = self.names[node.name], self.variables[node.index]
            row_scalars = "" if node.axes == ROW else ", row_scalars=True"
            absent = self._absent(node)
            parameter = name if absent else variable
            passed.setup.append(Line(f"read_{name} = _Reader({name}_rows, dtype, height{row_scalars})"))
            passed.part.append(f"read_{name}(start, stop)")
            passed.names.append(parameter)
            passed.whole.append(f"_whole({name}_rows, rows, {'features' if node.axes == ROW else '1'})")
            if parameter != variable and cases:
                passed.inside.append(Line(f"{variable} = {parameter}", self.cases.condition(cases)))
            passed.inside += absent
        return passed

    def _wide_parameters(self) -> list[Line]:
        return [
            Line(f"{name} = _repeated({self.variables[index]}, few)", self.cases.condition(cases))
            for index, (name, cases) in self.wide.items()
        ]

    def _absent(self, node: Node) -> list[Line]:
        lines = []
        for form in node.forms:
            cases = self.need[node.index] & form.cases
            if isinstance(form.value, Number) and cases:
                text = f"{self.variables[node.index]} = {self._literal(form.value.value)}"
                lines.append(Line(text, self.cases.condition(cases)))
        return lines

    def _parameters(self) -> list[Line]:
        lines = []
        for node, cases in self._loaded("prologue"):
            name, variable = self.names[node.name], self.variables[node.index]
            condition = self.cases.condition(cases)
            if node.name == "D":
                lines.append(Line(f"{variable} = scalar(features)"))
            elif cases and node.axes == NOTHING:
                lines.append(Line(f"{variable} = scalar({name})", condition))
            elif cases:
                lines.append(Line(f"{variable} = np.ascontiguousarray({name}, dtype)", condition))
            lines += self._absent(node)
        return lines

    def _writer(self, name: str) -> str:
        return f"{self.names[name]}_writer"

    def _writers(self) -> _Passed:
        passed = _Passed()
        for number, buffer in enumerate(self.allocation.buffers):
            if not buffer.result or not buffer.cases:
                continue
            event = next(e for e in self.schedule.events if e.kind in ("store", "save") and e.name == buffer.result)
            outs = [f"{self.names[name]}_out" for name in (event.store.names if event.store else (event.name,))]
            row_scalars = "" if buffer.axes == ROW else ", row_scalars=True"
            writer, block = self._writer(buffer.result), self.buffer_names[number]
            targets = ", ".join(outs) + ("," if len(outs) == 1 else "")
            passed.setup.append(Line(f"{writer} = _Writer(({targets}), dtype, height{row_scalars})"))
            passed.part.append(f"{writer}.block(start, stop)")
            passed.after.append(Line(f"{writer}.write()"))
            passed.names.append(block)
            whole = outs[0] if len(outs) == 1 else f"_first({', '.join(outs)})"
            self.helpers |= {"first"} if len(outs) > 1 else set()
            passed.whole.append(f"_whole({whole}, rows, {'features' if buffer.axes == ROW else '1'})")
        return passed

    def _buffers(self) -> _Passed:
        passed = _Passed()
        kinds: list[tuple[Axes, bool]] = [(ROW, False), (ROW_SCALAR, False), (ROW, True), (ROW_SCALAR, True)]
        for axes, boolean in kinds:
            numbers = [
                number
                for number, buffer in enumerate(self.allocation.buffers)
                if not buffer.result and (buffer.axes, buffer.boolean) == (axes, boolean)
            ]
            if not numbers:
                continue
            words = ("row_scalar" if axes == ROW_SCALAR else "row") + ("_masks" if boolean else "_buffers")
            name = self.names.internal(words)
            width = "features" if axes == ROW else "1"
            kind = "np.bool_" if boolean else "dtype"
            passed.setup.append(Line(f"{name} = np.empty(({len(numbers)}, height, {width}), {kind})"))
            passed.names.append(name)
            passed.part.append(f"{name}[:, : stop - start]")
            passed.whole.append(f"np.empty(({len(numbers)}, rows, {width}), {kind})")
            own = ", ".join(self.buffer_names[number] for number in numbers)
            many = len(own) + len(name) + 11 > WIDTH
            own = f"({own})" if many else own
            passed.inside.append(Line(f"{own} = {name}{'[0]' if len(numbers) == 1 else ''}"))
        return passed

    def _totals(self) -> tuple[list[Line], list[Line]]:
        totals, sums = [], []
        for node in self.nodes:
            cases = self.need[node.index] & node.computed()
            if node.operation != "total" or not self.need[node.index]:
                continue
            variable = self.variables[node.index]
            condition = self.cases.condition(cases)
            if cases:
                shape = "(len(chunks), features)" if node.axes == FeatureSymbol.varies else "len(chunks)"
                totals.append(Line(f"{variable}_sums = np.zeros({shape}, dtype)", condition))
                sums.append(Line(f"{variable} = np.add.reduce({variable}_sums, axis=0)", condition))
            sums += self._absent(node)
        return totals, sums

    def _arguments(self) -> list[Node]:
        """The loads in the order of the arguments: rows and row scalars, then parameters."""
        loads = [node for node in self.nodes if node.operation == "load" and node.name != "D"]
        return sorted(loads, key=lambda node: node.phase != "block")

    def _signature(self) -> tuple[str, ...]:
        return tuple(self.names[node.name] + ("_rows" if node.phase == "block" else "") for node in self._arguments())

    def _saved_cases(self) -> dict[str, int]:
        return {
            symbol.name: self.need[self.schedule.names[symbol.name]]
            for symbol in self.program.saved
            if self.program.direction != "forward"
        }
