"""Arrays as callers have them: checks of their shapes, and their axes beside those of the rows, as lines of code.

The lines call functions that the emitted file has: `_floats`, `_integers`, `_constant`, `_size`, `_axes`, `_product`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lngen.emit.array.dialects import Dialect
from lngen.emit.array.lines import FEATURES, ROWS, ArrayAxes, AxisNames
from lngen.emit.expressions import number_of
from lngen.emit.interface import PublicInput, PublicInterface, PublicOutput
from lngen.emit.layout import WIDTH
from lngen.emit.spelling import marked
from lngen.errors import LngenError
from lngen.language.axes import Pattern
from lngen.language.syntax import Kind

REST = "..."


@dataclass(frozen=True)
class ArgumentOfRows:
    """Argument of the functions of rows: an input, or a part of one; `text` makes it of what callers pass."""

    name: str
    given: PublicInput
    text: str

    @property
    def is_integer(self) -> bool:
        """True if it holds integers."""
        return self.given.kind.startswith("Int")


class PublicArrays:
    """The arrays of a layer's function, and lines that check and arrange them.

    `least` is the smallest number of features. Names of axes are marked, as those of values are: callers' names stay as
    they are in signatures.
    """

    def __init__(self, layer: PublicInterface, least: int, to: Dialect) -> None:
        self.layer, self.least, self.to, self.layout = layer, least, to, ArrayAxes.of(layer.layout)
        rows = [each for each in layer.inputs if each.kind == "Row" and self._is_full(each)]
        self.first = next((each for each in rows if each.required), rows[0])
        self.sizes = {name: str(count) for name, count in layer.counts.items()}
        self.divided: list[tuple[str, str, str, str]] = []
        """Axes that are made of others: the test that refuses a size, an unknown part, the size, that of its rest."""

    # ---- axes

    def _pattern(self, each: PublicInput | PublicOutput) -> Pattern | None:
        return each.pattern if self.layout.named else None

    def _is_full(self, each: PublicInput) -> bool:
        pattern = self._pattern(each)
        return pattern is None or set(self.layout.names) <= set(pattern.names)

    def axes(self, each: PublicInput) -> AxisNames:
        """The axes of an input beside the rows."""
        if pattern := self._pattern(each):
            return frozenset(name for name in pattern.names if name not in self.layer.counts)
        kind = Kind(each.kind)
        return frozenset([*self.layout.rows * kind.over_rows, *self.layout.features * kind.over_features])

    def size(self, name: str) -> str:
        """Return the variable of an axis's size, or the number that it is."""
        return self.sizes[name]

    def _each(self, names: Sequence[str]) -> str:
        """The sizes of axes, one a name."""
        return ", ".join(map(self.size, names))

    def shape_text(self, pattern: Pattern) -> str:
        """Return the shape of an array as callers have it."""
        sizes = ["*rest_sizes" if axis == (REST,) else "*".join(map(self.size, axis)) for axis in pattern.axes]
        text = ", ".join(sizes).replace("rest_sizes", marked("rest"))
        return f"({text}{',' * (len(sizes) == 1)})"

    # ---- lines of the function that callers have

    def checks(self) -> list[str]:
        """Return the lines that check every argument, and give each axis its size."""
        lines = [f'{size.name} = _size("{size.name}", {size.name})' for size in self.layer.sizes]
        self.sizes |= {size.name: size.name for size in self.layer.sizes}
        lines += self._checks_of(self.first)
        for each in self.layer.inputs:
            if each is not self.first:
                lines += self._checks_of(each)
        for constant in self.layer.constants:
            name, signed = constant.public, constant.name not in self.layer.nonnegative
            wanted = "a finite number" if signed else "a finite number of 0 or more"
            lines.append(f"if {(self.to.refused_signed if signed else self.to.refused).format(name)}:")
            lines.append(f'    raise ValueError(f"{name} is {{{name}}}; pass {wanted}")')
        return lines

    def _checks_of(self, each: PublicInput) -> Iterator[str]:
        name, kind, first = each.public, Kind(each.kind), self.first.public
        check = "_integers" if kind.is_integer else "_floats"
        if each is self.first:
            text = f'{name} = {check}("{name}", {name})'
        elif each.kind == "Scalar":
            text = f'{name} = _number("{name}", {name})'
        elif each.kind == 'Int[""]':
            text = f'{name} = {check}("{name}", {name}, (), "a number or a 0-d one")'
        elif pattern := self._pattern(each):
            text = f'{name} = {check}("{name}", {name}, {self.shape_text(pattern)}, "{_in_brackets(pattern)}")'
        else:
            shape, meaning = {
                (True, True): (f"{first}.shape", f"the shape of {first}"),
                (True, False): (f"{first}.shape[:-1]", f"{first}.shape[:-1]"),
                (False, True): (f"{first}.shape[-1:]", "(D,)"),
            }[kind.over_rows, kind.over_features]
            text = f'{name} = {check}("{name}", {name}, {shape}, "{meaning}")'
        if each.required:
            yield text
        elif len(short := f"{name} = None if {name} is None else {text.partition(' = ')[2]}") + 4 <= WIDTH:
            yield short
        else:
            yield f"if {name} is not None:"
            yield f"    {text}"
        if each is self.first:
            yield from self._first_shape()

    def _first_shape(self) -> Iterator[str]:
        name, pattern = self.first.public, self._pattern(self.first)
        if pattern is None:
            yield f"if {name}.ndim < 1 or {name}.shape[-1] < {self.least}:"
            problem = f"{{{self.to.shape.format(name)}}}; pass (..., D) with D of {self.least} or more"
            yield f'    raise ValueError(f"{name} has shape {problem}")'
            return
        variables = self._variables(pattern)
        has_rest = (REST,) in pattern.axes
        count = len(pattern.axes) - has_rest + (self.layout.features == (REST,))
        yield (
            f"{', '.join(variables)}{',' * (len(variables) == 1)} = "
            f'_axes("{name}", {name}, "{pattern}", {count}{", True" * has_rest})'
        )
        for axis, variable in zip(pattern.axes, variables, strict=True):
            if axis == (REST,):
                self.sizes[REST] = f"_product({marked('rest')})"
            elif len(axis) == 1:
                self.sizes[axis[0]] = variable
            else:
                yield from self._divided(axis, variable)

    def sized(self, refusal: Sequence[str] = ()) -> list[str]:
        """Return the lines that give each axis its size, of arrays that were checked, or else with their refusal."""
        pattern = self._pattern(self.first)
        assert pattern
        variables = self._variables(pattern)
        lines = [f"{', '.join(variables)}{',' * (len(variables) == 1)} = {self.first.public}.shape"]
        for test, made, whole, rest in self.divided:
            lines += [f"if {test}:", *refusal] if refusal else []
            lines += [f"{made} = {whole} // {f'({rest})' if '*' in rest else rest}"] if made else []
        return lines

    def _variables(self, pattern: Pattern) -> list[str]:
        """The variables of the sizes of an array's axes."""
        return [f"*{marked('rest')}" if axis == (REST,) else marked("_".join(axis)) for axis in pattern.axes]

    def _divided(self, axis: Sequence[str], variable: str) -> Iterator[str]:
        """Lines that divide an axis of several names."""
        name = self.first.public
        unknown = [each for each in axis if each not in self.sizes]
        if len(unknown) > 1:
            raise LngenError(f"the sizes of {' and '.join(unknown)} are not given; make one of them a Size")
        known = [each for each in axis if each in self.sizes]
        parts = " times ".join(f"{each} = {{{self.size(each)}}}" for each in known)
        product = "*".join(map(self.size, known))
        text = f"({' '.join(axis)}) of {{{variable}}}"
        test = f"{variable} % ({product})" if len(known) > 1 else f"{variable} % {product}"
        if not unknown:
            test = f"{variable} != {product}"
        shape = f"{{{self.to.shape.format(name)}}}"
        self.divided.append((test, marked(unknown[0]) if unknown else "", variable, product))
        yield f"if {test}:"
        yield f'    raise ValueError(f"{name} has shape {shape}, and {parts} does not divide its axis {text}")'
        if unknown:
            made = self.sizes[unknown[0]] = marked(unknown[0])
            yield f"{made} = {variable} // {f'({product})' if len(known) > 1 else product}"

    # ---- beside rows

    def arguments(self) -> list[ArgumentOfRows]:
        """Return the arguments of the functions of rows, in the order of the inputs."""
        return [argument for each in self.layer.inputs for argument in self._arguments_of(each)]

    def _arguments_of(self, each: PublicInput) -> Iterator[ArgumentOfRows]:
        name, pattern = each.public, self._pattern(each)
        if each.parts and pattern:
            axis = next(n for n in pattern.names if n in self.layer.counts)
            place = pattern.names.index(axis)
            split = f"{name}.reshape({self._each(pattern.names)})"
            own = Pattern(tuple((other,) for other in pattern.names if other != axis))
            beside = "" if own.names == self.layout.names else self._beside(own)
            for number, part in enumerate(each.parts):
                if part:
                    text = f"{split}[{':, ' * place}{number}]{beside}"
                    yield ArgumentOfRows(part, each, self._there(each, text))
        elif pattern:
            yield ArgumentOfRows(each.name, each, self._there(each, f"{name}{self._beside(pattern)}"))
        elif self.axes(each) == {ROWS}:
            yield ArgumentOfRows(each.name, each, self._there(each, f"{name}[..., None]"))
        else:
            yield ArgumentOfRows(each.name, each, name)

    def _there(self, each: PublicInput, text: str) -> str:
        return text if each.required else f"None if {each.public} is None else {text}"

    def _beside(self, pattern: Pattern) -> str:
        order = [name for name in self.layout.names if name in pattern.names]
        sizes = ", ".join(self.size(n) if n in pattern.names else "1" for n in self.layout.names)
        if order == list(pattern.names):
            return f".reshape({sizes})"
        places = ", ".join(str(pattern.names.index(name)) for name in order)
        return f".reshape({self._each(pattern.names)}).{self.to.permute}({places}).reshape({sizes})"

    def results(self, values: Mapping[str, str]) -> list[str]:
        """Return the outputs as callers get them; `values` are those of the functions of rows by the output's name."""
        found: list[str] = []
        for output in self.layer.outputs:
            if output.parts and output.pattern:
                axis = next(n for n in output.pattern.names if n in self.layer.counts)
                place = output.pattern.names.index(axis)
                parts = ", ".join(values[part] for part in output.parts)
                found.append(f"_stack(({parts}), {place}).reshape({self.shape_text(output.pattern)})")
                continue
            value = values[output.name]
            if not self.layout.named:
                found.append(value if output.kind == "Row" else f"{value}[..., 0]")
            elif output.kind == "Row":
                assert self.layer.layout
                found.append(f"{value}.reshape({self.shape_text(self.layer.layout.pattern)})")
            else:
                found.append(f"{value}.reshape({self.shape_text(Pattern(tuple((n,) for n in self.layout.rows)))})")
        return found

    # ---- inputs that are left out

    def neutral(self, argument: ArgumentOfRows, full: bool, module: str) -> str:
        """Return the value of an input that is left out, with all of its axes where a reduction needs them."""
        assert argument.given.neutral is not None
        value = number(argument.given.neutral)
        if argument.is_integer:
            value = f"{module}.int32({value})"
        own = self.axes(argument.given)
        return f"{module}.full({self.shape_of(own)}, {value})" if full and own else value

    def shape_of(self, own: AxisNames) -> str:
        """The shape of an argument of rows with some axes, as the reference array has them."""
        if self.layout.named:
            sizes = [f"shape[{n}]" if name in own else "1" for n, name in enumerate(self.layout.names)]
            return f"({', '.join(sizes)})"
        return {FEATURES: "shape[-1:]", ROWS: "(*shape[:-1], 1)"}[next(iter(own))] if len(own) == 1 else "shape"


def _in_brackets(pattern: Pattern) -> str:
    return str(pattern) if len(pattern.axes) == 1 and len(pattern.axes[0]) > 1 else f"({pattern})"


def number(value: object) -> str:
    """A number of a definition as Python has it; one that 32 bits do not hold is a float.

    >>> from fractions import Fraction
    >>> number(Fraction(-1)), number(Fraction(1, 10)), number(Fraction(10**30))
    ('-1', '0.1', '1e+30')
    """
    exact = number_of(value)  # type: ignore[arg-type]
    return str(int(exact)) if exact.is_Integer and abs(exact) < 2**31 else repr(float(exact))
