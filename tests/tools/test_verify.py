"""Certificates, and the program that re-checks them: what is right is taken, every planted mistake is refused."""

import ast
import copy
import functools
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from lngen.report.certificate import certificate
from tests import corpus
from tests.shipped import ROOT, WHOLE
from tests.tiers import sample
from tools import verify

PLANTED = ("layer_norm", "softmax", "norm_of_norm", "residual_add", "masked_norm", "unbiased")
PER_DEFINITION = 45


@functools.cache
def document(name: str) -> dict[str, Any]:
    return json.loads(certificate(corpus.derivation(name)))


def refused(changed: dict[str, Any]) -> str:
    """Why a certificate is refused; empty where it is not."""
    try:
        verify.Certificate(changed).check()
    except verify.Refused as error:
        return str(error)
    return ""


def test_it_imports_nothing_of_lngen_and_is_short():
    source = (ROOT / "tools" / "verify.py").read_text(encoding="utf-8")
    found = {
        (node.module or "").partition(".")[0]
        if isinstance(node, ast.ImportFrom)
        else node.names[0].name.partition(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert found - sys.stdlib_module_names == {"mpmath"}
    assert len(source.splitlines()) < 300


@pytest.mark.parametrize("name", sample(corpus.NAMES, WHOLE))
def test_a_certificate_holds(name):
    assert refused(document(name)) == ""


def test_every_step_of_every_direction_is_in_it():
    derivation = corpus.derivation("layer_norm")
    steps = [step for part in derivation.derivatives().values() for step in part.steps]
    assert [(step["number"], step["target"]) for step in document("layer_norm")["steps"]] == [
        (step.number, step.target.name) for step in steps
    ]
    assert {step["direction"] for step in document("layer_norm")["steps"]} == {
        "forward",
        "backward",
        "jvp",
        "backward_backward",
    }


# ---- planted mistakes


class Mutations(ast.NodeTransformer):
    """One mistake of a kind at the n-th place where it can be made; `made` tells whether there was one."""

    def __init__(self, kind: str, place: int, other: str) -> None:
        self.kind, self.place, self.other = kind, place, other
        self.made = False

    def visit(self, node: ast.AST) -> ast.AST:
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
                return ast.BinOp(ast.Name("D"), ast.Sub(), ast.Constant(1))
            case "dropped eps", ast.Name(id="eps"):
                return ast.Constant(0)
            case "power", ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
                return ast.BinOp(left, ast.Pow(), ast.Constant(power + 1))
            case "another name", ast.Name(id=name) if name not in (*verify.FUNCTIONS, "D", self.other):
                return ast.Name(self.other)
        return None


KINDS = (
    "sign",
    "factor",
    "missing term",
    "mean of a product split",
    "mean for sum",
    "wrong D",
    "dropped eps",
    "power",
    "another name",
)


@functools.cache
def values_of(name: str) -> verify.Values:
    """What every name of a right certificate stands for, at one point."""
    verify.mp.dps = verify.DIGITS
    right = verify.Certificate(document(name))
    generator = random.Random(0)
    values = dict(verify.Point(right.definition, 5, generator).values)
    for entry in (entry for entries in right.arguments.values() for entry in entries):
        kind = right.definition.kinds.get(entry["of"], entry["kind"])
        values[entry["name"]] = verify.like(kind, 5, functools.partial(verify.drawn, generator, -1, 1))
    for _, target, sides in right.steps:
        values[target] = sides[0][0].at(values)
    return values


def another(name: str, text: str, kind: str, place: int, other: str) -> str | None:
    """The expression with a mistake, or None where there is no place for it, or where it makes no difference.

    A wrong sign before `mean(xhat)` makes none, for instance.
    """
    mutations = Mutations(kind, place, other)
    changed = ast.unparse(mutations.visit(ast.parse(text, mode="eval")))
    if not mutations.made:
        return None
    values = values_of(name)
    one, two = (verify.Expression(each, "").at(values) for each in (text, changed))
    return None if verify.agree(one, two) else changed


def planted(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Certificates with one mistake each, of every kind that a definition has a place for."""
    right = document(name)
    generator = random.Random(name)
    places = [(i, side) for i, step in enumerate(right["steps"]) for side in ("before", "after") if step[side]]
    targets = [step["target"] for step in right["steps"]]
    count = 0
    for turn in range(40 * PER_DEFINITION):
        kind = KINDS[turn % len(KINDS)]
        i, side = generator.choice(places)
        step = right["steps"][i]
        # Only what has a value by then: another name would be refused for that alone.
        earlier = [t for t in targets[:i] if t != step["target"]]
        other = generator.choice(earlier) if earlier else "x"
        text = another(name, step[side], kind, generator.randrange(3), other)
        if text is None:
            continue
        changed = copy.deepcopy(right)
        changed["steps"][i][side] = text
        yield f"{kind} in step {step['number']}, {step['rule']}, {side}: {text}", changed
        count += 1
        if count == PER_DEFINITION:
            return


@pytest.mark.parametrize("name", sample(PLANTED, PLANTED[:2]))
def test_every_planted_mistake_is_refused(name):
    made = list(planted(name))
    assert len(made) == PER_DEFINITION
    assert len({what.partition(" in step")[0] for what, _ in made}) >= 5
    assert [what for what, changed in made if not refused(changed)] == []


def changed_in(name: str, change: Any) -> str:
    wrong = copy.deepcopy(document(name))
    change(wrong)
    return refused(wrong)


class TestOfTheWhole:
    def test_another_definition(self):
        def change(wrong):
            wrong["definition"] = wrong["definition"].replace("+ eps", "")

        assert changed_in("layer_norm", change)

    def test_results_under_each_other_s_names(self):
        def change(wrong):
            wrong["results"]["backward"] |= {"gamma": "dbeta", "beta": "dgamma"}

        assert changed_in("layer_norm", change).startswith("backward, ")

    @pytest.mark.parametrize("direction", ["forward", "backward", "jvp", "backward_backward"])
    def test_a_result_that_is_missing(self, direction):
        def change(wrong):
            wrong["results"][direction].popitem()

        assert changed_in("layer_norm", change).startswith(f"{direction}, ")

    def test_a_step_that_is_missing(self):
        steps = document("layer_norm")["steps"]
        needed = [i for i, step in enumerate(steps) if step["target"] == "g"][:1]

        def change(wrong):
            del wrong["steps"][needed[0]]

        assert "nothing is called g here" in changed_in("layer_norm", change)

    def test_a_part_of_a_sum_that_is_missing(self):
        place = next(i for i, step in enumerate(document("layer_norm")["steps"]) if len(step["parts"]) > 1)

        def change(wrong):
            wrong["steps"][place]["parts"].pop()

        assert changed_in("layer_norm", change)

    def test_an_argument_that_is_missing(self):
        def change(wrong):
            wrong["arguments"]["tangents"].pop()

        assert changed_in("layer_norm", change)

    @pytest.mark.parametrize(
        "text", ["().__class__", "[x for x in y]", "open('x')", "x.real", "lambda: x", "'x'", "x if x else y"]
    )
    def test_what_is_not_in_the_grammar(self, text):
        def change(wrong):
            wrong["steps"][0]["after"] = text

        assert changed_in("layer_norm", change)


def test_the_program_says_what_does_not_hold(tmp_path):
    good, bad, other = (tmp_path / name for name in ("good.json", "bad.json", "other.json"))
    good.write_text(json.dumps(document("layer_norm")))
    wrong = copy.deepcopy(document("layer_norm"))
    wrong["steps"][-1]["after"] = "0"
    bad.write_text(json.dumps(wrong))
    other.write_text("[]")

    def run(*files: Any) -> tuple[int, str]:
        command = [sys.executable, "-I", str(ROOT / "tools" / "verify.py"), *map(str, files)]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert result.stderr == ""
        return result.returncode, result.stdout

    assert run(good) == (0, f"{good}: {len(wrong['steps'])} steps and every result hold\n")
    status, printed = run(good, bad)
    assert status == 1
    assert printed.splitlines()[1].startswith(f"{bad}: REFUSED: step {len(wrong['steps'])}, ")
    assert run(other)[0] == run(tmp_path / "none.json")[0] == 1
