"""Which modules of PyTorch's a layer can stand for, as the docstring of its definition says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from lngen.errors import DefinitionError
from lngen.language.definition import Counterpart, Input
from lngen.language.parsing.source import Source, syntax_tree
from lngen.language.syntax import Kind

_LINE = re.compile(r"[ \t]*In PyTorch: *(?P<call>torch\.nn\.\S.*?) *")
_REMEDY = "write each attribute of the module with what it is, as `In PyTorch: torch.nn.Norm(features=D, dim=-1)`"
_FEATURES = "D"
_LARGEST = 10**6


def counterparts(source: Source, lines: range, inputs: Sequence[Input]) -> Iterator[Counterpart]:
    """The modules that the `lines` of a docstring, numbered from 1, name. They are parsed and never looked for here.

    >>> text = "In PyTorch: torch.nn.Norm(normalized_shape=D, bias=None, weight=gamma)"
    >>> from lngen.language.syntax import Span
    >>> gamma = Input("gamma", Kind.FEATURE, None, Span(1, 1, 1, 1))
    >>> [found] = counterparts(Source.of(text, "f.py"), range(1, 2), [gamma])
    >>> found.name, found.attributes, found.conditions
    ('Norm', (('normalized_shape', 'D'), ('weight', 'gamma')), (('bias', None),))

    Raises DefinitionError for a line that begins so and is no such call.
    """
    for number in lines:
        if found := _LINE.fullmatch(source.lines[number - 1]):
            try:
                yield _counterpart(found["call"], inputs)
            except _Fault as fault:
                raise source.error(number, found.start("call") + 1, str(fault), _REMEDY) from None


def about(docstring: str) -> str:
    """A docstring without the lines that name modules.

    >>> about("A layer.\\n\\nIn PyTorch: torch.nn.Norm()")
    'A layer.'
    """
    return "\n".join(line for line in docstring.split("\n") if not _LINE.fullmatch(line)).strip()


class _Fault(Exception):
    """What is wrong with a line."""


def _counterpart(text: str, inputs: Sequence[Input]) -> Counterpart:
    try:
        tree = syntax_tree(Source.of(text, ""))
    except DefinitionError as error:
        raise _Fault(error.message) from None
    match tree.body:
        case [ast.Expr(ast.Call(ast.Attribute(ast.Attribute(ast.Name("torch"), "nn"), str(name)), [], keywords))]:
            pass
        case _:
            raise _Fault("this is no call of a module of PyTorch's with arguments by name")
    names = {_FEATURES, *(each.name for each in inputs if each.kind in (Kind.FEATURE, Kind.SCALAR, Kind.CONSTANT))}
    attributes: list[tuple[str, str]] = []
    conditions: list[tuple[str, bool | int | float | None]] = []
    for keyword in keywords:
        match keyword:
            case ast.keyword(str(attribute), ast.Name(value)) if value in names:
                attributes.append((attribute, value))
            case ast.keyword(str(attribute), ast.Name(value)):
                raise _Fault(f"{attribute} is {value}, and no Feature, Scalar or Constant has that name")
            case ast.keyword(str(attribute), value):
                conditions.append((attribute, _literal(attribute, value)))
            case _:
                raise _Fault("this is no call with arguments by name")
    values = [value for _, value in attributes]
    if twice := sorted({value for value in values if values.count(value) > 1}):
        raise _Fault(f"{twice[0]} stands for two attributes")
    return Counterpart(name, tuple(attributes), tuple(conditions))


def _literal(attribute: str, node: ast.expr) -> bool | int | float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        value = ...
    if value is None or (isinstance(value, bool | int | float) and abs(value) < _LARGEST):
        return value
    raise _Fault(f"{attribute} is neither a name of the definition nor a small number, True, False or None")
