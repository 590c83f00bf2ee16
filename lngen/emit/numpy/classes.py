"""A layer as a class on NumPy, whose parts that are every layer's are in `_runtime/numpy/modules.py`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from lngen.emit import Notes
from lngen.emit.class_names import attribute, class_of
from lngen.emit.interface import PublicInterface
from lngen.emit.layout import WIDTH, argument, definition, statement
from lngen.emit.modules import LayerClass

_ARRAY = "npt.NDArray[Any]"
_BACKEND = ('backend: _modules.Backend = "numpy"', "threads: int = 1")
_DTYPE = "dtype: npt.DTypeLike = np.float32"
_MEANINGS = (
    'backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.',
    "threads: the number of threads that share the rows. Results do not depend on it.",
)


def layer_class(layer: PublicInterface, notes: Notes) -> dict[str, Any]:
    """Return the parts of the class as the template places them."""
    own, name = LayerClass(layer), class_of(notes.layer)
    given = [attribute(each.public) for each in own.given]
    moved = [each for each in own.given if each.has_gradient]
    cotangents = [output.derivative.public for output in layer.outputs]
    result = _ARRAY if len(cotangents) == 1 else "Outputs"
    types = [_ARRAY if each.required or len(moved) == 1 else f"{_ARRAY} | None" for each in moved]
    gradient = "_Gradients" if len(types) > 1 else types[0]
    inputs = [argument(attribute(each.public), _ARRAY, each.required) for each in own.given]
    first, *rest = cotangents
    arguments = [f"{first}: {_ARRAY}{' | None' if rest else ''}", *(argument(each, _ARRAY, False) for each in rest)]
    return {
        "base": f"{name}(_modules.NumpyModule[{result}, {gradient}])",
        "gradient": _tuple(types) if len(types) > 1 else [],
        "summary": own.summary(notes.layer, "an object"),
        "arguments": [*own.meanings(), *["dtype: the type of the parameters."] * bool(own.parameters), *_MEANINGS],
        "created": definition("__init__", own.arguments([*[_DTYPE] * bool(own.parameters), *_BACKEND]), "None", 4),
        "called": own.created(["backend", "threads", *["dtype"] * bool(own.parameters)]),
        "forward": definition("forward", ["self", *inputs, "*", "save: bool = True"], result, 4),
        "given": ", ".join(["save", *given]),
        "backward": definition("backward", ["self", *arguments], gradient, 4),
        "returned": _returned([f"d{each.public}" for each in moved], bool(own.parameters)),
        "cotangents": ", ".join(cotangents),
    }


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
