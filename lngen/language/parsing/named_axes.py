"""The axes of a definition whose arrays name them: which there are, which make up a row, and whose sizes are inputs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from lngen.language import FUNCTIONS
from lngen.language.axes import AxisSize, Pattern, PatternError, RowAxes
from lngen.language.parsing.source import Source
from lngen.language.syntax import SourceSpan
from lngen.runtime.protocol.axes import REST

ARRAY, SIZE = "Array", "Size"


def annotation_of(node: ast.expr | None) -> tuple[str, ast.expr | None]:
    """Return the name of an annotation and what stands in its brackets."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id, node.slice
    return (node.id, None) if isinstance(node, ast.Name) else ("", None)


def pattern(
    source: Source,
    annotation: ast.expr,
    text: ast.expr | None,
    among: Pattern | None = None,
    parts: Collection[str] = (),
) -> Pattern:
    """Read the pattern of an array, whose axes are `among` those of the rows or number parts; refuses another text."""
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        source.refuse(annotation, "axes-text")
    try:
        found = Pattern.of(text.value)
        if among is not None:
            among.among(" ".join(found.without(parts).names))
    except PatternError as error:
        source.refuse(text, "axes-pattern", text=text.value, fault=str(error))
    return found


def axes_of_reductions(function: ast.FunctionDef) -> Iterator[tuple[ast.expr, str]]:
    """The axes that reductions of a function name, and places in a row, with where they stand."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[*others, ast.Constant(value=str(text)) as place]):
                if name in FUNCTIONS and FUNCTIONS[name].role == ("reduction" if others else "place"):
                    yield place, text


def layout(source: Source, function: ast.FunctionDef, parts: Collection[str]) -> RowAxes | None:
    """Return the axes of the rows; None for a definition without an `Array`.

    The first `Array` has all axes. Those that reductions name are a row; without one it is the last axis. Axes that
    number `parts` of arrays are none of them.
    """
    annotated = [(each.annotation, *annotation_of(each.annotation)) for each in function.args.args]
    first = next(((node, text) for node, name, text in annotated if name == ARRAY and node is not None), None)
    if first is None:
        return None
    whole = pattern(source, *first).without(parts)
    if not whole.axes:
        source.refuse(first[0], "axes-none")
    features: tuple[str, ...] = ()
    for place, text in axes_of_reductions(function):
        if text.strip() == REST and REST not in whole.names:
            continue
        try:
            named = whole.among(text)
        except PatternError as error:
            source.refuse(place, "axes-pattern", text=text, fault=str(error))
        if features and named != features:
            source.refuse(place, "axes-differ", text=text, row=" ".join(features))
        features = named
    if not features and REST in whole.axes[-1]:
        source.refuse(first[0], "axes-rest")
    features = features or whole.axes[-1]
    if features == whole.names:
        source.refuse(first[0], "axes-all", text=str(whole))
    return RowAxes(whole, features)


def check_sizes(
    source: Source, place: SourceSpan, patterns: Iterable[Pattern], sizes: Iterable[AxisSize], parts: Collection[str]
) -> None:
    """Refuse an axis made of several whose sizes cannot be known, and a size that is of no axis.

    An axis that numbers `parts` may stand alone.
    """
    every = [*patterns]
    known = {size.name for size in sizes} | {axis[0] for each in every for axis in each.axes if len(axis) == 1}
    for each in every:
        for axis in each.axes:
            unknown = [name for name in axis if name not in known]
            if len(unknown) > 1:
                source.refuse(place, "axes-size", text=f"({' '.join(axis)})", name=unknown[0])
    for size in sizes:
        if not any(size.name in axis and (len(axis) > 1 or size.name in parts) for each in every for axis in each.axes):
            source.refuse(place, "size-of-nothing", name=size.name)
