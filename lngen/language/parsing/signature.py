"""The signature of a definition: its name, its inputs, their kinds and defaults."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain

from lngen.language import ANNOTATIONS, KIND_NAMES, names
from lngen.language.axes import AxisSize, Pattern, RowAxes
from lngen.language.definition import Input
from lngen.language.parsing import instead, named_axes
from lngen.language.parsing.expressions import describe, number
from lngen.language.parsing.instead import suggestion
from lngen.language.parsing.parts import Parting
from lngen.language.parsing.source import Located, Source
from lngen.language.syntax import Kind, SourceSpan


def shapes_results(inputs: Sequence[Input]) -> list[Input]:
    """Return the inputs that have the shape of the results: the Rows, or the RowScalars if nothing has features.

    >>> from lngen.language.parsing import parse
    >>> definition = parse("def f(x: Row, s: RowScalar, w: Feature): return s*w*x")
    >>> [entry.name for entry in shapes_results(definition.inputs)], shapes_results(definition.inputs[1:])
    (['x'], [])
    """
    rows = [entry for entry in inputs if entry.kind is Kind.ROW]
    if rows or any(entry.kind.over_features for entry in inputs):
        return rows
    return [entry for entry in inputs if entry.kind is Kind.ROW_SCALAR]


class SignatureParser:
    """The part of the parser that reads what stands before the body."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.refuse = source.refuse
        self.layout: RowAxes | None = None
        self.sizes: list[AxisSize] = []

    def signature(self, function: ast.FunctionDef) -> SourceSpan:
        if function.decorator_list:
            self.refuse(function.decorator_list[0], "decorator")
        name_span = self._name_span(function)
        wrong = names.fault(function.name) or names.folder_fault(function.name)
        if wrong:
            self.refuse(name_span, "name", names.remedy(function.name), name=function.name, fault=wrong)
        if getattr(function, "type_params", None):
            self.refuse(name_span, "type-parameters")
        if function.returns is not None:
            self.refuse(function.returns, "return-annotation")
        return name_span

    def _name_span(self, function: ast.FunctionDef) -> SourceSpan:
        start = self.source.span(function)
        found = re.compile(r"def\s+").match(self.source.lines[start.line - 1], start.column - 1)
        column = found.end() + 1 if found else start.column
        return SourceSpan(start.line, column, start.line, column + len(function.name))

    def inputs(self, function: ast.FunctionDef, name_span: SourceSpan) -> list[Input]:
        arguments = function.args
        if arguments.vararg:
            self.refuse(arguments.vararg, "star-arguments", stars="*")
        if arguments.kwarg:
            self.refuse(arguments.kwarg, "star-arguments", stars="**")
        if arguments.posonlyargs:
            self.refuse(arguments.posonlyargs[0], "positional-only")
        if arguments.kwonlyargs:
            self.refuse(arguments.kwonlyargs[0], "keyword-only")
        missing = len(arguments.args) - len(arguments.defaults)
        defaults: list[ast.expr | None] = [*[None] * missing, *arguments.defaults]
        self.parting = Parting.of(self.source, function)
        self.layout = named_axes.layout(self.source, function, self.parting.axes)
        arrays: list[tuple[ast.arg, Input]] = []
        for argument, default in zip(arguments.args, defaults, strict=True):
            self.check_name(argument, argument.arg)
            value = None if default is None else self._default(default)
            if named_axes.annotation_of(argument.annotation)[0] == named_axes.SIZE:
                self.sizes.append(self._size(argument, default, value))
                continue
            kind, pattern = self._input_kind(argument)
            if default is not None and value is not None and kind.is_integer and value.denominator != 1:
                self.refuse(default, "integer-default", value=value)
            arrays.append((argument, Input(argument.arg, kind, value, self.source.span(argument), pattern=pattern)))
        patterns = [each.pattern for _, each in arrays if each.pattern]
        sizes = {size.name: size for size in self.sizes}
        self.parting.check_sizes(sizes)
        named_axes.check_sizes(self.source, name_span, patterns, self.sizes, self.parting.axes)
        inputs = [*chain.from_iterable(self.parting.cut(argument, each, sizes) for argument, each in arrays)]
        self.sizes = [size for size in self.sizes if size.name not in self.parting.axes]
        shaping = shapes_results(inputs)
        if not shaping:
            self.refuse(name_span, "no-row")
        if shaping[0].default is not None:
            default = next(
                default
                for argument, default in zip(arguments.args, defaults, strict=True)
                if default is not None and self.source.span(argument) == shaping[0].span
            )
            self.refuse(default, "first-row-default", kind=shaping[0].kind.value)
        return inputs

    def _size(self, argument: ast.arg, default: ast.expr | None, value: Fraction | None) -> AxisSize:
        if value is not None and (value.denominator != 1 or value < 1):
            assert default is not None
            self.refuse(default, "size-default", name=argument.arg)
        return AxisSize(argument.arg, None if value is None else int(value))

    def _input_kind(self, argument: ast.arg) -> tuple[Kind, Pattern | None]:
        annotation = argument.annotation
        if annotation is None:
            self.refuse(argument, "no-kind", name=argument.arg)
        name, axes = named_axes.annotation_of(annotation)
        if self.layout and name in (named_axes.ARRAY, Kind.DATA.value, Kind.INT.value):
            parts = self.parting.axes
            pattern = named_axes.pattern(self.source, annotation, axes, self.layout.pattern, parts)
            if name == Kind.DATA.value and not pattern.axes:
                self.refuse(annotation, "axes-number")
            kind = self.layout.kind(pattern.without(parts))
            of = {Kind.DATA.value: kind.of_data, Kind.INT.value: kind.of_integers}
            return of.get(name, kind), pattern if pattern.axes else None
        if axes is not None:
            return self._kind_of_axes(annotation, name), None
        if name in KIND_NAMES:
            kind = Kind(name)
            if self.layout and (kind.over_rows or kind.over_features):
                self.refuse(annotation, "axes-beside", name=name)
            return kind, None
        if name:
            remedy = suggestion(name, ANNOTATIONS, "", instead.KINDS)
            self.refuse(annotation, "unknown-kind", remedy, name=name)
        self.refuse(annotation, "kind-expression", found=describe(annotation)[0])

    def _kind_of_axes(self, annotation: ast.expr, name: str) -> Kind:
        """Read `Data["..."]`, `Int["d"]` and the like in a definition without an `Array`."""
        text = named_axes.annotation_of(annotation)[1]
        axes = text.value if isinstance(text, ast.Constant) else None
        if name not in (Kind.DATA.value, Kind.INT.value) or not isinstance(axes, str):
            self.refuse(annotation, "kind-expression", found=describe(annotation)[0])
        if axes.split() == ["...", "d"]:
            return Kind(name)
        try:
            return Kind(f'{name}["{axes.strip()}"]')
        except ValueError:
            number = "Constant" if name == Kind.DATA.value else f'{name}[""]'
            self.refuse(annotation, "axes", name=name, axes=axes, number=number)

    def _default(self, node: ast.expr) -> Fraction:
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        literal = node.operand if isinstance(node, ast.UnaryOp) and negative else node
        value = number(self.source, literal)
        if value is None:
            found = "an expression" if isinstance(literal, ast.BinOp | ast.UnaryOp) else describe(literal)[0]
            if isinstance(literal, ast.Name):
                found = f"the name {literal.id!r}"
            self.refuse(node, "default", found=found)
        return -value if negative else value

    def check_name(self, place: SourceSpan | Located, name: str) -> None:
        wrong = names.value_fault(name)
        if wrong:
            self.refuse(place, "name", names.remedy(name), name=name, fault=wrong)
