"""Refusals by their stable names where `docs/errors.md` has another text for them."""

import pytest

from lngen.errors import DefinitionError
from lngen.language.parsing import parse

REFUSED = [
    # axes
    ('def f(x: Row): return x - mean(x, "d")', "argument-count"),
    ('def f(x: Array["b d"]): return x - mean(x, d)', "axes-text"),
    ('def f(x: Array["b d"]): return x - mean(x, "e")', "axes-pattern"),
    ('def f(x: Array["b d"], y: Array["b e"]): return x*y', "axes-pattern"),
    ('def f(x: Array["b d"], y: Data["e"]): return x*y', "axes-pattern"),
    ('def f(x: Array["b d"] = 1): return 2*x', "first-row-default"),
    ('def f(x: Array["b (g c)"]): return 2*x', "axes-size"),
    ('def f(w: Array["d"], x: Array["b d"]): return w*x', "axes-all"),
    # integers
    ('def f(x: Row, i: Int["b"]): return i*x', "axes"),
    ("def f(x: Row, i: RowScalar): return pick(x, i)", "pick-place"),
    ('def f(x: Row, i: Int["..."]): return pick(x, i/2)', "pick-place"),
    ("def f(x: Row, i: Int): return pick(x, i)", "pick-place"),
    ("def f(x: Row): return pick(x, index())", "pick-place"),
    ('def f(x: RowScalar, i: Int["..."]): return pick(x, i)', "reduced-twice"),
    ("def f(s: RowScalar): return s*index()", "no-features"),
    ("def f(x: Row): return x*index(1)", "argument-count"),
    ("def f(x: Row): return x*pick(x)", "argument-count"),
    # random numbers
    ("def f(x: Row, seed: Scalar): return dropout(x, 0.5, seed)", "draw-seed"),
    ('def f(x: Row, seed: Int["..."]): return x*uniform(seed)', "draw-seed"),
    ('def f(x: Row, seed: Int[""]): other = seed + 1; return x*uniform(other)', "draw-seed"),
    ('def f(x: Row, seed: Int[""]): return x*uniform(seed, 0.5)', "draw-stream"),
    ('def f(x: Row, seed: Int[""]): return x*uniform(seed, 2**31)', "draw-stream"),
    ('def f(x: Row, seed: Int[""]): return dropout(x, 1, seed)', "zero-divisor"),
    ('def f(x: Row, seed: Int[""]): return dropout(x, seed)', "argument-count"),
    ('def f(x: Row, seed: Int[""]): return uniform(seed)', "returned-draw"),
    ('def f(x: Row, seed: Int[""]): u = uniform(seed); v = uniform(seed); return x*u*v', "second-name"),
    ('def f(x: Row, seed: Int[""]): u = uniform(seed); return 2*x', "unused-statement"),
    ('def f(s: RowScalar, seed: Int[""]): return s*uniform(seed)', "no-features"),
    # casts
    ('def f(x: Row): return mean(cast(x, "int8"))*x', "cast-place"),
    ('def f(x: Row): return where(cast(x, "int8") > 0, x, 0)', "cast-place"),
    ('def f(x: Row): return cast(cast(x, "float16"), "int8")', "cast-place"),
    ('def f(x: Row): q = cast(x, "int8"); r = cast(q, "uint8"); return q, r', "cast-read"),
    ('def f(x: Row): q = cast(x, "int8"); return 2*x', "unused-statement"),
    ('def f(x: Row): return cast(x, "float64")', "cast-type"),
    ('def f(x: Row): return cast(x, "")', "cast-type"),
    ("def f(x: Row): return cast(x, 8)", "cast-type"),
    ('def f(x: Row): return cast(x, f"int{8}")', "cast-type"),
    ('def f(x: Row): return cast("int8", x)', "cast-type"),
    ('def f(x: Row): return cast(x, dtype="int8")', "argument-count"),
    ('def f(x: Row): return cast(*x, "int8")', "argument-count"),
    ('def f(x: Row): return cast("x", "int8")', "string"),
    ('def f(x: Row): return cast(2, "int8")', "returned-shared"),
]
PARTS = [
    ("a = at(x, s=0); b = at(x, s=0); return a*b", "second-name"),
    ("x = at(x, s=0); return 2*x", "assigned-twice"),
    ("b = 2*a; a = at(x, s=0); return a*b", "used-early"),
    ("a = at(x, s=0); a = 2*a; return a", "assigned-twice"),
    ("a = at(x, s=0); return join(a, 2*a)", "returned-input"),
    ("return join(at(x, s=0), 2*at(x, s=1))", "returned-input"),
    ("u = 2*at(x, s=0); return join(u, u)", "returned-twice"),
    ("u = 2*at(x, s=0); y = join(u, 3*u); return u", "unused-statement"),
    ("u = 2*at(x, s=0); y = join(u, 3*u); y = 2*u; return y", "assigned-twice"),
    ("y = 2*at(x, s=0); return join(y, 3*y)", "unnamed-result"),
    ("out = at(x, s=0); return 2*out", "name"),
    ("a = at(x, s=-1); return 2*a", "part-call"),
    ("a = at(x, s=True); return 2*a", "part-call"),
    ('return mean(at(x, s=0), "s")*at(x, s=1)', "axes-pattern"),
    ("a = at(x, s=1); return where(a > 0, join(a, a), 0)", "join-place"),
]


@pytest.mark.parametrize(
    ("text", "code"), [*REFUSED, *((f'def f(x: Array["b (s d)"], s: Size = 2): {body}', code) for body, code in PARTS)]
)
def test_a_text_is_refused_by_its_name_with_a_remedy(text, code):
    with pytest.raises(DefinitionError) as found:
        parse(text)
    assert (found.value.code, bool(found.value.remedy)) == (code, True)
