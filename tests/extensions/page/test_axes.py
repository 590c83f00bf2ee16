"""The page of a definition that names its axes speaks of them."""

import html
import re

from lngen.extensions.page.page import fragment
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned

TEXT = """
def scaled(x: Array["b t (g c)"], label: Int["b"], s: Array["b c"] = 1, g: Size = 2):
    y = s*x*rsqrt(mean(x**2, "c") + 1) + where(label == 1, s, 0)
    return y
"""


def text_of(markup):
    """A page as a reader sees it, with one blank between its pieces."""
    shown = re.sub(r"<(script|style).*?</\\1>|<svg.*?</svg>", " ", markup, flags=re.DOTALL)
    shown = re.sub(r"<math.*?</math>", lambda found: re.sub("<[^>]+>", "", found[0]), shown, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", shown)).split())


def gradient_of_s():
    return text_of(fragment(planned(parse(TEXT), proved=False))).partition(" ds ")[2].partition(" where ")[0]


def test_the_gradient_of_an_array_is_a_sum_over_the_axes_that_it_lacks(monkeypatch):
    assert gradient_of_s().startswith("=∑t,g(")
    monkeypatch.setattr("lngen.extensions.page.page.summed_over", lambda derivation: {})
    assert "∑" not in gradient_of_s()
