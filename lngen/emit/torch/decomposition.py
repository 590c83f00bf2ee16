"""A layer in plain PyTorch operations, of which PyTorch finds derivatives of any order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lngen.emit.array import TORCH, ArrayText
from lngen.emit.array.arrays import ArgumentOfRows, PublicArrays, number
from lngen.emit.interface import PublicInterface
from lngen.emit.layout import call, laid
from lngen.emit.spelling import PYTHON, spelled
from lngen.plan.program import RowProgram


class Decomposition:
    """Lines of the functions `_decomposed`, of arrays as callers have them, and `_rows`, of their rows."""

    def __init__(self, forward: RowProgram, layer: PublicInterface) -> None:
        self.forward, self.layer = forward, layer
        self.arrays = PublicArrays(layer, forward.minimum_features, TORCH)
        self.checks = self.arrays.checks()
        self.arguments = self.arrays.arguments()
        self.constants = [each.name for each in layer.constants]
        self.first = next(each.name for each in self.arguments if each.given is self.arrays.first)
        self.outputs = {name: store.symbol for store in forward.results for name in store.names}
        optional = {each.name for each in self.arguments if not each.given.required}
        moved = {each.name for each in self.arguments if each.given.has_gradient}
        self.text = ArrayText(forward, TORCH, self.arrays.layout, optional, moved)
        self.lines = [line.text for line in self.text.lines()]

    def functions(self) -> dict[str, list[str]]:
        """Return the lines of each function by its field of the template, and the names of the helpers they call."""
        public = [each.public for each in (*self.layer.inputs, *self.layer.constants)]
        public += [size.name for size in self.layer.sizes]
        given = ", ".join([*(each.name for each in self.arguments), *self.constants])
        of_callers = [f"def _decomposed({', '.join(public)}):", _DECOMPOSED, *laid([*self.checks, *self._called()])]
        of_rows = [f"def _rows({given}):", _ROWS, *laid(self._of_rows())]
        texts = {"decomposed": "\n".join(of_callers), "rows": "\n".join(of_rows)}
        texts = {name: spelled_text(text) for name, text in texts.items()}
        found = {*re.findall(r"(?<!\w)_[a-z_]+(?=\()", "\n".join(texts.values()))}
        found |= {"_index"} if "_uniform" in found else set()
        return {name: text.split("\n") for name, text in texts.items()} | {"helpers": sorted(found)}

    def _called(self) -> list[str]:
        """The call of the function of rows, and what callers get."""
        made = call(
            "_rows",
            *(each.text for each in self.arguments),
            *(each.public for each in self.layer.constants),
        )
        results = self.arrays.results({name: name for name in self.outputs})
        if results == [*self.outputs]:
            return [f"return {made}"]
        return [f"{', '.join(self.outputs)} = {made}", f"return {', '.join(results)}"]

    def _of_rows(self) -> list[str]:
        body = [*self.text.head(self.lines), *self.lines]
        casts = dict(self.forward.casts)
        outputs = []
        for name, symbol in self.outputs.items():
            value = self.text.with_every_axis(symbol)
            outputs.append(f"_cast({value}, torch.{casts[name]})" if name in casts else f"{value}.to(stored)")
        body.append(f"return {', '.join(outputs)}")
        return [*self._in_type(body), *body]

    def _in_type(self, body: list[str]) -> Iterator[str]:
        """Lines that bring the inputs to the compute type."""
        real = [each for each in self.arguments if not each.is_integer]
        if any("stored" in line for line in body):
            yield f"stored = {self.first}.dtype"
        yield f"dtype = _widest({', '.join(each.name for each in real)})"
        values = {each.name: self._typed(each) for each in self.arguments} | {n: f"zero + {n}" for n in self.constants}
        if any(re.search(r"\bzero\b", line) for line in (*body, *values.values())):
            yield f"zero = {self.first}.new_zeros((), dtype=dtype)"
        if any("shape" in line for line in (*body, *values.values())):
            yield f"shape = {self.first}.shape"
        yield from (f"{name} = {value}" for name, value in values.items())

    def _typed(self, each: ArgumentOfRows) -> str:
        name, kind = each.name, "torch.int64" if each.is_integer else "dtype"
        if each.given.required:
            return f"{name}.to({kind})"
        value = f"(zero + {number(each.given.neutral)}).to({kind})" if each.is_integer else None
        value = value or f"zero + {number(each.given.neutral)}"
        if self.text.full and (own := self.arrays.axes(each.given)):
            value = f"({value}).expand({self.arrays.shape_of(own)})"
        return f"{value} if {name} is None else {name}.to({kind})"


_DECOMPOSED = '    """The same in plain operations of PyTorch, which has derivatives of any order of them."""'
_ROWS = '    """The outputs, each line by its step of the derivation."""'


def spelled_text(text: str) -> str:
    """A function with names in plain letters, of which none is that of a module."""
    plain: str = spelled(f"{text}\ntorch math", PYTHON)
    return plain.removesuffix("\ntorch math")
