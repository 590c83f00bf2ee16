"""Layout of a page: formulas are drawn right, no text is cut, and the page is short."""

import pytest

from lngen.extensions.page import assets
from lngen.extensions.page.mathml import mathml
from tests.extensions.page.browsing import OPEN_ALL, whole
from tests.extensions.page.test_page import KILOBYTES
from tests.requirements import needs_browser
from tests.shipped import NAMES
from tests.tiers import sample

pytestmark = needs_browser

FAULTY_FORMULAS = """() => [...document.querySelectorAll("math")].filter((math) => {
  const box = math.getBoundingClientRect();
  return math.querySelector("merror") || !box.width || !box.height || math.namespaceURI !== "http://www.w3.org/1998/Math/MathML";
}).map((math) => math.outerHTML)"""
CUT = """() => [...document.querySelectorAll(".equation, .equations, .contributions, .names dt, p, li, dd, td, th")]
  .filter((part) => part.clientWidth && part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent)"""
"""Elements that are wider than their box, so that they scroll."""
SIGNS = (
    *(r"\hat{x}", r"\dot{x}", r"\hat{h} + \dot{\hat{x}}", r"\dot{\gamma}", r"\sigma^{2}", r"(x - \mu)^{2}"),
    *(r"x_{\mathrm{centred}}^{2}", r"\left(\frac{x}{2}\right)^{3}", r"\overline{\mathrm{rstd}}", r"\mathrm{rstd}^{3}"),
)
FORMULAS = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>t</title>'
    f"<style>{assets.style()}</style></head><body>"
    f"{''.join(f'<p>{mathml(sign)}</p>' for sign in SIGNS)}</body></html>"
)
MISPLACED = """() => {
  const box = (part) => part.getBoundingClientRect();
  const found = [];
  for (const part of document.querySelectorAll("mover")) {
    const [base, mark] = [...part.children].map(box);
    const apart = Math.abs((mark.left + mark.right) / 2 - (base.left + base.right) / 2);
    const low = mark.bottom > base.bottom - base.height / 3;
    if (apart > base.width / 2 || low) found.push(`accent: ${part.textContent}`);
  }
  for (const part of document.querySelectorAll("msup, msubsup")) {
    const [base, up] = [box(part.firstElementChild), box(part.lastElementChild)];
    const tooFar = up.left - base.right > 4 || up.bottom < base.top || up.top > base.top + base.height / 2;
    if (up.left < base.right - 2 || up.bottom > base.bottom - 2 || tooFar) found.push(`exponent: ${part.textContent}`);
  }
  for (const part of document.querySelectorAll("mrow.over")) {
    const inner = box(part.firstElementChild);
    if (Math.abs(box(part).width - inner.width) > 2) found.push(`line: ${part.textContent}`);
  }
  return found;
}"""
"""Accents that are not over their letter, exponents not at the upper right of their base, lines longer than a name."""


@pytest.mark.parametrize("name", sample(NAMES, (), NAMES[::3]))
def test_every_formula_is_drawn_and_nothing_is_wider_than_a_phone(visit, name):
    text = whole(name)
    assert len(text.encode()) < KILOBYTES * 1000
    shown = visit(text, viewport={"width": 390, "height": 800})
    shown.evaluate(OPEN_ALL)
    assert shown.locator("math").count() > 20
    assert shown.evaluate(FAULTY_FORMULAS) == []
    assert shown.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert shown.evaluate(CUT) == []


class TestMathematics:
    """Boxes of marks over, above and beside a letter, with the font of the page and without it."""

    @pytest.mark.ci
    def test_marks_stand_where_they_belong(self, visit):
        shown = visit(FORMULAS)
        assert shown.evaluate("() => document.fonts.ready.then(() => document.fonts.check('16px \"lngen maths\"'))")
        assert shown.evaluate(MISPLACED) == []
