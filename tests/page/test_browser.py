"""The pages in a real browser: drawn without a fault, usable by keyboard, legible, and right in what they compute."""

import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lngen
from lngen.expressions.notation.mathml import mathml
from lngen.language import FUNCTIONS
from lngen.language.syntax import Kind
from lngen.page import assets, plots
from lngen.page.page import page
from lngen.page.site import index
from tests.page.test_page import KILOBYTES
from tests.requirements import browser, needs_browser
from tests.shipped import NAMES, shipped

pytestmark = [needs_browser, pytest.mark.ci]

WIDTHS = (390, 1024, 1600)
COLOURED = ("adaptive_layer_norm", "gated_rms_norm", "modulated_layer_norm", "scaled_softmax")
"""Between them, these have whatever a style gives a colour."""
FAULTY_FORMULAS = """() => [...document.querySelectorAll("math")].filter((math) => {
  const box = math.getBoundingClientRect();
  return math.querySelector("merror") || !box.width || !box.height || math.namespaceURI !== "http://www.w3.org/1998/Math/MathML";
}).map((math) => math.outerHTML)"""
ALL_BUT_CONTRAST = {"color-contrast": {"enabled": False}}
PLACES = """() => [...new Set([...document.body.querySelectorAll("*")].map((element) => {
  const path = new Set();
  const formula = element.closest("math");
  for (let at = element; at !== document.body; at = at.parentElement) {
    if (at === formula || !formula?.contains(at)) path.add(at.localName);
    for (const name of at.classList) path.add(`.${name}`);
  }
  return [...path].sort().join(" ");
}))]"""
"""How a style may tell elements apart: names and classes of each and of those it is in; in a formula, classes."""
CUT = """() => [...document.querySelectorAll(".equation, .equations, .contributions, .names dt, p, li, dd, td, th")]
  .filter((part) => part.clientWidth && part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent)"""
"""What is wider than its box, and can be read only by scrolling."""
SIGNS = (
    r"\hat{x}",
    r"\dot{x}",
    r"\hat{h} + \dot{\hat{x}}",
    r"\dot{\gamma}",
    r"\sigma^{2}",
    r"(x - \mu)^{2}",
    r"x_{\mathrm{centred}}^{2}",
    r"\left(\frac{x}{2}\right)^{3}",
    r"\overline{\mathrm{rstd}}",
    r"\mathrm{rstd}^{3}",
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
OPEN_ALL = "() => document.querySelectorAll('details').forEach((part) => { part.open = true; })"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def visit(chromium, tmp_path) -> Iterator[Any]:
    """Open the text of a page; the test fails if the page said anything on its console, or asked for another file."""
    said: list[str] = []
    contexts = []

    def opened(text: str, name: str = "page", **options: Any) -> Any:
        file = tmp_path / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        context = chromium.new_context(**({"viewport": {"width": 1024, "height": 800}} | options))
        contexts.append(context)
        shown = context.new_page()
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("request", lambda request: said.append(request.url) if not request.url.startswith("file:") else None)
        shown.goto(file.as_uri())
        return shown

    yield opened
    for context in contexts:
        context.close()
    assert said == []


@functools.cache
def whole(name: str) -> str:
    """A page with its plots."""
    layer = shipped(name)
    return page(layer, plots.measured(layer))


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_is_drawn_and_nothing_is_wider_than_a_phone(visit, name):
    text = whole(name)
    assert len(text.encode()) < KILOBYTES * 1000
    shown = visit(text, viewport={"width": 390, "height": 800})
    shown.evaluate(OPEN_ALL)
    assert shown.locator("math").count() > 20
    assert shown.evaluate(FAULTY_FORMULAS) == []
    assert shown.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert shown.evaluate(CUT) == []


def test_what_is_too_wide_for_a_phone_is_found_and_has_a_sign(visit):
    text = (
        whole("layer_norm")
        .replace("<mi>rstd</mi>", f"<mi>{'rstd' * 20}</mi>")
        .replace(">rstd</mi>", f">{'rstd' * 20}</mi>")
    )
    shown = visit(text, viewport={"width": 390, "height": 800})
    shown.evaluate(OPEN_ALL)
    assert len(shown.evaluate(CUT)) > 5
    wide = shown.locator("#result .equation[data-wide]").first
    assert "inset" in wide.evaluate("part => getComputedStyle(part).boxShadow")
    assert wide.get_attribute("tabindex") == "0"


class TestLength:
    """Half of what it was before the second order was folded: 19377 pixels, 25501, and 34 pages in print."""

    @pytest.mark.parametrize(("width", "most"), [(1280, 19377 / 2), (390, 25501 / 2)])
    def test_page_is_half_as_long(self, visit, width, most):
        shown = visit(whole("layer_norm"), viewport={"width": width, "height": 900})
        height = shown.evaluate("() => document.documentElement.scrollHeight")
        shown.evaluate(OPEN_ALL)
        assert height < most < shown.evaluate("() => document.documentElement.scrollHeight")

    def test_print_what_is_folded_stays_folded(self, visit):
        shown = visit(whole("layer_norm"), viewport={"width": 1280, "height": 900})
        folded = printed(shown)
        shown.evaluate(OPEN_ALL)
        assert folded <= 17 < printed(shown)


def printed(shown: Any) -> int:
    """How many pages of A4 a page is."""
    return len(re.findall(rb"/Type\s*/Page\b", shown.pdf(format="A4")))


class TestMathematics:
    """What stands over, above and beside a letter, by its box: with the font that a page brings, and on any system."""

    def test_marks_stand_where_they_belong(self, visit):
        shown = visit(FORMULAS)
        assert shown.evaluate("() => document.fonts.ready.then(() => document.fonts.check('16px \"lngen maths\"'))")
        assert shown.evaluate(MISPLACED) == []

    @pytest.mark.parametrize(
        ("style", "found"),
        [
            ("mover > :last-child { position: relative; left: 8px }", "accent"),
            ("mover > :last-child { position: relative; top: 14px }", "accent"),
            ("msup > :last-child { position: relative; top: 12px }", "exponent"),
            ("msup > :last-child { position: relative; left: -8px }", "exponent"),
            ("mrow.over { padding-right: 20px }", "line"),
        ],
    )
    def test_marks_that_float_are_found(self, visit, style, found):
        shown = visit(FORMULAS.replace("</style>", f"{style}</style>"))
        assert {word.partition(":")[0] for word in shown.evaluate(MISPLACED)} == {found}


@pytest.fixture(scope="module")
def looked_at_for_contrast(chromium) -> frozenset[str]:
    """The places of the pages in which contrast is looked at."""
    found: set[str] = set()
    for name in COLOURED:
        # Of its own, since the scripts of two pages would have the same names.
        shown = chromium.new_page()
        shown.set_content(whole(name))
        found.update(shown.evaluate(PLACES))
        shown.close()
    return frozenset(found)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_accessible_and_has_no_other_colours(visit, looked_at_for_contrast, name):
    shown = visit(whole(name))
    shown.evaluate(OPEN_ALL)
    assert violations(shown, rules=ALL_BUT_CONTRAST) == []
    assert {*shown.evaluate(PLACES)} <= looked_at_for_contrast, "contrast has to be looked at here too: see COLOURED"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", COLOURED)
def test_it_is_legible(visit, name, scheme):
    shown = visit(whole(name), color_scheme=scheme)
    shown.evaluate(OPEN_ALL)
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
    """What axe-core finds: contrast, which takes longest, landmarks, names of controls, the order of headings."""
    from axe_playwright_python.sync_playwright import Axe

    # Of the elements that keep a rule, most of a page, one is reported, and not the text of each.
    found = Axe().run(shown, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize(("width", "scheme"), [*itertools.product(WIDTHS, ("light", "dark"))])
def test_a_picture_at_each_width(visit, tmp_path, width, scheme):
    shown = visit(whole("layer_norm"), viewport={"width": width, "height": 900}, color_scheme=scheme)
    picture = tmp_path / f"{width}-{scheme}.png"
    shown.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 50_000
    beside = shown.evaluate(
        "() => document.querySelector('#code').offsetLeft > document.querySelector('main').offsetLeft"
    )
    assert beside == (width == 1600), "the code stands beside the derivation where there is room"


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

    def test_a_name_says_what_it_is_when_it_has_the_focus_and_escape_ends_that(self, visit):
        shown = visit(whole("layer_norm"))
        shown.locator("#names summary").press("Enter")
        shown.locator("#name-xhat button").focus()
        assert shown.locator("main math .lit, main math.lit, [data-name=xhat].lit").count() > 5
        shown.keyboard.press("Escape")
        assert shown.locator(".lit").count() == 0


class TestNames:
    def test_one_under_the_pointer_is_explained_and_lit_everywhere(self, visit):
        shown = visit(whole("layer_norm"))
        assert shown.locator(".meaning").is_hidden()
        shown.locator("#result [data-name=rstd]").first.hover()
        assert shown.locator(".meaning math").count() > 0
        assert "one value per row" in shown.locator(".meaning").inner_text()
        lit = shown.locator(".lit").evaluate_all("parts => parts.map((part) => part.dataset.name)")
        assert lit.count("rstd") > 10

    def test_a_tap_does_the_same(self, visit):
        shown = visit(whole("layer_norm"), viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
        shown.locator("#result [data-name=xhat]").first.tap()
        assert shown.locator(".meaning").is_visible()


class TestSteps:
    def test_what_changed_is_marked_on_both_sides(self, visit):
        shown = visit(whole("layer_norm"))
        sides = (".before .changed", ".after .changed")
        colours = [
            shown.locator(side).first.evaluate("part => getComputedStyle(part).backgroundColor") for side in sides
        ]
        assert len({*colours, "rgba(0, 0, 0, 0)"}) == 3

    def test_before_and_after_of_a_closed_step_are_seen_together(self, visit):
        shown = visit(whole("layer_norm"))
        step = shown.locator(".step:has(.before)").first
        assert not step.evaluate("step => step.firstElementChild.open")
        before, after = (step.locator(f"{side} > :last-child").bounding_box() for side in (".before", ".after"))
        assert before["height"] > 10
        assert after["y"] - (before["y"] + before["height"]) < 12

    def test_a_line_of_code_leads_to_its_step_and_back(self, visit):
        shown = visit(whole("layer_norm"), viewport={"width": 1600, "height": 900})
        link = shown.locator("#code .listing a").first
        number = link.inner_text()
        link.click()
        assert shown.locator(f"#step-{number}").evaluate("step => step.firstElementChild.open")
        back = shown.locator(f"#step-{number} a[href^='#numpy-']").first
        target = back.get_attribute("href")
        back.click()
        assert shown.locator(f"{target}:target").is_visible()

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
    assert shown.locator(".panel").is_hidden()
    assert "needs JavaScript" in shown.locator("#try").inner_text()


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


class TestCopying:
    @pytest.mark.parametrize("way", ["mouse", "keyboard"])
    def test_result_is_copied_in_each_notation(self, chromium, visit, way):
        shown = visit(whole("layer_norm"))
        shown.context.grant_permissions(["clipboard-read", "clipboard-write"])
        texts = {"LaTeX": "\\begin{aligned}", "Python": "def layer_norm_gradients(", "text": "dx = "}
        for title, part in texts.items():
            button = shown.locator("#result").get_by_role("button", name=title, exact=True)
            if way == "mouse":
                button.click()
            else:
                button.press("Enter")
            shown.get_by_text(f"{title} is copied.").wait_for()
            assert part in shown.evaluate("() => navigator.clipboard.readText()")

    def test_without_a_clipboard_a_selection_is_copied(self, visit):
        shown = visit(whole("layer_norm"))
        shown.evaluate(
            """() => {
              Object.defineProperty(navigator, "clipboard", { value: undefined });
              addEventListener("copy", () => { globalThis.taken = document.activeElement.value; });
            }"""
        )
        button = shown.locator("#result").get_by_role("button", name="Copy", exact=True)
        button.press("Enter")
        shown.get_by_text("The command is copied.").wait_for()
        assert shown.evaluate("() => taken") == "lngen derive layer_norm --html layer_norm.html"
        assert button.evaluate("button => button === document.activeElement"), "the focus stays where it was"
        assert shown.locator("textarea").count() == 0


def test_a_hostile_definition_runs_nothing(visit):
    from tests.page.test_page import ATTACK

    layer = lngen.derive(ATTACK)
    shown = visit(page(layer.derived))
    assert shown.locator("script").count() == 2
    assert shown.locator("img").count() == 0
    assert shown.locator("h1").inner_text() == "script"


class TestPanel:
    @pytest.mark.parametrize("name", NAMES)
    def test_it_computes_what_numpy_does(self, visit, name):
        layer, module = shipped(name), lngen.derive(Path(shipped(name).definition.filename)).load()
        shown = visit(page(layer))
        random = np.random.default_rng(7)
        definition = layer.definition
        given: dict[str, Any] = {}
        for entry in definition.inputs:
            size = 5 if entry.kind.over_features else None
            given[entry.name] = (
                random.normal(size=size) if entry.kind is not Kind.CONSTANT else float(entry.default or 1)
            )
        rows = {
            entry.name: np.asarray([value]) if entry.kind.over_rows else value
            for entry, value in zip(definition.inputs, given.values(), strict=True)
        }
        constants = {entry.name: rows.pop(entry.name) for entry in definition.constants}
        outputs, saved = module.forward(**rows, **constants)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        cotangents = [random.normal(size=output.shape) for output in outputs]
        gradients = module.backward(saved, *cotangents)
        names = [row.name for row in layer.plan.backward.rows if row.origin == "cotangent"]
        given |= {f"d{out}": value[0] for out, value in zip(definition.outputs, cotangents, strict=True)}
        assert {*names} <= given.keys()

        typed = {key: np.asarray(value).tolist() for key, value in given.items()}
        found = shown.evaluate(
            """typed => {
              const v = evaluate({D: 5, ...typed});
              const plain = (value) => (value instanceof Float64Array ? [...value] : value);
              return Object.fromEntries(Object.entries(v).map(([name, value]) => [name, plain(value)]));
            }""",
            typed,
        )
        results = {key: name for program in layer.plan.programs()[:2] for key, name in result_names(program)}
        for name, value in [*zip(definition.outputs, outputs, strict=True), *gradients._asdict().items()]:
            expected = np.asarray(value).reshape(np.shape(found[results[name]]))
            np.testing.assert_allclose(found[results[name]], expected, rtol=1e-11, atol=1e-12, err_msg=name)

    def test_every_function_is_computed(self, visit):
        names = [name for name, entry in FUNCTIONS.items() if entry.role == "elementwise" and entry.arity == 1]
        calls = " + ".join(f"{name}(0.3 + x**2)" for name in names)
        layer = lngen.derive(
            f"def f(x: Row, keep: Data):\n    tail = erf(x) + abs(x) + softplus(-x) + maximum(x, keep)*minimum(x, 1)\n"
            f"    return {calls} + tail*max(x) - min(x) + where(x > 0, sigmoid(x), x**3) + sum(keep*x)"
        )
        x, keep, dy = np.array([[-3.5, -0.7, 0.2, 2.9]]), np.array([[1.0, 0, 1, 0]]), np.array([[1.0, -2, 3, 0.5]])
        y, saved = layer.load().forward(x, keep)
        (dx,) = layer.load().backward(saved, dy)
        shown = visit(layer.page())
        given = {"x": x[0].tolist(), "keep": keep[0].tolist(), "dy": dy[0].tolist(), "D": 4}
        found = shown.evaluate("typed => { const v = evaluate(typed); return [[...v.y], [...v.dx]]; }", given)
        np.testing.assert_allclose(found, [y[0], dx[0]], rtol=1e-12)

    def test_what_is_typed_is_shown(self, visit):
        shown = visit(page(shipped("layer_norm")))
        shown.locator("input[name=x]").fill("1, 2; 6")
        shown.locator("input[name=dy]").fill("1 0 0")
        assert shown.locator("tr[data-value=mu] td").inner_text() == "3"
        assert shown.locator("tr[data-value=y] td").inner_text().split()[0] == "-0.925819"
        assert shown.locator(".message").inner_text() == ""

    def test_what_is_no_row_is_explained_and_old_values_are_dimmed(self, visit):
        shown = visit(page(shipped("layer_norm")))
        values = shown.locator(".panel .values")
        for typed, message in (("1 two", "x: two is not a number."), ("", "x: type a number."), ("1 2", "4 features")):
            shown.locator("input[name=x]").fill(typed)
            assert message in shown.locator(".message").inner_text()
            assert float(values.evaluate("part => getComputedStyle(part).opacity")) < 0.6
        shown.locator("input[name=x]").fill("1 2 3 4")
        assert shown.locator(".message").inner_text() == ""
        assert values.evaluate("part => getComputedStyle(part).opacity") == "1"

    @pytest.mark.parametrize("eps", [-1.0, float("inf"), 0.0, 1e-5])
    def test_constants_are_refused_as_the_library_refuses_them(self, visit, eps):
        layer = lngen.derive(Path(shipped("layer_norm").definition.filename)).load()
        try:
            layer.forward(np.array([[1.0, 2, 3, 4]]), eps=eps)
            refused = ""
        except ValueError as error:
            refused = str(error).partition("; ")[2]
        shown = visit(page(shipped("layer_norm")))
        shown.locator("input[name=eps]").fill("1e999" if eps == float("inf") else str(eps))
        message = shown.locator(".message").inner_text()
        assert refused in message if refused else message == ""

    def test_a_result_that_is_no_number_is_explained(self, visit):
        shown = visit(page(shipped("layer_norm")))
        note = shown.locator(".panel .undefined")
        assert note.inner_text() == ""
        shown.locator("input[name=x]").fill("2")
        shown.locator("input[name=eps]").fill("0")
        assert "NaN" in shown.locator("tr[data-value=y] td").inner_text()
        assert note.inner_text().startswith("rstd = 1/sqrt(var + eps) is not finite for this row, and y, dgamma, dx")
        shown.locator("input[name=eps]").fill("1")
        assert note.inner_text() == ""


def result_names(program: Any) -> list[tuple[str, str]]:
    """What a program gives, and the name of the value that it is."""
    return [(name, store.symbol.name) for store in program.results for name in store.names]
