"""Plans for the tests of explanations: shipped layers, definitions of the tests, and formulas given as text."""

from functools import cache
from pathlib import Path

from lngen.derivation.simplify import derive
from lngen.language.parsing import load, parse
from lngen.plan.planner import plan
from lngen.plan.widen import widened

ROOT = Path(__file__).parents[3]
WORDS = "Row, RowScalar, Feature, Scalar, Constant, mean, sum, sqrt, exp, log, tanh, max, sin, D, where"


@cache
def of_file(path):
    return widened(plan(derive(load(path))))


def shipped(name):
    return of_file(ROOT / "derive" / f"{name}.py")


def defined(name):
    return of_file(ROOT / "tests" / "definitions" / f"{name}.py")


@cache
def formula(body, arguments="x: Row"):
    return widened(plan(derive(parse(f"from lngen.language import {WORDS}\ndef f({arguments}):\n    return {body}\n"))))
