"""The backend for PyTorch: a layer as a function of tensors and as a module, on the kernels of the other backends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit import Notes
from lngen.emit.class_names import attribute, class_of
from lngen.emit.functions import NUMBERS, FrameworkFunction, argument, definition
from lngen.emit.interface import PublicInput, PublicInterface, interface
from lngen.emit.layout import call, statement
from lngen.emit.modules import LayerClass
from lngen.emit.render import render
from lngen.emit.spelling import marked_program, plain_errors, reading
from lngen.plan.program import RowProgram

__all__ = ["emit"]

_PLACE = ("device: _torch.Device = None", "dtype: _torch.Dtype = None")


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """The file of a layer for PyTorch by its name; `programs` has forward first.

    Raises LngenError as `interface` does.
    """
    with plain_errors():
        forward = marked_program(programs[0])
        layer = interface(forward, notes)
        function = FrameworkFunction(layer, notes, "_torch.Tensor", "a tensor", forward.is_wide)
        return {"torch_backend.py": _TorchText(layer, notes, function).module()}


@dataclass(frozen=True)
class _TorchText:
    """Texts of the emitted module about its layer, in callers' names."""

    layer: PublicInterface
    notes: Notes
    function: FrameworkFunction

    def module(self) -> str:
        name, own = self.notes.layer, LayerClass(self.layer)
        of_module = [
            attribute(each.public) if each in own.given else f"self.{attribute(each.public)}"
            for each in (*self.layer.inputs, *self.layer.numbers)
        ]
        of_module += ["None"] * (len(self.layer.constants) - len(self.layer.numbers))
        place = ["device", "dtype"] if own.parameters else ["None", "None"]
        given = ["self", *map(self._input, own.given)]
        meanings = [*own.meanings(), *["device, dtype: those of the parameters."] * bool(own.parameters)]
        *summary, last = own.summary(name, "a module")
        text = render(
            "torch/backend.py.jinja",
            **self.function.fields(),
            module=class_of(name),
            exported=sorted([name, class_of(name)]),
            summary=[*summary, last if meanings else f'{last}"""'],
            created=definition("__init__", own.arguments(_PLACE if own.parameters else ()), "None", 4),
            own=meanings,
            base=own.created(place),
            applied=definition("forward", given, self.function.result, 4),
            called_by_module=statement(f"return {call('_LAYER.call', *of_module)}", 8),
        )
        return reading(re.sub(r"\n{4,}", "\n\n\n", text))

    def _input(self, each: PublicInput) -> str:
        # A Scalar is a parameter.
        return argument(attribute(each.public), NUMBERS.get(each.kind, "") + "_torch.Tensor", each.required)
