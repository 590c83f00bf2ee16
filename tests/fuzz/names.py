"""Names that are hard to bear: those that lngen makes itself, and those of the code that it emits.

Any identifier is a name for an input or a statement, but for those that docs/language.md refuses. So a definition that
is refused, broken or changed by what its values are called is a failure.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import random
import re
from functools import cache
from pathlib import Path

from lngen import language
from lngen.language.names import MAXIMUM_LENGTH
from lngen.runtime.includes import inlined
from tests.fuzz.tree import names_of, renamed

PLAIN_INPUTS = ("x", "z", "w", "b", "s", "t", "a", "gain", "bias", "tau", "key", "query")
PLAIN_STATEMENTS = ("h", "c", "m", "v", "p", "q", "k", "u", "f", "n", "left", "right", "inner", "outer", "last")

# What a derivation calls its own values.
_MADE = (
    *("g", "g_2", "g_3", "xhat", "rstd", "mu", "mu_residual", "var", "ms", "ddx", "dx", "dy", "ddy", "x_shifted"),
    *("mean_g", "mean_g_2", "scale", "row_max", "row_min", "sum_e", "part", "dg", "grad_x", "dx_unscaled", "D_1"),
)
_SIGNATURE = ("saved", "save", "out", "threads", "stream", "workspace", "cotangents", "like")
_EMITTED = Path("generated/layer_norm")


def may_be_given(word: str) -> bool:
    """Test whether the language accepts a word as the name of a value.

    >>> [word for word in ("rows", "lambda", "mean", "_x", "len", "out", "half") if may_be_given(word)]
    ['rows', 'half']
    """
    refused = {*_SIGNATURE, *dir(builtins), *vars(language)}
    allowed = word not in refused and not keyword.iskeyword(word) and len(word) <= MAXIMUM_LENGTH
    return allowed and word.isidentifier() and word == word.strip("_")


@cache
def awkward_names() -> tuple[str, ...]:
    """Return names that lngen makes, and the identifiers of emitted code: of Python and of CUDA."""
    words = {*_MADE}
    for path in sorted(_EMITTED.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            words |= {getattr(node, field, None) or "" for field in ("id", "arg", "attr", "name")} - {""}
    words |= set(re.findall(r"[A-Za-z_]\w*", inlined(_EMITTED / "kernels.cu")))
    return tuple(sorted(filter(may_be_given, words)))


def awkwardly_named(text: str, rng: random.Random) -> str:
    """A definition with most of its values renamed to what lngen, or emitted code, calls something else.

    None is `d` and another: if that were an input, and the other an output, two gradients would have one name.
    """
    own = names_of(text)
    taken = {*own, *(node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))}
    words = iter(rng.sample([word for word in awkward_names() if word not in taken], len(own)))
    made = rng.sample([word for word in _MADE if may_be_given(word) and word not in own], 6)
    names: dict[str, str] = {}
    for name in own:
        chosen = made.pop() if made and rng.random() < 0.3 else next(words)
        taken = {"y", *names.values(), *(other for other in own if other not in names)}
        if rng.random() < 0.8 and taken.isdisjoint((chosen, f"d{chosen}", chosen.removeprefix("d"))):
            names[name] = chosen
    return renamed(text, names)


def awkward_in(text: str) -> list[str]:
    """The names in a definition that are not plain."""
    return [name for name in names_of(text) if name not in (*PLAIN_INPUTS, *PLAIN_STATEMENTS, "y", *_numbered(text))]


def _numbered(text: str) -> set[str]:
    return {name for name in names_of(text) if re.fullmatch(r"[vn]\d+", name)}


def plainly_named(text: str) -> str:
    """A definition with its values named `n1`, `n2` and so on, in order.

    >>> print(plainly_named("def f(rows: Row): return rows * 2"), end="")
    from lngen.language import Row
    <BLANKLINE>
    <BLANKLINE>
    def f(n1: Row):
        return n1 * 2
    """
    return renamed(text, {name: f"n{number}" for number, name in enumerate(names_of(text), 1)})
