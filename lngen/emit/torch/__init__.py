"""The backend for PyTorch: a layer as a function of tensors and as a module, on the kernels of the other backends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit import Notes
from lngen.emit.class_names import attribute, class_of
from lngen.emit.functions import NUMBERS, FrameworkFunction, called
from lngen.emit.interface import PublicInput, PublicInterface, interface
from lngen.emit.layout import argument, call, definition, statement
from lngen.emit.modules import LayerClass
from lngen.emit.numpy import handed
from lngen.emit.render import module
from lngen.emit.spelling import marked_program, plain_errors
from lngen.emit.torch.decomposition import Decomposition
from lngen.plan.program import RowProgram

_PLACE = ("device: _torch.Device = None", "dtype: _torch.Dtype = None")


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """The file of a layer for PyTorch by its name; `programs` has forward first.

    Raises LngenError as `interface` does.
    """
    with plain_errors():
        forward = marked_program(handed(programs[0]))
        layer = interface(forward, notes)
        function = FrameworkFunction(layer, notes, "_torch.Tensor", "a tensor")
        functions = Decomposition(forward, layer).functions()
        return {"torch_backend.py": _TorchText(layer, notes, function).module(functions)}


@dataclass(frozen=True)
class _TorchText:
    """Texts of the emitted module about its layer, in callers' names."""

    layer: PublicInterface
    notes: Notes
    function: FrameworkFunction

    def module(self, functions: dict[str, list[str]]) -> str:
        """Return the text of the file with the functions of its decomposition."""
        name, own = self.notes.layer, LayerClass(self.layer)
        names = {each: attribute(each.public) for each in (*self.layer.inputs, *self.layer.constants)}
        parameters = [names[each] for each in self.layer.inputs if each not in own.given]
        of_module = [f"self.{name}" if each in self.layer.constants else name for each, name in names.items()]
        place = ["device", "dtype"] if own.parameters else ["None", "None"]
        given = ["self", *map(self._input, own.given)]
        meanings = [*own.meanings(), *["device, dtype: those of the parameters."] * bool(own.parameters)]
        *summary, last = own.summary(name, "a module")
        text = module(
            "torch/backend.py.jinja",
            **self.function.fields(),
            **functions,
            named_axes=bool(self.notes.layout),
            layer=self._layer(),
            module=class_of(name),
            exported=sorted([name, class_of(name)]),
            summary=[*summary, last if meanings else f'{last}"""'],
            created=definition("__init__", own.arguments(_PLACE if own.parameters else ()), "None", 4),
            own=meanings,
            base=own.created(place),
            applied=definition("forward", given, self.function.result, 4),
            called_by_module=[
                *self._parameters(parameters),
                *statement("return " + called(self.layer, 'self._sizes["{}"]', of_module), 8),
            ],
        )
        return _renamed(text, name) if name in ("torch", "math") else text

    def _layer(self) -> list[str]:
        """Return the statement that makes the layer."""
        kind = "_named.TorchAxes" if self.notes.layout else "_torch.TorchLayer"
        made = call(kind, '__name__.rpartition(".")[0]', "_numpy.INTERFACE", "_numpy", "_cpu", "_decomposed")
        return statement(f"_LAYER: {kind}[{self.function.result}] = {made}")

    def _parameters(self, names: Sequence[str]) -> list[str]:
        """Return the statements by which a module finds its parameters, in a tenth of the time of an attribute."""
        if not names:
            return []
        found = ", ".join(f'_own["{name}"]' for name in names)
        attributes = ", ".join(f"self.{name}" for name in names)
        return [
            "        _own = self._parameters",
            "        try:",
            *statement(f"{', '.join(names)} = {found}", 12),
            "        except KeyError:  # a parametrized module has attributes instead",
            *statement(f"{', '.join(names)} = {attributes}", 12),
        ]

    def _input(self, each: PublicInput) -> str:
        # A Scalar is a parameter.
        return argument(attribute(each.public), NUMBERS.get(each.kind, "") + "_torch.Tensor", each.required)


def _renamed(text: str, name: str) -> str:
    """A file in which the module of a layer's name has another."""
    text = re.sub(rf"^import {name}$", f"import {name} as _module_{name}", text, flags=re.MULTILINE)
    return re.sub(rf"(?<![.\w]){name}(?=\.)", f"_module_{name}", text)
