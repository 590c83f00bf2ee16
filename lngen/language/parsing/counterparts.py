"""Modules of PyTorch that a layer can replace, as the docstring of its definition names them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from lngen.errors import DefinitionError
from lngen.language.axes import AxisSize
from lngen.language.definition import Counterpart, Input, LossReduction, Statistic
from lngen.language.parsing.refusals import MODULE
from lngen.language.parsing.source import Source, syntax_tree
from lngen.language.syntax import Kind
from lngen.runtime.protocol.axes import REST

# Quotes stand beside the first and the last line of a docstring.
_LINE = re.compile(r"[ \t]*[rRuU]?[\"']*[ \t]*(?i:in[ \t]+pytorch)[ \t]*:[ \t]*(?P<call>.*?)[ \t\"']*")
_FEATURES = "D"
_KINDS = (Kind.FEATURE, Kind.SCALAR, Kind.CONSTANT, Kind.INT_NUMBER)
# What may stand around a line of a docstring.
_AROUND = " \t\"'"
_LARGEST = 10**6


class _GivenNames(NamedTuple):
    """Names that an attribute of a module may stand for, as the file spells them."""

    inputs: Sequence[Input]
    outputs: Sequence[str] = ()
    sizes: Sequence[AxisSize] = ()
    axes: Sequence[str] = ()


class _CallText(NamedTuple):
    """The text of a call, which begins at a `column` of the line `first` and ends before the line `last`."""

    first: int
    last: int
    column: int
    call: str


def counterparts(
    source: Source,
    lines: range,
    inputs: Sequence[Input],
    outputs: Sequence[str] = (),
    sizes: Sequence[AxisSize] = (),
    axes: Sequence[str] = (),
) -> Iterator[Counterpart]:
    """The modules that the `lines` of a docstring, numbered from 1, name. They are parsed and never looked for here.

    A call goes on in the next lines until its bracket is closed.

    >>> text = "In PyTorch: torch.nn.Norm(normalized_shape=D, bias=None, weight=gamma)"
    >>> from lngen.language.syntax import SourceSpan
    >>> gamma = Input("gamma", Kind.FEATURE, None, SourceSpan(1, 1, 1, 1))
    >>> [found] = counterparts(Source.of(text, "f.py"), range(1, 2), [gamma])
    >>> found.name, found.attributes, found.conditions
    ('torch.nn.Norm', (('normalized_shape', 'D'), ('weight', 'gamma')), (('bias', None),))

    Raises DefinitionError for a line that begins so and is no such call, at the part of it that is wrong.
    """
    names = _GivenNames(inputs, outputs, sizes, axes)
    for text in _texts([source.lines[number - 1] for number in lines]):
        try:
            yield _counterpart(Source.of(text.call, source.filename), names)
        except DefinitionError as error:
            number, column = lines[text.first] + error.line - 1, error.column + text.column * (error.line == 1)
            raise source.told(number, column, error.code, error.message, MODULE) from None


def _texts(lines: Sequence[str]) -> Iterator[_CallText]:
    """The calls that lines of a docstring have.

    >>> [*_texts(["A layer.", "In PyTorch: torch.nn.Norm(", "    weight=w)", ""])]
    [_CallText(first=1, last=3, column=12, call='torch.nn.Norm(\\n    weight=w)')]
    """
    last = 0
    for first, line in enumerate(lines):
        if first < last or not (found := _LINE.fullmatch(line)):
            continue
        call, last = found["call"], first + 1
        while call.count("(") > call.count(")") and last < len(lines) and lines[last].strip(_AROUND):
            call, last = f"{call}\n{lines[last].rstrip(_AROUND)}", last + 1
        yield _CallText(first, last, found.start("call"), call)


def about(docstring: str) -> str:
    """A docstring without the lines that name modules.

    >>> about("A layer.\\n\\nIn PyTorch: torch.nn.Norm()")
    'A layer.'
    """
    lines = docstring.split("\n")
    named = {number for text in _texts(lines) for number in range(text.first, text.last)}
    return "\n".join(line for number, line in enumerate(lines) if number not in named).strip()


def _counterpart(source: Source, of: _GivenNames) -> Counterpart:
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
    held = [each for each in of.inputs if each.kind in _KINDS or (each.pattern and each.default is not None)]
    names = {_FEATURES, *(each.name for each in held), *(each.name for each in of.sizes), *of.axes} - {REST}
    attributes: dict[str, str] = {}
    conditions: list[tuple[str, bool | int | float | None]] = []
    statistics: list[Statistic] = []
    reduction: LossReduction | None = None
    taken: list[str | None] = []
    for number, keyword in enumerate(keywords):
        if keyword.arg in [each.arg for each in keywords[:number]]:
            source.refuse(keyword, "module-attribute-twice", name=keyword.arg)
        if keyword.arg is None:
            source.refuse(keyword.value, "module-attribute")
        attribute, value = keyword.arg, keyword.value
        stands_for = value.id if isinstance(value, ast.Name) else None
        if found := _statistic(attribute, value, of.outputs):
            stands_for = found.output
            statistics.append(found)
        elif reduced := _reduction(attribute, value, of):
            stands_for = reduced.output
            reduction = reduced
        elif stands_for in names:
            attributes[attribute] = stands_for
        elif stands_for:
            source.refuse(value, "module-name", name=attribute, value=stands_for)
        else:
            try:
                conditions.append((attribute, _literal(value)))
            except ValueError:
                source.refuse(value, "module-value", name=attribute)
        if stands_for in taken:
            source.refuse(value, "module-name-twice", value=stands_for)
        taken += [stands_for] * bool(stands_for)
    required = [each.name for each in held if each.default is None and each.kind is not Kind.INT_NUMBER]
    required += [each.name for each in of.sizes if each.default is None]
    for name_ in required:
        if name_ not in attributes.values():
            raise source.error(1, 1, "module-input", name=name_)
    return Counterpart(name, tuple(attributes.items()), tuple(conditions), tuple(statistics), reduction)


def _statistic(attribute: str, node: ast.expr, outputs: Collection[str]) -> Statistic | None:
    """A running average of an output, written as its name or as `name*D/(D - 1)`; None for anything else."""
    lost = 0
    match node:
        case ast.BinOp(
            ast.BinOp(name, ast.Mult(), ast.Name(of)),
            ast.Div(),
            ast.BinOp(ast.Name(less), ast.Sub(), ast.Constant(int(lost))),
        ) if of == less == _FEATURES and lost is not True and lost < _LARGEST:
            node = name
    return Statistic(attribute, node.id, lost) if isinstance(node, ast.Name) and node.id in outputs else None


def _reduction(attribute: str, node: ast.expr, of: _GivenNames) -> LossReduction | None:
    """A mean over the rows that count, `mean(output, label != ignored)`; None for anything else."""
    match node:
        case ast.Call(
            ast.Name("mean"), [ast.Name(name), ast.Compare(ast.Name(label), [ast.NotEq()], [ast.Name(ignored)])], []
        ) if name in of.outputs:
            kinds = {each.name: each.kind for each in of.inputs}
            if (kinds.get(label), kinds.get(ignored)) == (Kind.INT_PER_ROW, Kind.INT_NUMBER):
                return LossReduction(attribute, name, label, ignored)
    return None


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
