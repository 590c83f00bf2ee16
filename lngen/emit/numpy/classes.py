"""A layer as a class on NumPy, whose parts that are every layer's are in `_runtime/numpy/modules.py`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from lngen.emit import Notes
from lngen.emit.class_names import attribute, class_of
from lngen.emit.interface import PublicInterface
from lngen.emit.layout import WIDTH, argument, call, definition, statement
from lngen.emit.modules import LayerClass

_ARRAY = "npt.NDArray[Any]"
_BACKEND = ('backend: _modules.Backend = "numpy"', "threads: int = 1")
_DTYPE = "dtype: npt.DTypeLike = np.float32"
_MEANINGS = (
    'backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.',
    "threads: the number of threads that share the rows. Results do not depend on it.",
)


def layer_class(layer: PublicInterface, notes: Notes, least: int) -> dict[str, Any]:
    """Return the parts of the class as the template places them; a row has `least` entries at the least."""
    own, name = LayerClass(layer), class_of(notes.layer)
    moved = [each for each in own.given if each.has_gradient]
    cotangents = [output.derivative.public for output in layer.outputs]
    result = _ARRAY if len(cotangents) == 1 else "Outputs"
    types = [_ARRAY if each.required or len(moved) == 1 else f"{_ARRAY} | None" for each in moved]
    gradient = "_Gradients" if len(types) > 1 else types[0]
    inputs = [argument(attribute(each.public), _ARRAY, each.required) for each in own.given]
    first, *rest = cotangents
    arguments = [f"{first}: {_ARRAY}{' | None' if rest else ''}", *(argument(each, _ARRAY, False) for each in rest)]
    return {
        "base": f"{name}(_modules.NumpyModule)",
        "gradient": _tuple(types) if len(types) > 1 else [],
        "summary": own.summary(notes.layer, "an object"),
        "arguments": [*own.meanings(), *["dtype: the type of the parameters."] * bool(own.parameters), *_MEANINGS],
        "created": definition("__init__", own.arguments([*[_DTYPE] * bool(own.parameters), *_BACKEND]), "None", 4),
        "constructed": own.constructed("_modules", least, ["backend", "threads", *["dtype"] * bool(own.parameters)]),
        "forward": definition("forward", ["self", *inputs, "*", "save: bool = True"], result, 4),
        "called_forward": _forward(own),
        "backward": definition("backward", ["self", *arguments], gradient, 4),
        "returned": _returned([f"d{each.public}" for each in moved], bool(own.parameters)),
        "called_backward": _backward(own, [f"d{each.public}" for each in moved], cotangents),
    }


def _forward(own: LayerClass) -> list[str]:
    """The lines that call forward with the parameters, the attributes and the sizes of the object."""
    rows = {attribute(each.public): attribute(each.public) for each in own.given if each.kind == "Row"}
    lines = [call("self._check_rows", **rows)] * (own.features == ["D"])
    taken = [
        attribute(each.public) if each in own.given else f'self.parameters.get("{attribute(each.public)}")'
        for each in own.layer.inputs
    ]
    named = {each.public: f"self.{attribute(each.public)}" for each in own.layer.constants}
    named |= {each.name: f'self._sizes["{each.name}"]' for each in own.layer.sizes}
    made = call("self._layer().forward", *taken, **named, save="save", threads="self.threads")
    return [part for line in (*lines, f"output, self._saved = {made}", "return output") for part in statement(line, 8)]


def _backward(own: LayerClass, returned: Sequence[str], cotangents: Sequence[str]) -> list[str]:
    """The lines that call backward, and give the object the gradients of its parameters."""
    lines = [f"found = {call('self._gradients', *cotangents)}"]
    gradients = {attribute(each.public): f"found.d{each.public}" for each in own.parameters if each.has_gradient}
    if gradients:
        lines.append(f"self.gradients = {call('self._of_parameters', **gradients)}")
    lines.append(f"return {', '.join(f'found.{name}' for name in returned)}")
    return [part for line in lines for part in statement(line, 8)]


def _tuple(types: Sequence[str]) -> list[str]:
    """The statement that names the type of a tuple."""
    return statement(f"_Gradients: TypeAlias = tuple[{', '.join(types)}]")


def _returned(names: Sequence[str], has_parameters: bool) -> list[str]:
    """The docstring of backward."""
    what = names[0] if len(names) == 1 else f"`({', '.join(names)})`"
    words = f"Return {what}, given the gradient of a loss with respect to the output, once for each `forward`."
    if has_parameters:
        words += " `gradients` then has those of the parameters, of this call alone."
    lines = textwrap.wrap(words, WIDTH - 8, initial_indent='"""', break_long_words=False)
    short = len(lines) == 1 and len(lines[0]) + 11 <= WIDTH
    return [f'{lines[0]}"""'] if short else [*lines, '"""']
