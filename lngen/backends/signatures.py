"""Signatures of a layer's public functions, which differ between backends only in types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lngen.backends.description import as_number, literal
from lngen.backends.interface import OwnFields, PublicInput, PublicInterface, moved
from lngen.backends.layout import wrapped
from lngen.backends.saved import Field
from lngen.plan.program import RowProgram, moved_name


@dataclass(frozen=True)
class Signatures:
    """Signatures of a backend's functions: types of arrays that are passed and returned, and keywords."""

    layer: PublicInterface
    array: str
    result: str
    keywords: tuple[str, ...]

    def forward(self) -> list[str]:
        """Return the signature of `forward`, after the overloads for `save`."""
        kept, perhaps = self._forward_results("Saved"), self._forward_results("Saved | None")
        lines = []
        for save, results in (("save: Literal[True] = True", kept), ("save: bool", perhaps)):
            stub = _definition("forward", self._forward_arguments(save), results)
            lines += ["@overload", *stub[:-1], f"{stub[-1]} ...", "", ""]
        return [*lines, *_definition("forward", self._forward_arguments("save: bool = True"), perhaps)]

    def backward(self) -> list[str]:
        """The first lines of `backward`."""
        first, *rest = (output.derivative.public for output in self.layer.outputs)
        optional = " | None" if rest else ""
        cotangents = [f"{first}: {self.array}{optional}", *(self._left_out(name, self.array) for name in rest)]
        return self._definition("backward", cotangents, "Gradients")

    def later(self, program: RowProgram) -> list[str]:
        """The first lines of `jvp` or of `backward_backward`."""
        own = [
            self._left_out(moved_name(program.direction, given.public), self._type(given))
            for given in moved(program, self.layer).values()
        ]
        if program.direction == "jvp":
            return self._definition("jvp", own, self.outputs())
        each = f"Sequence[{self.array} | None]"
        cotangents = each if len(self.layer.outputs) > 1 else f"{self.array} | {each}"
        return self._definition("backward_backward", [f"cotangents: {cotangents}", *own], "SecondGradients")

    def saved_from(self, fields: Sequence[Field], own: OwnFields) -> list[str]:
        """The first lines of `saved_from`."""
        arguments = [
            f"{field.name}: {field.type(self.array)}" + (" = None" if field.optional else "") for field in fields
        ]
        first = [
            self._left_out(own.shape, "Sequence[int]"),
            self._left_out(own.dtype, "npt.DTypeLike"),
            self._left_out(own.dtypes, "Mapping[str, npt.DTypeLike]"),
        ]
        return _definition("saved_from", ["*", *arguments, *first], "Saved")

    def outputs(self) -> str:
        """Return the type of the outputs of `forward`."""
        return "Outputs" if len(self.layer.outputs) > 1 else self.result

    def _forward_arguments(self, save: str) -> list[str]:
        inputs = [
            f"{given.public}: {self._type(given)}"
            if given.required
            else self._left_out(given.public, self._type(given))
            for given in self.layer.inputs
        ]
        constants = [
            f"{given.public}: float" + ("" if given.default is None else f" = {as_python(given.default)}")
            for given in self.layer.constants
        ]
        return [*inputs, "*", *constants, save, self._out(self.outputs()), *self.keywords]

    def _forward_results(self, saved: str) -> str:
        return f"tuple[{self.outputs()}, {saved}]"

    def _definition(self, name: str, arguments: Iterable[str], returned: str) -> list[str]:
        out = self._out(returned)
        return _definition(name, ["saved: Saved", *arguments, "*", out, *self.keywords], returned)

    def _out(self, returned: str) -> str:
        several = returned != self.result
        return self._left_out("out", f"Sequence[{self.array} | None]" if several else self.array)

    def _type(self, given: PublicInput) -> str:
        return f"float | {self.array}" if given.kind == "Scalar" else self.array

    def _left_out(self, name: str, kind: str) -> str:
        return f"{name}: {kind} | None = None"


def _definition(name: str, arguments: Sequence[str], returned: str) -> list[str]:
    return wrapped(f"def {name}({', '.join(arguments)}) -> {returned}:", 0)


def as_python(value: Fraction) -> str:
    """A number as Python.

    >>> as_python(Fraction(1)), as_python(Fraction(1, 100000))
    ('1', '1e-5')
    """
    return literal(as_number(value))
