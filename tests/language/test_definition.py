"""Definitions that the language accepts, and its refusals."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docs.refusals import SECTIONS
from lngen.errors import DefinitionError
from lngen.language.definition import Definition
from lngen.language.parsing import load, parse
from lngen.language.syntax import Binary, Call, Connective, Kind, Name, Number, SourceSpan, render, walk

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "derive").glob("*.py"))
TEST_ONLY = sorted((ROOT / "tests" / "definitions").glob("*.py"))
HEADER = "def f(x: Row, gamma: Feature = 1, s: RowScalar = 1, a: Scalar = 1, eps: Constant = 1e-5):\n"


def body(*lines: str) -> str:
    """A function with these statements; the first is on line 2, indented by 4."""
    return HEADER + "".join(f"    {line}\n" for line in lines)


def expression(text: str) -> str:
    """A definition that returns an expression of x; the expression starts at line 2, column 12."""
    return f"def f(x: Row):\n    return {text}\n"


def of(text: str) -> Definition:
    return parse(expression(text))


def refused(text: str) -> DefinitionError:
    with pytest.raises(DefinitionError) as caught:
        parse(text, "f.py")
    return caught.value


# --- what is accepted ------------------------------------------------------------------------------


def test_the_example_of_the_design() -> None:
    definition = load(ROOT / "derive" / "layer_norm.py")
    assert [(i.name, i.kind, i.default) for i in definition.inputs] == [
        ("x", Kind.ROW, None),
        ("gamma", Kind.FEATURE, Fraction(1)),
        ("beta", Kind.FEATURE, Fraction(0)),
        ("eps", Kind.CONSTANT, Fraction(1, 100000)),
    ]
    assert [(s.name, s.kind) for s in definition.statements] == [
        ("mu", Kind.ROW_SCALAR),
        ("var", Kind.ROW_SCALAR),
        ("xhat", Kind.ROW),
        ("y", Kind.ROW),
    ]
    assert definition.outputs == ("y",)
    assert definition.output_kind("y") is Kind.ROW
    assert definition.minimum_features == 1
    assert [entry.name for entry in definition.constants] == ["eps"]
    assert [entry.name for entry in definition.rows] == ["x"]
    assert [entry.name for entry in definition.features] == ["gamma", "beta"]
    assert [entry.name for entry in definition.differentiable] == ["x", "gamma", "beta"]
    assert definition.docstring.startswith("Layer normalization over the feature axis.\n\nBa, Kiros")


def test_spans_count_characters_from_one() -> None:
    definition = parse("# äöü\ndef f(x: Row):\n    '''ä'''; y = x * 2\n    return y\n")
    assert definition.inputs[0].span == SourceSpan(2, 7, 2, 13)
    assert definition.statements[0].span == SourceSpan(3, 14, 3, 23)
    product = definition.statements[0].expression
    assert isinstance(product, Binary)
    assert product.span == SourceSpan(3, 18, 3, 23)
    assert product.right.span == SourceSpan(3, 22, 3, 23)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mean(x)", Kind.ROW_SCALAR),
        ("mean(gamma)", Kind.SCALAR),
        ("s * gamma", Kind.ROW),
        ("a * gamma", Kind.FEATURE),
        ("a + eps + D + 2", Kind.SCALAR),
        ("eps", Kind.SCALAR),
        ("-s", Kind.ROW_SCALAR),
        ("max(s * gamma)", Kind.ROW_SCALAR),
        ("where(s > 0, a, gamma)", Kind.ROW),
        ("where(a > 0, 1, gamma)", Kind.FEATURE),
        ("maximum(a, gamma)", Kind.FEATURE),
        ("stop_gradient(s)", Kind.ROW_SCALAR),
        ("s ** 2", Kind.ROW_SCALAR),
    ],
)
def test_kinds_are_inferred(text: str, kind: Kind) -> None:
    definition = parse(body(f"v = 2 * ({text})", "return x * gamma * s * a * eps * v"))
    assert definition.statements[0].kind is kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-5", Fraction(1, 100000)),
        ("0.1", Fraction(1, 10)),
        ("0.1000000000000000055511151231257827", Fraction(1, 10)),
        ("3", Fraction(3)),
        ("1_000", Fraction(1000)),
        ("0x10", Fraction(16)),
        ("0x0", Fraction(0)),
        ("0.0e5", Fraction(0)),
        ("1e300", Fraction(10) ** 300),
        ("1e-300", Fraction(1, 10**300)),
    ],
)
def test_literals_are_exact(text: str, value: Fraction) -> None:
    sum_ = of(f"x + {text}").statements[0].expression
    assert isinstance(sum_, Binary)
    assert isinstance(sum_.right, Number)
    assert sum_.right.value == value


def test_conditions_are_joined_as_python_joins_them() -> None:
    definition = of("where((x > 0) & ~(x == 1) | (x < -1), x, 0)")
    call = definition.statements[0].expression
    assert isinstance(call, Call)
    assert isinstance(call.arguments[0], Connective)
    assert render(call) == "where((((x > 0) & (~(x == 1))) | (x < (-1))), x, 0)"
    assert [part.name for part in walk(call) if isinstance(part, Name)] == ["x"] * 4
    assert of("where((x > 0) & (mean(x) > 0), 1, 0)").statements[0].kind is Kind.ROW
    assert of("where(((x > 0)) & (~(x == 1)) | (x < -1), x, 0)").canonical() == definition.canonical()


@pytest.mark.parametrize(
    ("text", "smallest"),
    [
        ("x / (D - 1)", 2),
        ("x / (D - 2)", 3),
        ("x / (2 - D)", 3),
        ("x / (D + 1)", 1),
        ("x / (2*D - 1)", 1),
        ("x / (D * (D - 1))", 2),
        ("x / (D**2 - 25)", 6),
        ("x / (D - 1)**64", 2),
        ("x * (D - 3)**-1", 4),
        ("x / -(D - 1)", 2),
        ("x / sqrt(D - 1)", 2),
        ("x * sqrt(D - 3)", 3),
        ("x * rsqrt(D - 3)", 4),
        ("x * (D - 3)**0.5", 3),
        ("x * log1p(D - 3)", 3),
        ("x / (1 - 1/D)", 2),
        ("x / log(D)", 2),
        ("x / (D**3 - 3*D**2 + 3*D - 1)", 2),
        ("x / (D**3 - 6*D**2 + 11*D - 6)", 4),
        ("x / (D * x)", 1),
        ("x / mean(x**2) / D", 1),
    ],
)
def test_the_smallest_number_of_features(text: str, smallest: int) -> None:
    assert of(text).minimum_features == smallest


def test_docstrings_hold_nothing_that_acts_on_a_terminal_or_cannot_be_written() -> None:
    definition = parse('def f(x: Row):\n    "a\\x1b[2J\\ud800 \\n b"\n    return x * 2')
    assert definition.docstring == "a\\x1b[2J\\ud800 \nb"


# --- what is refused -------------------------------------------------------------------------------

# Line and column of each refusal that has a name are those of its examples in `docs/errors.md`. Here are limits of a
# text, and what has no example; Python's own parser says where some of them are, each version in its own way.
REFUSED = [
    ("x\0", 1, None),
    ("x = '\ud800'", 1, 6),
    ("#" * 65537, 1, 1),
    (expression("2 * (x, x)"), 2, 16),
    (expression("x" + " + x" * 100), 2, 12),
    (expression("-" * 100 + "x"), 2, 112),
    (expression("-" * 30000 + "x"), 2, None),
    (expression("(" * 500 + "x" + ")" * 500), 2, None),
]


@pytest.mark.parametrize(("text", "line", "column"), REFUSED, ids=range(len(REFUSED)))
def test_a_text_is_refused_where_it_stands(text: str, line: int, column: int | None) -> None:
    error = refused(text)
    assert error.line == line
    assert column in (None, error.column)
    assert error.remedy
    assert str(error).startswith(f"f.py:{error.line}:{error.column}: ")
    assert len(str(error).splitlines()) == 4


def test_deep_towers_are_refused_quickly() -> None:
    # Each would take longer than the age of the universe, or all memory, if it were computed.
    for text in ("9**9**9", "(9**64)**64", "2**64**64", "(1/3)**64**64", "(((3**64)**64)**64)**64"):
        refused(expression(f"x * {text}"))


# --- errors ----------------------------------------------------------------------------------------


def test_the_whole_error_is_four_lines() -> None:
    assert str(refused("def f(x: Row):\n    y = x ** x\n    return y")) == (
        "f.py:2:14: the exponent is a Row, and has to be the same for all rows and features\n"
        "        y = x ** x\n"
        "                 ^\n"
        "  remedy: write where(a > 0, exp(b*log(where(a > 0, a, 1))), 0) for a power a**b with a >= 0 and b > 1"
    )


def test_control_characters_are_escaped() -> None:
    error = refused("def f(x: Row):\n\ty = x\x0c + '\x1b[2J\u202e'\n\treturn y")
    assert "\x1b" not in str(error)
    assert "\u202e" not in str(error)
    shown, caret = str(error).splitlines()[1:3]
    assert shown[caret.index("^") :].startswith("'\\x1b[2J\\u202e'")


# --- files -----------------------------------------------------------------------------------------


def test_load_reads_utf8(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(b"\xef\xbb\xbf" + '"""ä"""\r\ndef f(x: Row): return 2*x\r\n'.encode())
    assert load(path).docstring == "ä"
    assert load(str(path)).filename == str(path)


# --- hostile text ----------------------------------------------------------------------------------

HOSTILE = [
    'def f(x: Row):\n    return x * __import__("os").system("touch HIT")',
    '__import__("os").system("touch HIT")\n' + expression("2*x"),
    '@__import__("os").system("touch HIT")\n' + expression("2*x"),
    'def f(x: __import__("os").system("touch HIT")):\n    return 2*x',
    'def f(x: Row, e: Constant = __import__("os").system("touch HIT")):\n    return e*x',
    'def f(x: Row):\n    f"""{open("HIT", "w")}"""\n    return 2*x',
    'def f(x: Row):\n    return (lambda: open("HIT", "w"))() * x',
    "def f(x: Row):\n    return x.__class__.__bases__[0].__subclasses__()",
    'def f(x: Row):\n    return sqrt(x, open("HIT", "w"))',
]


def watched(texts: list[str], folder: Path, may_pass: bool) -> None:
    """Parse texts in a process of their own, where an audit hook sees every file that is opened and every process that
    is started.
    """
    given = folder / "texts.json"
    given.write_text(json.dumps(texts))
    program = (
        "import json, sys, unicodedata, lngen.language.parsing.parser, mpmath\n"
        "from lngen.language.parsing import parse\n"
        "from lngen.errors import DefinitionError\n"
        "from pathlib import Path\n"
        "texts = json.loads(Path('texts.json').read_text())\n"
        "parse('def f(x: Row): return x*exp(-2)/sqrt(3 + D)')\n"
        "seen = []\n"
        "watched = ('open', 'exec', 'import', 'os.', 'subprocess.', 'socket.', 'ctypes.')\n"
        "from lngen.language.parsing.source import NO_FILE\n"
        "def hook(event, arguments):\n"
        "    if event.startswith(watched) and (event, arguments[:1]) != ('open', (NO_FILE,)):\n"
        "        seen.append(f'{event} {arguments}')\n"
        "sys.addaudithook(hook)\n"
        "for text in texts:\n"
        "    try:\n"
        "        parse(text)\n"
        "    except DefinitionError:\n"
        "        continue\n"
        f"    if not {may_pass}:\n"
        "        sys.exit('accepted: ' + text)\n"
        "sys.exit('acted: ' + ' '.join(seen) if seen else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert list(folder.iterdir()) == [given]


def test_nothing_is_executed_and_nothing_is_written(tmp_path: Path) -> None:
    watched(HOSTILE, tmp_path, may_pass=False)


EXAMPLES = [each.written for section in SECTIONS for each in section.examples if len(each.written) < 300]
SEEDS = [path.read_text() for path in SHIPPED + TEST_ONLY] + EXAMPLES + HOSTILE
PIECES = ["\n", "    ", " ", "1e308", "é", "\0", "\t", '"""', "return ", "lambda", "where(", "mean(", "log(", "\ud800"]
PIECES += ["**", "==", *"()*-/,:=xD09'#\\.[]"]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        insert = draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=3), st.just(text[start:end] * 2)))
        text = text[:start] + insert + text[end:]
    return text


def outcome(text: str) -> Definition | DefinitionError:
    try:
        return parse(text)
    except DefinitionError as error:
        return error


@pytest.mark.ci
@settings(max_examples=1000, deadline=None)
@given(mutated())
def test_any_text_is_a_definition_or_a_definition_error(text: str) -> None:
    result = outcome(text)
    if isinstance(result, DefinitionError):
        lines = str(result).split("\n")
        assert len(lines) == 4
        assert all(line.isprintable() for line in lines)
    else:
        assert parse(text).canonical() == result.canonical()
        result.docstring.encode()


def test_what_a_blank_line_lacks_is_missing_behind_the_line_before() -> None:
    *_, shown, caret, _ = str(outcome("def f(x: Row):\n   \n")).split("\n")
    assert (shown, caret) == ("    def f(x: Row):", " " * 18 + "^")


@pytest.mark.ci
def test_mutated_texts_are_neither_executed_nor_written(tmp_path: Path) -> None:
    """The same mutations from one seed, watched: no traceback, no execution, no file."""
    generator = random.Random(20260)
    texts = []
    for _ in range(1500):
        text = generator.choice(SEEDS)
        for _ in range(generator.randint(1, 6)):
            start = generator.randint(0, len(text))
            end = min(len(text), start + generator.choice((0, 0, 1, 3, 12)))
            piece = generator.choice([*PIECES, *HOSTILE, generator.choice(SEEDS)[start : start + 20]])
            text = text[:start] + piece + text[end:]
        texts.append(text)
    watched(texts, tmp_path, may_pass=True)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x/sqrt(mean(x**2) + c)", ("c",)),
        ("return x*(mean(x**2) + c)**(-1/2)", ("c",)),
        ("return x*rsqrt(1 + x**2*c)", ("c",)),
        ("h = mean(x**2) + c\n    return x*abs(h)", ("c",)),
        ("h = mean(x**2) + c\n    s = 2*h\n    return x*log(s)", ("c",)),
        ("return c*x + d", ()),
        ("return x/(mean(abs(x)) + c)", ()),
        ("return x*(x + c)**3*(x + d)**(-2)", ()),
        ("return where(x > c, x, d*x)", ()),
        ("return sqrt(x + d)", ()),  # its default says nothing of its sign
    ],
)
def test_the_constants_whose_sign_may_have_been_used(body: str, expected: tuple[str, ...]) -> None:
    used = [name for name in ("c", "d") if name in body.replace("mean", "").replace("def", "").replace("and", "")]
    inputs = ", ".join(["x: Row", *({"c": "c: Constant = 1", "d": "d: Constant = 0"}[name] for name in used)])
    assert parse(f"def f({inputs}):\n    {body}").needed_positive == expected
