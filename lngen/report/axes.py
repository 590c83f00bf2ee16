"""Words for what values vary over: rows and features, or the axes that a definition names."""

from __future__ import annotations

from dataclasses import dataclass

from lngen.algebra.symbols import TypedSymbol, axes
from lngen.language.definition import Definition, Input
from lngen.language.names import derived
from lngen.language.syntax import Kind
from lngen.runtime.protocol.interface import AXES

_VARIES = {
    (True, True): "one value per row and feature",
    (True, False): "one value per row",
    (False, True): "one value per feature",
    (False, False): "one value",
}


@dataclass(frozen=True)
class AxesWords:
    """Words of the reports on a definition.

    >>> from lngen.language.parsing import parse
    >>> text = 'def f(x: Array["n (g c) h"], w: Array["(g c)"], g: Size = 4): return w*x/mean(x, "c h")'
    >>> words = AxesWords(parse(text))
    >>> words.features, words.rows
    ('"c h", the D entries of a row', '"n g", which number the rows')
    >>> [(entry.name, *words.kind_and_shape(entry)) for entry in words.definition.inputs]
    [('x', 'Array', 'n (g c) h'), ('w', 'Array', '(g c)')]
    """

    definition: Definition

    @property
    def features(self) -> str:
        """Return what a mean is over."""
        layout = self.definition.layout
        return f'"{" ".join(layout.features)}", the D entries of a row' if layout else "the D features of a row"

    @property
    def rows(self) -> str:
        """Return what a sum over the rows is over."""
        layout = self.definition.layout
        return f'"{" ".join(layout.rows)}", which number the rows' if layout else "the rows"

    @property
    def size(self) -> str:
        """Say what D is."""
        layout = self.definition.layout
        row = f"entries of a row, those along {' '.join(layout.features)}" if layout else "features of a row"
        return f"the number of {row}"

    def varies(self, symbol: TypedSymbol) -> str:
        """Say what a value varies over, or a derivative: the gradient of an array has the axes of that."""
        layout = self.definition.layout
        if layout is None or not any(axes(symbol)):
            return _VARIES[axes(symbol)]
        for entry in self.definition.inputs:
            if entry.pattern and symbol.name in {entry.name, *derived(entry.name)}:
                return f"one value for each {' '.join(entry.pattern.names)}"
        over_rows, over_features = axes(symbol)
        whole = {*(layout.rows if over_rows else ()), *(layout.features if over_features else ())}
        return f"one value for each {' '.join(name for name in layout.pattern.names if name in whole)}"

    def kind_and_shape(self, entry: Input) -> tuple[str, str]:
        """Return the kind of an input and its shape, or its axes where they have names."""
        pattern = entry.pattern
        whole = self.definition.whole(entry.name)
        if whole is not None:
            pattern = whole.pattern
        if pattern is not None:
            kind = Kind.INT if entry.kind.is_integer else Kind.DATA if entry.kind.is_data else None
            return (kind.value if kind else "Array"), str(pattern)
        of = [] if entry.kind is Kind.CONSTANT else AXES[entry.kind.value]
        return entry.kind.value, f"({', '.join(of)}{',' * (len(of) == 1)})" if of else "one number"

    def annotation(self, entry: Input) -> str:
        """Return the annotation of an input, as a definition has it, with an article before a kind alone."""
        kind, shape = self.kind_and_shape(entry)
        return f'{kind}["{shape}"]' if entry.pattern else f"{'an' if entry.kind.is_integer else 'a'} {kind}"
