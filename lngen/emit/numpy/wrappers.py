"""Public functions of a layer: signature, docstring, and the call of what checks the arguments.

Arguments have the names of the interface. Any other name begins or ends with an underscore, which no argument does.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lngen.emit import Notes
from lngen.emit.functions import constant_in_words, size_in_words
from lngen.emit.interface import OwnFields, PublicInput, PublicInterface
from lngen.emit.layout import WIDTH, call, in_docstring, in_lines, statement, tuple_of
from lngen.emit.saved import Field
from lngen.emit.signatures import Signatures, as_python, each_cotangent
from lngen.language.names import cotangent
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.calls import COMPUTED_WORDS
from lngen.runtime.protocol.directions import DirectionProtocol, LayerProtocol

_THREADS = "threads: the number of threads that share the rows. Results do not depend on it."
_SAVED = "saved: the second result of `forward`."


@dataclass(frozen=True)
class PublicFunction:
    """A public function, as the template places it; each of `arguments` is a line of the docstring."""

    signature: list[str]
    summary: str
    formulas: Sequence[str]
    arguments: list[str]
    returns: list[str]
    raises: str
    lines: list[str]


class DirectionWords(NamedTuple):
    """Words of a docstring: the summary of a direction, and the meaning of a tangent of an input."""

    summary: str
    tangent: str = ""


_LATER = {
    "backward": DirectionWords("Compute the gradients of a loss with respect to the inputs (VJP)."),
    "jvp": DirectionWords(
        "Compute the tangents of the outputs along tangents of the inputs (JVP).",
        "the tangent of {}, in its shape; None stands for zero.",
    ),
    "backward_backward": DirectionWords(
        "Compute the gradients of a loss of the gradients: the VJP of `backward`.",
        "the cotangent of d{}, in its shape; None stands for zero.",
    ),
}


@dataclass(frozen=True)
class PublicFunctions:
    """Public functions of a layer; the programs are those of its directions, forward first."""

    layer: PublicInterface
    notes: Notes
    signatures: Signatures
    saved: Sequence[Field]
    own: OwnFields
    programs: Sequence[RowProgram]
    protocol: LayerProtocol

    def all(self) -> list[PublicFunction]:
        """Every one of them, in the order of the file."""
        forward, *others = self.programs
        return [self.forward(forward), *map(self.later, others), self.saved_from()]

    def _formulas(self, program: RowProgram) -> tuple[str, ...]:
        return self.notes.formulas.get(program.direction, ())

    def forward(self, program: RowProgram) -> PublicFunction:
        """`forward`."""
        several, first = self._several(), self.layer.outputs[0].public
        values = [each.public for each in (*self.layer.inputs, *self.layer.constants)]
        sizes = [size.name for size in self.layer.sizes]
        return PublicFunction(
            signature=[*self.signatures.overloads(), *self.signatures.forward()],
            summary=self.notes.title,
            formulas=self._formulas(program),
            arguments=[
                *(f"{given.public}: {self._meaning(given)}" for given in self.layer.inputs),
                *(f"{given.public}: {constant_in_words(given, self.layer)}." for given in self.layer.constants),
                *(f"{size}: {size_in_words(size, self.layer)}." for size in sizes),
                "save: False saves nothing for the other directions; `saved` is then None.",
                *_out("Outputs" if several else "", first),
                _THREADS,
            ],
            returns=in_lines(
                f"`({'Outputs' if several else first}, saved)`.{self._shape()} `saved` is the argument of the other "
                f"directions. {COMPUTED_WORDS}",
                WIDTH - 12,
            ),
            raises=_RAISES,
            lines=statement(f"return {call('_forward', '_FORWARD', *values, *sizes, 'save', 'out', 'threads')}", 4),
        )

    def later(self, program: RowProgram) -> PublicFunction:
        """A direction that follows forward."""
        takes, words = self.protocol.directions[program.direction], _LATER[program.direction]
        is_jvp = not takes.cotangents
        several, first = self._several(), self.layer.outputs[0].public
        formulas = self._formulas(program)
        if is_jvp:
            signs = [each.variable for each in takes.results]
            returned = f"Outputs, the tangents {', '.join(signs)}" if several else f"{signs[0]}, the tangent of {first}"
            returns = [f"{returned}, in the shape and type of the output."]
        elif not takes.tangents:
            returns = ["Gradients, each in the shape and type of its input."]
        else:
            signs = [
                f"{each.name} is {cotangent(each.owner.variable, again=True)}"
                for each in takes.results
                if each.follows is not None and each.owner
            ]
            returns = textwrap.wrap(
                f"SecondGradients, with respect to the inputs ({', '.join(signs)}) and to the cotangents.", WIDTH - 12
            )
        return PublicFunction(
            signature=self.signatures.later(takes),
            summary=words.summary,
            formulas=in_docstring(formulas) if takes.tangents else formulas,
            arguments=[
                _SAVED,
                *self._cotangents(takes),
                *(f"{each.name}: {words.tangent.format(each.owner.name)}" for each in takes.tangents if each.owner),
                *_out(takes.returned, f"the tangent of {first}"),
                _THREADS,
            ],
            returns=returns,
            raises=_RAISES,
            lines=[line for each in _called(takes) for line in statement(each, 4)],
        )

    def _cotangents(self, takes: DirectionProtocol) -> list[str]:
        if takes.cotangents and takes.tangents:
            itself = "" if self._several() else ", or the array itself"
            return [f"cotangents: the cotangents passed to `backward`, a tuple or a list{itself}."]
        zero = "; None stands for zero" if self._several() else ""
        return [
            f"{each.name}: the cotangent of {each.owner.name}, in its shape{zero}."
            for each in takes.cotangents
            if each.owner
        ]

    def saved_from(self) -> PublicFunction:
        """`saved_from`."""
        own = self.own
        return PublicFunction(
            signature=self.signatures.saved_from(self.saved, own),
            summary="Make `Saved` from its fields, which are checked as by `backward`.",
            formulas=(),
            arguments=[
                f"{own.shape}: the sizes of the axes {self.layer.axes}."
                if self.layer.axes
                else f"{own.shape}: the shape of the rows; None if a field has it.",
                f"{own.dtype}: the compute type of forward; None for that of the row scalars, or else",
                "    the type that forward would choose.",
                f"{own.dtypes}: the type of each given input, by name; its gradient has this type.",
                "    An input without a field needs its entry. Without one it counts as omitted,",
                "    or as of the rows' type if it is required.",
            ],
            returns=[],
            raises="Raises TypeError or ValueError for fields that `forward` cannot have saved.",
            lines=[
                *statement(f"fields_ = {tuple_of(field.name for field in self.saved)}", 4),
                *statement(
                    f"first_ = _fields.first_fields(INTERFACE, fields_, {own.shape}, {own.dtype}, {own.dtypes})", 4
                ),
                *statement(f"saved_ = {call('Saved', '*first_', *(field.name for field in self.saved))}", 4),
                "    _check(saved_)",
                "    return saved_",
            ],
        )

    def _several(self) -> bool:
        return len(self.layer.outputs) > 1

    def _meaning(self, given: PublicInput) -> str:
        meaning = self.layer.meaning(given)
        cost = ", at no cost" * (given.neutral in (0, 1))
        left_out = "" if given.neutral is None else f". If omitted it is {as_python(given.neutral)}{cost}"
        return f"{meaning}{left_out}."

    def _shape(self) -> str:
        """Describe the shape of a single output in a sentence; `Outputs` describes several."""
        if self._several():
            return ""
        (output,) = self.layer.outputs
        return f" {self.layer.described(output)}."


_RAISES = """Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape."""


def _out(kind: str, result: str = "") -> list[str]:
    """Describe `out`: a tuple of some kind, or an array for one result."""
    if not kind:
        return [f"out: an array to write {result} to."]
    return [f"out: arrays to write to, as {kind} or another sequence;", "    None in it makes a new array."]


def _called(takes: DirectionProtocol) -> list[str]:
    """Return the statements that call what checks a direction; a cotangent that is taken out of several ends with _."""
    cotangents = [each.name + "_" * bool(takes.tangents) for each in takes.cotangents]
    given = [*cotangents, *(each.name for each in takes.tangents)]
    made = call(f"_{takes.name}", f"_{takes.name.upper()}", "saved", *given, "out", "threads")
    return [*each_cotangent(takes, cotangents), f"return {made}"]
