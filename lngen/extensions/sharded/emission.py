"""Backend for rows whose features are sharded over several processes: a row program for each shard and each merge.

Each is printed as the NumPy backend prints a row program, to a function that takes blocks of rows. The runtime
(`sharded.py`) calls one after the other, and all processes exchange the reduced numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lngen.emit import Notes
from lngen.emit.description import protocol, protocol_of
from lngen.emit.interface import OwnFields, PublicInterface, interface
from lngen.emit.layout import in_order
from lngen.emit.numpy.body import DirectionBody
from lngen.emit.numpy.imports import imported, runtime_imports
from lngen.emit.numpy.lowering import handed, lower
from lngen.emit.numpy.naming import names_of
from lngen.emit.numpy.presence import Cases
from lngen.emit.numpy.wrappers import PublicFunction, PublicFunctions
from lngen.emit.render import render
from lngen.emit.saved import saved_fields
from lngen.emit.signatures import Signatures
from lngen.emit.spelling import PYTHON, belongs_to, gradient, marked_program, plain_errors, reading, spelled
from lngen.errors import LngenError, counted
from lngen.extensions.sharded import compiled, device
from lngen.extensions.sharded.compiled import TEMPLATES
from lngen.extensions.sharded.parts import ShardedProgram
from lngen.extensions.sharded.sharding import sharded
from lngen.extensions.sharded.statements import DirectionSteps, StepFunction, told
from lngen.plan.program import RowProgram
from lngen.runtime.sharded.layers import COUNTS, LARGEST, PLACES, WHOLE

__all__ = ["collectives", "emit"]

_ARRAY = "npt.NDArray[Any]"
_COMMUNICATOR = "communicator"
_COMMON = "What is the same for all parts, and no exchange gave."
_LAST = {
    "forward": "The outputs of this part.",
    "backward": "The gradients of this part.",
    "jvp": "The tangents of this part's outputs.",
    "backward_backward": "The gradients of this part's gradients.",
}


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the files of a layer with sharded rows, by name; `programs` are forward, backward and the others.

    Raises LngenError for a layer that has no sharded form, or that NumPy code cannot be written for.
    """
    with plain_errors():
        return _ShardedEmission(programs, notes).files()


def collectives(form: ShardedProgram) -> str:
    """Describe the collectives of a direction.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> from lngen.plan.program import RowArgument
    >>> x = RowArgument("x", RowSymbol("x"), "input")
    >>> collectives(sharded(RowProgram("f", "forward", 1, (x,), (), (), (), (), (), (), ())))
    'no collective'
    """
    if not form.collectives:
        return "no collective"
    sent = ((form.numbers_sent, "per row"), (form.numbers_in_all, "in all"))
    numbers = " and ".join(f"{counted(count, 'number')} {of}" for count, of in sent if count)
    return f"{counted(form.collectives, 'collective')}, {numbers or 'no number'} from each process"


class _ShardedEmission:
    def __init__(self, programs: Sequence[RowProgram], notes: Notes) -> None:
        self.notes = notes
        every = list(map(marked_program, programs))
        self.layer: PublicInterface = interface(every[0], notes)
        if totals := [each.public for each in self.layer.outputs if each.kind == "Scalar"]:
            raise LngenError(
                f"{notes.layer}: sharded code has no output such as {totals[0]}, which is a sum over the rows; return "
                "its terms, and add them up outside"
            )
        taken = [each.public for each in (*self.layer.inputs, *self.layer.constants, *self.layer.outputs)]
        _require_axis(self.layer)
        if _COMMUNICATOR in taken:
            raise LngenError(f"{notes.layer}: sharded code has an argument {_COMMUNICATOR}; rename that of the layer")
        if wrong := sorted(
            {COUNTS, WHOLE, LARGEST, PLACES} & {name for program in programs for name in _names(program)}
        ):
            raise LngenError(f"{notes.layer}: sharded code has values {', '.join(wrong)}; rename those of the layer")
        self.saved = saved_fields(self.layer, every[0], every[1], every[2:])
        self.rows: PublicInterface = interface(every[0], notes.of_rows())
        self.protocol = protocol(every, self.layer, self.saved, notes)
        self.of_rows = protocol_of(every, notes.of_rows())
        self.forms = [form for program in programs if (form := _form(program)) is not None]
        kept = {form.program.direction for form in self.forms}
        self.programs = [program for program in every if program.direction in kept]
        self.left_out = [program.direction for program in every if program.direction not in kept]

    def files(self) -> dict[str, str]:
        steps = list(map(self._steps, self.forms))
        functions = [lines for each in steps for lines in each.functions()]
        kernels = [
            compiled.kernel(step.name, part, each.form.program.direction)
            for each in steps
            for step, part in zip(each.parts(), filter(None, each.form.parts), strict=True)
        ]
        host = [line for each in steps for line in self._direction(each, "_kernels.")]
        on_kernels = [line for each in steps for line in self._direction(each, "_")]
        cotangents = [output.derivative.name for output in self.rows.outputs]
        statements = [line for kernel in kernels for line in compiled.statement(kernel, cotangents)]
        fields = self._fields()
        first = self._layer_line()
        module = partial(render, "sharded/module.py.jinja", TEMPLATES, **fields)
        texts = {
            "numpy_sharded.py": module(directions=[*first, *host], compiled=False),
            "cpu_sharded.py": module(directions=[*first, *statements, *on_kernels], compiled=True),
            "numpy_sharded_kernels.py": render(
                "numpy/kernels.py.jinja",
                header=self.notes.header,
                title=self.notes.title,
                what="Parts of rows, and what is made of their sums",
                functions=functions,
                **imported(functions),
            ),
        }
        texts = {path: _spelled(text) for path, text in texts.items()}
        texts |= device.files(
            {program.direction: program for program in self.programs},
            steps,
            self.of_rows,
            self.rows,
            self.notes.of_rows(),
            bool(self.layer.counts),
            fields["collectives"],
        )
        return texts | {f"{compiled.SOURCE}.cpp": compiled.source(kernels, self.notes)}

    # ---- the mathematics

    def _steps(self, form: ShardedProgram) -> DirectionSteps:
        direction = form.program.direction
        exchanges: list[tuple[StepFunction, StepFunction | None]] = []
        for number, (part, exchange) in enumerate(zip(form.parts, form.exchanges, strict=False), 1):
            assert part is not None
            sends = self._function(f"{direction}_part_{number}", part, "What this part sends of each row.", direction)
            merge = None
            if exchange.merge is not None:
                name = f"{direction}_merge_{number}"
                merge = self._function(name, exchange.merge, "What all make of the parts.", direction)
            exchanges.append((sends, merge))
        last, common = form.parts[-1], form.common
        return DirectionSteps(
            form,
            exchanges,
            None if last is None else self._function(f"{direction}_last", last, _LAST[direction], direction),
            None if common is None else self._function(f"{direction}_common", common, _COMMON, direction),
        )

    def _function(self, name: str, program: RowProgram, summary: str, direction: str) -> StepFunction:
        """The function of a program."""
        program = marked_program(handed(program))
        rows = [row.name for row in program.rows]
        parameters = [parameter.name for parameter in program.parameters]
        results = [name for store in program.results for name in store.names]
        is_gradient = direction.startswith("backward") and bool(results)
        cotangents = [output.derivative.name for output in self.rows.outputs]
        given_up = {*rows, *(belongs_to(each) for each in results if is_gradient)}
        absent = [each for each in cotangents if len(cotangents) > 1 and each in given_up]
        loaded = {*rows, *parameters, *(belongs_to(each) for each in results if is_gradient)}
        optional = [each for each in self.rows.optional if each in loaded]
        results += [symbol.name for symbol in program.saved]
        names = names_of(program, results)
        variables = {each: names.with_suffix(gradient(each), "out") for each in (*self.rows.optional, *cotangents)}
        variables |= {row: names.with_suffix(row, "rows") for row in rows}
        variables |= {each: names.own(each) for each in parameters}
        cases = Cases((*optional, *absent), tuple(variables.items()))
        wanted = {
            each: cases.everything & cases.present(belongs_to(each)) if is_gradient else cases.everything
            for each in results
        }
        values = [*rows, *parameters]
        made = DirectionBody(lower(program, cases, wanted), names, wanted, {"values": values})
        lines = made.function(name, summary)
        return StepFunction(name, [reading(each) for each in values], [reading(each) for each in results], lines)

    # ---- the module

    def _layer_line(self) -> list[str]:
        wide = ", is_wide=True" if self.programs[0].is_wide else ""
        return [f"_LAYER = {'_sharded_axes' if self.layer.layout else '_sharded'}.layer(INTERFACE, Saved{wide})"]

    def _direction(self, steps: DirectionSteps, before: str) -> list[str]:
        """The statement of a direction; `before` is the prefix of a part's name."""
        name = steps.form.program.direction
        results = self.protocol.directions[name].returned or "_directions.only"
        kind = "_sharded_axes.ShardedAxes" if self.layer.layout else "_sharded.Sharded"
        return steps.statement(self.notes.layer, kind, "_sharded.ShardSteps", before, results)

    def _fields(self) -> dict[str, Any]:
        signatures = Signatures(
            self.layer, _ARRAY, _ARRAY, ("communicator: _collectives.Communicator", "threads: int = 1")
        )
        own = OwnFields.beside(field.name for field in self.saved)
        public = PublicFunctions(self.layer, self.notes, signatures, self.saved, own, self.programs, self.protocol)
        functions = [_over(each) for each in public.all()[:-1]]
        several = len(self.layer.outputs) > 1
        lines = [line for each in functions for line in each.lines]
        named = ["sharded_axes"] if self.layer.layout else []
        modules = ["calls"] if any("_calls." in line for line in lines) else []
        classes = self.protocol.classes(program.direction for program in self.programs)
        return {
            "header": self.notes.header,
            "title": self.notes.title,
            "axis": self.layer.layout.features[0] if self.layer.layout else "",
            "collectives": [
                *(f"`{form.program.direction}` takes {collectives(form)}." for form in self.forms),
                *(f"`{direction}` has no sharded form, and is left out." for direction in self.left_out),
            ],
            "runtime": runtime_imports(
                [*modules, *(["directions"] if not several else []), "collectives", "sharded", *named]
            ),
            "imported": in_order(["Saved", *classes]),
            "exported": sorted(program.direction for program in self.programs),
            "functions": functions,
        }


def _form(program: RowProgram) -> ShardedProgram | None:
    """The sharded form of a program; None for one of the second order or of tangents that has none."""
    try:
        return sharded(program)
    except LngenError:
        if program.direction in ("forward", "backward"):
            raise
        return None


def _require_axis(layer: PublicInterface) -> None:
    """Raises LngenError for an array with a gradient that varies over the features and lacks their first axis.

    Each process has a part of that axis, so that the gradient would be a sum over all processes.
    """
    if layer.layout is None:
        return
    first, *others = layer.layout.features
    for given in layer.differentiable:
        names = given.pattern.names if given.pattern else ()
        if first not in names and not {*others}.isdisjoint(names):
            raise LngenError(
                f'{given.public}: Array["{given.pattern}"] lacks the axis {first}, of which each process has a part in '
                "sharded code, so that its gradient is a sum over processes; write an axis first that "
                f"{given.public} has, of {' '.join(layer.layout.features)}, or pass it with all of them"
            )


def _names(program: RowProgram) -> Iterator[str]:
    """The names of all that a program is given or computes."""
    yield from (row.name for row in program.rows)
    yield from (parameter.name for parameter in program.parameters)
    yield from (line.symbol.name for line in program.lines())


def _spelled(text: str) -> str:
    """A module with every marked name spelled plainly: no name of a function can meet one of another."""
    parts = re.split(r"^(?=def |class )", re.sub(r"\n{4,}", "\n\n\n", text), flags=re.MULTILINE)
    return "".join(spelled(part, PYTHON) for part in parts)


def _over(function: PublicFunction) -> PublicFunction:
    """A function of the NumPy backend whose call is made over a communicator."""
    lines = []
    for line in function.lines:
        for direction in ("_FORWARD", "_BACKWARD", "_JVP", "_BACKWARD_BACKWARD"):
            if f"return {direction}." in line:
                lines.append(f"    call_ = {direction}.over(communicator)")
                line = line.replace(f"{direction}.", "call_.")
        lines.append(line)
    return replace(function, signature=told(function.signature), lines=lines)
