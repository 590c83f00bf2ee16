"""The backend for PyTorch: a layer as a function of tensors and as a module, on the kernels of the other backends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit import Notes, cpp, cpu, triton
from lngen.emit.class_names import attribute, class_of
from lngen.emit.functions import NUMBERS, FrameworkFunction
from lngen.emit.interface import PublicInput, PublicInterface, interface
from lngen.emit.layout import argument, call, definition, quoted, statement, table, tuple_of
from lngen.emit.modules import LayerClass
from lngen.emit.numpy import handed
from lngen.emit.render import module
from lngen.emit.spelling import marked_program, plain_errors
from lngen.emit.torch.decomposition import Decomposition, spelled_text
from lngen.emit.torch.straight import StraightCall
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.casts import TARGETS

_PRINTED = ("_decomposed", "_forward", "_backward", "_Recorded", "_forward_on_gpu", "_backward_on_gpu", "lambda: FUSE")
_PLACE = ("device: _torch.Device = None", "dtype: _torch.Dtype = None")


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """The files of a layer for PyTorch by name; `programs` has forward first, then backward.

    Raises LngenError as `interface` does.
    """
    with plain_errors():
        forward = marked_program(handed(programs[0]))
        layer = interface(forward, notes)
        function = FrameworkFunction(layer, notes, "_torch.Tensor", "a tensor")
        decomposition = Decomposition(forward, layer)
        # The files of kernels are those of the backend for the processor, which may be beside.
        directions = cpp.lowered(programs, notes)
        sources = cpp.sources(directions, notes, ".cpp", lambda kernels: cpu.kernels_text(kernels, notes))
        pairs = directions[:2]
        (of_forward, _), (of_backward, _) = pairs
        straight = StraightCall(
            layer,
            of_forward,
            of_backward,
            (pairs[0][1], pairs[1][1]),
            decomposition.arguments,
            decomposition.first,
            decomposition.arrays,
        )
        functions = decomposition.functions()
        launched = triton.launches(programs[:2], notes, decomposition.arrays, decomposition.checks)
        parts = straight.functions() | {"launched": launched}
        own = {name: spelled_text("\n".join(text)).split("\n") for name, text in parts.items()}
        made = "\n".join([*own["arranged"], *own["launched"]])
        helpers = [*functions["helpers"], *re.findall(r"(?<!\w)_product(?=\()", made)]
        functions |= own | {"helpers": sorted({*helpers})}
        text = _TorchText(layer, notes, function, straight).module(functions)
        files = {"torch_backend.py": text, **triton.emit(programs, notes)}
        return files | {name: sources[name] for name in ("kernels.cpp", "layer.h")}


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
        given = ["self", *map(self._input, own.given)]
        meanings = [*own.meanings(), *["device, dtype: those of the parameters."] * bool(own.parameters)]
        *summary, last = own.summary(name, "a module")
        text = module(
            "torch/backend.py.jinja",
            **self.function.fields(),
            **functions,
            compiled=[
                line
                for kernels in self.straight.kernels
                for line in cpu.compiled(kernels, "_torch", self.straight.macros(kernels))
            ],
            layer=self._layer(),
            called=self._called(),
            infinite=bool(self.layer.constants),
            module=class_of(name),
            exported=sorted([name, class_of(name)]),
            summary=[*summary, last if meanings else f'{last}"""'],
            created=definition("__init__", own.arguments(_PLACE if own.parameters else ()), "None", 4),
            own=meanings,
            base=own.constructed("_torch", self.straight.least, place=["device", "dtype"]),
            names=self._names(own),
            applied=definition("forward", given, self.function.result, 4),
            called_by_module=[
                *self._parameters(parameters),
                *self._called_by_module(of_module),
            ],
        )
        return _renamed(text, name) if name in ("torch", "math") else text

    def _layer(self) -> list[str]:
        """Return the statement that makes the layer."""
        layer, straight = self.layer, self.straight
        arranged: dict[str, str] = {}
        if self.notes.layout:
            arranged = {"rows": "_rows_of", "pulled_rows": "_pulled_rows"}
            arranged |= {"outputs": "_outputs"} if straight.named.outputs(straight.outputs) else {}
            arranged |= {"gradients": "_gradients"} if straight.named.gradients() else {}
        casts = {each.public: TARGETS[each.cast].digits for each in layer.outputs if each.cast}
        own = [place for place, name in enumerate(straight.outputs) if name in dict(straight.forward.casts)]
        known = {
            "sizes": [size.name for size in layer.sizes],
            "data": [each.public for each in layer.inputs if not each.has_gradient],
            "integers": [name for name, digits in casts.items() if not digits],
            "kept": [each.public for each in layer.outputs if {each.name, *each.parts} & {*straight.kept}],
        }
        letters = {
            name: letter
            for each in layer.outputs
            for name, letter in straight.outputs.items()
            if name in (each.name, *each.parts)
        }
        outputs = {each.public: letters[next(filter(letters.get, (each.name, *each.parts)))] for each in layer.outputs}
        rows = [each.public for each in layer.rows if not layer.is_parameter(each)]
        made = call(
            "_torch.TorchLayer",
            "__file__",
            '__name__.rpartition(".")[0]',
            call("_torch.Printed", self.notes.layer, *_PRINTED, **arranged),
            inputs=table({each.public: f'"{straight.public_letter(each)}"' for each in layer.inputs}),
            outputs=table({name: f'"{letter}"' for name, letter in outputs.items()}),
            rows=quoted(rows),
            constants=table({each.public: str(each.name not in layer.nonnegative) for each in layer.constants}),
            casts=tuple_of(map(str, own)) if own else "",
            **{name: quoted(names) for name, names in known.items() if names},
            scalars=str(len(straight.saved)) if straight.saved else "",
        )
        return statement(f"_LAYER: _torch.TorchLayer[{self.function.result}] = {made}")

    def _called(self) -> list[str]:
        """Return the lines of the function: the straight call, and else that of the layer."""
        inputs, constants = [each.public for each in self.layer.inputs], [each.public for each in self.layer.constants]
        sizes = [size.name for size in self.layer.sizes]
        lines = []
        if self.notes.layout:
            taken = f"{', '.join(inputs)}{',' * (len(inputs) == 1)}"
            lines = statement(f"{taken} = {call('_LAYER.taken', *inputs)}", 4)
        tests = ["_LAYER.has_kernels", "not torch.compiler.is_compiling()"]
        tests += self.straight.wide
        tests += [f"type({name}) is int" for name in sizes]
        for each in self.layer.constants:
            low = "0 <=" if each.name in self.layer.nonnegative else "-_INFINITE <"
            tests.append(f"type({each.public}) is float and {low} {each.public} < _INFINITE")
        return [
            *lines,
            *statement(f"if {' and '.join(tests)}:", 4),
            *(
                part
                for line in self.straight.looked(constants)
                for part in statement(line.lstrip(), 8 + 4 * line.startswith(" "))
            ),
            *statement(f"return {call('_LAYER.call', *inputs, *constants, *sizes)}", 4),
        ]

    def _names(self, own: LayerClass) -> list[str]:
        """The lines that say what counterparts call attributes and sizes of the class."""
        attributes = {each.public: attribute(each.public) for each in (*own.parameters, *self.layer.constants)}
        theirs: dict[str, str] = {}
        arguments: dict[str, str] = {}
        for counterpart in self.notes.counterparts:
            for name, ours in counterpart.attributes:
                if ours not in attributes:
                    arguments.setdefault(name, ours)
                elif name not in attributes and attribute(name) == name:
                    theirs.setdefault(name, attributes[ours])
        lines = []
        for each, pairs in {"_theirs": theirs, "_arguments": arguments}.items():
            texts = tuple_of(quoted(pair) for pair in pairs.items())
            lines += statement(f"{each} = {texts}", 4) if pairs else []
        return lines

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
