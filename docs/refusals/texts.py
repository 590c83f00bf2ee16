"""Refusals of the file, the signature and the body."""

from __future__ import annotations

import numpy as np

from docs.refusals.catalogue import Example, Section, Value, returning

_TWICE = returning("2*x")
_F = "def f(x: Row, w: Feature):\n    "


def twice(x):
    return 2 * x


def weighted(x, w):
    return x * w


def _file(written: str) -> Example:
    return Example(written, _TWICE, twice)


def _body(statement: str, followed: str = "", value=weighted) -> Example:
    """A statement before `return x*w`, and what stands there instead."""
    end = "return x*w"
    return Example(
        _F + (statement if end[:6] in statement else f"{statement}\n    {end}"), _F + (followed or end), value
    )


def _centred(x):
    return x - x.mean(-1, keepdims=True)


def _axes(written: str, followed: str, value: Value) -> Example:
    """A definition with named axes: each text is its inputs and its result, with `returns` between them."""
    texts = ("def f({}):\n    return {}".format(*each.split(" returns ")) for each in (written, followed))
    return Example(*texts, value)


NAMED_AXES = (
    _axes("x: Array returns 2*x", 'x: Array["b d"] returns 2*x', lambda x: 2 * x),
    _axes('x: Array["b, d"] returns 2*x', 'x: Array["b d"] returns 2*x', lambda x: 2 * x),
    _axes(
        'x: Array["b d"], w: Array["h"] returns w*x', 'x: Array["b h"], w: Array["h"] returns w*x', lambda x, w: w * x
    ),
    _axes('x: Array[""] returns 2*x', 'x: Array["b d"] returns 2*x', lambda x: 2 * x),
    _axes(
        'x: Array["b c h"] returns x - mean(x, "c") - mean(x, "h")',
        'x: Array["b c h"] returns x - mean(x, "c h")',
        lambda x: x - x.mean(-1, keepdims=True),
    ),
    _axes(
        'x: Array["b d"] returns mean(sum(x, "d"), "...")', 'x: Array["b d"] returns sum(x, "d")', lambda x: x.sum(-1)
    ),
    _axes('x: Array["b ..."] returns x - mean(x)', 'x: Array["... d"] returns x - mean(x)', _centred),
    _axes('x: Array["c h"] returns x - mean(x, "c h")', 'x: Array["b c h"] returns x - mean(x, "c h")', _centred),
    _axes('x: Array["b d"], t: Data[""] returns t*x', 'x: Array["b d"], t: Constant returns t*x', lambda x, t: t * x),
    _axes('x: Array["b d"], w: Feature returns w*x', 'x: Array["b d"], w: Array["d"] returns w*x', lambda x, w: w * x),
    _axes(
        'x: Array["b (g c)"] returns x - mean(x, "c")',
        'x: Array["b (g c)"], g: Size = 32 returns x - mean(x, "c")',
        _centred,
    ),
    _axes('x: Array["b d"], g: Size returns 2*x', 'x: Array["b (g d)"], g: Size returns 2*x', lambda x: 2 * x),
    _axes(
        'x: Array["b (g c)"], g: Size = 0 returns 2*x', 'x: Array["b (g c)"], g: Size = 32 returns 2*x', lambda x: 2 * x
    ),
)
"""Refusals of a definition whose axes have names."""


def _parts(written: str, followed: str, value: Value, inputs: str = 'x: Array["b (s d)"], s: Size = 2') -> Example:
    """A definition of halves: each text is its lines, with `;` between them, and one with other inputs begins so."""

    def text(lines: str) -> str:
        given, _, body = lines.rpartition(" : ")
        return "def f({}):\n    {}".format(given or inputs, body.replace("; ", "\n    "))

    return Example(text(written), text(followed), value)


IN_PARTS = (
    _parts("return 2*at(x)", "return 2*at(x, s=0)", lambda x_0: 2 * x_0),
    _parts('x: Array["b (s d)"] : return 2*at(x, s=0)', "return 2*at(x, s=0)", lambda x_0: 2 * x_0),
    _parts('x: Array["b (s d)"], s: Size : return 2*at(x, s=0)', "return 2*at(x, s=0)", lambda x_0: 2 * x_0),
    _parts(
        'x: Array["b d"], w: Array["s"], s: Size = 2 : return x*at(w, s=1)',
        'x: Array["b d"], w: Array["(s d)"], s: Size = 2 : return x*at(w, s=1)',
        lambda x, w_1: x * w_1,
    ),
    _parts("return 2*at(x, s=0) + at(s, s=0)", "return 2*at(x, s=0) + at(x, s=1)", lambda x_0, x_1: 2 * x_0 + x_1),
    _parts("return 2*at(x, s=2)", "return 2*at(x, s=1)", lambda x_1: 2 * x_1),
    _parts("return x*at(x, s=1)", "return at(x, s=0)*at(x, s=1)", lambda x_0, x_1: x_0 * x_1),
    _parts(
        "a = at(x, s=0); return join([2*a, 3*a], s=0)",
        "a = at(x, s=0); return join(2*a, 3*a)",
        lambda a: (2 * a, 3 * a),
    ),
    _parts(
        "a = at(x, s=0); y = join(2*a, 3*a, 4*a); return y",
        "a = at(x, s=0); u = 2*a; v = 3*a; w = 4*a; return u, v, w",
        lambda a: (2 * a, 3 * a, 4 * a),
    ),
    _parts(
        "a = at(x, s=0); return 2*join(a, -a)",
        "a = at(x, s=0); return join(2*a, -2*a)",
        lambda a: (2 * a, -2 * a),
    ),
    _parts(
        "a = at(x, s=0); y = join(2*a, 3*a); z = mean(y); return y, z",
        "a = at(x, s=0); u = 2*a; v = 3*a; y = join(u, v); z = (mean(u) + mean(v))/2; return y, z",
        lambda a: (2 * a, 3 * a, 2.5 * a.mean(-1)),
    ),
    _parts(
        "a = at(x, s=0); y = join(2*a, mean(a)); return y",
        "a = at(x, s=0); u = 2*a; v = mean(a); return u, v",
        lambda a: (2 * a, a.mean(-1)),
    ),
    _parts(
        'a = at(x, s=0); u = cast(a, "float16"); return join(u, 2*a)',
        'a = at(x, s=0); u = cast(a, "float16"); v = 2*a; return u, v',
        lambda a: (a.astype(np.float16), 2 * a),
    ),
)
"""Refusals of a definition that reads or makes an array in parts."""

FILE = Section(
    "The file",
    "A definition file holds a docstring, imports from `lngen.language`, and one function.",
    (
        _file("# nothing but a comment"),
        _file("import numpy\n" + _TWICE),
        Example(
            "from math import sqrt\n" + returning("sqrt(x)"),
            "from lngen.language import Row, sqrt\n" + returning("sqrt(x)"),
            np.sqrt,
            low=0.1,
        ),
        _file("from lngen.language import *\n" + _TWICE),
        _file("from lngen.language import Row as R\n" + _TWICE),
        _file("from lngen.language import Rows\n" + _TWICE),
        _file("eps = 1\n" + _TWICE),
        _file("print(1)\n" + _TWICE),
        _file("class A:\n    pass\n"),
        _file("async " + _TWICE),
        _file(_TWICE + "\n\ndef g(x: Row):\n    return 3*x"),
        _file("def f(x: Row):\n    return 2*"),
        Example(returning("1" * 5000 + "*x"), returning("1.1e299*x"), lambda x: 1.1e299 * x),
        _file(returning("2*x\0")),
        Example(returning("(" * 300 + "x" + ")" * 300 + "*2"), "def f(x: Row):\n    h = 2*x\n    return h", twice),
        _file("#" * 70000),
        _file("def f(ｘ: Row):\n    return 2*ｘ"),
        _file("def f(x: Row):  # type: (Row) -> Row\n    return 2*x"),
    ),
)

_INTEGER = _file("def f(x: Row, i: Int):\n    y = 2*i\n    return y")

_LOSS = "y = softplus(-beta*(chosen - rejected))\n    return y"

SIGNATURE = Section(
    "The signature",
    "Inputs are annotated with a kind; a default is a number.",
    (
        _file("@cache\n" + _TWICE),
        _file("def f(x: Row) -> Row:\n    return 2*x"),
        Example("def like(x: Row):\n    return 2*x", "def h(x: Row):\n    return 2*x", twice),
        Example("def aux(x: Row):\n    return 2*x", "def h(x: Row):\n    return 2*x", twice),
        _file("def f(x):\n    return 2*x"),
        _file("def f(x: Rwo):\n    return 2*x"),
        _file("def f(x: 'Row'):\n    return 2*x"),
        Example(
            "def f(x: Row, mask: bool):\n    return mask*x",
            "def f(x: Row, mask: Data):\n    return mask*x",
            lambda x, mask: mask * x,
        ),
        Example(
            'def f(x: Row, weight: Data["b"]):\n    return weight*sum(x)',
            'def f(x: Row, weight: Data["..."]):\n    return weight*sum(x)',
            lambda x, weight: weight * x.sum(-1),
        ),
        *NAMED_AXES,
        *IN_PARTS,
        Example(
            "def f(x: Row, label: int):\n    return -x[label]",
            'def f(x: Row, label: Int["..."]):\n    return -pick(x, label)',
            lambda x: -x[:, 2],
            {"label": lambda x: np.full(len(x), 2)},
        ),
        Example(
            'def f(x: Row, k: Int["..."] = 0.5):\n    return k*x',
            "def f(x: Row, k: RowScalar = 0.5):\n    return k*x",
            lambda x, k: k[:, None] * x,
        ),
        Example(
            "def f(x: Row, e: Constant = 1/3):\n    return e*x",
            "def f(x: Row, e: Constant = 0.3333333333333333):\n    return e*x",
            lambda x, e: e * x,
        ),
        _file("def f(x: Row = 1):\n    return 2*x"),
        Example(
            "def f(g: Feature = 1, x: Row):\n    return g*x",
            "def f(x: Row, g: Feature = 1):\n    return g*x",
            lambda x, g: g * x,
        ),
        Example(
            "def dpo(chosen: Data, rejected: Data, beta: Scalar):\n    " + _LOSS,
            "def dpo(chosen: RowScalar, rejected: RowScalar, beta: Scalar):\n    " + _LOSS,
            lambda chosen, rejected, beta: np.log1p(np.exp(-beta * (chosen - rejected))),
        ),
        Example(
            "def f(a: RowScalar, b: RowScalar):\n    return (a + b)/D",
            "def f(a: RowScalar, b: RowScalar, h: Constant):\n    return (a + b)/h",
            lambda a, b, h: (a + b) / h,
        ),
        _file("def f(a: RowScalar = 1):\n    return 2*a"),
        Example("def f(w: Feature):\n    return 2*w", "def f(w: Row):\n    return 2*w", lambda w: 2 * w),
        _file("def f(*x: Row):\n    return 2*x"),
        Example(
            "def f(x: Row, **k: Row):\n    return k*x", "def f(x: Row, k: Row):\n    return k*x", lambda x, k: k * x
        ),
        _file("def f(x: Row, /):\n    return 2*x"),
        Example(
            "def f(x: Row, *, e: Constant):\n    return e*x",
            "def f(x: Row, e: Constant):\n    return e*x",
            lambda x, e: e * x,
        ),
        Example(
            "def f(x: Row, lambda_: Scalar):\n    return lambda_*x",
            "def f(x: Row, h: Scalar):\n    return h*x",
            lambda x, h: h * x,
        ),
        Example(
            "def f(x: Row, out: Row):\n    return x + out",
            "def f(x: Row, h: Row):\n    return x + h",
            lambda x, h: x + h,
        ),
        Example(
            "def f(x: Row, f: Feature):\n    return f*x",
            "def f(x: Row, h: Feature):\n    return h*x",
            lambda x, h: h * x,
        ),
        Example(
            "def f(x: Row, dy: Row):\n    return x*dy",
            "def f(x: Row, dy_1: Row):\n    return x*dy_1",
            lambda x, dy_1: x * dy_1,
        ),
        Example("def f(x: Row, w: Feature):\n    return 2*x", _TWICE, twice),
    ),
)


BODY = Section(
    "The body",
    "Statements assign a name once; the last one returns.",
    (
        _body(
            "for i in x:\n        h = h*x",
            "h = x*x\n    g = h*x\n    return g*w",
            lambda x, w: x**3 * w,
        ),
        Example(
            f"{_F}while x:\n        pass\n    return x*w",
            "def f(u: Row, w: Feature):\n    return u*w",
            lambda x, w: w * np.cos(np.cos(x)),
            {"u": lambda x: np.cos(np.cos(x))},
        ),
        _body("async for i in x:\n        pass"),
        _body("if x > 0:\n        pass", "return where(x > 0, x, 0)*w", lambda x, w: np.maximum(x, 0) * w),
        _body("with x:\n        pass"),
        _body("async with x:\n        pass"),
        _body("match x:\n        case 1:\n            pass", "return where(x == 1, 0, x*w)"),
        _body("raise x"),
        _body("try:\n        pass\n    finally:\n        pass"),
        _body("try:\n        pass\n    except* x:\n        pass"),
        _body("assert x"),
        _body("del x"),
        Example(
            f"{_F}global g\n    return g*x*w",
            "def f(x: Row, w: Feature, g: Scalar):\n    return g*x*w",
            lambda x, w, g: g * x * w,
        ),
        Example(
            f"{_F}nonlocal g\n    return g*x*w",
            "def f(x: Row, w: Feature, g: Scalar):\n    return g*x*w",
            lambda x, w, g: g * x * w,
        ),
        _body("pass"),
        _body("break"),
        _body("continue"),
        _body("x += 1", "x2 = x + 1\n    return x2*w", lambda x, w: (x + 1) * w),
        _body("h: Row = x*w\n    return h", "h = x*w\n    return h"),
        _body("x + 1"),
        Example(
            _F + "def g(x: Row):\n        return 2*x\n    return g(x)*w", _F + "return 2*x*w", lambda x, w: 2 * x * w
        ),
        _INTEGER,
        _body("import math"),
        _body("a, b = x, w", "return x*w"),
        Example(
            _F + "x[0] = 1\n    return x*w",
            _F + "h = where(index() == 0, 1, x)\n    return h*w",
            lambda x, w: np.where(np.arange(x.shape[-1]) == 0, 1, x) * w,
        ),
        _body("h = g = 2*x\n    return h*w", "h = 2*x\n    return h*w", lambda x, w: 2 * x * w),
        _body("x = 2*x", "h = 2*x\n    return h*w", lambda x, w: 2 * x * w),
        _body("h = x\n    return h*w", "return x*w"),
        _body("h_ = 2*x\n    return h_*w", "h = 2*x\n    return h*w", lambda x, w: 2 * x * w),
        _body("h = 2*x"),
        _body("out = x*w\n    return out", "h = x*w\n    return h"),
        _body("y = 2*w"),
        Example(
            _F + "h = g + 1\n    g = 2*x\n    return h*w",
            _F + "g = 2*x\n    h = g + 1\n    return h*w",
            lambda x, w: (2 * x + 1) * w,
        ),
        _body("yield x"),
        Example(_F + "h = 2*x*w", _F + "h = 2*x*w\n    return h", lambda x, w: 2 * x * w),
        Example(_F + "return", _F + "return x*w", weighted),
        Example(_F + "return x*w\n    h = 2*x", _F + "return x*w", weighted),
        Example(_F + "h = x*w\n    return h, x", _F + "h = x*w\n    return h", weighted),
        Example(_F + "h = x*w\n    return h, h", _F + "h = x*w\n    return h", weighted),
        Example(
            _F + "h = x*w\n    return h, 2*h",
            _F + "h = x*w\n    g = 2*h\n    return h, g",
            lambda x, w: (x * w, 2 * x * w),
        ),
        Example(_F + "return ()", _F + "h = x*w\n    return h", weighted),
        Example(_F + "return x", _F + "return x*w", weighted),
        Example(
            _F + "h = 2*x\n    return h, w, g",
            _F + "h = 2*x\n    g = x*w\n    return h, g",
            lambda x, w: (2 * x, x * w),
        ),
        Example(
            _F + "h = 2*x\n    return h, g", _F + "h = 2*x\n    g = x*w\n    return h, g", lambda x, w: (2 * x, x * w)
        ),
        Example(
            _F + "h = 2*w\n    g = x*h\n    return g, h",
            _F + "h = 2*w\n    g = x*h\n    return g",
            lambda x, w: 2 * x * w,
        ),
        Example(_F + "y = x*w\n    return 2*y", _F + "y = x*w\n    h = 2*y\n    return h", lambda x, w: 2 * x * w),
        Example(
            _F + "h = x*w\n    k = 2*h\n    return h, k, D",
            _F + "h = x*w\n    k = 2*h\n    return h, k",
            lambda x, w: (x * w, 2 * x * w),
        ),
        Example(
            _F + "\n    ".join(f"h{n} = 2*x" for n in range(201)) + "\n    return h0",
            _F + "return x*w",
            weighted,
        ),
    ),
)
