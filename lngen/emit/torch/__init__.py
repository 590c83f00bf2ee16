"""The backend for PyTorch: a layer as a function of tensors and as a module, on the kernels of the other backends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit import Notes, cpp
from lngen.emit.class_names import attribute, class_of
from lngen.emit.functions import NUMBERS, FrameworkFunction
from lngen.emit.interface import PublicInput, PublicInterface, interface
from lngen.emit.layout import argument, call, definition, statement
from lngen.emit.modules import LayerClass
from lngen.emit.numpy import handed
from lngen.emit.render import module
from lngen.emit.spelling import marked_program, plain_errors
from lngen.emit.torch.decomposition import Decomposition, spelled_text
from lngen.emit.torch.straight import StraightCall
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
        decomposition = Decomposition(forward, layer)
        pairs = cpp.lowered(programs[:2], notes)
        (of_forward, _), (of_backward, _) = pairs
        straight = StraightCall(
            layer,
            of_forward,
            of_backward,
            (pairs[0][1], pairs[1][1]),
            decomposition.arguments,
            decomposition.first,
            decomposition.arrays.layout,
        )
        functions = decomposition.functions()
        functions |= {name: spelled_text("\n".join(text)).split("\n") for name, text in straight.functions().items()}
        return {"torch_backend.py": _TorchText(layer, notes, function, straight).module(functions)}


@dataclass(frozen=True)
class _TorchText:
    """Texts of the emitted module about its layer, in callers' names."""

    layer: PublicInterface
    notes: Notes
    function: FrameworkFunction
    straight: StraightCall

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
            called=self._called(),
            infinite=bool(self.layer.constants) and not self.notes.layout,
            module=class_of(name),
            exported=sorted([name, class_of(name)]),
            summary=[*summary, last if meanings else f'{last}"""'],
            created=definition("__init__", own.arguments(_PLACE if own.parameters else ()), "None", 4),
            own=meanings,
            base=own.created(place),
            applied=definition("forward", given, self.function.result, 4),
            called_by_module=[
                *self._parameters(parameters),
                *self._called_by_module(of_module),
            ],
        )
        return _renamed(text, name) if name in ("torch", "math") else text

    def _layer(self) -> list[str]:
        """Return the statement that makes the layer."""
        functions = [self.notes.layer, "_decomposed", "_forward", "_backward"]
        if self.notes.layout:
            functions = [functions[0], "_rows", *functions[2:], "_flat", "_beside"]
        emitted = call("_torch.Printed", *functions)
        made = call("_torch.TorchLayer", '__name__.rpartition(".")[0]', "_numpy.INTERFACE", "_numpy", "_cpu", emitted)
        return statement(f"_LAYER: _torch.TorchLayer[{self.function.result}] = {made}")

    def _called(self) -> list[str]:
        """Return the lines of the function: the straight call, and else that of the layer."""
        inputs, constants = [each.public for each in self.layer.inputs], [each.public for each in self.layer.constants]
        values = [*inputs, *constants]
        if self.notes.layout:
            sizes = [each.name for each in self.layer.sizes]
            taken = f"{', '.join(inputs)}{',' * (len(inputs) == 1)}"
            return [
                *statement(f"{taken} = {call('_LAYER.taken', *inputs)}", 4),
                *statement(f"return {call('_decomposed', *values, *sizes, of_rows='_of_rows')}", 4),
            ]
        tests = ["_LAYER.straight", "not torch.compiler.is_compiling()"]
        for each in self.layer.constants:
            low = "0 <=" if each.name in self.layer.nonnegative else "-_INFINITE <"
            tests.append(f"type({each.public}) is float and {low} {each.public} < _INFINITE")
        lines = [*self.straight.looked(inputs, constants), "if made is not None:", "    return made"]
        return [
            *statement(f"if {' and '.join(tests)}:", 4),
            *(part for line in lines for part in statement(line.lstrip(), 8 + 4 * line.startswith(" "))),
            *statement(f"return {call('_LAYER.call', *values)}", 4),
        ]

    def _called_by_module(self, values: Sequence[str]) -> list[str]:
        names = [each.public for each in (*self.layer.inputs, *self.layer.constants)]
        inputs = len(self.layer.inputs)
        given = [
            *values[:inputs],
            *(f"{name}={value}" for name, value in zip(names[inputs:], values[inputs:], strict=True)),
        ]
        given += [f'{each.name}=self._sizes["{each.name}"]' for each in self.layer.sizes]
        return statement(f"return {call(self.notes.layer, *given)}", 8)

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
