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

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs.refusals import SECTIONS  # noqa: E402
from docs.refusals.catalogue import Example  # noqa: E402
from lngen.derivation.gradients import derive  # noqa: E402
from lngen.errors import DefinitionError  # noqa: E402
from lngen.language.parsing import parse  # noqa: E402
from lngen.pipeline.files.loading import module_from_files  # noqa: E402
from lngen.pipeline.stages import derived  # noqa: E402

HEAD = """\
# Errors

Made by `python docs/make_errors.py`, which runs every example.

A fault of the input gets one message: where it is, what was found, and what to write instead. The command line
prints it on stderr and ends with exit status 2; from Python it is an `lngen.errors.LngenError`. Emitted functions
raise TypeError or ValueError. A message on a definition begins with its place, the line and the column; printed, it
begins with the file, and shows the line with a caret under the fault.

Each refusal of a definition has a stable name, `DefinitionError.code`, and an example. The last column is what the
remedy leads to. A test follows each one: it is derived, and it gives the value that was asked for at random inputs.
Where a remedy says that something *cannot be said*, it names where to compute that outside, and the last column is
what remains. The sentences stand in `lngen/language/parsing/refusals.py` by these names.
"""


def refusal(example: Example) -> DefinitionError | None:
    """The error of an example, or None if it is a definition."""
    try:
        derive(parse(example.written, "f.py"))
    except DefinitionError as error:
        return error
    return None


def definitions() -> Iterator[str]:
    """The part of the page about definitions."""
    shown: set[str] = set()
    for section in SECTIONS:
        yield f"## {section.title}\n\n{section.about}\n"
        yield "| written | refused with | remedy | leads to |\n|---|---|---|---|"
        for example in section.examples:
            found = refusal(example)
            assert found is not None, example
            # What Python's own parser says, and where, differs from version to version.
            message = "not Python syntax: ..." if found.code == "syntax" else found.message
            place = "" if found.code in ("syntax", "character") else f"{found.line}:{found.column} "
            anchor = "" if found.code in shown else f'<a id="{found.code}"></a>'
            shown.add(found.code)
            cells = [_code(example.written), f"{place}{anchor}`{found.code}`: {_cell(message)}", _cell(found.remedy)]
            yield f"| {' | '.join([*cells, _code(example.followed)])} |"
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
    "forward({'x': 1.0})",
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
    yield "with `x = np.ones((3, 4))` and the `saved` of `forward(x)` (the backends of [PyTorch](how_to/pytorch.md) and"
    yield "[JAX](how_to/jax.md) name what to write there, such as `x.astype(jnp.float32)`):\n"
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
    "derive mine.py --directions forward",
    "derive mine.py again.py --out here",
    "derive mine.py --out mine.py",
    "derive mine.py --out numpy",
    "derive mine.py --out taken",
    "derive mine.py --out linked",
    "derive mine.py --out file",
    "derive nothing",
    "check mine.py --out folder",
    "check folder",
    "check mine.py --shape 5,0",
    "check mine.py --shape 5,99999999999999999999",
    "check mine.py --shape 100000,100000",
    "check mine.py --shape 5,x",
    "check mine.py --dtype f8",
)


@contextlib.contextmanager
def playground() -> Iterator[Callable[[str], str]]:
    """A folder with the files that the commands name; what is given runs a command there and returns its message."""
    from typer.testing import CliRunner

    from lngen.cli import app as cli

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
