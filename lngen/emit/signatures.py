"""Signatures of a layer's public functions, which differ between backends only in types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lngen.emit.description import as_number, literal
from lngen.emit.interface import OwnFields, PublicConstant, PublicInput, PublicInterface
from lngen.emit.layout import argument, definition, listed, quoted
from lngen.emit.saved import Field
from lngen.language.axes import AxisSize
from lngen.runtime.protocol.directions import DirectionProtocol, Entry


@dataclass(frozen=True)
class Signatures:
    """Signatures of a backend's functions: types of arrays that are passed and returned, and keywords."""

    layer: PublicInterface
    array: str
    result: str
    keywords: tuple[str, ...]

    def forward(self) -> list[str]:
        """Return the signature of `forward`."""
        return definition(
            "forward", self._forward_arguments("save: bool = True"), self._forward_results("Saved | None")
        )

    def overloads(self) -> list[str]:
        """Return the overloads of `forward` for `save`."""
        lines = []
        for save, kept in (("save: Literal[True] = True", "Saved"), ("save: bool", "Saved | None")):
            stub = definition("forward", self._forward_arguments(save), self._forward_results(kept))
            lines += ["@overload", *stub[:-1], f"{stub[-1]} ...", "", ""]
        return lines

    def later(self, takes: DirectionProtocol) -> list[str]:
        """The first lines of a direction that follows forward."""
        if takes.cotangents and takes.tangents:
            each = f"Sequence[{self.array} | None]"
            cotangents = [f"cotangents: {each if len(takes.cotangents) > 1 else f'{self.array} | {each}'}"]
        else:
            cotangents = [argument(each.name, self.array) for each in takes.cotangents]
            # One that is first has no default.
            cotangents[:1] = [self._first(each) for each in takes.cotangents[:1]]
        own = [argument(each.name, self._type(each)) for each in takes.tangents]
        returned = takes.returned or self.result
        arguments = ["saved: Saved", *cotangents, *own, "*", self._out(returned), *self.keywords]
        return definition(takes.name, arguments, returned)

    def saved_from(self, fields: Sequence[Field], own: OwnFields) -> list[str]:
        """The first lines of `saved_from`."""
        arguments = [
            f"{field.name}: {field.type(self.array)}" + (" = None" if field.optional else "") for field in fields
        ]
        first = [
            argument(own.shape, "Sequence[int]"),
            argument(own.dtype, "npt.DTypeLike"),
            argument(own.dtypes, "Mapping[str, npt.DTypeLike]"),
        ]
        return definition("saved_from", ["*", *arguments, *first], "Saved")

    def outputs(self) -> str:
        """Return the type of the outputs of `forward`."""
        return "Outputs" if len(self.layer.outputs) > 1 else self.result

    def _forward_arguments(self, save: str) -> list[str]:
        inputs = [argument(given.public, self._type(given), given.required) for given in self.layer.inputs]
        constants = [number(given.public, given) for given in self.layer.constants]
        return [*inputs, "*", *constants, *sizes(self.layer.sizes), save, self._out(self.outputs()), *self.keywords]

    def _forward_results(self, saved: str) -> str:
        return f"tuple[{self.outputs()}, {saved}]"

    def _out(self, returned: str) -> str:
        several = returned != self.result
        return argument("out", f"Sequence[{self.array} | None]" if several else self.array)

    def _first(self, each: Entry) -> str:
        return f"{each.name}: {self.array}{' | None' if each.may_be_none else ''}"

    def _type(self, given: PublicInput | Entry) -> str:
        return f"float | {self.array}" if given.kind == "Scalar" else self.array


def cotangents_of(takes: DirectionProtocol) -> list[str]:
    """Return names for the cotangents of a direction; one that a tangent has too gets another."""
    tangents = {each.name for each in takes.tangents}
    return [each.name + "_cotangent" * (each.name in tangents) for each in takes.cotangents]


def each_cotangent(takes: DirectionProtocol, targets: Sequence[str]) -> list[str]:
    """Return the statement that takes cotangents apart where one argument has them all."""
    if not (takes.cotangents and takes.tangents):
        return []
    names = quoted(each.name for each in takes.cotangents)
    return [f"{listed(targets)} = _calls.each_cotangent(cotangents, {names})"]


def checked_constants(layer: PublicInterface) -> list[str]:
    """Return the statements that check the Constants of a call."""
    signs = ((each.public, ", signed=False" if each.name in layer.nonnegative else "") for each in layer.constants)
    return [f'{name} = _calls.constant("{name}", {name}{sign})' for name, sign in signs]


def number(name: str, each: PublicConstant) -> str:
    """The argument for a Constant.

    >>> [number("eps", PublicConstant("eps", "eps", Fraction(value))) for value in ("1/2", "0")]
    ['eps: float = 0.5', 'eps: float = 0.0']
    """
    # A default of 1 is 1.0, as the straight way of a call takes floats.
    return f"{name}: float" if each.default is None else f"{name}: float = {literal(float(each.default))}"


def as_python(value: Fraction) -> str:
    """A number as Python.

    >>> as_python(Fraction(1)), as_python(Fraction(1, 100000))
    ('1', '1e-5')
    """
    return literal(as_number(value))


def sizes(given: Iterable[AxisSize]) -> list[str]:
    """Return the arguments that are sizes of axes."""
    return [f"{each.name}: int" + ("" if each.default is None else f" = {each.default}") for each in given]
