"""Arrays as kernels read and write them: the place of an entry by the number of its row and its place in that.

An array has a stride for each axis that numbers rows, and a step between the entries of a row. It may lie in any order,
and a stride may be 0:

    x_row = x_ptr + row*x_stride
    x = tl.load(x_row + d*x_step, inside, 0).to(A)

Where axes have names, kernels take their sizes and compute the index of each. An array that lacks axes of a row has a
stride for each that it has, as a weight of channels:

    weight_row = weight_ptr + g_index*weight_stride_g
    weight = tl.load(weight_row + c_index*weight_stride_c, inside, 0).to(A)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from lngen.emit.array.arrays import PublicArrays
from lngen.emit.array.dialects import TORCH
from lngen.emit.array.lines import ROWS
from lngen.emit.interface import PublicInterface
from lngen.emit.spelling import gradient, marked, tangent
from lngen.plan.program import RowProgram

Role = Literal["row", "row scalar", "saved", "Feature", "Scalar", "Constant", "sums"]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Argument:
    """Array or number that a kernel takes, by its `name` there.

    `part` is the value that a launch passes: the name of an input, a cotangent, a tangent or a Constant, `saved rstd`
    for a saved row scalar, `out dx` for a result, `sums` for the partial sums of all programs. It has a stride for each
    of the `axes` that number rows, which are named, and of the `entries` of a row: "" is all of them, one behind the
    other. `cast` is the type that a result is rounded to, whose bits are stored.
    """

    name: str
    part: str
    role: Role
    axes: Names = ()
    entries: Names = ()
    cast: str = ""
    optional: bool = False

    @property
    def stem(self) -> str:
        """The name that its strides begin with."""
        return self.name.removesuffix("_ptr")

    @property
    def strides(self) -> list[str]:
        """The parameters that are its strides, those between rows first."""
        rows = [f"{self.stem}_stride{'' if axis == ROWS else f'_{axis_word(axis)}'}" for axis in self.axes]
        steps = [f"{self.stem}_stride_{axis_word(axis)}" if axis else f"{self.stem}_step" for axis in self.entries]
        return rows + steps

    @property
    def even(self) -> list[str]:
        """The strides that are multiples of EVEN: those between whole rows, each of which begins as the first does."""
        return self.strides[: len(self.axes)] if self.entries == ("",) else []


def axis_word(axis: str) -> str:
    """The name of an axis in a kernel, marked."""
    return marked("rest" if axis == "..." else axis)


class Places:
    """Axes of the arrays of a layer: which of the rows each has, and how its entries are found."""

    def __init__(self, layer: PublicInterface) -> None:
        arrays = PublicArrays(layer, 1, TORCH)
        arrays.checks()  # which finds the sizes of axes
        self.layout, self.named = arrays.layout, arrays.layout.named
        whole = layer.layout.pattern.names if layer.layout else self.layout.names
        self.memory: dict[str, Names] = {}

        def known(value: str, axes: Iterable[str]) -> None:
            own = tuple(axis for axis in axes if axis not in layer.counts)
            names = (value, tangent(value), gradient(value), gradient(gradient(value)))
            self.memory.update(dict.fromkeys(names, own))

        arguments = arrays.arguments()
        self.inputs = {each.name for each in arguments}
        for each in arguments:
            varies = arrays.axes(each.given)
            pattern = each.given.pattern if self.named else None
            known(each.name, pattern.names if pattern else (axis for axis in self.layout.names if axis in varies))
        for output in layer.outputs:
            own = whole if output.kind == "Row" else self.layout.rows
            for part in filter(None, output.parts or (output.name,)):
                known(part, output.pattern.names if output.pattern else own)
        self.parts = {name for each in layer.outputs for name in each.parts if name}
        self.parts |= {gradient(name) for each in layer.inputs for name in each.parts if name}

    def moved(self, program: RowProgram) -> list[str]:
        """Return the tangents, or cotangents of gradients, that a direction takes."""
        return [name for name, _ in program.optional if name not in self.inputs]

    # ---- arrays of a kernel

    def argument(self, name: str, value: str, role: Role, optional: bool = False) -> Argument:
        """Return an array that is read, by the name of its value."""
        memory = self.memory[value]
        own = tuple(axis for axis in memory if axis in self.layout.features)
        start = memory.index(own[0]) if own else 0
        whole = own == self.layout.features == memory[start : start + len(own)]
        axes = tuple(axis for axis in memory if axis in self.layout.rows)
        entries = ("",) * (role == "row") if whole else own
        return Argument(f"{name}_ptr", value, role, axes, entries, optional=optional)

    def result(self, value: str, role: Role, cast: str) -> Argument:
        """Return an array that is written: one that lacks axes of the rows for all of them, without gaps."""
        layout = self.layout
        over = {"row": {*layout.names}, "row scalar": {*layout.rows}}.get(role, {*layout.names, ""})
        has_strides = over <= {*self.memory[value]} and (self.named or value in self.parts)
        made = self.argument(value, value, role) if has_strides else Argument(f"{value}_ptr", "", role)
        return replace(made, part=f"out {value}", cast=cast)

    # ---- texts

    def row(self, each: Argument) -> tuple[str, str]:
        """Return the pointer to the entries of a row, or to its number: its name, and its text if that is another."""
        steps = [f"{self.index(axis)}*{stride}" for axis, stride in zip(each.axes, each.strides, strict=False)]
        if not each.strides:
            steps = {"row": ["row*D"], "row scalar": ["row"], "saved": ["row"]}.get(each.role, [])
        text = " + ".join([each.name, *steps])
        return (f"{each.stem}_row", text) if each.role == "row" and steps else (text, "")

    def place(self, each: Argument) -> str:
        """Return the pointer to the entries of an array, beside that of a row."""
        steps = zip(each.entries, each.strides[len(each.axes) :], strict=True)
        terms = [f"{self.index(axis, True)}*{step}" for axis, step in steps]
        terms += ["d"] * (each.role in ("row", "Feature") and not each.strides)
        return " + ".join([self.row(each)[0], *terms])

    def index(self, axis: str, of_entries: bool = False) -> str:
        """The variable that is the index of an axis."""
        if axis == "" or (of_entries and self.layout.features == (axis,)):
            return "d"
        return "row" if not of_entries and self.layout.rows == (axis,) else f"{axis_word(axis)}_index"

    def indices(self, text: str, of_entries: bool) -> list[str]:
        """Return the lines that compute the indices of axes, of rows or of entries, that a text reads."""
        every = self.layout.features if of_entries else self.layout.rows
        lines = []
        for place, axis in enumerate(every):
            if len(every) > 1 and f"{axis_word(axis)}_index" in text:
                sizes = [self.size(name) for name in every[place + 1 :]]
                divisor = f" // {sizes[0]}" if len(sizes) == 1 else f" // ({'*'.join(sizes)})" if sizes else ""
                index = f"{'d' if of_entries else 'row'}{divisor}{f' % {self.size(axis)}' if place else ''}"
                lines.append(f"{axis_word(axis)}_index = {index}")
        return lines

    def size(self, axis: str) -> str:
        """The parameter that is the size of an axis."""
        return f"{axis_word(axis)}_size"
