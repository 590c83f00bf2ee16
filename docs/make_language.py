"""Write the reference in `language.md`, below the guide, from the docstrings of `lngen.language`.

python docs/make_language.py
"""

import textwrap
from pathlib import Path

from lngen import language
from lngen.language import names

HEAD = """\
## Reference

Made from the docstrings of `lngen/language/__init__.py` by `python docs/make_language.py`.

```python
{example}```

A default of a Row, RowScalar, Feature, Scalar or Data is the number that stands for the argument when it is left
out; the code that is emitted then does without it, and without the work that only served it. A default of a
Constant is the default of the emitted argument, and one that is positive says that the Constant is: where a root,
a logarithm or an `abs` depends on it, a call with a negative one is refused. The first Row has no default.

Each statement assigns a name once. The last one returns an expression, which is then called `y`, or a tuple
of names: several outputs, each a Row or a RowScalar, each with a cotangent of its own.

{about}

Numbers are exact: `1e-5` is 1/100000. A divisor such as `D - 1` makes 2 the smallest D that is accepted.

Everything else is refused, with the place, the cause and what to write instead.
"""

NAMES = """\

### Names

An input, a statement, an output, a Constant and the layer may each have any name that Python takes;
{rule}.
Whatever emitted code calls its own values, and whatever C++ or CUDA reserve, is spelled otherwise there and is
nobody's concern. A name that is that of a gradient, such as `dx` beside an input `x`, gets a number in the
derivation, `dx_2`, and stays what it is in the signatures. An input `dy` beside an output `y` is refused, since two
gradients would be called `ddy`.

These words are refused:
"""

ROLES = {
    "reduction": "Reductions over the feature axis",
    "elementwise": "Elementwise functions",
    "select": "Selection",
    "stop": "Stopping a gradient",
}


def text(example: str) -> str:
    """The reference as Markdown; `example` is the text of a definition."""
    about = (language.__doc__ or "").partition("\n\n")[2].strip().replace("*u*", "`u`")
    parts = [HEAD.format(example=example, about=about), "### Kinds\n"]
    parts += [f"* `{name}`: {getattr(language, name).__doc__}" for name in language.KIND_NAMES]
    parts += ["* `D`: the number of features of a row, as a number in an expression."]
    for role, title in ROLES.items():
        entries = [entry for entry in language.FUNCTIONS.values() if entry.role == role]
        parts += [f"\n### {title}\n", "| function | meaning | domain |", "|---|---|---|"]
        parts += [f"| {_call(entry)} | {_escaped(entry.doc)} | {entry.domain} |" for entry in entries]
    parts.append(NAMES.format(rule=names.RULE))
    parts += [_listed(words, reason) for words, reason in names.refused() if len(words) > 1]
    return "\n".join(parts) + "\n"


def _listed(words: frozenset[str], reason: str) -> str:
    listed = " ".join(f"`{word}`" for word in sorted(words))
    return textwrap.fill(f"* each of these {reason}: {listed}", 118, subsequent_indent="  ")


def _escaped(doc: str) -> str:
    """A docstring as one line in which no product is taken for emphasis."""
    pieces = " ".join(doc.split()).split("`")
    # Every other piece stands between backquotes, where a star is a star.
    return "`".join(piece if n % 2 else piece.replace("*", r"\*") for n, piece in enumerate(pieces))


def _call(entry: language.FunctionEntry) -> str:
    arguments = {1: "row" if entry.role == "reduction" else "u", 2: "a, b", 3: "condition, a, b"}[entry.arity]
    return f"`{entry.name}({arguments})`"


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[1]
    example = min((root / "derive").glob("*.py")).read_text(encoding="utf-8")
    page = root / "docs" / "language.md"
    guide = page.read_text(encoding="utf-8").partition(HEAD.partition("\n")[0])[0]
    page.write_text(guide + text(example), encoding="utf-8")
