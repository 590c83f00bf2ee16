"""The signature of a definition: its name, its inputs, their kinds and defaults."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from typing import NoReturn

from lngen.language import KIND_NAMES, names
from lngen.language.definition import Input
from lngen.language.parsing import instead
from lngen.language.parsing.expressions import describe, number
from lngen.language.parsing.instead import suggestion
from lngen.language.parsing.source import Located, Source
from lngen.language.syntax import Kind, SourceSpan

_KINDS = "Row, RowScalar, Feature, Scalar, Data or Constant"
_NO_ROW = (
    "annotate with Row what has one value per row and feature, as in `x: Row`; numbers that stand each by itself, "
    "such as the log-probabilities of a loss, are a Row too"
)


class SignatureParser:
    """The part of the parser that reads what stands before the body."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def signature(self, function: ast.FunctionDef) -> SourceSpan:
        if function.decorator_list:
            self.refuse(
                function.decorator_list[0], "decorator", "found a decorator", "delete it; the function stands alone"
            )
        name_span = self._name_span(function)
        wrong = names.fault(function.name) or names.folder_fault(function.name)
        if wrong:
            self.refuse(name_span, "name", f"the name {function.name!r} {wrong}", names.remedy(function.name))
        if getattr(function, "type_params", None):
            self.refuse(name_span, "type-parameters", "found type parameters", "write `def name(x: Row, ...)`")
        if function.returns is not None:
            self.refuse(
                function.returns,
                "return-annotation",
                "found a return annotation",
                "delete it; the kind of the result is inferred",
            )
        return name_span

    def _name_span(self, function: ast.FunctionDef) -> SourceSpan:
        start = self.source.span(function)
        found = re.compile(r"def\s+").match(self.source.lines[start.line - 1], start.column - 1)
        column = found.end() + 1 if found else start.column
        return SourceSpan(start.line, column, start.line, column + len(function.name))

    def inputs(self, function: ast.FunctionDef, name_span: SourceSpan) -> list[Input]:
        arguments = function.args
        if arguments.vararg:
            self.refuse(arguments.vararg, "star-arguments", "found *arguments", "name every input")
        if arguments.kwarg:
            self.refuse(arguments.kwarg, "star-arguments", "found **arguments", "name every input")
        if arguments.posonlyargs:
            self.refuse(
                arguments.posonlyargs[0], "positional-only", "found inputs that are positional only", "delete the /"
            )
        if arguments.kwonlyargs:
            self.refuse(
                arguments.kwonlyargs[0],
                "keyword-only",
                "found inputs that are keyword only",
                "delete the *; emitted functions take Constants by keyword anyway",
            )
        missing = len(arguments.args) - len(arguments.defaults)
        defaults: list[ast.expr | None] = [*[None] * missing, *arguments.defaults]
        inputs: list[Input] = []
        for argument, default in zip(arguments.args, defaults, strict=True):
            kind = self._input_kind(argument)
            self.check_name(argument, argument.arg)
            value = None if default is None else self._default(default)
            if default is not None and kind is Kind.ROW and all(entry.kind is not Kind.ROW for entry in inputs):
                self.refuse(
                    default,
                    "first-row-default",
                    "the first Row has a default",
                    "delete it: the first Row gives the shape and the dtype",
                )
            inputs.append(Input(argument.arg, kind, value, self.source.span(argument)))
        if all(entry.kind is not Kind.ROW for entry in inputs):
            self.refuse(name_span, "no-row", "no input is a Row", _NO_ROW)
        return inputs

    def _input_kind(self, argument: ast.arg) -> Kind:
        annotation = argument.annotation
        if annotation is None:
            self.refuse(argument, "no-kind", f"the input {argument.arg!r} has no kind", f"annotate it with {_KINDS}")
        if isinstance(annotation, ast.Name):
            if annotation.id in KIND_NAMES:
                return Kind(annotation.id)
            remedy = suggestion(annotation.id, KIND_NAMES, f"annotate with {_KINDS}", instead.KINDS)
            self.refuse(annotation, "unknown-kind", f"there is no kind {annotation.id!r}", remedy)
        self.refuse(
            annotation, "kind-expression", f"found {describe(annotation)[0]} as a kind", f"annotate with {_KINDS}"
        )

    def _default(self, node: ast.expr) -> Fraction:
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        literal = node.operand if isinstance(node, ast.UnaryOp) and negative else node
        value = number(self.source, literal)
        if value is None:
            found = "an expression" if isinstance(literal, ast.BinOp | ast.UnaryOp) else describe(literal)[0]
            if isinstance(literal, ast.Name):
                found = f"the name {literal.id!r}"
            self.refuse(node, "default", f"the default is {found}", "a default is a number such as 1, -1 or 1e-5")
        return -value if negative else value

    def check_name(self, place: SourceSpan | Located, name: str) -> None:
        wrong = names.fault(name)
        if wrong:
            self.refuse(place, "name", f"the name {name!r} {wrong}", names.remedy(name))

    def refuse(self, place: SourceSpan | Located, code: str, message: str, remedy: str) -> NoReturn:
        raise self.source.error_at(place, code, message, remedy)
