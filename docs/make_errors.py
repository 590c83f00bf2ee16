"""Write `errors.md`: what lngen refuses, with an example that is run and the remedy that is printed.

python docs/make_errors.py
"""

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lngen.errors import DefinitionError  # noqa: E402
from lngen.files.loading import module_from_files  # noqa: E402
from lngen.language.parsing import parse  # noqa: E402
from lngen.pipeline import derived  # noqa: E402

HEAD = """\
# Errors

Made by `python docs/make_errors.py`, which runs every example.

A fault of the input gets one message: where it is, what was found, and what to write instead. The command line
prints it on stderr and ends with exit status 2; from Python it is an `lngen.errors.LngenError`. Emitted functions
raise TypeError or ValueError. In the messages on a definition the place is left out here; printed, the message begins
with file, line and column, and shows the line with a caret under the fault.
"""

_F = "def f(x: Row, w: Feature):\n    "


def _returning(expression: str) -> str:
    return f"def f(x: Row):\n    return {expression}"


class Section(NamedTuple):
    """A heading, a sentence, and the definitions that are refused under it."""

    title: str
    about: str
    examples: tuple[str, ...]


DEFINITIONS = (
    Section(
        "The file",
        "A definition file holds a docstring, imports from `lngen.language`, and one function.",
        (
            "# nothing but a comment",
            "import numpy\n" + _returning("2*x"),
            "from math import sqrt\n" + _returning("2*x"),
            "from lngen.language import *\n" + _returning("2*x"),
            "from lngen.language import Row as R\n" + _returning("2*x"),
            "from lngen.language import Rows\n" + _returning("2*x"),
            "eps = 1\n" + _returning("2*x"),
            "print(1)\n" + _returning("2*x"),
            "class A:\n    pass\n",
            "async " + _returning("2*x"),
            _returning("2*x") + "\n\ndef g(x: Row):\n    return 3*x",
            "def f(x: Row):\n    return 2*",
            _returning("1" * 5000 + "*x"),
            _returning("2*x\0"),
            _returning("(" * 300 + "x" + ")" * 300),
            "#" * 70000,
            "def f(ｘ: Row):\n    return 2*ｘ",
            "def f(x: Row):  # type: (Row) -> Row\n    return 2*x",
        ),
    ),
    Section(
        "The signature",
        "Inputs are annotated with a kind; a default is a number.",
        (
            "@cache\n" + _returning("2*x"),
            "def f(x: Row) -> Row:\n    return 2*x",
            "def like(x: Row):\n    return 2*x",
            "def aux(x: Row):\n    return 2*x",
            "def f(x):\n    return 2*x",
            "def f(x: Rwo):\n    return 2*x",
            "def f(x: 'Row'):\n    return 2*x",
            "def f(x: Row, mask: bool):\n    return mask*x",
            "def f(x: Row, label: int):\n    return label*x",
            "def f(x: Row, e: Constant = 1/3):\n    return e*x",
            "def f(x: Row = 1):\n    return 2*x",
            "def f(g: Feature = 1, x: Row):\n    return g*x",
            "def f(w: Feature):\n    return 2*w",
            "def f(*x: Row):\n    return 2*x",
            "def f(x: Row, **k: Row):\n    return 2*x",
            "def f(x: Row, /):\n    return 2*x",
            "def f(x: Row, *, e: Constant):\n    return e*x",
            "def f(x: Row, lambda_: Scalar):\n    return lambda_*x",
            "def f(x: Row, f: Feature):\n    return f*x",
            "def f(x: Row, dy: Row):\n    return x*dy",
            "def f(x: Row, w: Feature):\n    return 2*x",
        ),
    ),
    Section(
        "The body",
        "Statements assign a name once; the last one returns.",
        (
            *(
                f"{_F}{statement}\n    return x*w"
                for statement in (
                    "for i in x:\n        pass",
                    "while x:\n        pass",
                    "async for i in x:\n        pass",
                    "if x > 0:\n        pass",
                    "with x:\n        pass",
                    "async with x:\n        pass",
                    "match x:\n        case 1:\n            pass",
                    "raise x",
                    "try:\n        pass\n    finally:\n        pass",
                    "try:\n        pass\n    except* x:\n        pass",
                    "assert x",
                    "del x",
                    "global g",
                    "nonlocal g",
                    "pass",
                    "break",
                    "continue",
                    "x += 1",
                    "h: Row = 2*x",
                    "x + 1",
                    "yield x",
                    "def g(x: Row):\n        return x",
                    "import math",
                    "a, b = x",
                    "x[0] = 1",
                    "h = g = 2*x",
                    "x = 2*x",
                    "h = x",
                    "h_ = 2*x",
                    "h = 2*x",
                    "y = 2*w",
                )
            ),
            _F + "h = g + 1\n    g = 2*x\n    return h*w",
            _F + "h = 2*x*w",
            _F + "return",
            _F + "return x*w\n    h = 2*x",
            _F + "h = x*w\n    return h, x",
            _F + "h = x*w\n    return h, h",
            _F + "h = x*w\n    return h, 2*h",
            _F + "return ()",
            _F + "return x",
            _F + "h = 2*x\n    return h, w, g",
            _F + "h = 2*w\n    g = x*h\n    return g, h",
            _F + "y = x*w\n    return 2*y",
            _F + "h = x*w\n    k = 2*h\n    return h, k, D",
            _F + "\n    ".join(f"h{n} = 2*x" for n in range(201)) + "\n    return h0",
        ),
    ),
    Section(
        "Expressions",
        "An expression is made of numbers, names, `D`, `+ - * / **`, unary minus, and the functions of the language.",
        tuple(
            _returning(text)
            for text in (
                "x // 2",
                "x % 2",
                "x @ x",
                "x ^ 2",
                "x & 2",
                "x | 2",
                "x << 2",
                "x >> 2",
                "+x",
                "not x",
                "~x",
                "x > 0",
                "0 < x < 1",
                "x and 1",
                "x if 1 else 2",
                "lambda: x",
                "x.T",
                "x.shape[-1]*x",
                "x[0]",
                "x[0:1]",
                "[x]",
                "{x}",
                "{x: 1}",
                "[i for i in x]",
                "{i for i in x}",
                "{i: i for i in x}",
                "sum(i for i in x)",
                "(t := x)",
                "(yield x)",
                "(yield from x)",
                "f'{x}'",
                "'x'",
                "b'x'",
                "2j*x",
                "None",
                "True",
                "...",
                "z",
                "sqrt",
                "Row",
                "x(2)",
                "D(2)",
                "Row(x)",
                "x.mean()",
                "std(x)",
                "sqroot(x)",
                "mean_rows(x)",
                "cumsum(x)",
                "reshape(x, 2, 3)",
                "softmax(x)",
                "mean(x, axis=0)",
                "mean(x, -1)",
                "clamp(x, 0, 1)",
                "2*pi*x",
                "sqrt(u=x)",
                "sqrt(*x)",
                "sqrt(x, x)",
                "max(x, 0)",
                "min(x, 0)",
                "mean(mean(x))",
                "sum(D)",
                "where(x, 1, 2)",
                "where(x > 0, x)",
                "where(x > 0, x, float('inf'))",
                "where(0 < x < 1, x, 2)",
                "where(x in 1, x, 2)",
                "+".join("x" * 102),
            )
        ),
    ),
    Section(
        "Numbers and D",
        "Numbers are finite and real, and so is what is made of numbers alone.",
        tuple(
            _returning(text)
            for text in (
                "x + 1e999",
                "x + 1e200*1e200",
                "x + exp(1000)",
                "x * ((1.0000001**64)**64)**64",
                "x ** x",
                "x ** 65",
                "x / 0",
                "x * 0**-1",
                "x * (-2)**0.5",
                "x * sqrt(-1)",
                "x * log(0)",
                "x / (D - D)",
                "x * sqrt(1 - D)",
                "x * rsqrt(1 - D)",
                "x / ((D + 1)*(D + 2)**16 - 1)",
                " + ".join(f"x/(D + {n})" for n in range(33)),
                "D * 2",
            )
        ),
    ),
    Section(
        "Modules of PyTorch's",
        "A line of the docstring that begins with `In PyTorch:` names a class that the layer can stand for.",
        tuple(
            f'"""A layer.\n\nIn PyTorch: {call}\n"""\n' + _F + "return w*x"
            for call in (
                "torch.nn.Norm",
                "Norm(weight=w)",
                "torch.nn.Norm(D)",
                "torch.nn.Norm(weight=gamma)",
                "torch.nn.Norm(weight=w, bias=w)",
                "torch.nn.Norm(weight=w, weight=w)",
                "torch.nn.Norm(mode='mean')",
                "torch.nn.Norm(**options)",
                "torch.nn.Norm(size=D)",
            )
        ),
    ),
)


class Refusal(NamedTuple):
    """Refusal of a definition: its message and its remedy."""

    message: str
    remedy: str


def refusal(text: str) -> Refusal | None:
    """The message and the remedy for a text, or None if it is a definition."""
    try:
        parse(text, "f.py")
    except DefinitionError as error:
        # What Python's own parser says differs from version to version.
        message = "not Python syntax: ..." if error.message.startswith("not Python syntax") else error.message
        return Refusal(message, error.remedy)
    return None


def definitions() -> Iterator[str]:
    """The part of the page about definitions."""
    for section in DEFINITIONS:
        yield f"## {section.title}\n\n{section.about}\n\n| written | refused with | remedy |\n|---|---|---|"
        for text in section.examples:
            found = refusal(text)
            assert found is not None, text
            yield f"| {_code(text)} | {_cell(found.message)} | {_cell(found.remedy)} |"
        yield ""


def _code(text: str) -> str:
    shown = "<br>".join(f"`{_short(line)}`" for line in text.rstrip("\n").split("\n")[:4] if line)
    return shown.replace("|", "\\|") + ("<br>..." if text.count("\n") > 4 else "")


def _short(line: str) -> str:
    line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)
    indent = len(line) - len(line.lstrip())
    line = "\N{NO-BREAK SPACE}" * indent + line.lstrip()
    return line if len(line) <= 60 else f"{line[:40]}...{line[-10:]}"


def _cell(text: str) -> str:
    for char in "\\|*_<":
        text = text.replace(char, "\\" + char)
    return text


LAYER = """
from lngen.language import Constant, Feature, Row, Scalar, mean, rsqrt


def f(x: Row, gamma: Feature = 1, alpha: Scalar = 1, eps: Constant = 1e-5):
    y = alpha * gamma * x * rsqrt(mean(x**2) + eps)
    return y
"""

CALLS = (
    "forward(None)",
    "forward([[1, 2]])",
    "forward([[True, False]])",
    "forward([[1j, 2]])",
    "forward([['a', 'b']])",
    "forward([[1.0], [1.0, 2.0]])",
    "forward(1.0)",
    "forward(np.ones((3, 0)))",
    "forward(np.ones((3, 4)), np.ones(5))",
    "forward(np.ones((3, 4)), alpha=np.ones(3))",
    "forward(np.ones((3, 4)), alpha=10**400)",
    "forward(np.ones((3, 4)), eps='1e-5')",
    "forward(np.ones((3, 4)), eps=float('nan'))",
    "forward(np.ones((3, 4)), eps=10**400)",
    "forward(np.ones((3, 4)), threads=0)",
    "forward(np.ones((3, 4)), threads=1.5)",
    "forward(np.ones((3, 4)), out=[0.0])",
    "forward(np.ones((3, 4)), out=np.empty((3, 5)))",
    "forward(np.ones((3, 4)), out=np.empty((3, 4), np.float32))",
    "forward(np.ones((3, 4)), out=np.broadcast_to(1.0, (3, 4)))",
    "forward(np.ones((3, 4)), out=np.lib.stride_tricks.as_strided(np.empty(4), (3, 4), (0, 8)))",
    "forward(x, out=x)",
    "backward(x, x)",
    "backward(saved, None)",
    "backward(saved, np.ones((3, 5)))",
    "backward(saved._replace(shape=4), x)",
    "backward(saved._replace(dtypes=()), x)",
    "backward(saved._replace(x=None), x)",
    "backward(saved._replace(x=[1.0]), x)",
    "backward(saved._replace(x=np.ones((2, 2))), x)",
    "backward(saved._replace(gamma=np.ones(4)), x)",
    "backward(saved._replace(alpha='1'), x)",
    "backward(saved, x, out=np.empty((3, 4)))",
    "backward(saved, x, out=(None,))",
    "backward(saved, x, out=(None, np.empty(4), None))",
)


def layer() -> ModuleType:
    """The emitted module that the calls are made on."""
    made = derived(parse(LAYER, "f.py"), proved=False)
    return module_from_files(made.files, "f")


def call(module: ModuleType, text: str) -> str:
    """Return the refusal of a call of the module; empty if it is accepted."""
    x = np.ones((3, 4))
    names = {"np": np, "x": x, "saved": module.forward(x)[1], "forward": module.forward, "backward": module.backward}
    try:
        eval(text, names)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def calls() -> Iterator[str]:
    """The part of the page about emitted functions."""
    yield "## Emitted functions\n"
    yield "For the layer\n\n```python" + LAYER.rstrip() + "\n```\n"
    yield "with `x = np.ones((3, 4))` and the `saved` of `forward(x)`:\n"
    yield "| called | refused with |\n|---|---|"
    module = layer()
    for text in CALLS:
        found = call(module, text)
        assert found, text
        yield f"| `{text}` | {_cell(found)} |"
    yield ""


MINE = "from lngen.language import Row\n\n\ndef mine(x: Row):\n    y = 2*x\n    return y\n"
ZERO = """
from lngen.language import Feature, Row, mean
def zero(x: Row, r: Feature = 0):
    return x / mean(r)
"""
NEVER = "from lngen.language import Row, sqrt\n\n\ndef never(x: Row):\n    y = sqrt(-1 - x**2)\n    return y\n"

COMMANDS = (
    "derive no.py",
    "derive ./folder",
    "derive ./pipe",
    "derive latin.py",
    "derive long.py",
    "derive never.py --out here",
    "derive zero.py --out here",
    "derive mine.py",
    "derive mine.py again.py --out here",
    "derive mine.py --out mine.py",
    "derive mine.py --out taken",
    "derive mine.py --out linked",
    "derive mine.py --out file",
    "show nothing",
    "check mine.py --shape 5,0",
    "check mine.py --shape 5,99999999999999999999",
    "check mine.py --shape 100000,100000",
    "check mine.py --shape 5,x",
    "check mine.py --dtype f8",
    "cost mine.py --shape 4,4 --dtype f32 --bandwidth 1Gb/s",
    "cost mine.py --shape 4,4 --dtype f32 --bandwidth fast",
)


@contextlib.contextmanager
def playground() -> Iterator[Callable[[str], str]]:
    """A folder with the files that the commands name; what is given runs a command there and returns its message."""
    from typer.testing import CliRunner

    from lngen import cli

    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name in ("mine.py", "again.py"):
                Path(name).write_text(MINE)
            Path("never.py").write_text(NEVER)
            Path("zero.py").write_text(ZERO)
            Path("latin.py").write_bytes("# ä\n".encode("latin-1"))
            Path("long.py").write_text("#" * 70000)
            for name in ("folder", "taken/mine", "linked", "file"):
                Path(name).mkdir(parents=True)
            Path("taken/mine/thesis.tex").touch()
            Path("linked/mine").symlink_to("../folder")
            Path("file/mine").touch()
            os.mkfifo("pipe")
            yield lambda command: _plain(CliRunner().invoke(cli.app, command.split()).stderr)
        finally:
            os.chdir(here)


def _plain(message: str) -> str:
    """A message without what depends on where this is run and on which layers there are."""
    message = re.sub(r"there are [\w, ]+;?", "there are ...", message.replace(f"{ROOT}/", ""))
    return " ".join(message.split())


def commands() -> Iterator[str]:
    """The part of the page about the command line."""
    yield "## The command line\n"
    yield "| `lngen ...` | refused with |\n|---|---|"
    with playground() as run, contextlib.redirect_stdout(io.StringIO()):
        for command in COMMANDS:
            found = run(command)
            assert found, command
            yield f"| `{command}` | {_cell(found)} |"
    yield ""


def text() -> str:
    """The page."""
    return "\n".join([HEAD, *definitions(), *calls(), *commands()])


if __name__ == "__main__":
    Path(__file__).with_name("errors.md").write_text(text(), encoding="utf-8")
