"""Certificates with one thing in them that is false."""

import ast
import copy
import functools
import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from tools import verify


class Mutant(NamedTuple):
    """A definition, a false certificate of it, and what is false there."""

    kind: str
    what: str
    source: str
    certificate: str


class Mutation(ast.NodeTransformer):
    """One mistake of a kind at the n-th place where it can be made; `made` tells whether there was one."""

    def __init__(self, kind: str, place: int, other: str) -> None:
        self.kind, self.place, self.other = kind, place, other
        self.made = False

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, or what is in its place."""
        changed = None if self.made else self._changed(node)
        if changed is not None:
            if self.place == 0:
                self.made = True
                return changed
            self.place -= 1
        return self.generic_visit(node)

    def _changed(self, node: ast.AST) -> ast.AST | None:
        match self.kind, node:
            case "sign", ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                return ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
            case "factor", ast.BinOp(op=ast.Mult() | ast.Div()):
                return ast.BinOp(ast.Constant(2), ast.Mult(), node)
            case "missing term", ast.BinOp(left=left, op=ast.Add() | ast.Sub()):
                return left
            case "mean of a product split", ast.Call(
                func=ast.Name(id="mean") as mean, args=[ast.BinOp(left=left, op=ast.Mult(), right=right)]
            ):
                return ast.BinOp(ast.Call(mean, [left], []), ast.Mult(), ast.Call(mean, [right], []))
            case "mean for sum", ast.Call(func=ast.Name(id="sum"), args=arguments):
                return ast.Call(ast.Name("mean"), arguments, [])
            case "wrong D", ast.Name(id="D"):
                return ast.BinOp(ast.Name("D"), ast.Mult(), ast.BinOp(ast.Name("D"), ast.Div(), ast.Constant(2)))
            case "dropped eps", ast.Name(id="eps"):
                return ast.Constant(0)
            case "power", ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
                return ast.BinOp(left, ast.Pow(), ast.Constant(power + 1))
            case "another branch", ast.Call(func=ast.Name(id="where") as where, args=[condition, a, b]):
                return ast.Call(where, [condition, b, a], [])
            case "another name", ast.Name(id=name) if name not in {*verify.RESERVED, self.other}:
                return ast.Name(self.other)
        return None


EDITS = (
    "sign",
    "factor",
    "missing term",
    "mean of a product split",
    "mean for sum",
    "wrong D",
    "dropped eps",
    "power",
    "another branch",
    "another name",
)
WHOLE = {
    "constant": "({}) + 1",
    "relative error": "({})*(1 + 1/10**20)",
    "hidden behind D": "where(D > 4, 2, 1)*({})",
    "polynomial in D": "({})*(1 + (D - 1)*(D - 2)*(D - 3)*(D - 4)*(D - 5)*(D - 6))",
    "hidden behind a value": "where(x == 7312/10000, 2, 1)*({})",
    "hidden beyond the unit": "where(abs(x) > 1, 2, 1)*({})",
}
SIDES = ("before", "after")
HARMLESS = ("factor", "relative error", "polynomial in D", "constant")
"""Changes that may be true at a name's definition: a softmax is the same for doubled exponentials and for any shift."""


def mutants(source: str, text: str) -> Iterator[Mutant]:
    """A mutant of each kind that fits for each printed expression, and of each field, line and key."""
    right = json.loads(text)
    generator = random.Random(text)

    def mutant(kind: str, what: str, wrong: dict[str, Any], twice: str = "") -> Mutant:
        written = json.dumps(wrong)
        return Mutant(kind, what, source, written.replace(twice, twice + twice, 1) if twice else written)

    for place, owner, key, targets in _expressions(right):
        told = f"step {place + 1}, {right['steps'][place]['target']}, {key}: {owner[key]}"
        names_only = key == "after" and not {"before", "parts"} & right["steps"][place].keys()
        for kind in generator.sample(EDITS, 4) + generator.sample([*WHOLE], 1):
            if names_only and kind in HARMLESS:
                continue
            wrong = copy.deepcopy(right)
            theirs = next(mine for at, mine, k, _ in _expressions(wrong) if (at, k) == (place, key) and mine == owner)
            other = generator.choice(targets or ["x"])
            changed = WHOLE[kind].format(owner[key]) if kind in WHOLE else _edited(owner[key], kind, generator, other)
            if changed and _differs(source, text, place, owner[key], changed, kind in WHOLE):
                theirs[key] = changed
                yield mutant(kind, told, wrong)
    for number, line in enumerate(lines := right["definition"].split("\n")):
        for old, new in (("=", "= 1 +"), ("return ", "return 2*"), ("def ", "def g"), ("Row", "Data")):
            if old in line:
                changed = [*lines[:number], line.replace(old, new, 1), *lines[number + 1 :]]
                yield mutant("definition", line, right | {"definition": "\n".join(changed)})
    for key in right:
        yield mutant("field", f"{key} left out", {k: v for k, v in right.items() if k != key})
        yield mutant("field", f"{key} of another sort", right | {key: 1})
    for place, step in enumerate(right["steps"]):
        for key in ("target", "after"):
            wrong = copy.deepcopy(right)
            del wrong["steps"][place][key]
            yield mutant("field", f"step {place + 1} without {key}", wrong)
        for key in ("number", "rule", "reason", "evidence", "through"):
            if generator.random() < 0.1:
                wrong = copy.deepcopy(right)
                wrong["steps"][place][key] = "exact at every D"
                yield mutant("field", f"step {place + 1} with {key}", wrong)
        if len(step.get("parts", [])) > 1:
            wrong = copy.deepcopy(right)
            wrong["steps"][place]["parts"].pop()
            yield mutant("field", f"step {place + 1} without a part", wrong)


def _expressions(document: dict[str, Any]) -> list[tuple[int, Any, Any, list[str]]]:
    """Every expression: the place of its step, what holds it under which key, and what has a value by then."""
    found, known = [], []
    for place, step in enumerate(document["steps"]):
        others = [name for name in known if name != step["target"]]
        holders = [(step, side) for side in SIDES if side in step]
        holders += [(step["parts"], n) for n in range(len(step.get("parts", [])))]
        holders += [(pair, n) for pair in step.get("uses", []) for n in (0, 1)]
        found += [(place, owner, key, others) for owner, key in holders]
        known.append(step["target"])
    return found


def _edited(text: str, kind: str, generator: random.Random, other: str) -> str:
    mutation = Mutation(kind, generator.randrange(3), other)
    changed = ast.unparse(mutation.visit(ast.parse(text, mode="eval")))
    return changed if mutation.made else ""


@functools.cache
def _values(source: str, text: str) -> verify.Sheet:
    """Return the value of every name of a valid certificate, at one point."""
    certificate, generator = verify.Certificate(json.loads(text), verify.SourceFunction(source)), random.Random(0)
    definition, weights = certificate.definition, [1] * 5

    def draw() -> Any:
        return verify.iv.mpf(generator.uniform(0.1, 1))

    inputs = {name: verify.like(kind, 5, draw) for name, kind in definition.kinds.items()}
    values = {certificate.own.get(n, n): table for n, table in definition.at(weights, inputs).values.items()}
    for role in certificate.arguments:
        for of, name in role.items():
            table = values[certificate.own[of]]
            narrow = of in definition.outputs and table[0][0] is table[0][-1]
            values[name] = verify.like((1, 0) if narrow else definition.kinds.get(of, (1, 1)), 5, draw)
    sheet = verify.Sheet(weights, values)
    for _, target, sides, _ in certificate.steps:
        values.setdefault(target, sheet(sides[0][0]))
    return sheet


def _differs(source: str, text: str, place: int, old: str, new: str, whole: bool) -> bool:
    """Test whether a changed expression has another value: a wrong sign before `mean(xhat)` makes no difference."""
    if whole:
        return any(verify.sign(u) for row in _values(source, text)(verify.parsed(old)) for u in row)
    sheet = _values(source, text)
    one, two = (sheet(verify.parsed(each)) for each in (old, new))
    return verify.agree(one, two, verify.iv.one) is not True
