"""Named axes of arrays: patterns such as `n (g c) h w`, and the axes that make up a row.

A value of a definition varies over rows, over features, over both or over neither. In a definition with named axes the
features are those that reductions name, together *the row*; the other axes number the rows.

>>> pattern = Pattern.of("n (g c) h w")
>>> layout = RowAxes(pattern, pattern.among("c h w"))
>>> layout.rows, layout.features
(('n', 'g'), ('c', 'h', 'w'))
>>> layout.kind(Pattern.of("(g c)")), layout.kind(Pattern.of("n g")), layout.kind(Pattern.of("h w"))
(<Kind.ROW: 'Row'>, <Kind.ROW_SCALAR: 'RowScalar'>, <Kind.FEATURE: 'Feature'>)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import chain

from lngen.language.syntax import Kind
from lngen.runtime.protocol.axes import written

_PATTERN = re.compile(r"\s*(?:\(\s*[a-z]\w*(?:\s+[a-z]\w*)*\s*\)|\.\.\.|[a-z]\w*)\s*", re.ASCII | re.IGNORECASE)
_NAME = re.compile(r"\.\.\.|\w+", re.ASCII)
_LONGEST = 200


class PatternError(ValueError):
    """A text that is no pattern; the message is what is wrong with it."""


@dataclass(frozen=True)
class Pattern:
    """Axes of an array in the order of memory, each as the names that it is made of: `(g c)` is made of two."""

    axes: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(text: str) -> Pattern:
        """Read a pattern; raises PatternError for a text that is none.

        >>> Pattern.of("b ... d").axes
        (('b',), ('...',), ('d',))
        """
        axes: list[tuple[str, ...]] = []
        place = 0
        while place < len(text):
            found = _PATTERN.match(text, place) if len(text) <= _LONGEST else None
            if found is None:
                raise PatternError("is no list of axes")
            axes.append(tuple(_NAME.findall(found.group())))
            place = found.end()
        names = [*chain.from_iterable(axes)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise PatternError(f"names {twice} twice")
        return Pattern(tuple(axes))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all axes, in the order of memory."""
        return tuple(chain.from_iterable(self.axes))

    def among(self, text: str) -> tuple[str, ...]:
        """Return the axes that a text names, in the order of memory. Raises PatternError for one that is not here.

        >>> Pattern.of("n (g c) h w").among("w c")
        ('c', 'w')
        """
        wanted = Pattern.of(text).names
        if strange := next((name for name in wanted if name not in self.names), None):
            raise PatternError(f"names {strange}, which is no axis of {self}")
        return tuple(name for name in self.names if name in wanted)

    def without(self, names: Collection[str]) -> Pattern:
        """Return the pattern without some axes.

        >>> str(Pattern.of("b (s h d) s_2").without(["s", "s_2"]))
        'b (h d)'
        """
        kept = (tuple(name for name in axis if name not in names) for axis in self.axes)
        return Pattern(tuple(axis for axis in kept if axis))

    def __str__(self) -> str:
        return written(self.axes)


@dataclass(frozen=True)
class AxisParts:
    """Array that a definition takes or makes in parts, each an input or an output there.

    The array has its `name` and `pattern` for callers, and the entries along the `axis` number the parts. `names` are
    those of the parts in order, empty for one that nothing reads.
    """

    name: str
    pattern: Pattern
    axis: str
    names: tuple[str, ...]

    def renamed(self, called: Callable[[str], str]) -> AxisParts:
        """Return the same with other names for the parts."""
        return replace(self, names=tuple(name and called(name) for name in self.names))


@dataclass(frozen=True)
class RowAxes:
    """Axes of the rows of a definition: all of them, in the order of memory, and those that make up a row."""

    pattern: Pattern
    features: tuple[str, ...]

    @property
    def rows(self) -> tuple[str, ...]:
        """The axes that number the rows."""
        return tuple(name for name in self.pattern.names if name not in self.features)

    def kind(self, pattern: Pattern) -> Kind:
        """Return what an array of these axes varies over."""
        return Kind.of(*(any(name in axes for name in pattern.names) for axes in (self.rows, self.features)))

    def lacks(self, pattern: Pattern) -> tuple[str, ...]:
        """Return the axes over which the gradient of an array is summed: those of its kind that it has not.

        >>> RowAxes(Pattern.of("b ... d"), ("d",)).lacks(Pattern.of("b d"))
        ('...',)
        """
        kind = self.kind(pattern)
        whole = (*self.rows * kind.over_rows, *self.features * kind.over_features)
        return tuple(name for name in whole if name not in pattern.names)


@dataclass(frozen=True)
class AxisSize:
    """An input that is the size of an axis which is part of another, such as the groups of `(g c)`."""

    name: str
    default: int | None
