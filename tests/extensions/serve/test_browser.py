"""The page in a real browser: a definition typed, refused, mended, derived and copied, by keyboard and by mouse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lngen.extensions.serve.panels import NAMES
from tests.extensions.page.browsing import OPEN_ALL, running_chromium
from tests.extensions.page.test_browser import violations
from tests.extensions.page.test_fit import FAULTY_FORMULAS
from tests.requirements import needs_browser
from tests.shipped import ROOT, shipped

pytestmark = [needs_browser, pytest.mark.ci]

WRONG = [
    "def scaled(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):",
    "    c = x - mean(x)",
    "    y = gamma * c / sqrt(mean(c**2) + epss)",
    "    return y",
]
DONE = "Derived, proved and written in "


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with running_chromium() as running:
        yield running


@pytest.fixture
def visit(chromium, serving) -> Iterator[Any]:
    """Open the page; the test fails if it said anything on its console or asked another address."""
    said: list[str] = []
    contexts = []

    def opened(**options: Any) -> Any:
        context = chromium.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        shown = context.new_page()
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        own = (f"http://127.0.0.1:{serving.port}/", "data:")
        shown.on("request", lambda request: None if request.url.startswith(own) else said.append(request.url))
        shown.goto(serving.address)
        return shown

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def text_of(shown: Any) -> str:
    """Text of the editor."""
    return str(shown.evaluate("() => typed()"))


def type_lines(shown: Any, lines: list[str]) -> None:
    """Type lines where the cursor is."""
    shown.keyboard.type("\n".join(lines))


def wait_for(shown: Any, words: str) -> None:
    """Wait until the line below the definition says so."""
    shown.locator("#state", has_text=words).wait_for(timeout=20_000)


def test_page_by_keyboard_alone_refuses_under_the_line_then_derives_what_is_mended_and_copies(visit):
    shown = visit()
    focused = "() => document.activeElement.getAttribute('role') ?? document.activeElement.localName"
    for _ in range(5):
        shown.keyboard.press("Tab")
        if shown.evaluate(focused) == "textbox":
            break
    type_lines(shown, WRONG)
    wait_for(shown, "Refused at line 3, column 39.")
    editor, refusal = shown.locator(".editor .text"), shown.locator("#refusal")
    assert "Line 3, column 39: nothing is called 'epss'" in refusal.inner_text()
    assert "Remedy: did you mean 'eps'?" in refusal.inner_text()
    assert editor.get_attribute("aria-invalid") == "true"
    assert editor.get_attribute("aria-describedby") == "refusal"

    # It stands between the third row and the fourth, its caret under the first character of the name.
    third, fourth = (shown.evaluate("line => rectangle(line, 5).toJSON()", line) for line in (3, 4))
    box = refusal.bounding_box()
    assert third["bottom"] <= box["y"] + 4
    assert box["y"] + box["height"] <= fourth["top"]
    assert fourth["top"] - third["bottom"] > 40
    name = shown.evaluate("() => { const { x, width } = rectangle(3, 39); return [x, width]; }")
    caret = shown.locator(".caret").bounding_box()
    assert caret["x"] == pytest.approx(name[0], abs=1)
    assert caret["width"] == pytest.approx(name[1], abs=1)

    # Mended where it is: nothing of the refusal is part of the text.
    shown.keyboard.press("ArrowUp")
    shown.keyboard.press("End")
    shown.keyboard.press("ArrowLeft")
    shown.keyboard.press("Backspace")
    assert text_of(shown).splitlines()[2] == WRONG[2].replace("epss", "eps")
    wait_for(shown, DONE)
    assert refusal.is_hidden()
    assert editor.get_attribute("aria-invalid") == "false"
    assert "proved:" in shown.locator("[data-panel=result]").inner_text()
    assert shown.locator("[data-panel=result] math").count() > 5
    assert shown.evaluate(FAULTY_FORMULAS) == []

    for _ in range(60):
        shown.keyboard.press("Tab")
        if shown.evaluate("() => document.activeElement.ariaLabel") == "Copy numpy_kernels.py":
            break
    shown.keyboard.press("Enter")
    wait_for(shown, "Copied numpy_kernels.py.")
    copied = shown.evaluate("() => navigator.clipboard.readText()")
    assert copied.startswith("# Made by lngen")
    compile(copied, "numpy_kernels.py", "exec")
    shown.keyboard.press("Control+A")


def test_page_by_mouse_derives_an_example_opens_its_steps_and_copies_every_file(visit):
    shown = visit()
    shown.get_by_label("Example").select_option("layer_norm")
    wait_for(shown, DONE)
    assert text_of(shown) == (ROOT / "derive" / "layer_norm.py").read_text(encoding="utf-8").rstrip()
    assert all(shown.locator(f"[data-panel={name}]").is_visible() for name in NAMES)
    shown.get_by_text("The gradient by the chain rule").click()
    step = shown.locator(".step:visible").first
    step.locator("summary").click()
    assert step.locator(".inside").is_visible()
    titles = shown.locator("[data-panel=code] h3").all_inner_texts()
    assert titles == ["NumPy", "C++", "CUDA", "PyTorch", "JAX"]
    for name in ("kernels.cu", "kernels.cpp", "torch_backend.py", "jax_backend.py"):
        shown.get_by_role("button", name=f"Copy {name}").click()
        wait_for(shown, f"Copied {name}.")
        assert shown.evaluate("() => navigator.clipboard.readText()") == shipped("layer_norm").text(name)


def test_result_of_an_older_text_is_dimmed_until_the_newer_one_is_derived(visit):
    shown = visit()
    shown.get_by_label("Example").select_option("rms_norm")
    wait_for(shown, DONE)
    section = shown.locator("#results > section").first
    assert section.evaluate("part => getComputedStyle(part).opacity") == "1"
    shown.locator(".editor .text").focus()
    shown.keyboard.press("Control+End")
    shown.keyboard.type(" +")
    assert shown.locator(".spinner").is_visible()
    assert "stale" in section.get_attribute("class")
    assert shown.locator("[data-panel=result]").evaluate("part => part.ariaBusy") == "true"
    shown.locator("#refusal p").first.wait_for()
    assert "stale" in section.get_attribute("class")
    shown.keyboard.press("Backspace")
    shown.keyboard.press("Backspace")
    wait_for(shown, DONE)
    assert "stale" not in section.get_attribute("class")
    assert shown.locator(".spinner").is_hidden()


def test_example_and_paste_can_be_undone_and_the_text_outlives_a_reload(visit):
    shown = visit()
    shown.locator(".editor .text").focus()
    type_lines(shown, ["one", "", "two"])
    shown.get_by_label("Example").select_option("softmax")
    assert "def softmax" in text_of(shown)
    shown.locator(".editor .text").focus()
    shown.keyboard.press("Control+Z")
    assert text_of(shown).rstrip("\n") == "one\n\ntwo"
    shown.evaluate("() => navigator.clipboard.writeText('<b>three</b>\\n    four\\n')")
    shown.keyboard.press("Control+A")
    shown.keyboard.press("Control+V")
    assert text_of(shown) == "<b>three</b>\n    four\n"
    assert shown.locator(".editor b").count() == 0
    shown.locator("#refusal p").first.wait_for()
    shown.reload()
    assert text_of(shown) == "<b>three</b>\n    four\n"


@pytest.mark.parametrize("text", ["x\ny\n\nz", "x\n\n", "", "\n\nx", "    é = 𝒙 + 1\nz"])
def test_text_that_a_browser_puts_into_blocks_is_read_as_its_lines(visit, text):
    shown = visit()
    shown.locator(".editor .text").fill(text)
    assert text_of(shown) == text


def test_caret_stands_under_a_column_beyond_characters_of_two_units_and_beyond_the_end(visit):
    shown = visit()
    shown.locator(".editor .text").focus()
    type_lines(shown, ['"""𝒙 and 𝒚"""', "def f(x: Row): return x + "])
    wait_for(shown, "Refused at line 2, column 27.")
    wanted = shown.evaluate("() => rectangle(2, 27).x")
    assert shown.locator(".caret").bounding_box()["x"] == pytest.approx(wanted, abs=1)


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_page_is_accessible_and_fits_in_each_state(visit, tmp_path, width, scheme):
    shown = visit(viewport={"width": width, "height": 900}, color_scheme=scheme)

    def look(state: str) -> None:
        shown.wait_for_timeout(300)  # what fades has faded
        assert violations(shown) == [], state
        assert shown.evaluate("() => document.documentElement.scrollWidth") <= width, state
        shown.screenshot(path=tmp_path / f"{state}-{width}-{scheme}.png")

    look("empty")
    shown.get_by_label("Example").select_option("layer_norm")
    wait_for(shown, DONE)
    look("derived")
    shown.evaluate(OPEN_ALL)
    look("opened")
    shown.locator(".editor .text").fill("\n".join(WRONG))
    wait_for(shown, "Refused")
    look("refused")


def test_page_without_the_whole_address_says_so(chromium, serving):
    shown = chromium.new_page()
    shown.goto(f"http://127.0.0.1:{serving.port}/")
    assert "not whole" in shown.locator("#trouble").inner_text()
    shown.close()


def test_page_of_another_site_can_neither_post_nor_read_nor_frame(chromium, serving):
    place = f"http://127.0.0.1:{serving.port}"
    shown = chromium.new_page()
    elsewhere = "http://elsewhere.example/"
    shown.route(
        elsewhere, lambda route: route.fulfill(body="<!doctype html><title>t</title>", content_type="text/html")
    )
    shown.goto(elsewhere)
    ask = """async ([url, options]) => {
      try { return [(await fetch(url, options)).status]; } catch (error) { return [error.name]; }
    }"""
    json_headers = {"Content-Type": "application/json", "X-Lngen-Token": serving.token}
    body = '{"text": "def f(x: Row): return x**2"}'
    attempts: list[tuple[str, dict[str, Any]]] = [
        ("/derive", {"method": "POST", "headers": json_headers, "body": body}),
        ("/derive", {"method": "POST", "body": body}),
        ("/", {}),
    ]
    for path, options in attempts:
        assert shown.evaluate(ask, [place + path, options]) == ["TypeError"]
    # What needs no leave to be sent is not read here, and was refused there.
    assert serving.derive("def f(x: Row): return x**2", content_type="text/plain", origin=elsewhere[:-1]).status == 403
    shown.set_content(f'<iframe src="{place}/"></iframe>')
    shown.wait_for_timeout(500)
    assert all("Derive as you type" not in frame.content() for frame in shown.frames)
    shown.close()


def test_line_below_a_refusal_keeps_its_indentation_and_arrows_cross_the_gap(visit):
    shown = visit()
    shown.locator(".editor .text").focus()
    type_lines(shown, WRONG)
    wait_for(shown, "Refused at line 3")
    third, fourth = (shown.evaluate("line => [rectangle(line, 1).y, rectangle(line, 5).y]", line) for line in (3, 4))
    assert third[0] == third[1]
    assert fourth[0] == fourth[1], "its spaces stand with its words"
    shown.keyboard.press("ArrowUp")
    shown.keyboard.type("!")
    assert text_of(shown).splitlines()[2] == WRONG[2][:12] + "!" + WRONG[2][12:]
    shown.keyboard.press("Backspace")
    shown.keyboard.press("ArrowDown")
    shown.keyboard.type("?")
    assert text_of(shown).splitlines()[3] == WRONG[3] + "?"
