"""The pages in a real browser: usable by mouse and by keyboard, legible, accessible."""

from typing import Any

import pytest

import lngen
from lngen.extensions.page.page import page
from lngen.extensions.page.site import index
from tests.extensions.page.browsing import OPEN_ALL, whole
from tests.requirements import needs_browser
from tests.shipped import NAMES, shipped

pytestmark = [needs_browser, pytest.mark.ci]

COLOURED = ("adaptive_layer_norm", "dynamic_tanh", "layer_norm_gelu", "modulated_layer_norm", "scaled_softmax")
"""Between them, these have whatever a style gives a colour."""
ALL_BUT_CONTRAST = {"color-contrast": {"enabled": False}}
PLACE = """(element) => {
  const path = new Set();
  const formula = element.closest("math");
  for (let at = element; at !== document.body; at = at.parentElement) {
    if (at === formula || !formula?.contains(at)) path.add(at.localName);
    for (const name of at.classList) path.add(`.${name}`);
  }
  return [...path].sort().join(" ");
}"""
"""Names and classes of an element and of its parents, by which a style selects; classes alone in a formula."""
REMOVE_ALIKE = f"""() => {{
  const seen = new Set();
  for (const formula of document.querySelectorAll("math")) {{
    const places = [formula, ...formula.querySelectorAll("*")].map({PLACE});
    if (places.every((place) => seen.has(place))) formula.remove();
    for (const place of places) seen.add(place);
  }}
}}"""
"""Remove the formulas, most of a page, in which all has a style that another formula has."""


@pytest.mark.parametrize("name", NAMES[::10])
def test_it_is_accessible(visit, name):
    shown = visit(whole(name))
    shown.evaluate(OPEN_ALL)
    assert violations(shown, rules=ALL_BUT_CONTRAST) == []


@pytest.mark.parametrize(("name", "scheme"), [*zip(COLOURED, ["light", "dark"] * 3, strict=False)])
def test_it_is_legible(visit, name, scheme):
    shown = visit(whole(name), color_scheme=scheme)
    shown.evaluate(OPEN_ALL)
    shown.evaluate(REMOVE_ALIKE)
    assert violations(shown, runOnly=["color-contrast"]) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_index_is_accessible(visit, scheme):
    shown = visit(index([shipped("layer_norm"), shipped("rms_norm")]), color_scheme=scheme)
    assert violations(shown) == []


def test_a_colour_that_is_hard_to_see_is_found(visit):
    shown = visit(
        '<!doctype html><html lang="en"><title>t</title><main><h1 style="color: #999">title</h1></main></html>'
    )
    for options in ({}, {"runOnly": ["color-contrast"]}):
        assert [found.partition(":")[0] for found in violations(shown, **options)] == ["color-contrast"]
    assert violations(shown, rules=ALL_BUT_CONTRAST) == []


def violations(shown: Any, **options: Any) -> list[str]:
    """Return the violations that axe-core finds: contrast, landmarks, names of controls, the order of headings."""
    from axe_playwright_python.sync_playwright import Axe

    # Of the elements that keep a rule, most of a page, one is reported, and not the text of each.
    found = Axe().run(shown, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


class TestWithoutAMouse:
    def test_a_step_opens_and_closes_by_keyboard(self, visit):
        shown = visit(whole("layer_norm"))
        shown.keyboard.press("Tab")
        assert shown.evaluate("() => document.activeElement.textContent") == "Skip to the derivation"
        shown.keyboard.press("Enter")
        step = shown.locator(".step").first
        for _ in range(40):
            if shown.evaluate("() => document.activeElement.matches('.step summary')"):
                break
            shown.keyboard.press("Tab")
        shown.keyboard.press("Enter")
        assert step.evaluate("step => step.firstElementChild.open")
        shown.keyboard.press("Enter")
        assert not step.evaluate("step => step.firstElementChild.open")


class TestNames:
    def test_one_under_the_pointer_is_explained_and_lit_everywhere(self, visit):
        shown = visit(whole("layer_norm"))
        assert shown.locator(".meaning").is_hidden()
        shown.locator("#result [data-name=rstd]").first.hover()
        assert shown.locator(".meaning math").count() > 0
        assert "one value per row" in shown.locator(".meaning").inner_text()
        lit = shown.locator(".lit").evaluate_all("parts => parts.map((part) => part.dataset.name)")
        assert lit.count("rstd") > 10


class TestSteps:
    def test_a_value_of_the_graph_leads_to_its_step(self, visit):
        shown = visit(whole("layer_norm"), viewport={"width": 1600, "height": 900})
        link = shown.locator(".graph a.node").last
        target = link.get_attribute("href")
        link.click()
        assert shown.locator(target).evaluate("step => step.firstElementChild.open")

    def test_all_open_and_close_at_once(self, visit):
        shown = visit(whole("layer_norm"))
        steps = shown.locator(".step").count()
        shown.get_by_role("button", name="Open all").click()
        assert shown.locator(".step details[open]").count() == steps
        shown.get_by_role("button", name="Close all").click()
        assert shown.locator(".step details[open]").count() == 0


def test_it_can_be_read_without_a_script(visit):
    shown = visit(whole("layer_norm"), java_script_enabled=False)
    assert shown.locator("#result math").count() > 5
    assert shown.locator(".step").count() > 10
    shown.locator(".step summary").first.click()
    assert shown.locator(".step .inside").first.is_visible()


def test_the_index_finds_layers(visit):
    layers = [shipped("layer_norm"), shipped("rms_norm")]
    shown = visit(index(layers))
    shown.locator("#search").fill("root-mean")
    assert shown.locator(".layers > li:visible").count() == 1
    assert shown.locator("#count").inner_text() == "1 of 2 layers"
    assert shown.locator(".layers a:visible").get_attribute("href") == "layers/rms_norm.html"
    shown.locator("#search").fill("no such <b>layer</b>")
    assert shown.locator(".layers > li:visible").count() == 0
    assert "No layer has no such <b>layer</b> in its name" in shown.locator("#count").inner_text()


def test_a_hostile_definition_runs_nothing(visit):
    from tests.extensions.page.test_page import ATTACK

    layer = lngen.derive(ATTACK)
    shown = visit(page(layer.derived))
    assert shown.locator("script").count() == 1
    assert shown.locator("img").count() == 0
    assert shown.locator("h1").inner_text() == "script"
