"""Parser from the text of a definition to a `Definition`, or to an error that says what is allowed.

The text is read by `ast` as syntax. This module walks the file and the function; `lngen.language.parsing.expressions`
reads the right-hand sides of assignments.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import NoReturn

from lngen.language import names, public_names
from lngen.language.definition import Definition, Draw, Input, Statement
from lngen.language.parsing import instead
from lngen.language.parsing.counterparts import about, counterparts
from lngen.language.parsing.expressions import Scope, describe
from lngen.language.parsing.folding import Fault
from lngen.language.parsing.instead import suggestion
from lngen.language.parsing.parts import UNNAMED_OUTPUT
from lngen.language.parsing.refusals import FILE
from lngen.language.parsing.signature import SignatureParser
from lngen.language.parsing.smallest import minimum_features
from lngen.language.parsing.source import Source, syntax_tree
from lngen.language.syntax import (
    Call,
    Expression,
    FeatureCount,
    Kind,
    Name,
    SourceSpan,
    holds_integers,
    render,
    walk,
    with_names,
)

MAXIMUM_STATEMENTS = 200

_WITH_FEATURES = {Kind.ROW_SCALAR: Kind.ROW, Kind.DATA_PER_ROW: Kind.DATA, Kind.INT_PER_ROW: Kind.INT}

_BODY = "a definition has assignments of names, a docstring, and one final return"
_LOOP = "operators and functions work on whole rows; write the steps of a loop out, each with a name"
_UNTIL = (
    "a loop whose length depends on values cannot be said: find its result outside and pass it as a Row, "
    "or write a fixed number of steps out"
)

_REFUSED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("an async function", "write def without async"),
    ast.ClassDef: ("a class", FILE),
    ast.Delete: ("del", "delete the line; a name is assigned once and kept"),
    ast.For: ("a loop", _LOOP),
    ast.AsyncFor: ("a loop", _LOOP),
    ast.While: ("a loop", _UNTIL),
    ast.If: ("an if statement", "write where(condition, a, b)"),
    ast.With: ("a with statement", _BODY),
    ast.AsyncWith: ("a with statement", _BODY),
    ast.Match: ("a match statement", "write where(condition, a, b)"),
    ast.Raise: ("raise", "delete it; lngen checks inputs by itself"),
    ast.Try: ("a try statement", _BODY),
    ast.TryStar: ("a try statement", _BODY),
    ast.Assert: ("an assertion", "delete it; lngen checks inputs by itself"),
    ast.Global: ("global", "give the function an input"),
    ast.Nonlocal: ("nonlocal", "give the function an input"),
    ast.Pass: ("pass", "delete it"),
    ast.Break: ("break", _LOOP),
    ast.Continue: ("continue", _LOOP),
    ast.AugAssign: ("an augmented assignment", "assign a new name, as in `b = a + 1`"),
    ast.AnnAssign: ("an annotated assignment", "write `name = expression`; kinds of statements are inferred"),
}


def parse(text: str, filename: str = "<definition>") -> Definition:
    """Read a definition from text; `filename` is its name in errors and reports.

    Nothing of the text is executed. Raises DefinitionError, and no other error, for any text.
    """
    return _DefinitionParser(Source.of(text, filename)).definition()


class _DefinitionParser(SignatureParser):
    def definition(self) -> Definition:
        tree = syntax_tree(self.source)
        function, text = self._module(tree)
        name_span = self.signature(function)
        inputs = tuple(self.inputs(function, name_span))
        body, inner_text = _without_docstring(function.body)
        body = self.parting.body(body)
        text = inner_text if text is None or not text.value else text
        scope, statements, outputs, result = self._body(body, inputs, name_span)
        if not any(entry.kind.over_features for entry in inputs):
            # Nothing is reduced, so the rows may as well be what the values have for entries.
            self._check_no_features(statements)
            inputs = tuple(replace(entry, kind=_WITH_FEATURES.get(entry.kind, entry.kind)) for entry in inputs)
            scope, statements, outputs, result = self._body(body, inputs, name_span, no_features=True)
        else:
            inputs += tuple(_drawn(draw, name, span) for draw, (name, span) in scope.draws.items())
        self._check_own_name(function.name, inputs, statements)
        self._check_second_gradients(inputs, outputs)
        self._check_outputs(statements, outputs, result)
        self._check_used(inputs, statements, outputs)
        self._check_joined(scope, statements, result)
        try:
            smallest = minimum_features(statements)
        except Fault as fault:
            self.refuse(fault.expression.span, fault.code, **fault.values)
        ends = [*(entry.name for entry in inputs if entry.kind.has_gradient), *outputs]
        wholes = (*self.parting.wholes.values(), *self.parting.outputs)
        every = [*(entry.name for entry in inputs), *(entry.name for entry in statements)]
        called = names.apart([*every, *(each.name for each in wholes)], ends)
        parts = tuple(each.renamed(called.__getitem__) for each in wholes)
        lines, axes = range(0) if text is None else _lines(text), self.layout.pattern.names if self.layout else ()
        inside = {name for each in parts for name in each.names}
        return Definition(
            name=function.name,
            docstring="" if text is None else _clean(about(str(text.value))),
            inputs=tuple(_renamed(entry, called) for entry in inputs),
            statements=tuple(
                replace(entry, name=called[entry.name], expression=with_names(entry.expression, called))
                for entry in statements
            ),
            outputs=tuple(called[name] for name in outputs),
            source=self.source.text,
            filename=self.source.filename,
            minimum_features=smallest,
            renamed=tuple((called[name], name) for name in every if called[name] not in (name, *inside)),
            casts=tuple((called[name], target) for name, target in scope.casts.items()),
            counterparts=tuple(counterparts(self.source, lines, inputs, outputs, self.sizes, axes)),
            layout=self.layout,
            sizes=tuple(self.sizes),
            parts=parts,
        )

    # --- the file -----------------------------------------------------------------------------------------

    def _module(self, tree: ast.Module) -> tuple[ast.FunctionDef, ast.Constant | None]:
        body, text = _without_docstring(tree.body)
        function: ast.FunctionDef | None = None
        for node in body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
            elif not isinstance(node, ast.FunctionDef):
                self._refuse_statement(node, FILE)
            elif function is not None:
                self.refuse(node, "second-function")
            else:
                function = node
        if function is None:
            raise self.source.error(1, 1, "no-function")
        return function, text

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            self.refuse(node, "import", what=f"of {node.names[0].name!r}")
        if node.module != "lngen.language" or node.level:
            self.refuse(node, "import", what=f"from {'.' * node.level + (node.module or '')!r}")
        for alias in node.names:
            if alias.name == "*":
                self.refuse(alias, "import", what="of *")
            if alias.asname is not None:
                self.refuse(alias, "import-as", name=alias.name)
            if alias.name not in (offered := public_names()):
                habits = {alias.name: found} if (found := instead.function(alias.name)) else instead.CONSTANTS
                remedy = suggestion(alias.name, offered, f"it has {' '.join(offered)}", habits)
                self.refuse(alias, "import-unknown", remedy, name=alias.name)

    def _refuse_statement(self, node: ast.stmt, allowed: str) -> NoReturn:
        if isinstance(node, ast.Expr):
            found, remedy = describe(node.value)
            if isinstance(node.value, ast.Name | ast.BinOp | ast.UnaryOp):
                found = "an expression"
            if not isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await):
                remedy = allowed
            self.refuse(node, "stands-alone", remedy, found=found)
        found, remedy = _REFUSED.get(type(node), ("a statement that the language does not have", allowed))
        if isinstance(node, ast.Assign):
            found, remedy = "an assignment outside the function", allowed
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            name, value = node.target.id, ast.unparse(ast.BinOp(node.target, node.op, node.value))
            remedy = f"names are assigned once: write `{name}2 = {value}`, and {name}2 after it"
        self.source.refuse_found(node, found, remedy)

    # --- the body -----------------------------------------------------------------------------------------

    def _body(
        self, body: list[ast.stmt], inputs: tuple[Input, ...], name_span: SourceSpan, no_features: bool = False
    ) -> tuple[Scope, list[Statement], tuple[str, ...], ast.Return]:
        if len(body) > MAXIMUM_STATEMENTS:
            self.refuse(body[MAXIMUM_STATEMENTS], "statement-count", most=MAXIMUM_STATEMENTS)
        later = frozenset(
            node.targets[0].id
            for node in body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        )
        given = frozenset(entry.name for entry in inputs)
        scope = Scope(
            self.source,
            {entry.name: entry.kind for entry in inputs},
            later,
            inputs=given,
            no_features=no_features,
            layout=self.layout,
        )
        statements: list[Statement] = []
        for position, node in enumerate(body):
            if isinstance(node, ast.Return):
                if position + 1 < len(body):
                    self.refuse(body[position + 1], "after-return")
                return scope, statements, self._return(node, scope, statements), node
            if not isinstance(node, ast.Assign):
                if isinstance(node, ast.FunctionDef):
                    self.refuse(node, "inner-function")
                if isinstance(node, ast.Import | ast.ImportFrom):
                    self.refuse(node, "inner-import")
                self._refuse_statement(node, _BODY)
            if made := self._assignment(node, scope):
                statements.append(made)
        self.refuse(name_span, "no-return")

    def _assignment(self, node: ast.Assign, scope: Scope) -> Statement | None:
        """Read a statement; None for a name of random numbers, which the definition holds as an input."""
        if len(node.targets) > 1:
            self.refuse(node.targets[1], "second-target")
        target = node.targets[0]
        if not isinstance(target, ast.Name):
            found = "several names" if isinstance(target, ast.Tuple | ast.List) else describe(target)[0]
            self.refuse(target, "target", instead.ENTRY if isinstance(target, ast.Subscript) else "", found=found)
        self.check_name(target, target.id)
        if target.id in scope.kinds:
            self.refuse(target, "assigned-twice", name=target.id)
        match node.value:
            case ast.Call(func=ast.Name(id="uniform"), args=[_] | [_, _], keywords=[]) if not scope.binds("uniform"):
                scope.name_draw(node.value, target.id)
                return None
        expression, value = scope.read_output(node.value, target.id)
        if isinstance(expression, Name) and target.id not in scope.casts:
            remedy = f"write {expression.name!r} wherever {target.id!r} stands, and delete the line"
            if expression.name in scope.inputs:
                remedy += "; a result has to be computed, an input as it stands is none"
            self.refuse(node.value, "second-name", remedy, name=expression.name)
        scope.kinds[target.id] = expression.kind.of_integers if holds_integers(expression) else expression.kind
        if value is not None:
            scope.values[target.id] = value
        return Statement(target.id, expression, expression.kind, self.source.span(node))

    def _return(self, node: ast.Return, scope: Scope, statements: list[Statement]) -> tuple[str, ...]:
        if node.value is None:
            self.refuse(node, "empty-return", "return the result", found="without a value")
        if isinstance(node.value, ast.Tuple):
            return self._return_names(node.value, statements, scope)
        if isinstance(node.value, ast.Name) and node.value.id in {entry.name for entry in statements}:
            return (node.value.id,)
        expression, _ = scope.read_output(node.value, UNNAMED_OUTPUT)
        if isinstance(expression, Name) and UNNAMED_OUTPUT not in scope.casts:
            self._refuse_input(node.value, expression.name, scope)
        if UNNAMED_OUTPUT in scope.kinds:
            self.refuse(node.value, "unnamed-result", name=UNNAMED_OUTPUT)
        statements.append(Statement(UNNAMED_OUTPUT, expression, expression.kind, expression.span))
        return (UNNAMED_OUTPUT,)

    def _return_names(self, node: ast.Tuple, statements: list[Statement], scope: Scope) -> tuple[str, ...]:
        known = {entry.name for entry in statements}
        outputs: list[str] = []
        for element in node.elts:
            if not isinstance(element, ast.Name):
                self.refuse(element, "returned-expression")
            if element.id in outputs:
                self.refuse(element, "returned-twice", name=element.id)
            if element.id not in known:
                self._refuse_input(element, element.id, scope)
            outputs.append(element.id)
        if not outputs:
            self.refuse(node, "empty-return", "return at least one name", found="of nothing")
        return tuple(outputs)

    def _refuse_input(self, node: ast.expr, name: str, scope: Scope) -> NoReturn:
        if name in {known for known, _ in scope.draws.values()}:
            self.refuse(node, "returned-draw", name=name)
        self.refuse(node, "returned-input" if name in scope.inputs else "returned-unassigned", name=name)

    # --- the whole ----------------------------------------------------------------------------------------

    def _check_own_name(self, function: str, inputs: tuple[Input, ...], statements: list[Statement]) -> None:
        places = [(entry.name, entry.span) for entry in inputs] + [(entry.name, entry.span) for entry in statements]
        for name, span in places:
            if name == function:
                self.refuse(span, "own-name", names.remedy(name), name=name)

    def _check_no_features(self, statements: list[Statement]) -> None:
        for part in chain.from_iterable(walk(entry.expression) for entry in statements):
            if isinstance(part, FeatureCount) or (isinstance(part, Call) and part.function == "index"):
                self.refuse(part.span, "no-features", found=render(part))

    def _check_second_gradients(self, inputs: tuple[Input, ...], outputs: tuple[str, ...]) -> None:
        cotangents = {names.cotangent(output): output for output in outputs}
        for entry in inputs:
            if entry.name in cotangents and entry.kind.has_gradient:
                output, gradient = cotangents[entry.name], names.cotangent(entry.name)
                self.refuse(entry.span, "gradient-name", input=entry.name, output=output, gradient=gradient)

    def _check_outputs(self, statements: list[Statement], outputs: tuple[str, ...], result: ast.Return) -> None:
        assert result.value is not None
        places = result.value.elts if isinstance(result.value, ast.Tuple) else [result.value]
        found = {entry.name: entry for entry in statements}
        for name, place in zip(outputs, places, strict=True):
            if not found[name].kind.over_rows:
                self.refuse(place, "returned-shared", name=name, kind=found[name].kind.value)
            if holds_integers(found[name].expression):
                self.refuse(place, "returned-integer", name=name)

    def _check_joined(self, scope: Scope, statements: list[Statement], result: ast.Return) -> None:
        kinds = {entry.name: entry.kind for entry in statements}
        for whole in self.parting.outputs:
            for name in whole.names:
                if name in scope.casts:
                    self.refuse(result, "join-cast", name=name)
                if kinds[name] is not Kind.ROW:
                    self.refuse(result, "join-kind", name=name, kind=kinds[name].value)

    def _check_used(self, inputs: tuple[Input, ...], statements: list[Statement], outputs: tuple[str, ...]) -> None:
        used = set(outputs)
        for entry in reversed(statements):
            if entry.name in used:
                used |= _names_in(entry.expression)
        for entry in statements:
            if entry.name not in used:
                self.refuse(entry.span, "unused-statement", name=entry.name)
        for drawn in inputs:
            if drawn.draws and drawn.name not in used:
                self.refuse(drawn.span, "unused-statement", name=drawn.name)
        used |= {entry.draws.seed for entry in inputs if entry.draws}
        for argument in inputs:
            if argument.name not in used:
                self.refuse(argument.span, "unused-input", name=argument.name)


def _drawn(draw: Draw, name: str, place: SourceSpan) -> Input:
    return Input(name, Kind.DATA, None, place, draws=draw)


def _renamed(entry: Input, called: Mapping[str, str]) -> Input:
    draws = entry.draws and replace(entry.draws, seed=called[entry.draws.seed])
    return replace(entry, name=called[entry.name], draws=draws)


def _names_in(expression: Expression) -> set[str]:
    return {part.name for part in walk(expression) if isinstance(part, Name)}


def _without_docstring(body: list[ast.stmt]) -> tuple[list[ast.stmt], ast.Constant | None]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str()) as text), *rest]:
            return rest, text
    return body, None


def _lines(text: ast.Constant) -> range:
    return range(text.lineno, (text.end_lineno or text.lineno) + 1)


def _clean(docstring: str) -> str:
    """The docstring as text that can be printed and written: escapes may have put anything into it."""
    kept = inspect.cleandoc(docstring)
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in kept)
