"""The gradients of a layer to be taken along: as LaTeX, as a function of NumPy's, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sympy import Expr, Symbol

from lngen.algebra.equations import Equation, leading_to
from lngen.algebra.fold import Fold
from lngen.algebra.normal import in_elementary
from lngen.algebra.notation.plain import Text
from lngen.algebra.symbols import (
    ENTRY_OF,
    PLACE,
    AttainsFirst,
    D,
    Reduction,
    StopGradient,
    SumRows,
    TypedSymbol,
    Where,
    axes,
    whole,
)
from lngen.language.definition import Definition, Input
from lngen.plan.planner import Plan
from lngen.plan.program import OPERATORS
from lngen.report.content import Content

_HELPERS = {
    "sigmoid": "def sigmoid(u):\n    return {np}.exp(-{np}.logaddexp(0, -u))\n",
    "softplus": "def softplus(u):\n    return {np}.logaddexp(0, u)\n",
    "erf": "from scipy.special import erf\n",
    "uniform": """\
def uniform(seed, stream, shape):
    # Philox 4x32-10
    low, half = {np}.uint64(2**32 - 1), {np}.uint64(32)
    rows = {np}.arange(int({np}.prod(shape[:-1])), dtype={np}.uint64)[:, None]
    a, b, c, d = rows & low, rows >> half, {np}.arange(-(-shape[-1] // 4), dtype={np}.uint64), {np}.uint64(0)
    for turn in range(10):
        first = {np}.uint64((int(seed) + turn*0x9E3779B9) % 2**32)
        second = {np}.uint64((stream + turn*0xBB67AE85) % 2**32)
        left, right = a*{np}.uint64(0xD2511F53), c*{np}.uint64(0xCD9E8D57)
        a, b, c, d = right >> half ^ b ^ first, right & low, left >> half ^ d ^ second, left & low
    words = {np}.stack({np}.broadcast_arrays(a, b, c, d), -1).reshape(len(rows), -1)[:, : shape[-1]]
    return (words >> {np}.uint64(8)).reshape(shape) / 2.0**24
""",
}
"""Functions that NumPy lacks, by the word of the language."""


def copies(plan: Plan, said: Content) -> dict[str, str]:
    """The gradients, with what they are written in, by the notation that a button copies them in."""
    lines = [*said.gradients, *said.atoms]
    aligned = " \\\\\n".join(line.latex.replace(" = ", " &= ", 1) for line in lines)
    return {
        "latex": f"\\begin{{aligned}}\n{aligned}\n\\end{{aligned}}\n",
        "python": python(plan),
        "text": "\n".join(line.line for line in lines) + "\n",
    }


def python(plan: Plan) -> str:
    """The gradients as one function of NumPy's, from the textbook form: to be read and tried, not to be fast.

    >>> from lngen.language.parsing import parse
    >>> from lngen.plan.planner import plan
    >>> from lngen.derivation.simplify import derive
    >>> print(python(plan(derive(parse("def centred(x: Row, shift: Scalar): return (x - mean(x))*shift")))))
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def centred_gradients(x, shift, dy):
        mu = np.mean(x, -1, keepdims=True)
        x_centred = x - mu
        g = shift*dy
        dx = g - np.mean(g, -1, keepdims=True)
        dshift = np.sum(np.sum(dy*x_centred, -1, keepdims=True))
        return dx, dshift
    <BLANKLINE>
    """
    d = plan.derivation
    gradients = [symbol for _, symbol in d.gradients]
    lines = [Equation(q.symbol, whole(in_elementary(q.expression))) for q in (*d.forward.equations, *d.backward)]
    needed = leading_to(gradients, lines)
    taken = {symbol.name for symbol in (*d.forward.symbols, *d.adjoint.cotangents, *(q.symbol for q in needed))}
    np = next(name for name in ("np", "numpy", "_np") if name not in taken)
    inputs = dict(zip((symbol.name for symbol in d.forward.symbols), d.forward.symbols, strict=True))
    given = [*(inputs[entry.name] for entry in d.definition.positional), *d.adjoint.cotangents]
    constants = [_constant(entry) for entry in d.definition.constants]
    writer = _NumPy(np, next((symbol.name for symbol in given if axes(symbol).features), ""))
    read = {symbol for q in needed for symbol in q.expression.free_symbols}
    drawn = [(inputs[entry.name], entry.draws) for entry in d.definition.inputs if entry.draws]
    drawn = [(symbol, draw) for symbol, draw in drawn if symbol in read]
    row = next((symbol.name for symbol in given if axes(symbol) == (True, True)), "")
    body = [
        *_about_axes(d.definition),
        *(f"{s.name} = {np}.asarray({s.name})[..., None]" for s in given if axes(s) == (True, False)),
        *(f"{s.name} = uniform({of.seed}, {of.stream}, {np}.shape({row}))" for s, of in drawn),
        *(f"{q.symbol.name} = {writer.of(q.expression)}" for q in needed),
        f"return {', '.join(map(_result, gradients))}",
    ]
    words = {word for q in needed for word in _helpers(q.expression)} | {"uniform" for _ in drawn}
    helpers = [text.format(np=np) for word, text in _HELPERS.items() if word in words]
    imports = [f"import numpy as {np}\n" if np != "numpy" else "import numpy\n"]
    imports += [text for text in helpers if text.startswith("from")]
    functions = [text for text in helpers if not text.startswith("from")]
    arguments = ", ".join([*(symbol.name for symbol in given), *constants])
    functions.append("\n    ".join([f"def {d.definition.name}_gradients({arguments}):", *body]) + "\n")
    return "\n\n".join(["".join(imports), *functions])


def _about_axes(definition: Definition) -> list[str]:
    """Comments on the arrays of a definition whose axes have names."""
    layout = definition.layout
    if layout is None:
        return []
    rows, features = " ".join(layout.rows), " ".join(layout.features)
    lines = [f'# Pass arrays as rows: with the axes "{rows}", and one axis for "{features}".']
    for entry in definition.differentiable:
        if lacks := " ".join(definition.lacks(entry)):
            lines.append(f'# The gradient of {entry.name} is the sum of d{entry.name} over "{lacks}".')
    return lines


def _constant(entry: Input) -> str:
    return entry.name if entry.default is None else f"{entry.name}={float(entry.default):g}"


def _result(symbol: TypedSymbol) -> str:
    return f"{symbol.name}[..., 0]" if axes(symbol) == (True, False) else str(symbol.name)


def _helpers(expression: Expr) -> Iterator[str]:
    heads: Sequence[type] = [type(e) for e in expression.atoms(*ENTRY_OF)]
    yield from (ENTRY_OF[head].name for head in heads if ENTRY_OF[head].name in _HELPERS)


class _NumPy(Text):
    """Writes an expression of NumPy's; a value per row has a last axis of length 1. `features` is a name that has D."""

    def __init__(self, np: str, features: str) -> None:
        super().__init__()
        self.np, self.features, self.cannot = np, features, "no NumPy is written for"

    def symbol(self, e: Symbol) -> str:
        if e == PLACE:
            return f"{self.np}.arange({self.symbol(D)})"
        return f"{self.np}.shape({self.features})[-1]" if e == D else str(e.name)

    def constant(self, e: Expr) -> str:
        return repr(float(e))

    def raised(self, e: Expr) -> str:
        written = super().raised(e)
        return f"{self.np}.{written}" if written.startswith("sqrt(") else written

    other = Fold.other

    def stop_gradient(self, e: StopGradient) -> str:
        return f"({self.of(e.args[0])})"

    def where(self, e: Where) -> str:
        return f"{self.np}.where({', '.join(map(self.of, e.args))})"

    def sum_rows(self, e: SumRows) -> str:
        over = f", tuple(range({self.np}.ndim({self._widest(e.args[0])}) - 1))" if axes(e.args[0]).features else ""
        return f"{self.np}.sum({self.of(e.args[0])}{over})"

    def attains_first(self, e: AttainsFirst) -> str:
        same = f"{self.of(e.args[0])} == {self.of(e.args[1])}"
        place = f"{self.np}.argmax({same}, -1)[..., None]"
        return f"({self.np}.arange({self.symbol(D)}) == {place}).astype(float)"

    def reduction(self, e: Reduction) -> str:
        return f"{self.np}.{OPERATORS[type(e)]}({self.of(e.args[0])}, -1, keepdims=True)"

    def function(self, e: Expr) -> str:
        entry = ENTRY_OF[type(e)]
        called = (
            entry.name if entry.name in _HELPERS else f"{self.np}.{(entry.numpy or entry.name).removeprefix('np.')}"
        )
        return f"{called}({self.of(e.args[0])})"

    def _widest(self, e: Expr) -> str:
        """A value that varies over rows and features: it has as many axes as the results."""
        found = (symbol.name for symbol in e.free_symbols if symbol != D and axes(symbol) == (True, True))
        return min(found, default=self.features)
