"""Launches of the kernels of forward and backward, as functions of tensors that callers have.

A kernel finds the entries of an array by strides, in a view that has one axis for the entries of a row where these lie
at equal distances, or in a copy:

    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)

A result has the shape that callers get. A gradient of an input that lacks axes of a row is made for all rows, and then
summed, and one that several inputs have is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lngen.emit.array.arrays import PublicArrays
from lngen.emit.interface import PublicInput, PublicInterface, PublicOutput
from lngen.emit.layout import call, laid, tuple_of
from lngen.emit.spelling import gradient, marked
from lngen.emit.triton.arrays import Argument, Names, Places
from lngen.emit.triton.kernel import TritonKernel
from lngen.plan.program import RowProgram

# Marked, a name cannot clash with that of an argument.
D, ROWS, KIND, SIZES, PROGRAMS, SUMS, KERNELS, SAVE, SAVED = map(
    marked, ("D", "rows", "kind", "sizes", "programs", "sums", "kernels", "save", "saved")
)
_BITS = {"float8_e4m3fn": "uint8", "float8_e5m2": "uint8", "int8": "uint8", "float16": "int16", "bfloat16": "int16"}
_FORWARD = '    """The outputs by the Triton kernel, and what it can `save` of each row."""'
_BACKWARD = '    """The gradients by the Triton kernels, of what forward `saved` of each row."""'


@dataclass(frozen=True)
class _OfCallers:
    """Array of callers by its name, or the part of it with a `number` along an axis of its `pattern`."""

    name: str
    given: PublicInput | PublicOutput
    pattern: Names = ()
    number: int | None = None


@dataclass
class LaunchText:
    """Printer of the launches of a layer's kernels; `arrays` say the sizes of axes that `checks` of arguments find."""

    layer: PublicInterface
    arrays: PublicArrays
    checks: Sequence[str]
    kernels: Sequence[TritonKernel]
    beside: dict[str, Names] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = Places(self.layer)
        self.named, self.layout = self.places.named, self.places.layout
        self.found: dict[str, _OfCallers] = {}
        every: list[PublicInput | PublicOutput] = [*self.layer.inputs, *self.layer.outputs]
        for each in every:
            own = each.public if isinstance(each, PublicInput) else each.name
            pattern = each.pattern.names if each.pattern else ()
            for number, part in enumerate(each.parts) if each.parts else [(None, each.name)]:
                self.found[part] = _OfCallers(own, each, pattern, number)
                self.found[gradient(part)] = _OfCallers(gradient(each.name), each, pattern, number)
        self.first = self.arrays.first.public

    # ---- functions

    def functions(self, forward: RowProgram, backward: RowProgram) -> list[str]:
        """Return the lines of `_forward_on_gpu` and of `_backward_on_gpu`, marked."""
        layer, outputs = self.layer, [each.name for each in self.layer.outputs]
        given = [each.public for each in (*layer.inputs, *layer.constants)] + [size.name for size in layer.sizes]
        read = {each.part for kernel in self.kernels[1:] for each in kernel.arguments}
        kept = [each.name for each in layer.outputs if {each.name, *each.parts} & read]
        later = [*given, *kept, *map(gradient, outputs)]
        sized = self.arrays.sized() if self.named else []
        rows = self._sizes(self.layout.rows) if self.named else f"{self.first}.numel() // {D}"
        real = [each.public for each in layer.inputs if not each.kind.startswith("Int")]
        head = [f"{D} = {self._sizes(self.layout.features) if self.named else f'{self.first}.shape[-1]'}"]
        head += [f"{ROWS} = {rows}", f"{KIND} = _widest({', '.join(real)})"]
        return [
            f"def _forward_on_gpu({', '.join([KERNELS, SAVE, *given])}):",
            _FORWARD,
            *laid([*self.checks, *head, *self._forward(forward)]),
            *("", ""),
            f"def _backward_on_gpu({', '.join([KERNELS, SAVED, *later])}):",
            _BACKWARD,
            *laid([*sized, *head, *self._backward(backward)]),
        ]

    def _forward(self, program: RowProgram) -> Iterator[str]:
        kernel, casts = self.kernels[0], dict(program.casts)
        for each in self.layer.outputs:
            cast = casts.get(each.parts[0] if each.parts else each.name)
            yield f"{each.name} = {self.first}.new_empty({self._shape(each)}{f', dtype=torch.{cast}' * bool(cast)})"
        saved = self._saved()
        for name in saved:
            yield f"{name} = {self.first}.new_empty({ROWS}, dtype={KIND}) if {SAVE} else None"
        yield from self._launch(kernel)
        for store in program.results:
            own, *others = store.names
            for name in others:
                yield f"{self._view(name)}.copy_({self._moved(self._view(own), self.places.memory[own], name)})"
        yield f"return {tuple_of(each.name for each in self.layer.outputs)}, {tuple_of(saved) if saved else '()'}"

    def _saved(self) -> list[str]:
        parts = [each.part for each in self.kernels[0].arguments]
        return [part.removeprefix("out saved ") for part in parts if part.startswith("out saved ")]

    def _backward(self, program: RowProgram) -> Iterator[str]:
        if saved := self._saved():
            yield f"{', '.join(saved) if len(saved) > 1 else f'({saved[0]},)'} = {SAVED}"
        made = {a.part.removeprefix("out "): a for k in self.kernels[1:] for a in k.arguments if a.part[:4] == "out "}
        of = {name: store.names for store in program.results for name in store.names}
        for own, result in made.items():
            if self.named and not result.strides and result.role != "Scalar":
                features = self.layout.features * (result.role != "row scalar")
                self.beside[own] = self.layout.rows * (result.role != "Feature") + features
            elif len(of[own]) > 1:
                self.beside[own] = self.places.memory[own]
        ends, gradients = list[str](), list[str]()
        for each in self.layer.inputs:
            if not each.has_gradient:
                gradients.append("None")
                continue
            names = [gradient(part) if part else "" for part in each.parts or (each.name,)]
            gradients.append(gradient(each.name))
            moved = [name for name in names if name in of and of[name][0] in self.beside]
            texts = {n: self._moved(f"{of[n][0]}_made", self.beside[of[n][0]], n) for n in moved}
            if not each.parts and moved:
                text = texts[names[0]] + f".reshape({each.public}.shape)" * self.named
                text += f".to({each.public}.dtype{', copy=True' * (names[0] != of[names[0]][0])})"
                absent = "" if each.required else f"None if {each.public} is None else "
                ends.append(f"{gradients[-1]} = {absent}{text}")
                continue
            zeros = ", zeros=True" * (not {*names} <= {*of})
            yield f"{gradient(each.name)} = _gpu.room({self._shape(each)}, {each.public}{zeros})"
            for name, text in texts.items():
                ends += [f"if {each.public} is not None:"] * (not each.required)
                ends.append(f"{'' if each.required else '    '}{self._view(name)}.copy_({text})")
        for own, axes in self.beside.items():
            shape = tuple_of(map(self.arrays.size, axes)) if self.named else self._shape(self.found[own].given)
            inputs = [self.found[name].given.public for name in of[own]]
            summed = KIND if axes != self.places.memory[own] else ""
            yield f"{own}_made = {call('_gpu.room', shape, *inputs, dtype=summed)}"
        for kernel in self.kernels[1:]:
            yield from self._launch(kernel)
        yield from ends
        yield f"return {tuple_of(gradients)}"

    def _launch(self, kernel: TritonKernel) -> Iterator[str]:
        """The lines that launch a kernel; that of sums has a program for some columns."""
        arguments, strides, between = list[str](), list[str](), [D]
        for each in kernel.arguments:
            text = self._argument(each)
            if each.strides:
                rows, own = f"{each.stem}_rows", f"{each.stem}_strides"
                yield f"{rows} = {text}"
                yield f"{own} = {call('_gpu.strides', rows, *map(str, self._strided(each)))}"
                text = rows
                strides.append(f"*{own}")
                if each.even:
                    between.append(f"*{own}[:{len(each.even)}]")
            arguments.append(text)
        totals = "AT_ONCE" in kernel.constants
        if not totals:
            yield f"{SIZES} = _gpu.sizes({D}, {KIND}.itemsize, {kernel.held}, {kernel.sums[0]})"
            yield f"{PROGRAMS} = _gpu.programs({self.first}.device, {ROWS}, {SIZES})"
            if any(kernel.sums):
                features, numbers = kernel.sums
                width = {0: "", 1: D}.get(features, f"{features}*{D}")
                width = " + ".join(filter(None, (width, str(numbers) if numbers else "")))
                yield f"{SUMS} = {self.first}.new_empty(({PROGRAMS}, {width}), dtype={KIND})"
        known = {"SAVE": SAVE, "A": f"_gpu.real({KIND})", "EVEN": call("_gpu.even", *between)}
        known |= {
            name: f"_gpu.{'COLUMNS' if name == 'TILE' else name}" if totals else f"{SIZES}.{name}"
            for name in ("ROWS", "TILE", "WHOLE", "AT_ONCE")
        }
        known |= {f"HAS_{flag}": f"{self.found[flag].name} is not None" for flag in kernel.flags}
        columns = f"-(-{D} // _gpu.COLUMNS)" if kernel.sums[0] else "1"
        grid = (columns, "4") if totals else (PROGRAMS, f"{SIZES}.num_warps")
        sizes = [self.arrays.size(axis) for axis in kernel.axes]
        yield call(
            "_gpu.launch",
            f"{KERNELS}.{kernel.name}",
            f"{self.first}.device",
            *grid,
            str(kernel.fuses),
            *arguments,
            *strides,
            *sizes,
            PROGRAMS if totals else ROWS,
            D,
            *(known[name] for name in kernel.constants),
        )

    # ---- texts

    def _argument(self, each: Argument) -> str:
        """Text of what a kernel takes."""
        if each.role in ("sums", "saved"):
            return SUMS if each.role == "sums" else each.part.rpartition(" ")[2]
        if each.role == "Constant":
            return f"float({next(c.public for c in self.layer.constants if c.name == each.part)})"
        value = each.part.removeprefix("out ")
        if value == each.part:
            text = self._view(value, each)
            return text if each.strides or each.role == "Scalar" else f"_gpu.dense({text})"
        bits = f".view(torch.{_BITS[each.cast]})" if each.cast in _BITS else ""
        if value in self.beside and not each.strides:
            return f"{value}_made"
        if value in self.beside:
            return f"None if {value}_made is None else {value}_made.view({self._of(value, each)})"
        return (self._view(value, each) if each.strides else self.found[value].name) + bits

    def _axes(self, value: str, each: Argument | None) -> list[Names]:
        """The axes of a view, each of one name or of all entries of a row."""
        own, features = self.places.memory[value], self.layout.features
        if each is None or each.entries != ("",):
            return [(axis,) for axis in own]
        start = own.index(features[0])
        return [*((axis,) for axis in own[:start]), features, *((axis,) for axis in own[start + len(features) :])]

    def _strided(self, each: Argument) -> list[int]:
        """The places of the axes that a kernel has strides of."""
        axes = self._axes(each.part.removeprefix("out "), each)
        wanted = [
            *((axis,) for axis in each.axes),
            *((axis,) if axis else self.layout.features for axis in each.entries),
        ]
        return [axes.index(axis) for axis in wanted]

    def _view(self, value: str, each: Argument | None = None) -> str:
        """A view of an array of callers, or of a part of it, with an axis for each stride."""
        array, is_made = self.found[value], each is not None and each.part != value
        name, shape = array.name, "view" if is_made or each is None else "reshape"
        if not self.named:
            shapes = {"row": f".reshape({ROWS}, {D})", "row scalar": f".reshape({ROWS})"}
            text = name + (shapes.get(each.role, "") if each else "")
        elif array.number is None:
            text = name if each and not each.strides else f"{name}.{shape}({self._of(value, each)})"
        else:
            counted = next(n for n, axis in enumerate(array.pattern) if axis in self.layer.counts)
            text = f"{name}.{shape}({', '.join(map(self.arrays.size, array.pattern))})[{':, ' * counted}{array.number}]"
            text += f".{shape}({self._of(value, each)})" * (
                each is not None and each.entries == ("",) and len(self.layout.features) > 1
            )
        given, several = array.given, len(self.layer.outputs) > 1
        is_there = given.required if isinstance(given, PublicInput) else name == given.name or not several
        is_there = is_there or each is None or text == name
        return text if is_there else f"None if {name} is None else {text}"

    def _of(self, value: str, each: Argument | None) -> str:
        return ", ".join(map(self._sizes, self._axes(value, each)))

    def _moved(self, text: str, axes: Names, to: str) -> str:
        """An array with some axes as one with those of another, summed over what that lacks."""
        own = self.places.memory[to]
        order = tuple(axis for axis in axes if axis in own)
        lacks = [n for n, axis in enumerate(axes) if axis not in own]
        text += f".sum({lacks[0] if len(lacks) == 1 else tuple(lacks)})" if lacks else ""
        return text if order == own else f"{text}.permute({', '.join(str(order.index(axis)) for axis in own)})"

    def _shape(self, each: PublicInput | PublicOutput) -> str:
        """The shape of an array of callers."""
        if not self.named:
            shapes = {"Feature": f"({D},)", "Scalar": "()", "Row": f"{self.first}.shape"}
            return shapes.get(each.kind, f"{self.first}.shape[:-1]")
        if each.kind == "Scalar":
            return "()"
        pattern = each.pattern or (self.layer.layout.pattern if self.layer.layout and each.kind == "Row" else None)
        return self.arrays.shape_text(pattern) if pattern else tuple_of(map(self.arrays.size, self.layout.rows))

    def _sizes(self, axes: Names) -> str:
        return "*".join(map(self.arrays.size, axes))
