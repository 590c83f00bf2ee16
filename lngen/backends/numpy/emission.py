"""The files of the NumPy backend: every direction lowered, and everything the template places around them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from lngen.backends import Notes
from lngen.backends.class_names import class_of
from lngen.backends.description import assignment, described, protocol
from lngen.backends.interface import OwnFields, interface
from lngen.backends.layout import in_order, quoted, wrapped
from lngen.backends.numpy import classes
from lngen.backends.numpy.body import Body, body
from lngen.backends.numpy.fast_path import FastPath, fast_path
from lngen.backends.numpy.functions import function, imported, measured, named, spelled_by_function
from lngen.backends.numpy.linear_directions import by_event, linear_direction
from lngen.backends.numpy.lowering import handed, lower
from lngen.backends.numpy.presence import Cases
from lngen.backends.numpy.wrappers import MEANINGS, PublicFunctions
from lngen.backends.saved import saved_fields
from lngen.backends.signatures import Signatures
from lngen.backends.spelling import belongs_to, gradient, marked, marked_program, plain_errors
from lngen.files import render
from lngen.plan.presence import NEVER
from lngen.plan.program import RowProgram

_ARRAY = "npt.NDArray[Any]"

_SUMMARIES = {
    "forward": "The outputs and the saved row scalars, written to their arrays.",
    "backward": "The gradients, written to their arrays; None for one that is not wanted.",
    "jvp": "The tangents of the outputs, written to their arrays.",
    "backward_backward": "The gradients of the gradients, written to their arrays.",
}
_FAST = {
    "forward": "The outputs and the saved row scalars of rows that fit one block.",
    "backward": "The gradients of rows that fit one block; None for one not wanted.",
}


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the files of a layer for NumPy, by name.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that NumPy code
    cannot be written for.
    """
    with plain_errors():
        return _NumpyEmission([marked_program(handed(program)) for program in programs], notes).files()


class _NumpyEmission:
    def __init__(self, programs: Sequence[RowProgram], notes: Notes) -> None:
        self.notes, self.layer = notes, (layer := interface(programs[0], notes))
        self.programs = list(programs)
        self.forward, self.backward, *others = self.programs
        self.several = len(layer.outputs) > 1
        self.residuals = tuple(centring.residual.symbol for centring in self.forward.centrings())
        self.cotangents = tuple(output.derivative.name for output in layer.outputs)
        # The only one may not be None.
        self.absent = self.cotangents if self.several else ()
        self.backward_body, self.backward_fast = self._backward_body()
        self.others = [linear_direction(program, layer, self.absent, self.residuals) for program in others]
        self.forward_body, self.forward_fast = self._forward_body()
        self.saved = saved_fields(layer, self.forward, self.backward, others)
        self.own = OwnFields.beside(field.name for field in self.saved)
        self.protocol = protocol(self.programs, layer, self.saved, notes)

    # The two directions

    def _backward_body(self) -> tuple[Body, FastPath]:
        absent, layer = self.absent, self.layer
        loaded = {parameter.name for parameter in self.backward.parameters}
        loaded |= {row.name for row in self.backward.rows}
        of_gradients = {given.name for given in layer.differentiable}
        optional = [name for name in layer.optional if name in loaded | of_gradients]
        cases = Cases((*optional, *absent), self._tests(self.backward), absent)
        schedule = lower(self.backward, cases, self.residuals)
        given = {
            name: cases.everything & cases.present(belongs_to(name))
            for store in self.backward.results
            for name in store.names
        }
        wanted = by_event(self.backward.results, given)
        flagged = [name for name in optional if name not in loaded]
        results = [gradient(given.name) for given in layer.differentiable]
        return body(schedule, wanted, given), fast_path(
            schedule, wanted, given, results, flagged, self._zero_shapes(given)
        )

    def _zero_shapes(self, computed: Collection[str]) -> dict[str, str]:
        """The shapes of gradients that are not computed."""
        shapes = {"Row": "shape", "RowScalar": "shape[:-1]", "Feature": "shape[-1:]", "Scalar": "()"}
        inputs = self.layer.differentiable
        return {gradient(each.name): shapes[each.kind] for each in inputs if gradient(each.name) not in computed}

    def _forward_body(self) -> tuple[Body, FastPath]:
        cases = Cases(self.layer.optional, self._tests(self.forward))
        given = {name: cases.everything for store in self.forward.results for name in store.names}
        wanted = by_event(self.forward.results, given)
        for later in (self.backward_body, *(other.body for other in self.others)):
            for name, needed in later.saved_cases.items():
                # Forward cannot know what else those will be called with.
                unknown = needed.flags() - set(self.layer.optional)
                wanted[name] = wanted.get(name, NEVER) | needed.possible(sorted(unknown))
        given |= {symbol.name: wanted[symbol.name] for symbol in self.forward.saved}
        schedule = lower(self.forward, cases)
        results = [output.name for output in self.layer.outputs] + [symbol.name for symbol in self.forward.saved]
        return body(schedule, wanted, given), fast_path(schedule, wanted, given, results)

    def _tests(self, program: RowProgram) -> tuple[tuple[str, str], ...]:
        """Return the test for "this argument was given" of each argument, in `forward` and `backward`."""
        tests = {name: f"{gradient(name)}_out is not None" for name in self.layer.optional}
        tests |= {name: f"{name}_rows is not None" for name in self.cotangents}
        tests |= {row.name: f"{row.name}_rows is not None" for row in program.rows if row.origin != "saved output"}
        tests |= {parameter.name: f"{parameter.name} is not None" for parameter in program.parameters}
        return tuple(tests.items())

    # The files

    def files(self) -> dict[str, str]:
        exports = [
            "INTERFACE",
            "Gradients",
            *(["Outputs"] if self.several else []),
            "Saved",
            "backward",
            "forward",
            "saved_from",
        ]
        exports += [other.program.direction for other in self.others]
        exports += ["SecondGradients"] * ("backward_backward" in exports)
        header, title = self.notes.header, self.notes.title
        first, second = self._mathematics()
        texts = {
            "__init__.py": render.render(
                "numpy/package.py.jinja",
                header=header,
                title=title,
                exports=in_order(exports),
                module=class_of(self.notes.layer),
                all=in_order([*exports, class_of(self.notes.layer)]),
            ),
            "numpy_backend.py": render.render("numpy/module.py.jinja", header=header, title=title, **self._fields()),
            "numpy_kernels.py": self._kernels("The outputs and the gradients", first),
            "numpy_module.py": classes.module(self.layer, self.notes),
        }
        if second:
            texts["numpy_second_order.py"] = self._kernels("The tangents, and the gradients of the gradients", second)
        return {path: spelled_by_function(text) for path, text in texts.items()}

    def _kernels(self, what: str, functions: Sequence[Sequence[str]]) -> str:
        """The text of a file of mathematics."""
        return render.render(
            "numpy/kernels.py.jinja",
            header=self.notes.header,
            title=self.notes.title,
            what=what,
            functions=functions,
            **imported(functions),
        )

    def _fields(self) -> dict[str, Any]:
        layer, rows = self.layer, self.layer.rows[0].public
        signatures = Signatures(layer, _ARRAY, _ARRAY, ("threads: int = 1",))
        functions = PublicFunctions(
            layer, self.notes, signatures, self.saved, self.own, self.programs, self.protocol
        ).all()
        description = assignment(described(self.programs, layer, self.saved, self.notes))
        directions = self._directions()
        return {
            "description": description,
            "several_outputs": self.several,
            "second": any(program.direction == "backward_backward" for program in self.programs),
            "inputs": [{"name": given.public, "required": given.required} for given in layer.differentiable],
            "outputs": [
                {"name": output.public, "meaning": MEANINGS[output.kind].format(rows=rows)} for output in layer.outputs
            ],
            "saved_fields": [
                {"name": field.name, "type": field.type(_ARRAY), "meaning": field.meaning[4:-1]} for field in self.saved
            ],
            "own": self.own,
            "functions": functions,
            "directions": directions,
            "has_second_order": len(self.programs) > 2,
            **imported([description, directions, *(function.lines for function in functions)]),
        }

    # The mathematics

    def _mathematics(self) -> tuple[list[list[str]], list[list[str]]]:
        """Return the functions of forward and backward, and those of the second order."""
        bodies = [self.forward_body, self.backward_body, *(other.body for other in self.others)]
        found = [self._blocks(program, part) for program, part in zip(self.programs, bodies, strict=True)]
        parts = zip(self.programs, (self.forward_fast, self.backward_fast), strict=False)
        fast = [self._fast_path(program, part) for program, part in parts if self._has_fast_path(program)]
        return found[:2] + fast, found[2:]

    def _has_fast_path(self, program: RowProgram) -> bool:
        """Test whether a program has a fast path.

        A row has to tell the shape of all rows, and the compute type has to be theirs.
        """
        if self.forward.is_wide:
            return False
        if program.direction == "forward":
            return any(row.required for row in self.layer.rows)
        kinds = {*(field.kind for field in self.saved), *(output.kind for output in self.layer.outputs)}
        return not kinds.isdisjoint(("Row", "Data"))

    def _arguments(self, program: RowProgram) -> list[str]:
        """Return the arguments of a direction besides the saved values, in the runtime's order."""
        return [marked(each.variable) for each in self.protocol.directions[program.direction].arguments]

    def _results(self, program: RowProgram) -> list[str]:
        """Return the results of a direction, in the runtime's order."""
        return [marked(each.variable) for each in self.protocol.directions[program.direction].makes]

    def _blocks(self, program: RowProgram, part: Body) -> list[str]:
        """The function that takes the rows block by block."""
        is_forward = program.direction == "forward"
        groups = {"values" if is_forward else "arguments": self._arguments(program)}
        groups |= {} if is_forward else {"fields": [field.source.name for field in self.saved]}
        outs = [f"{name}_out" for name in self._results(program)]
        return function(
            program.direction,
            [*groups, "results", "call"],
            _SUMMARIES[program.direction],
            {group: named(names, part.parameters) for group, names in groups.items()} | {"results": outs},
            [*measured(part.lines), *part.lines, *self._zeros(program)],
        )

    def _zeros(self, program: RowProgram) -> list[str]:
        """Return the lines that fill results which are always zero."""
        computed = {name for store in program.results for name in store.names}
        computed |= {symbol.name for symbol in program.saved}
        zeros = [f"{name}_out" for name in self._results(program) if name not in computed]
        return [line for name in zeros for line in (f"    if {name} is not None:", f"        {name}[...] = 0.0")]

    def _fast_path(self, program: RowProgram, part: FastPath) -> list[str]:
        """The function of the fast path."""
        arguments = named(self._arguments(program), part.parameters)
        name, summary = f"{program.direction}_fast", _FAST[program.direction]
        if program.direction == "forward":
            return function(name, ["values", "shape", "dtype"], summary, {"values": arguments}, part.lines)
        places = {given.name: place for place, given in enumerate(self.layer.inputs)}
        flags = [f"    {flag} = dtypes[{places[name]}] is not None" for name, flag in part.flags.items()]
        fields = named([field.source.name for field in self.saved], part.parameters)
        groups = {"arguments": arguments, "saved": ["shape", "dtype", "dtypes", *fields]}
        return function(name, list(groups), summary, groups, [*flags, *part.lines])

    def _directions(self) -> list[str]:
        """The statements that make the public functions' other half of a direction's mathematics."""
        wide = ", is_wide=True" if self.forward.is_wide else ""
        lines = [f"_LAYER = _directions.HostLayer(INTERFACE, Saved{wide})"]
        for program in self.programs:
            name = program.direction
            place = "_kernels" if name in _FAST else "_second_order"
            own = [
                "_LAYER",
                *([] if name == "forward" else [f'"{name}"']),
                self.protocol.directions[name].returned or "_directions.only",
            ]
            own += [f"{place}.{name}"]
            own += [f"{place}.{name}_fast"] if name in _FAST and self._has_fast_path(program) else []
            if name != "forward":
                filled = [each.public for other in self.others if other.program is program for each in other.filled]
                own += [f"filled={quoted(filled)}"] if filled else []
            kind = "ForwardCall" if name == "forward" else "LaterCall"
            lines += wrapped(f"_{name.upper()} = _directions.{kind}({', '.join(own)})", 0)
        return lines
