"""Plots of a page, drawn by matplotlib: the error of a layer's outputs against an offset, and the bytes it moves.

Colours are the page's: what matplotlib draws in one of `_INKS` is given a variable of the style sheet instead, so that
a plot is right in a light and in a dark page.
"""

from __future__ import annotations

import importlib.util
import io
import math
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lngen.check.derived import checkable
from lngen.check.stability import StabilityTable, stability
from lngen.files import loading, manifest
from lngen.pipeline import Derived
from lngen.plan.cost import cost, unfused
from lngen.plan.planner import Plan
from lngen.version import install

MISSING = f"Plots need matplotlib: {install('page')}."
_INKS = {"#010101": "currentColor", "#020202": "var(--line)", "#030303": "var(--one)", "#040404": "var(--two)"}
_INK, _LINE, _ONE, _TWO = _INKS
_FORMS = (("naive", _TWO, ":", "o"), ("two_pass", _INK, "--", "s"), ("emitted", _ONE, "-", "D"))
_LABELS = {"naive": "raw moments", "two_pass": "as defined", "emitted": "emitted code"}


def can_plot() -> bool:
    """Test whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def measured(layer: Derived) -> StabilityTable:
    """The errors of the emitted NumPy code at growing offsets, measured on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        manifest.write(layer.emission, Path(folder))
        module = loading.load(Path(folder) / layer.emission.name)
        return stability(checkable(layer.plan, module))


def error_plot(table: StabilityTable) -> str:
    """The error of each form against the offset, float32 beside float64, as SVG."""

    def draw(axes: Any) -> None:
        for axis, dtype in zip(axes, ("float32", "float64"), strict=True):
            digits = 24 if dtype == "float32" else 53
            # Beyond, the type holds no deviation beside the offset, and rows are constant.
            lines = [line for line in table.lines if line.dtype == dtype and line.offset < 2.0**digits]
            least = 2.0**-digits
            for form, ink, style, marker in _FORMS:
                errors = [max(getattr(line, form), least) for line in lines]
                offsets = [line.offset for line in lines]
                axis.loglog(offsets, errors, style, color=ink, marker=marker, markersize=3.5, linewidth=1.6)
            axis.set_title(dtype, color=_INK, fontsize=10)
            axis.set_xlabel("offset, in deviations of the row", color=_INK)
        axes[0].set_ylabel("error of the outputs", color=_INK)
        for place, (form, ink, _, _) in enumerate(_FORMS):
            axes[0].text(0.04, 0.94 - 0.085 * place, _LABELS[form], color=ink, transform=axes[0].transAxes, va="top")

    return _drawn(draw, 2, (7.4, 3.0), f"Error of the outputs of {table.layer} against the offset of its rows")


def bytes_plot(plan: Plan) -> str:
    """Row tensors moved by each direction, fused beside a kernel for each operation, as SVG."""
    programs = (plan.forward, plan.backward)

    def draw(axes: Any) -> None:
        (axis,) = axes
        fused = [cost(program).tensors for program in programs]
        apart = [each.tensors for each in unfused(plan)]
        for place, (one, other) in enumerate(zip(fused, apart, strict=True)):
            for shift, value, ink, word in (
                (0.18, one, _ONE, "fused"),
                (-0.18, other, _LINE, "a kernel for each operation"),
            ):
                axis.barh(-place + shift, value, 0.28, color=ink)
                axis.text(value + 0.02 * max(apart), -place + shift, f"{value}  {word}", color=_INK, va="center")
        axis.set_yticks([0, -1], [program.direction for program in programs])
        axis.set_xlim(0, 1.45 * max([*apart, *fused, 1]))
        axis.set_xlabel("row tensors moved", color=_INK)
        axis.xaxis.get_major_locator().set_params(integer=True)

    return _drawn(draw, 1, (7.4, 2.2), f"Row tensors moved by {plan.derivation.definition.name}, fused and unfused")


def _drawn(draw: Callable[[Any], None], columns: int, size: tuple[float, float], title: str) -> str:
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    options = {"svg.fonttype": "none", "svg.hashsalt": title, "font.size": 10, "font.family": "sans-serif"}
    with matplotlib.rc_context(options):
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08))
        FigureCanvasSVG(figure)
        axes = figure.subplots(1, columns, squeeze=False)[0]
        for axis in axes:
            axis.patch.set_visible(False)
            axis.tick_params(colors=_INK, which="both", labelsize=10)
            axis.spines[["top", "right"]].set_visible(False)
            axis.spines[["left", "bottom"]].set_color(_LINE)
        draw(axes)
        for axis in axes:
            axis.minorticks_off()
            for scale in (axis.xaxis, axis.yaxis):
                if scale.get_scale() == "log":
                    scale.set_major_formatter(lambda value, place: _power_of_ten(value))
        drawing = io.StringIO()
        figure.savefig(drawing, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inlined(drawing.getvalue(), title)


def _power_of_ten(value: float) -> str:
    """A tick as text, which any font sets as it is.

    >>> _power_of_ten(1e-06)
    '10⁻⁶'
    """
    return "10" + str(round(math.log10(value))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _inlined(document: str, title: str) -> str:
    """The SVG element alone, in the page's colours and fonts, its identifiers its own."""
    element = document[document.index("<svg") :].strip()
    for part in (r"<metadata>.*?</metadata>", r"<style.*?</style>", r"<!--.*?-->", r'(?<=\bstyle=")font-size[^;]*; ?'):
        element = re.sub(part, "", element, flags=re.DOTALL)
    for ink, instead in _INKS.items():
        element = element.replace(ink, instead)
    element = re.sub(r" ?(font(-family)?|stroke-linejoin): [^;\"]*;?", "", element)
    element = re.sub(r' (xmlns(:xlink)?|version)="[^"]*"| clip-path="[^"]*"', "", element).replace("xlink:href", "href")
    element = re.sub(r"(\d\.\d)\d+", r"\1", element)
    used = set(re.findall(r'href="#([^"]*)"', element))
    prefix = re.sub(r"\W+", "-", title.lower())

    def identifier(found: re.Match[str]) -> str:
        return f' id="{prefix}-{found[1]}"' if found[1] in used else ""

    element = re.sub(r' id="([^"]*)"', identifier, element).replace('href="#', f'href="#{prefix}-')
    element = re.sub(r"\s*\n\s*", " ", element)
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', element)
    assert size
    element = element.replace(size[0], 'class="plot"', 1)
    return element.replace("<svg", f'<svg role="img" aria-label="{title}"', 1)
