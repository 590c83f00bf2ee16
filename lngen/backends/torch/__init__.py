"""The backend for PyTorch: a layer as a function of tensors and as a module, on the kernels of the other backends."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from lngen.backends import Notes
from lngen.backends.interface import PublicConstant, PublicInput, PublicInterface, interface
from lngen.backends.layout import WIDTH, wrapped
from lngen.backends.numpy.wrappers import MEANINGS
from lngen.backends.signatures import as_python
from lngen.backends.spelling import marked_program, plain_errors, reading
from lngen.backends.torch.names import attribute, class_of
from lngen.files.render import render
from lngen.plan.program import RowProgram

__all__ = ["emit"]

_PARAMETERS = ("Feature", "Scalar")
_NUMBER = "a number or a tensor without axes"


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """The file of a layer for PyTorch by its name; `programs` has forward first.

    Raises LngenError as `interface` does.
    """
    with plain_errors():
        forward = marked_program(programs[0])
        return {"torch_backend.py": _Text(interface(forward, notes), notes, forward.is_wide).module()}


@dataclass(frozen=True)
class _Text:
    """What the emitted module says of its layer, in callers' names."""

    layer: PublicInterface
    notes: Notes
    is_wide: bool

    def module(self) -> str:
        name, outputs = self.notes.layer, [output.public for output in self.layer.outputs]
        fixed = [each.public for each in (*self.layer.inputs, *self.layer.constants)]
        of_module = [
            attribute(each.public) if each in self._given() else f"self.{attribute(each.public)}"
            for each in (*self.layer.inputs, *self.layer.constants)
        ]
        result = "_torch.Tensor" if len(outputs) == 1 else f"tuple[{', '.join(['_torch.Tensor'] * len(outputs))}]"
        text = render(
            "torch/backend.py.jinja",
            header=self.notes.header,
            title=self.notes.title,
            function=name,
            module=class_of(name),
            exported=sorted([name, class_of(name)]),
            formulas=self.notes.formulas.get("forward", ()),
            result=result,
            signature=self._definition(name, self._function_arguments(), result, 0),
            arguments=self._meanings(),
            returned=outputs[0] if len(outputs) == 1 else f"`({', '.join(outputs)})`",
            computed="float64 for all up to 32 bits" if self.is_wide else "float32 for 16-bit ones",
            called=_called(fixed, 4),
            summary=self._summary(),
            created=self._definition("__init__", self._own_arguments(), "None", 4),
            own=self._own_meanings(),
            base=self._base(),
            applied=self._definition("forward", ["self", *map(self._input, self._given())], result, 4),
            called_by_module=_called(of_module, 8),
        )
        return reading(re.sub(r"\n{4,}", "\n\n\n", text))

    def _given(self) -> list[PublicInput]:
        """What a module is called with."""
        return [each for each in self.layer.inputs if each.kind not in _PARAMETERS]

    def _parameters(self) -> list[PublicInput]:
        return [each for each in self.layer.inputs if each.kind in _PARAMETERS]

    def _has_features(self) -> bool:
        return any(each.kind == "Feature" for each in self.layer.inputs)

    def _definition(self, name: str, arguments: Sequence[str], returned: str, indent: int) -> list[str]:
        return wrapped(f"def {name}({', '.join(arguments)}) -> {returned}:", indent)

    def _input(self, each: PublicInput) -> str:
        return _argument(attribute(each.public), "_torch.Tensor", each.required)

    def _function_arguments(self) -> list[str]:
        inputs = [
            _argument(each.public, "float | _torch.Tensor" if each.kind == "Scalar" else "_torch.Tensor", each.required)
            for each in self.layer.inputs
        ]
        constants = [_number(each.public, each) for each in self.layer.constants]
        return [*inputs, *["*"] * bool(constants), *constants]

    def _meanings(self) -> list[str]:
        return [
            *(f"{each.public}: {self._meaning(each)}." for each in self.layer.inputs),
            *(f"{each.public}: a constant, a finite number{self._sign(each)}." for each in self.layer.constants),
        ]

    def _meaning(self, each: PublicInput) -> str:
        meaning = _NUMBER if each.kind == "Scalar" else MEANINGS[each.kind].format(rows=self.layer.rows[0].public)
        return f"{meaning}{'' if each.neutral is None else f'; left out it is {as_python(each.neutral)}'}"

    def _sign(self, each: PublicConstant) -> str:
        return " of 0 or more" if each.name in self.layer.nonnegative else ""

    # ---- the module

    def _summary(self) -> list[str]:
        names = [attribute(each.public) for each in self._parameters()]
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
        what = "has no parameters" if not names else f"has the parameter{'s' if len(names) > 1 else ''} {listed}"
        return textwrap.wrap(f"`{self.notes.layer}` as a module, which {what}.", WIDTH - 4, initial_indent='"""')

    def _own_arguments(self) -> list[str]:
        named = [
            *(f"{attribute(each.public)}: bool = True" for each in self._parameters() if not each.required),
            *(_number(attribute(each.public), each) for each in self.layer.constants),
        ]
        if self._parameters():
            named += ["device: _torch.Device = None", "dtype: _torch.Dtype = None"]
        return ["self", *["D: int"] * self._has_features(), *["*"] * bool(named), *named]

    def _own_meanings(self) -> list[str]:
        lines = ["D: how many features a row has."] * self._has_features()
        for each in self._parameters():
            if each.neutral is not None:
                lines.append(
                    f"{attribute(each.public)}: False leaves it out; it is {as_python(each.neutral)} at first."
                )
        lines += [
            f"{attribute(each.public)}: a constant, a finite number{self._sign(each)}." for each in self.layer.constants
        ]
        return [*lines, *["device, dtype: those of the parameters."] * bool(self._parameters())]

    def _base(self) -> list[str]:
        """The call of the constructor of all modules."""
        there = [
            f'"{attribute(each.public)}": {"True" if each.required else attribute(each.public)}'
            for each in self._parameters()
        ]
        constants = [f'"{attribute(each.public)}": {attribute(each.public)}' for each in self.layer.constants]
        place = ["device", "dtype"] if self._parameters() else ["None", "None"]
        entries = [
            "D" if self._has_features() else "None",
            f"{{{', '.join(there)}}}",
            f"{{{', '.join(constants)}}}",
            *place,
        ]
        return _call("super().__init__", entries, 8)


def _argument(name: str, kind: str, required: bool) -> str:
    return f"{name}: {kind}" if required else f"{name}: {kind} | None = None"


def _number(name: str, each: PublicConstant) -> str:
    return f"{name}: float" if each.default is None else f"{name}: float = {as_python(each.default)}"


def _called(values: Sequence[str], indent: int) -> list[str]:
    return _call("return _LAYER.call", values, indent)


def _call(before: str, arguments: Sequence[str], indent: int) -> list[str]:
    """A call on one line, or with its arguments on a line of their own, or on one each."""
    pad, inside = " " * indent, ", ".join(arguments)
    if len(f"{pad}{before}({inside})") <= WIDTH:
        return [f"{pad}{before}({inside})"]
    if len(f"{pad}    {inside}") <= WIDTH:
        return [f"{pad}{before}(", f"{pad}    {inside}", f"{pad})"]
    return [f"{pad}{before}(", *(f"{pad}    {each}," for each in arguments), f"{pad})"]
