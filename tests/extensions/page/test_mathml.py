"""MathML is made of the LaTeX that reports have: of all of it, and of nothing that is not understood."""

from xml.etree import ElementTree

import pytest

from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
from lngen.extensions.page.mathml import mathml
from lngen.extensions.page.pieces import pieces
from lngen.language import FUNCTIONS

x, g, xhat = RowSymbol("x"), RowSymbol("g"), RowSymbol("xhat")
rstd = RowScalarSymbol("rstd", positive=True)


def text_of(markup):
    """Return the text of well-formed markup, accents and scripts in their order."""
    return "".join(ElementTree.fromstring(markup).itertext())


@pytest.mark.parametrize("entry", [entry for entry in FUNCTIONS.values() if entry.latex], ids=lambda entry: entry.name)
def test_every_function_that_has_latex_of_its_own(entry):
    assert "x" in text_of(mathml(entry.latex.format(u="x")))


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
            "{abc+def−ghi+jkl−mno+pqr−stu\u00a0if\u00a0x>0,x\u00a0otherwise}",
        ),
    ],
)
def test_pieces_of_what_cannot_be_broken_are_those_of_what_is_written_instead(tex, read):
    found = pieces(tex)
    assert "".join(map(text_of, found)) == read
    assert len(found) >= 7
    assert max(len(text_of(piece)) for piece in found) <= 24
