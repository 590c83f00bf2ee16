"""Refusals of expressions, of numbers, and of lines on modules of PyTorch's."""

from __future__ import annotations

import numpy as np

from docs.refusals.catalogue import Example, Section, drawn, formula, returning
from docs.refusals.texts import twice, weighted


def _mean(x):
    return x.mean(-1)


def _positive(x):
    return np.where(x > 0, x, 2)


def _mask(x):
    return (x > 0) * 1.0


def _between(x):
    return np.where((x > 0) & (x < 1), x, 2)


_IDENTITY = ("2*x", twice)

EXPRESSIONS = Section(
    "Expressions",
    "An expression is made of numbers, names, `D`, `+ - * / **`, unary minus, and the functions of the language.",
    (
        formula("x // 2", "x/2 - r", lambda x: x // 2, outside={"r": lambda x: x / 2 - x // 2}, extra="r: Data"),
        formula("x % 2", "x - 2*k", lambda x: x % 2, outside={"k": lambda x: x // 2}, extra="k: Data"),
        formula("a @ b", "sum(a*b)", lambda a, b: np.einsum("ij,ij->i", a, b), "a: Row, b: Row"),
        Example(
            "def infonce(a: Row, b: Row):\n    s = a @ b\n    return log(sum(exp(s)))",
            "def infonce(s: Row):\n    return log(sum(exp(s)))",
            lambda a: np.log(np.exp(a @ a.T).sum(-1)),
            {"s": lambda a: a @ a.T},
        ),
        formula("x ^ 2", "x**2", lambda x: x * x),
        formula("a & b", "where((a > 0) & (b > 0), 1, 0)", lambda a, b: (a > 0) & (b > 0), "a: Row, b: Row"),
        formula("a | b", "where((a > 0) | (b > 0), 1, 0)", lambda a, b: (a > 0) | (b > 0), "a: Row, b: Row"),
        formula("x << 2", "x*2**2", lambda x: 4 * x),
        formula("x >> 2", "x/2**2", lambda x: x / 4),
        formula("+x*2", "x*2", twice),
        formula("x*(not mask)", "x*(1 - mask)", lambda x, mask: x * (1 - mask), "x: Row, mask: Data"),
        formula("x*~mask", "x*(1 - mask)", lambda x, mask: x * (1 - mask), "x: Row, mask: Data"),
        formula("x > 0", "where(x > 0, 1, 0)", _mask),
        formula("0 < x < 1", "where((0 < x) & (x < 1), 1, 0)", lambda x: (x > 0) & (x < 1)),
        formula("x*(x > 0)", "x*where(x > 0, 1, 0)", lambda x: np.maximum(x, 0)),
        formula("x > 0 and x < 1", "where((x > 0) & (x < 1), 1, 0)", lambda x: (x > 0) & (x < 1)),
        formula("x if x > 0 else 2", "where(x > 0, x, 2)", _positive),
        formula("lambda: 2*x", *_IDENTITY),
        formula("mean(x.T)", "mean(x)", _mean),
        formula("x.shape[-1]*x", "D*x", lambda x: x.shape[-1] * x),
        formula("torch.pow(x, 2)", "x**2", lambda x: x * x),
        formula("x[0]", "pick(x, 0)", lambda x: x[:, 0]),
        Example(
            "def swiglu(x: Row):\n    y = silu(x[:D//2])*x[D//2:]\n    return y",
            'def swiglu(x: Array["... (s d)"], s: Size = 2):\n    y = silu(at(x, s=0))*at(x, s=1)\n    return y',
            lambda x_0, x_1: x_0 / (1 + np.exp(-x_0)) * x_1,
        ),
        Example(
            "def rope(x: Row, c: Data, s: Data):\n    y = x*c + roll(x, D//2)*s\n    return y",
            'def rope(x: Array["... (s d)"], c: Data["... d"], z: Data["... d"], s: Size = 2):\n'
            "    a = at(x, s=0)\n    b = at(x, s=1)\n    return join(a*c - b*z, a*z + b*c)",
            lambda a, b, c, z: (a * c - b * z, a * z + b * c),
        ),
        formula("[2*x]", *_IDENTITY),
        formula("{2*x}", *_IDENTITY),
        formula("{x: 2}", *_IDENTITY),
        formula("[2*i for i in x]", *_IDENTITY),
        formula("{2*i for i in x}", *_IDENTITY),
        formula("{i: i for i in x}", *_IDENTITY),
        formula("sum(2*i for i in x)", "sum(2*x)", lambda x: 2 * x.sum(-1)),
        Example(returning("(t := 2*x)"), "def f(x: Row):\n    t = 2*x\n    return t", twice),
        formula("(yield 2*x)", *_IDENTITY),
        formula("(yield from 2*x)", *_IDENTITY),
        formula("f'{x}'", *_IDENTITY),
        formula("x*'2'", "x*2", twice),
        formula("b'x'", *_IDENTITY),
        Example(
            returning("abs(x + 2j)"),
            "def f(a: Row, b: Row):\n    return sqrt(a**2 + b**2)",
            lambda a, b: np.abs(a + 1j * b),
        ),
        Example(
            "def f(x: Row, b: Row):\n    return x + None",
            "def f(x: Row, b: Row = 0):\n    return x + b",
            lambda x, b: x + b,
        ),
        formula("True*x*2", "1*x*2", twice),
        formula("2*x + ...", *_IDENTITY),
        Example(returning("z*x"), returning("z*x", "x: Row, z: Row"), lambda x, z: x * z),
        formula("sqrt*x", "sqrt(x)*x", lambda x: x**1.5, low=0.25),
        formula("Row*x*2", *_IDENTITY),
        formula("x(2)", "x*2", twice),
        formula("D(2)*x", "D*2*x", lambda x: 2 * x.shape[-1] * x),
        formula("Row(x)*2", *_IDENTITY),
        formula("x.mean()", "mean(x)", _mean),
        formula("std(x)", "sqrt(mean((x - mean(x))**2))", lambda x: x.std(-1)),
        formula("sqroot(x)", "sqrt(x)", np.sqrt, low=0.25),
        formula("unheard_of(x)", "2*x", twice),
        Example(
            "def loss(x: Row, t: Data):\n    nll = -sum(t*x)\n    return mean_rows(nll)",
            "def loss(x: Row, t: Data):\n    nll = -sum(t*x)\n    return nll",
            lambda x, t: -(x * t).sum(-1),
        ),
        formula("mean_rows(x)", "mean(x)", _mean),
        formula('mean(mean(x), "...")', "mean(x)", _mean),
        Example(
            returning("2*cumsum(x)"),
            returning("2*x"),
            lambda x: 2 * np.cumsum(x, -1),
            {"x": lambda x: np.cumsum(x, -1)},
        ),
        formula("mean(reshape(x, 2, 3))", "mean(x)", _mean),
        Example(
            "def f(x: Row, w: Row):\n    return w*softmax(x)",
            "def f(x: Row, w: Row):\n    e = exp(x)\n    y = e / sum(e)\n    h = w*y\n    return h",
            lambda x, w: w * np.exp(x) / np.exp(x).sum(-1, keepdims=True),
        ),
        formula("mean(x, axis=0)", "mean(x)", _mean),
        formula("mean(x, -1)", "mean(x)", _mean),
        formula("clamp(x, 0, 1)", "clip(x, 0, 1)", lambda x: np.clip(x, 0, 1)),
        formula("2*math.pi*x", "2*pi*x", lambda x: 2 * np.pi * x),
        formula("sqrt(u=x)", "sqrt(x)", np.sqrt, low=0.25),
        formula("sqrt(*x)", "sqrt(x)", np.sqrt, low=0.25),
        formula("sqrt(x, x)", "sqrt(x)", np.sqrt, low=0.25),
        formula("max(x, 0)", "maximum(x, 0)", lambda x: np.maximum(x, 0)),
        formula("min(x, 0)", "minimum(x, 0)", lambda x: np.minimum(x, 0)),
        formula("mean(mean(x))", "mean(x)", _mean),
        formula("pick(x, 0.5)", "pick(x, 0)", lambda x: x[:, 0]),
        formula("x*sum(D)", "x*D*D", lambda x: x * x.shape[-1] ** 2),
        formula("where(x, 1, 2)", "where(x > 0, 1, 2)", lambda x: np.where(x > 0, 1, 2)),
        formula("where(x > 0, x)", "where(x > 0, x, 2)", _positive),
        formula("where(x > 0 and x < 1, x, 2)", "where((x > 0) & (x < 1), x, 2)", _between),
        formula("where(x > 0 & x < 1, x, 2)", "where((x > 0) & ~(x > 1), x, 2)", _between),
        formula(
            "max(where(x > 0, x, -float('inf')))",
            "max(where(x > 0, x, -1e30))",
            lambda x: np.where(x > 0, x, -1e30).max(-1),
        ),
        formula("where(0 < x < 1, x, 2)", "where((0 < x) & (x < 1), x, 2)", _between),
        formula("where(x in 1, x, 2)", "where(x == 1, x, 2)", lambda x: np.where(x == 1, x, 2)),
        Example(
            returning("+".join("x" * 102)),
            "def f(x: Row):\n    h = " + "+".join("x" * 51) + "\n    g = " + "+".join("x" * 51) + "\n    return h + g",
            lambda x: 102 * x,
        ),
    ),
)


_POWER = "where({0} > 0, exp(p*log(where({0} > 0, {0}, 1))), 0)"

_ROUNDED = 'cast(9*x, "int8")'

CASTS = Section(
    "Types of outputs",
    "An output is rounded to a type by `cast`, as a whole.",
    (
        formula('cast(9*x, "i8")', _ROUNDED, lambda x: np.rint(9 * x)),
        formula("cast(9*x, int8)", _ROUNDED, lambda x: np.rint(9 * x)),
        formula("cast(9*x)", _ROUNDED, lambda x: np.rint(9 * x)),
        formula('1*cast(9*x, "int8")', _ROUNDED, lambda x: np.rint(9 * x)),
        Example(
            'def f(x: Row):\n    q = cast(9*x, "int8")\n    y = 2*q\n    return q, y',
            'def f(x: Row):\n    u = 9*x\n    q = cast(u, "int8")\n    y = 2*u\n    return q, y',
            lambda x: (np.rint(9 * x), 18 * x),
        ),
    ),
)

_SEED = 'x: Row, seed: Int[""]'

RANDOM = Section(
    "Random numbers",
    "They are made of a seed, an integer that all rows share.",
    (
        formula("x*uniform(2)", "x*uniform(seed)", lambda x, seed: x * drawn(seed), extra='seed: Int[""]'),
        formula("x*uniform(seed + 1)", "x*uniform(seed, 1)", lambda x, seed: x * drawn(seed, 1), _SEED),
        formula("x*uniform(seed, -1)", "x*uniform(seed, 1)", lambda x, seed: x * drawn(seed, 1), _SEED),
        formula(
            "dropout(x, mean(x), seed)",
            "where(uniform(seed) >= mean(x), x, 0)",
            lambda x, seed: np.where(drawn(seed) >= x.mean(-1, keepdims=True), x, 0),
            _SEED,
        ),
        Example(
            f"def f({_SEED}):\n    u = uniform(seed)\n    return u",
            f"def f({_SEED}):\n    u = uniform(seed)\n    return where(u >= 0.5, x, 0)",
            lambda x, seed: np.where(drawn(seed) >= 0.5, x, 0),
        ),
    ),
)

NUMBERS = Section(
    "Numbers and D",
    "Numbers are finite and real, and so is what is made of numbers alone.",
    (
        formula("x + 1e999", "x + 1e299", lambda x: x + 1e299),
        formula("x + 1e200*1e200", "x + 1e200*1e90", lambda x: x + 1e290),
        formula("x + exp(1000)", "x + exp(600)", lambda x: x + np.exp(600)),
        formula("x * ((1.0000001**64)**64)**64", "x * 1.0265597", lambda x: x * 1.0265597),
        Example(
            "def f(x: Row, p: Feature):\n    a = abs(x)\n    y = a**p\n    return y",
            f"def f(x: Row, p: Feature):\n    a = abs(x)\n    y = {_POWER.format('a')}\n    return y",
            lambda x, p: np.abs(x) ** p,
        ),
        formula("x ** 65", "x**64*x", lambda x: x**65),
        formula("x / 0", "x / 0.5", twice),
        formula("x * 0**-1", "x * 0.5**-1", twice),
        formula("x * (-2)**0.5", "x * 2**0.5", lambda x: x * np.sqrt(2)),
        formula("x * sqrt(-1)", "x * sqrt(4)", twice),
        formula("x * log(0)", "x * log(2)", lambda x: x * np.log(2)),
        formula("x / (D - D)", "x / (2*D - D)", lambda x: x / x.shape[-1]),
        formula("x * sqrt(1 - D)", "x * sqrt(D - 1)", lambda x: x * np.sqrt(x.shape[-1] - 1)),
        formula("x * rsqrt(1 - D)", "x * rsqrt(D - 1)", lambda x: x / np.sqrt(x.shape[-1] - 1)),
        formula("D * 2", "x * D * 2", lambda x: x * x.shape[-1] * 2),
    ),
)

_MODULE = '"""A layer.\n\nIn PyTorch: {}\n"""\n' + returning("w*x", "x: Row, w: Feature")

MODULES = Section(
    "Modules of PyTorch's",
    "A line of the docstring that begins with `In PyTorch:` names a class that the layer can stand for.",
    tuple(
        Example(_MODULE.format(call), _MODULE.format(followed), weighted)
        for call, followed in (
            ("torch.nn.Norm", "torch.nn.Norm(weight=w)"),
            ("Norm(weight=w)", "torch.nn.Norm(weight=w)"),
            ("torch.nn.Norm(D)", "torch.nn.Norm(features=D, weight=w)"),
            ("torch.nn.Norm(weight=gamma)", "torch.nn.Norm(weight=w)"),
            ("torch.nn.Norm(weight=w, bias=w)", "torch.nn.Norm(weight=w)"),
            ("torch.nn.Norm(weight=w, weight=w)", "torch.nn.Norm(weight=w)"),
            ("torch.nn.Norm(mode='mean')", "torch.nn.Norm(weight=w)"),
            ("torch.nn.Norm(**options)", "torch.nn.Norm(weight=w)"),
            ("torch.nn.Norm(size=D)", "torch.nn.Norm(size=D, weight=w)"),
        )
    ),
)

DERIVATION = Section(
    "Invalid for every input",
    "These are found while a definition is derived, once its terms have cancelled.",
    (
        formula("2*x + 1/(x - x)", "2*x", twice),
        formula("exp(pi*log(x))", "exp(3.141592653589793*log(x))", lambda x: x**np.pi, low=0.25),
        Example(
            "def f(x: Row, eps: Constant = 1):\n    return where(eps > 0, 2*x, eps*x)",
            "def f(x: Row, eps: Constant):\n    return where(eps > 0, 2*x, eps*x)",
            lambda x, eps: np.where(eps > 0, 2 * x, eps * x),
        ),
    ),
)
