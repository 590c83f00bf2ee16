"""Modules of PyTorch that a layer can replace, as the docstring of its definition names them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from lngen.errors import DefinitionError
from lngen.language.axes import AxisSize
from lngen.language.definition import Counterpart, Input
from lngen.language.parsing.refusals import MODULE
from lngen.language.parsing.source import Source, syntax_tree
from lngen.language.syntax import Kind

# Quotes stand beside the first and the last line of a docstring.
_LINE = re.compile(r"[ \t]*[rRuU]?[\"']*[ \t]*(?i:in[ \t]+pytorch)[ \t]*:[ \t]*(?P<call>.*?)[ \t\"']*")
_FEATURES = "D"
_KINDS = (Kind.FEATURE, Kind.SCALAR, Kind.CONSTANT)
_LARGEST = 10**6


def counterparts(
    source: Source, lines: range, inputs: Sequence[Input], sizes: Sequence[AxisSize] = ()
) -> Iterator[Counterpart]:
    """The modules that the `lines` of a docstring, numbered from 1, name. They are parsed and never looked for here.

    >>> text = "In PyTorch: torch.nn.Norm(normalized_shape=D, bias=None, weight=gamma)"
    >>> from lngen.language.syntax import SourceSpan
    >>> gamma = Input("gamma", Kind.FEATURE, None, SourceSpan(1, 1, 1, 1))
    >>> [found] = counterparts(Source.of(text, "f.py"), range(1, 2), [gamma])
    >>> found.name, found.attributes, found.conditions
    ('torch.nn.Norm', (('normalized_shape', 'D'), ('weight', 'gamma')), (('bias', None),))

    Raises DefinitionError for a line that begins so and is no such call, at the part of it that is wrong.
    """
    for number in lines:
        if found := _LINE.fullmatch(source.lines[number - 1]):
            call = Source.of(found["call"], source.filename)
            try:
                yield _counterpart(call, inputs, sizes)
            except DefinitionError as error:
                column = found.start("call") + error.column
                raise source.told(number, column, error.code, error.message, MODULE) from None


def about(docstring: str) -> str:
    """A docstring without the lines that name modules.

    >>> about("A layer.\\n\\nIn PyTorch: torch.nn.Norm()")
    'A layer.'
    """
    return "\n".join(line for line in docstring.split("\n") if not _LINE.fullmatch(line)).strip()


def _counterpart(source: Source, inputs: Sequence[Input], sizes: Sequence[AxisSize]) -> Counterpart:
    """Return the module that a call names; raises DefinitionError at a fault in the call."""
    match syntax_tree(source).body:
        case [ast.Expr(ast.Call(function, [], keywords))] if name := _dotted(function):
            pass
        case [ast.Expr(ast.Call(function, [place, *_], _))] if _dotted(function):
            source.refuse(place, "module-attribute")
        case [ast.Expr(ast.Call(ast.Name(name) as place))]:
            source.refuse(place, "module-class", name=name)
        case _:
            raise source.error(1, 1, "module-call")
    held = [each for each in inputs if each.kind in _KINDS or (each.pattern and each.default is not None)]
    names = {_FEATURES, *(each.name for each in held), *(each.name for each in sizes)}
    attributes: dict[str, str] = {}
    conditions: list[tuple[str, bool | int | float | None]] = []
    for number, keyword in enumerate(keywords):
        if keyword.arg in [each.arg for each in keywords[:number]]:
            source.refuse(keyword, "module-attribute-twice", name=keyword.arg)
        match keyword:
            case ast.keyword(str(attribute), ast.Name(value)):
                if value not in names:
                    source.refuse(keyword.value, "module-name", name=attribute, value=value)
                if value in attributes.values():
                    source.refuse(keyword.value, "module-name-twice", value=value)
                attributes[attribute] = value
            case ast.keyword(str(attribute), value):
                try:
                    conditions.append((attribute, _literal(value)))
                except ValueError:
                    source.refuse(value, "module-value", name=attribute)
            case _:
                source.refuse(keyword.value, "module-attribute")
    required = [each.name for each in held if each.default is None]
    required += [each.name for each in sizes if each.default is None]
    for value in required:
        if value not in attributes.values():
            raise source.error(1, 1, "module-input", name=value)
    return Counterpart(name, tuple(attributes.items()), tuple(conditions))


def _dotted(node: ast.expr) -> str | None:
    """A class with its module as it is written; None for anything else.

    >>> _dotted(ast.parse("a.b.C", mode="eval").body), _dotted(ast.parse("C", mode="eval").body)
    ('a.b.C', None)
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *parts]) if isinstance(node, ast.Name) and parts else None


def _literal(node: ast.expr) -> bool | int | float | None:
    try:
        value = ast.literal_eval(node)
    except (SyntaxError, TypeError, RecursionError, MemoryError):
        value = ...
    if value is None or (isinstance(value, bool | int | float) and abs(value) < _LARGEST):
        return value
    raise ValueError
