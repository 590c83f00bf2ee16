"""Public functions of a layer: signature, docstring, and the call of the runtime.

Arguments have the names of the interface. Any other name begins or ends with an underscore, which no argument does.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lngen.backends import Notes
from lngen.backends.interface import OwnFields, PublicConstant, PublicInput, PublicInterface, moved
from lngen.backends.layout import WIDTH, assigned_tuple, in_docstring, quoted, tuple_of, wrapped
from lngen.backends.saved import Field
from lngen.backends.signatures import Signatures, as_python
from lngen.backends.spelling import reading, tangent
from lngen.language.names import cotangent
from lngen.plan.program import RowProgram, moved_name

MEANINGS = {
    "Row": "shape (..., D)",
    "RowScalar": "one value per row, shape {rows}.shape[:-1]",
    "Feature": "one value per feature, shape (D,)",
    "Scalar": "a number or a 0-d array",
    "Data": "shape (..., D), without a gradient",
}

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


@dataclass(frozen=True)
class PublicFunctions:
    """Public functions of a layer; the programs are those of its directions, forward first."""

    layer: PublicInterface
    notes: Notes
    signatures: Signatures
    saved: Sequence[Field]
    own: OwnFields
    programs: Sequence[RowProgram]

    def all(self) -> list[PublicFunction]:
        """Every one of them, in the order of the file."""
        make = {"forward": self.forward, "backward": self.backward, "jvp": self.jvp}
        return [make.get(program.direction, self.backward_backward)(program) for program in self.programs] + [
            self.saved_from()
        ]

    def _formulas(self, program: RowProgram) -> tuple[str, ...]:
        return self.notes.formulas.get(program.direction, ())

    def forward(self, program: RowProgram) -> PublicFunction:
        """`forward`."""
        several, first = self._several(), self.layer.outputs[0].public
        computed = "float64 for inputs of up to 32 bits" if program.is_wide else "float32 for 16-bit inputs"
        values = [each.public for each in (*self.layer.inputs, *self.layer.constants)]
        return PublicFunction(
            signature=self.signatures.forward(),
            summary=self.notes.title,
            formulas=self._formulas(program),
            arguments=[
                *(f"{given.public}: {self._meaning(given)}" for given in self.layer.inputs),
                *(f"{given.public}: a constant, a finite number{self._sign(given)}." for given in self.layer.constants),
                "save: False saves nothing for the other directions; `saved` is then None.",
                *_out("Outputs" if several else "", first),
                _THREADS,
            ],
            returns=textwrap.wrap(
                f"`({'Outputs' if several else first}, saved)`.{self._shape()} `saved` is the argument of the other "
                f"directions. The compute type is the widest among the inputs, and {computed}."
                + " Products of intermediate values may leave the range of float32."
                * program.is_wide,
                WIDTH - 12,
                break_long_words=False,
                break_on_hyphens=False,
            ),
            raises=_RAISES,
            lines=[line for given in self.layer.constants for line in wrapped(self._checked(given), 4)]
            + _called("_FORWARD", "values_", values, "save, out, threads"),
        )

    def backward(self, program: RowProgram) -> PublicFunction:
        """`backward`."""
        cotangents = [output.derivative.public for output in self.layer.outputs]
        zero = "; None stands for zero" if self._several() else ""
        return PublicFunction(
            signature=self.signatures.backward(),
            summary="Compute the gradients of a loss with respect to the inputs (VJP).",
            formulas=self._formulas(program),
            arguments=[
                _SAVED,
                *(
                    f"d{output.public}: the cotangent of {output.public}, in its shape{zero}."
                    for output in self.layer.outputs
                ),
                *_out("Gradients"),
                _THREADS,
            ],
            returns=["Gradients, each in the shape and type of its input."],
            raises=_RAISES,
            lines=_called("_BACKWARD", "arguments_", cotangents, "out, threads", "saved, "),
        )

    def jvp(self, program: RowProgram) -> PublicFunction:
        """`jvp`."""
        several, first = self._several(), self.layer.outputs[0].public
        tangents = self._moved(program)
        signs = [reading(tangent(output.name)) for output in self.layer.outputs]
        returned = f"Outputs, the tangents {', '.join(signs)}" if several else f"{signs[0]}, the tangent of {first}"
        return PublicFunction(
            signature=self.signatures.later(program),
            summary="Compute the tangents of the outputs along tangents of the inputs (JVP).",
            formulas=in_docstring(self._formulas(program)),
            arguments=[
                _SAVED,
                *(f"{name}: the tangent of {of}, in its shape; None stands for zero." for name, of in tangents),
                *_out("Outputs" if several else "", f"the tangent of {first}"),
                _THREADS,
            ],
            returns=[f"{returned}, in the shape and type of the output."],
            raises=_RAISES,
            lines=_called("_JVP", "arguments_", [name for name, _ in tangents], "out, threads", "saved, "),
        )

    def backward_backward(self, program: RowProgram) -> PublicFunction:
        """`backward_backward`."""
        cotangents = quoted(output.derivative.public for output in self.layer.outputs)
        own = self._moved(program)
        itself = "" if self._several() else ", or the array itself"
        arguments = [f"*_calls.each_cotangent(cotangents, {cotangents})", *(name for name, _ in own)]
        inputs = self.layer.differentiable
        signs = [f"{each.derivative.public} is {cotangent(reading(each.name), again=True)}" for each in inputs]
        return PublicFunction(
            signature=self.signatures.later(program),
            summary="Compute the gradients of a loss of the gradients: the VJP of `backward`.",
            formulas=in_docstring(self._formulas(program)),
            arguments=[
                _SAVED,
                f"cotangents: the cotangents passed to `backward`, a tuple or a list{itself}.",
                *(f"{name}: the cotangent of d{of}, in its shape; None stands for zero." for name, of in own),
                *_out("SecondGradients"),
                _THREADS,
            ],
            returns=textwrap.wrap(
                f"SecondGradients, with respect to the inputs ({', '.join(signs)}) and to the cotangents.", WIDTH - 12
            ),
            raises=_RAISES,
            lines=_called("_BACKWARD_BACKWARD", "arguments_", arguments, "out, threads", "saved, "),
        )

    def saved_from(self) -> PublicFunction:
        """`saved_from`."""
        own = self.own
        return PublicFunction(
            signature=self.signatures.saved_from(self.saved, own),
            summary="Make `Saved` from its fields, which are checked as by `backward`.",
            formulas=(),
            arguments=[
                f"{own.shape}: the shape of the rows; None if a field has it.",
                f"{own.dtype}: the compute type of forward; None for that of the row scalars, or else",
                "    the type that forward would choose.",
                f"{own.dtypes}: the type of each given input, by name; its gradient has this type.",
                "    An input without a field needs its entry. Without one it counts as omitted,",
                "    or as of the rows' type if it is required.",
            ],
            returns=[],
            raises="Raises TypeError or ValueError for fields that `forward` cannot have saved.",
            lines=[
                *assigned_tuple("fields_", (field.name for field in self.saved), 4),
                f"    return _LAYER.saved_from(fields_, {own.shape}, {own.dtype}, {own.dtypes})",
            ],
        )

    def _several(self) -> bool:
        return len(self.layer.outputs) > 1

    def _moved(self, program: RowProgram) -> list[tuple[str, str]]:
        """Return the tangents, or the cotangents of gradients, by callers' names, each with its input."""
        return [
            (moved_name(program.direction, given.public), given.public) for given in moved(program, self.layer).values()
        ]

    def _meaning(self, given: PublicInput) -> str:
        meaning = MEANINGS[given.kind].format(rows=self.layer.rows[0].public)
        left_out = "" if given.neutral is None else f". If omitted it is {as_python(given.neutral)}, at no cost"
        return f"{meaning}{left_out}."

    def _shape(self) -> str:
        """Describe the shape of a single output in a sentence; `Outputs` describes several."""
        if self._several():
            return ""
        (output,) = self.layer.outputs
        return f" {output.public} has {MEANINGS[output.kind].format(rows=self.layer.rows[0].public)}."

    def _sign(self, given: PublicConstant) -> str:
        return " of 0 or more" if given.name in self.layer.nonnegative else ""

    def _checked(self, given: PublicConstant) -> str:
        signed = ", signed=False" if given.name in self.layer.nonnegative else ""
        return f'{given.public} = _calls.constant("{given.public}", {given.public}{signed})'


_RAISES = """Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape."""


def _out(kind: str, result: str = "") -> list[str]:
    """Describe `out`: a tuple of some kind, or an array for one result."""
    if not kind:
        return [f"out: an array to write {result} to."]
    return [f"out: arrays to write to, as {kind} or another sequence;", "    None in it makes a new array."]


def _called(direction: str, name: str, values: Iterable[str], others: str, before: str = "") -> list[str]:
    """The lines that call a direction with a tuple of values, which has a name where it is long."""
    entries = list(values)
    line = f"    return {direction}.call({before}{tuple_of(entries)}, {others})"
    if len(line) <= WIDTH:
        return [line]
    return [*assigned_tuple(name, entries, 4), f"    return {direction}.call({before}{name}, {others})"]
