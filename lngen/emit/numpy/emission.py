"""The files of the NumPy backend: every direction lowered, and everything the template places around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lngen.emit import Notes, render
from lngen.emit.class_names import class_of
from lngen.emit.description import assignment, described, protocol, protocol_of
from lngen.emit.interface import OwnFields, interface
from lngen.emit.layout import in_order, statement
from lngen.emit.numpy.calls import CheckedCalls
from lngen.emit.numpy.classes import layer_class
from lngen.emit.numpy.functions import DirectionFunction, direction_function
from lngen.emit.numpy.imports import imported
from lngen.emit.numpy.lowering import handed
from lngen.emit.numpy.wrappers import PublicFunctions
from lngen.emit.saved import saved_fields
from lngen.emit.signatures import Signatures
from lngen.plan.program import RowProgram

_ARRAY = "npt.NDArray[Any]"

_SUMMARIES = {
    "forward": "The outputs and the saved row scalars.",
    "backward": "The gradients; None for one that is not wanted.",
    "jvp": "The tangents of the outputs.",
    "backward_backward": "The gradients of the gradients; None for one that is not wanted.",
}


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the files of a layer for NumPy, by name.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that NumPy code
    cannot be written for.
    """
    return _NumpyEmission([handed(program) for program in programs], notes).files()


class _NumpyEmission:
    def __init__(self, programs: Sequence[RowProgram], notes: Notes) -> None:
        self.notes, self.layer = notes, (layer := interface(programs[0], notes))
        self.programs = list(programs)
        self.forward, self.backward, *others = self.programs
        self.rows = interface(programs[0], notes.of_rows())
        self.several = len(layer.outputs) > 1
        self.saved = saved_fields(layer, self.forward, self.backward, others)
        self.own = OwnFields.beside(field.name for field in self.saved)
        self.protocol = protocol(self.programs, layer, self.saved, notes)
        self.of_rows = self.protocol
        if layer.counts:
            self.of_rows = protocol_of(self.programs, notes.of_rows())
        self.functions = self._functions()

    def _functions(self) -> list[DirectionFunction]:
        """The functions of all directions."""
        residuals = tuple(centring.residual.symbol for centring in self.forward.centrings())
        fields = [name for field in self.saved for name in field.read]
        made = []
        for program in self.programs:
            arguments, is_forward = self._arguments(program), program is self.forward
            groups = {"values": arguments} if is_forward else {"arguments": arguments, "fields": fields}
            zero = () if is_forward else residuals
            made.append(direction_function(program, self.rows, groups, self._results(program), zero))
        return made

    # The files

    def files(self) -> dict[str, str]:
        exports = [
            "INTERFACE",
            class_of(self.notes.layer),
            "Gradients",
            *(["Outputs"] if self.several else []),
            "Saved",
            "backward",
            "forward",
            "saved_from",
        ]
        exports += [program.direction for program in self.programs[2:]]
        exports += ["SecondGradients"] * ("backward_backward" in exports)
        header, title = self.notes.header, self.notes.title
        return {
            "__init__.py": render.module(
                "numpy/package.py.jinja",
                header=header,
                title=title,
                exports=in_order(exports),
            ),
            "numpy_backend.py": render.module("numpy/module.py.jinja", header=header, title=title, **self._fields()),
        }

    def _fields(self) -> dict[str, Any]:
        layer = self.layer
        signatures = Signatures(layer, _ARRAY, _ARRAY, ("threads: int = 1",))
        functions = PublicFunctions(
            layer, self.notes, signatures, self.saved, self.own, self.programs, self.protocol
        ).all()
        interface = described(self.programs, layer, self.saved, self.notes)
        description, directions = assignment(interface), self._directions()
        checked = CheckedCalls(interface, layer, self.protocol, self.own).functions()
        names = [made.program.direction for made in self.functions]
        mathematics = [
            made.body.function(f"_{name}_of_rows", _SUMMARIES[name])
            for name, made in zip(names, self.functions, strict=True)
        ]
        own = layer_class(layer, self.notes, interface["minimum_features"])
        return {
            "description": description,
            "several_outputs": self.several,
            "second": any(program.direction == "backward_backward" for program in self.programs),
            "inputs": [{"name": given.public, "required": given.required} for given in layer.differentiable],
            "outputs": [{"name": output.public, "meaning": layer.meaning(output)} for output in layer.outputs],
            "saved_fields": [
                {"name": field.name, "type": field.type(_ARRAY), "meaning": field.meaning[4:-1]} for field in self.saved
            ],
            "own": self.own,
            "shape_meaning": f"sizes of the axes {axes}" if (axes := layer.axes) else "of the row inputs",
            "functions": functions,
            "checked": checked,
            "mathematics": [*mathematics, []],
            "directions": directions,
            "layer": own,
            "runtime": imported(
                [description, directions, *checked, *mathematics, [own["base"]], *(each.lines for each in functions)]
            ),
        }

    def _arguments(self, program: RowProgram) -> list[str]:
        """Return the arguments of a direction besides the saved values, in the runtime's order."""
        return [each.variable for each in self.of_rows.directions[program.direction].arguments]

    def _results(self, program: RowProgram) -> list[str]:
        """Return the results of a direction, in the runtime's order."""
        return [each.variable for each in self.of_rows.directions[program.direction].makes]

    def _directions(self) -> list[str]:
        """Return the statements that name the mathematics of each direction, and the axes of arrays."""
        lines = ["_AXES = _axes.NamedAxes(INTERFACE)"] * bool(self.layer.layout)
        for made in self.functions:
            name = made.program.direction
            lines += statement(f"_{name.upper()} = _blocks.ArrayFunction(_{name}_of_rows)")
        return lines
