"""Write the reference in `language.md`, below the guide, from the docstrings of `lngen.language`.

python docs/make_language.py
"""

from pathlib import Path

from lngen import language
from lngen.language import names

HEAD = """\
## Reference

Made from the docstrings of `lngen/language/__init__.py` by `python docs/make_language.py`.

```python
{example}```

An input other than a Constant may have a default: the number that it stands for when it is left out. The emitted code
then has neither the input nor the work that served it alone. The default of a Constant is that of the emitted
argument. A positive default says that the Constant is positive: a call with a negative one is refused where a root, a
logarithm or an `abs` depends on it. The first Row, or without a Row the first RowScalar, has no default.

Each statement assigns a name once. The last one returns an expression, which is called `y`, or a tuple of names. Each
name of the tuple is an output, a Row or a RowScalar, with a cotangent of its own.

{about}

Numbers are exact: `1e-5` is 1/100000. A divisor such as `D - 1` makes 2 the smallest D that is accepted; D = 1 to 64
are tried.

Everything else is refused. The message has the place, the cause and what to write instead.
"""

NAMES = """\

### Names

An input, a statement, an output, a Constant and the layer may each have any name that Python takes.
{rule}.

Clashes with keywords of C++ and CUDA, or with names in emitted code, are renamed automatically. A name that a gradient
has, such as `dx` beside an input `x`, becomes `dx_2` in the derivation and stays `dx` in the signatures. An input `dy`
beside an output `y` is refused: two gradients would be called `ddy`.

As in Python, an input or a statement may be called as a function is, or `pi`: `clip` is then the value in all of the
definition, and `clip_2` in the derivation. `abs`, `max`, `min` and `sum`, builtins of Python, too, name no value.

These words are refused, those of functions for a layer:

| because each of them | words |
|---|---|
"""

ROLES = {
    "reduction": "Reductions over the feature axis",
    "place": "Places in a row",
    "draw": "Random numbers",
    "elementwise": "Elementwise functions",
    "select": "Selection",
    "stop": "Stopping a gradient",
}


def text(example: str) -> str:
    """The reference as Markdown; `example` is the text of a definition."""
    about = (language.__doc__ or "").split("\n\n", 2)[2].strip().replace("*u*", "`u`")
    parts = [HEAD.format(example=example, about=about), "### Kinds\n"]
    parts += [f"* `{name}`: {' '.join(getattr(language, name).__doc__.split())}" for name in language.ANNOTATIONS]
    parts += ["* `D`: the number of features of a row, as a number in an expression."]
    parts += ["* `pi`: the ratio of a circle's circumference to its diameter."]
    for role, title in ROLES.items():
        entries = [entry for entry in language.FUNCTIONS.values() if entry.role == role]
        parts += [f"\n### {title}\n", "| function | meaning | domain |", "|---|---|---|"]
        parts += [f"| `{entry.usage}` | {_escaped(entry.doc)} | {entry.domain} |" for entry in entries]
    parts += ["\n### Type of an output\n", f"`cast(u, type)`: {_escaped(language.cast.__doc__ or '')}"]
    parts += ["\n### Parts of an array\n"]
    parts += [f"* `at(x, s=0)`: {_escaped(language.at.__doc__ or '')}"]
    parts += [f"* `join(a, b)`: {_escaped(language.join.__doc__ or '')}"]
    parts.append(NAMES.format(rule=names.RULE[0].upper() + names.RULE[1:]).removesuffix("\n"))
    parts += [_listed(words, reason) for words, reason in names.refused() if len(words) > 1]
    return "\n".join(parts) + "\n"


def _listed(words: frozenset[str], reason: str) -> str:
    listed = " ".join(f"`{word}`" for word in sorted(words))
    return f"| {reason} | {listed} |"


def _escaped(doc: str) -> str:
    """A docstring as one line in which no product is taken for emphasis."""
    pieces = " ".join(doc.split()).replace("|", r"\|").split("`")
    # Every other piece stands between backquotes, where a star is a star.
    return "`".join(piece if n % 2 else piece.replace("*", r"\*") for n, piece in enumerate(pieces))


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[1]
    example = min((root / "derive").glob("*.py")).read_text(encoding="utf-8")
    page = root / "docs" / "language.md"
    guide = page.read_text(encoding="utf-8").partition(HEAD.partition("\n")[0])[0]
    page.write_text(guide + text(example), encoding="utf-8")
