"""The pages of several layers, and an index of them with a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lngen.emit import render
from lngen.emit.render import Markup
from lngen.errors import printable
from lngen.extensions.page.assets import script_hash, style
from lngen.extensions.page.formulas import Writer
from lngen.extensions.page.page import page
from lngen.pipeline.stages import Derived
from lngen.plan.cost import cost
from lngen.report.formulas import formulas, gradients, reading_order
from lngen.report.grades import exact_at_every_size


def site(layers: Sequence[Derived], on_layer: Callable[[str], None] = lambda name: None) -> dict[str, str]:
    """The files of a site by their path: `index.html`, and `layers/NAME.html` for each.

    `on_layer` is told the name of each as its page begins.
    """
    files = {"index.html": index(layers)}
    for layer in layers:
        on_layer(layer.definition.name)
        files[f"layers/{layer.definition.name}.html"] = page(layer, home="../index.html")
    return files


def index(layers: Sequence[Derived]) -> str:
    """The index alone."""
    script = render.render("html/index.js")
    return render.render(
        "html/index.html.jinja",
        layers=[_entry(layer) for layer in sorted(layers, key=lambda layer: layer.definition.name)],
        style=style(),
        script=Markup(script),
        script_hash=script_hash(script),
    )


def _entry(layer: Derived) -> dict[str, Any]:
    derivation = layer.plan.derivation
    name = derivation.definition.name
    title = printable(" ".join(derivation.definition.docstring.strip().partition("\n\n")[0].split()))
    first = gradients(derivation)[0]
    lines = (line for each in formulas(layer.plan).values() for line in each)
    return {
        "name": name,
        "href": f"layers/{name}.html",
        "title": title,
        "gradient": Writer(reading_order(derivation), ()).equation(first.symbol, first.expression),
        "facts": f"{exact_at_every_size(layer.plan.derivation.proofs)} statements exact at every D; {_moved(layer)}",
        "words": " ".join([name, title, *lines]).lower(),
    }


def _moved(layer: Derived) -> str:
    forward, backward = (cost(program).tensors for program in (layer.plan.forward, layer.plan.backward))
    return f"row tensors moved: {forward} forward, {backward} backward"
