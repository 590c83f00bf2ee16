"""Definitions with named axes, from those of rows and features; the mathematics is that of rows."""

from __future__ import annotations

import ast
import random

from lngen.language import FUNCTIONS
from lngen.language.parsing import parse
from lngen.language.syntax import Kind
from tests.fuzz.tree import function_of, names_of, text_of

_LAYOUTS = (
    (("n", "t", "d"), ("d",)),
    (("n", "...", "d"), ("d",)),
    (("b", "t", "h", "d"), ("h", "d")),
    (("n", "(g c)", "h"), ("c", "h")),
    (("n", "c", "..."), ("...",)),
    (("n", "c", "h"), ("n", "h")),
)
_LETTERS = "ndtbhcgkmpqsuvwxyz"


def with_axes(text: str, dice: random.Random) -> str:
    """A definition whose Rows have named axes, and whose other inputs have some of them; the dice say which.

    >>> given = "def f(x: Row, w: Feature = 1): return w * x / (1 + sum(x ** 2))"
    >>> print(with_axes(given, random.Random(3)).splitlines()[-2])
    def f(x: Array['n ... d'], w: Array['d']=1):
    """
    function = function_of(ast.parse(text))
    reductions = [node for node in ast.walk(function) if _is_reduction(node)]
    layout = dice.choice(_LAYOUTS if reductions else _LAYOUTS[:2])
    taken = names_of(text)
    letters = {name: name for name in "".join(layout[0]) if name.isalpha()}
    for name in letters:
        letters[name] = next(each for each in (name, *_LETTERS) if each not in taken)
        taken.append(letters[name])
    rename = str.maketrans(letters)
    whole, features = ([axis.translate(rename) for axis in axes] for axes in layout)
    for node in reductions:
        node.args.append(ast.Constant(" ".join(features)))
    first = True
    for argument in function.args.args:
        kind = _kind(argument)
        if kind.over_rows or kind.over_features:
            pattern = " ".join(whole) if first else _some(whole, features, kind, dice)
            name = "Int" if kind.is_integer else "Data" if kind.is_data else "Array"
            argument.annotation = ast.Subscript(ast.Name(name), ast.Constant(pattern))
            first = False
    if size := next((axis[1] for axis in whole if axis.startswith("(")), ""):
        function.args.args.append(ast.arg(size, ast.Name("Size")))
        function.args.defaults.append(ast.Constant(dice.choice((2, 3))))
    return text_of(function)


def without_axes(text: str) -> ast.FunctionDef:
    """The function of a definition on rows: its inputs have kinds, and its reductions name no axes.

    >>> given = "def f(x: Array['n (g c) h'], w: Data['g c'], g: Size = 2): return w * x / (1 + sum(x ** 2, 'c h'))"
    >>> print(ast.unparse(without_axes(given)))
    def f(x: Row, w: Data):
        return w * x / (1 + sum(x ** 2))
    """
    definition, function = parse(text), function_of(ast.parse(text))
    if definition.layout is not None:
        for node in ast.walk(function):
            if _is_reduction(node):
                del node.args[1:]
        sizes = {size.name for size in definition.sizes}
        kept = [argument for argument in function.args.args if argument.arg not in sizes]
        function.args.defaults = function.args.defaults[: len(function.args.defaults) - len(sizes)]
        function.args.args = kept
    for argument, entry in zip(function.args.args, definition.inputs, strict=False):
        argument.annotation = ast.parse(entry.kind.value, mode="eval").body
    return function


def _is_reduction(node: ast.AST) -> bool:
    function = FUNCTIONS.get(node.func.id) if isinstance(node, ast.Call) else None  # type: ignore[attr-defined]
    return function is not None and function.role == "reduction" and function.arity == 1


def _kind(argument: ast.arg) -> Kind:
    assert argument.annotation
    return Kind(ast.unparse(argument.annotation).replace("'", '"'))


def _some(whole: list[str], features: list[str], kind: Kind, dice: random.Random) -> str:
    """Axes of an input of a kind: some of the rows, of the features or of both, one at least, in some order."""
    names = [name for axis in whole for name in axis.strip("()").split()]
    of_rows = [name for name in names if name not in features]
    kept: set[str] = set()
    for axes, wanted in ((of_rows, kind.over_rows), (features, kind.over_features)):
        if wanted:
            kept |= {*axes} if dice.random() < 0.4 else {*dice.sample(axes, dice.randint(1, len(axes)))}
    found = []
    for axis in whole:
        own = [name for name in axis.strip("()").split() if name in kept]
        found += [axis] if len(own) > 1 else own
    if dice.random() < 0.3:
        dice.shuffle(found)
    return " ".join(found)
