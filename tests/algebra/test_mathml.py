"""MathML is made of the LaTeX that reports have: of all of it, and of nothing that is not understood."""

from xml.etree import ElementTree

import pytest

from lngen.algebra.notation import latex_name
from lngen.algebra.notation.mathml import marked, mathml, tspans
from lngen.algebra.notation.pieces import pieces
from lngen.algebra.symbols import FeatureSum, Mean, RowScalarSymbol, RowSymbol, Where
from lngen.language import FUNCTIONS

x, g, xhat = RowSymbol("x"), RowSymbol("g"), RowSymbol("xhat")
rstd = RowScalarSymbol("rstd", positive=True)


def text_of(markup):
    """Return the text of well-formed markup, accents and scripts in their order."""
    return "".join(ElementTree.fromstring(markup).itertext())


@pytest.mark.parametrize("entry", [entry for entry in FUNCTIONS.values() if entry.latex], ids=lambda entry: entry.name)
def test_every_function_that_has_latex_of_its_own(entry):
    assert "x" in text_of(mathml(entry.latex.format(u="x")))


@pytest.mark.parametrize("wrong", [r"\unknown{x}", "x ; y", r"\begin{matrix} x \end{matrix}", r"\left(x"])
def test_what_is_not_understood_is_an_error(wrong):
    with pytest.raises(ValueError, match=r"MathML|too early"):
        mathml(wrong)


@pytest.mark.parametrize(
    ("expression", "read"),
    [
        (rstd * (g - xhat * Mean(g * xhat) - Mean(g)), "rstd(g−mean(g)−x^mean(gx^))"),
        (-x / (2 + x), "−x2+x"),
        (Where(x > 0, x, 0), "{xif\u00a0x>00otherwise"),
        (FeatureSum(x * g), "∑featuresgx"),
    ],
)
def test_terms_and_signs_are_those_of_latex(expression, read):
    assert text_of(mathml(marked(expression))) == read


def test_a_sign_stands_close_to_what_it_belongs_to():
    assert 'form="prefix"' in mathml("-x")
    assert 'form="prefix"' in mathml("a = -x")
    assert 'form="prefix"' not in mathml("a - x")


def test_a_formula_in_pieces_says_the_same_and_keeps_its_marks():
    long = rstd * (g - xhat * Mean(g * xhat) - Mean(g)) + rstd**3 * (x - g)
    tex = marked(long, (), {"xhat"}, {long})
    assert len(pieces(tex)) > 3
    assert "".join(map(text_of, pieces(tex))) == text_of(mathml(tex))
    assert all('class="changed"' in piece for piece in pieces(tex))
    assert any('data-name="xhat"' in piece for piece in pieces(tex))


LONG = "abc + def - ghi + jkl - mno + pqr - stu"


@pytest.mark.parametrize(
    ("tex", "read"),
    [
        (rf"\frac{{{LONG}}}{{a - b}}", "(abc+def−ghi+jkl−mno+pqr−stu)/(a−b)"),
        (rf"\frac{{{LONG}}}{{d}}", "(abc+def−ghi+jkl−mno+pqr−stu)/d"),
        (rf"\sqrt{{{LONG}}}", "(abc+def−ghi+jkl−mno+pqr−stu)1/2"),
        (rf"\left({LONG} + \frac{{1}}{{2}}\right)^{{3}}", "(abc+def−ghi+jkl−mno+pqr−stu+12)3"),
        (
            rf"\begin{{cases}} {LONG} & \text{{if }} x > 0 \cr x & \text{{otherwise}} \end{{cases}}",
            "{abc+def−ghi+jkl−mno+pqr−stuif\u00a0x>0,xotherwise}",
        ),
    ],
)
def test_pieces_of_what_cannot_be_broken_are_those_of_what_is_written_instead(tex, read):
    found = pieces(tex)
    assert "".join(map(text_of, found)) == read
    assert len(found) >= 7
    assert max(len(text_of(piece)) for piece in found) < 24


def test_pieces_of_a_short_fraction_are_one():
    assert len(pieces(r"\frac{1}{x + y}")) == 1
    assert "<mfrac>" in pieces(r"a + b + c + d + e + f + g + h + \frac{1}{x + y}")[-1]


def test_pieces_of_a_long_product_are_its_factors():
    factors = [rf"\mathrm{{factor{letter}}}" for letter in "abcdef"]
    assert len(pieces(r" \thinspace ".join(factors))) > 2


def test_a_prime_is_read():
    assert text_of(mathml(r"\left(\frac{1}{u}\right)^{\prime}")) == "(1u)′"


@pytest.mark.parametrize("name", ["x", "gamma", "xhat", "mu_residual", "mean_g_xhat", "x_dot", "ddx", "d2gamma", "var"])
def test_names_are_set_in_formulas_and_in_drawings(name):
    assert text_of(mathml(latex_name(name)))
    assert ElementTree.fromstring(f"<text>{tspans(name)}</text>").tag == "text"
