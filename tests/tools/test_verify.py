"""Certificates, and the program that re-checks them: what is right is taken, and every forgery is refused."""

import functools
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lngen.language.parsing import parse
from lngen.pipeline.stages import planned
from lngen.report.certificate import certificate
from tests import corpus
from tests.shipped import NAMES, ROOT
from tests.tiers import sample
from tools import verify

SIX = "def f(x: Row): return minimum(maximum(x, 0), 6)"
TINY = "def f(x: Row): return 1e-40*tanh(x)*mean(x)"
JOINED = (
    "def f(x: Row, m: Data): return where((x > 0) & ~(m < 0.5) | (x < -m), x*m, 0)*where((x > 1) | (m > 1), 2*x, m)"
)
PICKED = (
    "def f(x: Row, i: Int['...'], j: Int['']): "
    "return where(i >= 0, pick(x, i)*x, 0) + where(index() <= i + j, exp(x), mean(x))"
)
PACKED = """
def f(x: Array["... (s d)"], s: Size = 2):
    a = at(x, s=0)
    b = at(x, s=1)
    z = join(a*exp(b), a - b)
    return z
"""
CAST = "def f(x: Row): return cast(x*mean(x**2), 'float8_e5m2')"
RAISED = "def f(x: Row, p: Constant = 2): return (1 + x**2)**p*x"
NEGATIVE = "def f(x: Row, c: Constant = -2): return c*x*mean(x**2)"
SCALED = "def f(x: Row, s: RowScalar, b: Scalar): return x*b*s**2"
TAKEN = "def f(x: Row, dx: Feature): return x*dx + mean(x**2)"
HELD = sample(
    (
        *corpus.NAMES,
        SIX,
        TINY,
        TAKEN,
        JOINED,
        PICKED,
        PACKED,
        CAST,
        RAISED,
        "def f(x: Row): return x/(D - 3000)",
        "def f(x: Row): return x/(D - 1)/(4 - D)",
    ),
    (SIX, JOINED, PICKED, PACKED, CAST, RAISED),
    ci=lambda name: name in (*NAMES[::10], "instance_norm", "weighted_labels") or " " in name,
)


@functools.cache
def written(name: str) -> tuple[str, str]:
    """The text of a definition, or of a name of the corpus, and its certificate."""
    derivation = corpus.derivation(name) if name in corpus.NAMES else planned(parse(name), proved=False).derivation
    return derivation.definition.source, certificate(derivation)


def document(name: str) -> dict[str, Any]:
    return json.loads(written(name)[1])


def refused(source: str, changed: dict[str, Any], seed: int = 0) -> str:
    """Return why a certificate is refused; empty if it is accepted."""
    try:
        verify.Certificate(changed, verify.SourceFunction(source)).run(random.Random(seed))
    except verify.ClaimRefused as fault:
        return str(fault)
    except (AttributeError, LookupError, TypeError, ValueError, SyntaxError, RecursionError) as fault:
        return f"its form: {fault!r}"
    return ""


def changed_in(name: str, change: Callable[[dict[str, Any]], Any]) -> str:
    """Return why a certificate is refused after `change` has made it false."""
    wrong = document(name)
    change(wrong)
    assert wrong != document(name)
    return refused(written(name)[0], wrong)


def last_of(wrong: dict[str, Any], target: str) -> dict[str, Any]:
    return [step for step in wrong["steps"] if step["target"] == target][-1]


def in_every_line(form: str, target: str) -> Callable[[dict[str, Any]], None]:
    """A forgery of a result in each line that it has, so that its chain is one."""

    def change(wrong: dict[str, Any]) -> None:
        for step in (step for step in wrong["steps"] if step["target"] == target):
            step.pop("parts", None)
            for side in ("before", "after"):
                if side in step:
                    step[side] = form.format(step[side])

    return change


@pytest.mark.parametrize("name", HELD)
def test_certificate_of_an_honest_derivation_holds(name, monkeypatch):
    calls, each = 0, verify.each

    def counted(*given):
        nonlocal calls
        calls += 1
        return each(*given)

    monkeypatch.setattr(verify, "each", counted)
    assert refused(written(name)[0], document(name), seed=random.randrange(2**32)) == ""
    # 5 to 10 seconds of a slow core for 22,000; the default of --seconds is 8.
    assert calls < 30_000


def test_a_line_that_every_point_leaves_open_is_refused(monkeypatch):
    source, text = written("softmax")
    agree = verify.agree
    of_the_definition = verify.iv.one

    def never_sure(a, b, largest):
        same = agree(a, b, largest)
        return same if same is False or largest is of_the_definition else None

    monkeypatch.setattr(verify, "agree", never_sure)
    assert "it does not hold" in refused(source, json.loads(text))


# ---- forgeries


NO_VALUE = " + x*exp(200*D)" + "".join(f"*(D - {n})" for n in range(1, 70))
FORGED = {
    "doubled for more features than are tried": ("layer_norm", "dx", "where(D > 4, 2, 1)*({})"),
    "doubled for one number of features": ("layer_norm", "dx", "where(D == 4097, 2, 1)*({})"),
    "a polynomial that is 0 for many features": (
        "softmax",
        "dx",
        "{} + " + "*".join(f"(D - {n})" for n in range(1, 90)) + "*x",
    ),
    "a bump that is rational": ("softmax", "dx", "({})*(1 + 1/(1 + (10**20*(x - 3/4))**60))"),
    "what cancels only in few digits, of small numbers": (TINY, "dx", "({})*(1 + 1/10**20)"),
    "hidden in large numbers": ("softmax", "dx", "({})*(1 + 1/10**20) + (10**99*x - 10**99*x)"),
    "wrong beyond the unit": (SIX, "dx", "where(abs(x) > 1, 2, 1)*({})"),
    "wrong at one value": ("softmax", "dx", "where(x == 7312/10000, 5*dy, {})"),
    "wrong where a factor is 0": (SIX, "dx", "where(x*(x - 3/4)**2 == 0, 5*dy, {})"),
    "by the largest of what D decides": ("softmax", "dx", "{} + max(x*(9/2 - D)) + max(x*(D - 9/2))"),
    "by a sign of D": ("softmax", "dx", "({})*(3 + sign(D - 9/2))/(3 + sign(D - 9/2) + relu(D - 9))"),
    "wrong at zeros": ("mean_abs_norm", "dx", "where(x - mean(x) == 0, 5*dy, {})"),
    "wrong for all that are small": ("softmax", "y", "({})*(2 - erf(1000*(x + 5)))"),
    "a Scalar's, by feature": (SCALED, "db", "{} + index()"),
    "by a place that a condition has, and more": (PICKED, "dx", "where(index() <= i + 1, 2, 1)*({})"),
    "a polynomial that is 0 for the labels of some features": (
        PICKED,
        "dx",
        "{} + x" + "".join(f"*(i - {n})" for n in range(17)) + "*(i + 1)*(i + 2)",
    ),
    "by an exponent": ("def f(x: Row, p: Constant = 3): return (1 + exp(x))**p", "dx", "where(p - 2 == 0, 2, 1)*({})"),
    "by the sign of a Constant": (NEGATIVE, "dx", "({})*c/(c**2)**(1/2)"),
    "for two rows alone": ("layer_norm", "dx", "({})*sum_rows(1)/2"),
    "for few rows alone": ("layer_norm", "dx", "{} + x*(sum_rows(1) - 1)*(sum_rows(1) - 2)*(sum_rows(1) - 3)"),
    "of features that have no value where they are many": ("range", "dx", "{}" + NO_VALUE),
}


@pytest.mark.parametrize("what", sample(FORGED, [*FORGED][:2] + [*FORGED][-3:]))
def test_verify_of_a_hidden_formula_refuses(what):
    name, target, form = FORGED[what]
    assert changed_in(name, in_every_line(form, target))
    assert changed_in(
        name, lambda wrong: last_of(wrong, target).update(after=form.format(last_of(wrong, target)["after"]))
    )


FIELDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "the smallest D": lambda wrong: wrong.update(smallest=5),
    "kinds": lambda wrong: wrong.update(arguments={"cotangents": [{"of": "y", "name": "dy", "kind": "Scalar"}]}),
    "results": lambda wrong: wrong.update(results={}),
    "evidence": lambda wrong: wrong.update(evidence=[{"kind": "exact", "statement": "...", "passed": False}]),
    "another version": lambda wrong: wrong.update(format="lngen certificate 1"),
    "a missing field": lambda wrong: wrong.pop("names"),
    "a grade": lambda wrong: wrong["steps"][3].update(evidence="exact at every D"),
    "a reason": lambda wrong: wrong["steps"][3].update(reason="none"),
    "a name of nothing": lambda wrong: wrong["names"].update(z="zz"),
    "a name for two": lambda wrong: wrong["names"].update(mu="dx"),
    "a renamed value": lambda wrong: wrong["names"].update(x="x_2"),
    "a target that is an argument": lambda wrong: wrong["steps"][0].update(target="dy"),
    "a target that is a function": lambda wrong: wrong["steps"][0].update(target="exp"),
    "a missing result": lambda wrong: [
        wrong["steps"].remove(step) for step in wrong["steps"][:] if step["target"] == "d2gamma"
    ],
    "a missing step": lambda wrong: wrong["steps"].remove(
        next(step for step in wrong["steps"] if step["target"] == "g")
    ),
    "results under each other's names": lambda wrong: [
        step.update(target={"dgamma": "dbeta", "dbeta": "dgamma"}.get(step["target"], step["target"]))
        for step in wrong["steps"]
    ],
    "a part left out": lambda wrong: next(step for step in wrong["steps"] if len(step.get("parts", [])) > 1)[
        "parts"
    ].pop(),
    "no parts": lambda wrong: next(step for step in wrong["steps"] if "parts" in step).update(parts=[]),
    "a part doubled": lambda wrong: next(step for step in wrong["steps"] if "parts" in step)["parts"].append("x"),
    "a false equation in use": lambda wrong: next(step for step in wrong["steps"] if "uses" in step).update(
        uses=[["mean(xhat)", "1"]]
    ),
    "a gradient called by another value": lambda wrong: wrong["steps"].append({"target": "dx", "after": "17"}),
}


@pytest.mark.parametrize("what", FIELDS)
def test_verify_of_a_false_field_refuses(what):
    assert changed_in("layer_norm", FIELDS[what])


SWAPPED = {
    "inputs": ("def f(x: Row, z: Row): return {0} - {1}", "x", "z"),
    "outputs": ("def f(x: Row):\n    {0} = 2*x\n    {1} = x*mean(x)\n    return y, h", "y", "h"),
    "parts": (
        "def f(u: Array['... (s d)'], s: Size = 2):\n    a = at(u, s=0)\n    b = at(u, s=1)\n    return {0}*exp({1})",
        *"ab",
    ),
}


@pytest.mark.parametrize("what", SWAPPED)
def test_verify_of_values_under_each_others_names_refuses(what):
    form, a, b = SWAPPED[what]
    (source, right), (_, text) = (written(form.format(*names)) for names in ((a, b), (b, a)))
    wrong = json.loads(text) | {"definition": json.loads(right)["definition"], "names": {a: b, b: a}}
    assert refused(source, json.loads(right)) == ""
    assert "another name" in refused(source, wrong)


def test_verify_of_a_name_without_need_refuses():
    source, text = written("softmax")
    wrong = json.loads(re.sub(r"\b(d|d2|dd|)x(_dot|)\b", r"\1q\2", text)) | {"names": {"x": "q"}}
    wrong["definition"] = json.loads(text)["definition"]
    wrong["steps"].append({"target": "dx", "after": "17"})
    assert "another name" in refused(source, wrong)


def test_a_name_of_a_step_turns_nothing_off():
    def change(wrong: dict[str, Any]) -> None:
        wrong["steps"].insert(0, {"target": "attains_first_x", "after": "attains_first(x, max(x))"})
        in_every_line("{}" + NO_VALUE, "dx")(wrong)

    assert "it does not hold" in changed_in("rms_norm", change)


def test_verify_of_a_broken_chain_refuses():
    def change(wrong: dict[str, Any]) -> None:
        step = next(step for step in wrong["steps"] if step["target"] == "dx" and "before" in step)
        step.update({side: f"{step[side]} + 1" for side in ("before", "after")})

    assert "it does not hold" in changed_in("softmax", change)


DEFINITIONS = {
    "a constant": ("1e-5", "1e-1", "line 1 is"),
    "a neutral value": ("gamma: Feature = 1", "gamma: Feature = 7", "line 1 is"),
    "the name": ("def layer_norm", "def rms_norm", "line 1 is"),
    "a kind": ("gamma: Feature", "gamma: Scalar", "line 1 is"),
    "a line": ("(x - mu) ** 2", "(x - mu) ** 4", "line 3 is"),
    "eps": ("var + eps", "var", "line 4 is"),
    "an import of another package": ("from lngen.language import", "from numpy import", "not in the language"),
    "another name of a function": ("mean, sqrt", "mean as sum, sqrt", "not in the language"),
    "a decorator": ("def layer_norm", "@cached\ndef layer_norm", "not in the language"),
    "an annotation of a line": ("mu = mean(x)", "mu: Row = mean(x)", "not in the language"),
    "a string": ("mu = mean(x)", "mu = mean('x')", "not in the grammar"),
    "a function of certificates": ("mu = mean(x)", "mu = Phi(mean(x))", "not of the language"),
    "two values of a name": ("var = mean", "mu = mean", "twice"),
}


@pytest.mark.parametrize("what", DEFINITIONS)
def test_verify_of_another_definition_says_where_it_differs(what):
    old, new, said = DEFINITIONS[what]
    source = written("layer_norm")[0]
    assert old in source
    assert said in refused(source.replace(old, new), document("layer_norm"))


AXES = """
def by_group(x: Array["n (g c) h w"], gamma: Array["(g c)"] = 1, g: Size = 32, shift: Data["h w"] = 0):
    c = x - mean(x, "c h w")
    y = gamma*c*rsqrt(mean(c**2, "c h w") + 1) + shift
    return y
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [("", ""), ('"c h w"', '"h w"'), ("c h w", "w h c"), ('Array["(g c)"]', 'Array["h"]'), ("g: Size = 32, ", "")],
)
def test_verify_of_named_axes_takes_the_definition_itself_alone(old, new):
    changed = json.loads(written(AXES)[1])
    source = AXES.replace(old, new) if old else AXES
    assert bool(refused(source, changed)) == bool(old)


@pytest.mark.parametrize(
    "text",
    ["().__class__", "[x for x in y]", "open('x')", "x.real", "lambda: x", "'x'", "x if x else y", "x > 0", "0x10*x"],
)
def test_verify_of_what_is_not_in_the_grammar_refuses(text):
    assert changed_in("softmax", lambda wrong: wrong["steps"][0].update(after=text))


# ---- the program


def run(*words: Any, cwd: Path) -> tuple[int, str]:
    command = [sys.executable, "-I", str(ROOT / "tools" / "verify.py"), *map(str, words)]
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, timeout=120, check=False, stdin=subprocess.DEVNULL
    )
    assert result.stderr == ""
    assert result.stdout.isascii()
    assert result.stdout.replace("\n", "").isprintable()
    return result.returncode, result.stdout


def test_program_says_what_holds_and_by_which_seed(tmp_path):
    source, right = written(SIX)
    (tmp_path / "f.py").write_text(source)
    (tmp_path / "good.json").write_text(right)
    wrong = document(SIX)
    (zero := last_of(wrong, "dx"))["after"] = "0"
    (tmp_path / "bad.json").write_text(json.dumps(wrong))
    status, printed = run("good.json", "--definition", "f.py", cwd=tmp_path)
    first, second = printed.splitlines()
    assert (status, first) == (0, f"good.json: {len(wrong['steps'])} steps and every result hold")
    seed = second.rpartition(" ")[2].rstrip(")")
    assert run("good.json", "--definition", "f.py", "--seed", seed, cwd=tmp_path) == (0, printed)
    status, printed = run("bad.json", "--definition", "f.py", cwd=tmp_path)
    assert (status, printed.partition(", dx: ")[0]) == (1, f"bad.json: REFUSED: step {wrong['steps'].index(zero) + 1}")
    assert seed not in printed, "each run has points of its own"


def hostile(after: str = "x", **more: Any) -> tuple[str, str]:
    source = "def f(x: Row):\n    y = 2 * x\n    return y"
    steps = [{"target": "dx", "after": after}]
    return source, json.dumps({"format": verify.FORMAT, "definition": source, "names": {}, "steps": steps} | more)


def of_definition(expression: str) -> tuple[str, str]:
    source = f"def f(x: Row):\n    y = {expression}\n    return y"
    return source, hostile(definition=source)[1]


CHAIN = [{"target": f"q{n}", "after": f"{f'q{n - 1}' if n else 'x'}**300"} for n in range(400)]
HOSTILE = {
    "a tower of powers": hostile("9**9**9**9"),
    "a tower of exponentials": hostile("exp(exp(exp(exp(9))))"),
    "a sine of a power": hostile("sin(9**9**9)"),
    "a long power": hostile("9" * 3000 + "**" + "9" * 3000),
    "no finite number": hostile("1e999*x"),
    "some signs": hostile("-" * 7000 + "x"),
    "parentheses": hostile("(" * 3000 + "x" + ")" * 3000),
    "a long sum": hostile("+".join(["x"] * 50000)),
    "powers of powers": hostile(steps=CHAIN),
    "many steps": hostile(steps=[{"target": f"q{n}", "after": "exp(x)*sin(x)*erf(x)"} for n in range(9000)]),
    "a tower in the definition": of_definition("x**9**9**9**9"),
    "nested functions in the definition": of_definition("abs(" * 30 + "x" + ")" * 30),
    "a zero byte in the definition": of_definition("x\0"),
    "deep lists": ("def f(x: Row):\n    return x*2", "[" * 200000 + "]" * 200000),
    "a smallest D": hostile(smallest=10**6),
    "a surrogate in a target": hostile(steps=[{"target": "\ud800", "after": "x"}]),
    "escapes in a target": hostile(steps=[{"target": "\x1b[31m", "after": "x"}]),
    "escapes in a definition": ("def f(x: Row):\n    return x*2", hostile(definition="\x1b[31m")[1]),
    "nothing": ("def f(x: Row):\n    return x*2", ""),
    "a key that stands there twice": (
        hostile()[0],
        hostile()[1].replace('"names"', '"names": {"x": "z"}, "names"', 1),
    ),
}


@pytest.mark.parametrize("what", sample(HOSTILE, ["a tower of powers", "deep lists", "escapes in a target"]))
def test_program_of_hostile_input_refuses_in_time(what, tmp_path):
    source, text = HOSTILE[what]
    (tmp_path / "f.py").write_text(source, encoding="utf-8")
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    before = os.times()
    status, printed = run("c.json", "--definition", "f.py", "--seconds", 3, cwd=tmp_path)
    after = os.times()
    assert (status, printed.partition(" REFUSED: ")[0]) == (1, "c.json:")
    assert after.children_user - before.children_user < 5
