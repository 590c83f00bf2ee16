"""A page in use: it computes and refuses like the emitted code, and it copies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lngen
from lngen.extensions.page.page import page
from lngen.language import FUNCTIONS
from lngen.language.syntax import Kind
from tests.extensions.page.browsing import whole
from tests.requirements import needs_browser
from tests.shipped import NAMES, shipped
from tests.tiers import sample

pytestmark = needs_browser


class TestCopying:
    @pytest.mark.ci
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


class TestPanel:
    @pytest.mark.parametrize("name", sample(NAMES, (), NAMES[1::3]))
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

    @pytest.mark.exhaustive
    def test_every_function_is_computed(self, visit):
        names = [name for name, entry in FUNCTIONS.items() if entry.role == "elementwise" and entry.arity == 1]
        calls = " + ".join(f"{name}({'tanh(x)' if FUNCTIONS[name].highest else '0.3 + x**2'})" for name in names)
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

    @pytest.mark.ci
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


def result_names(program: Any) -> list[tuple[str, str]]:
    """Results of a program, each with the name of its value."""
    return [(name, store.symbol.name) for store in program.results for name in store.names]
