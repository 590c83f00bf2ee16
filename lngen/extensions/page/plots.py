"""Plots of a page as SVG: the error of a layer's outputs against an offset, and the bytes it moves.

Colours and fonts are the page's, by class, so that a plot is right in a light and in a dark page.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lngen.checks.derived import checkable
from lngen.checks.stability import StabilityRow, StabilityTable, stability
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import Derived
from lngen.plan.cost import cost, unfused
from lngen.plan.planner import Plan

FORMS = (("emitted", "emitted code"), ("two_pass", "as written"), ("naive", "E[x²] − E[x]²"))
"""The forms of a layer whose errors are measured: the field of `StabilityRow`, and its words."""

_DIGITS = {"float32": 24, "float64": 53}
_MARKS = {"emitted": "M-3.5 0L0 -3.5L3.5 0L0 3.5Z", "two_pass": "M-3 -3H3V3H-3Z", "naive": "M-3 -3L3 3M-3 3L3 -3"}
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 340.0, 222.0, 44.0, 14.0, 46.0, 40.0
_BAR, _BARS_LEFT, _BARS_WIDTH = 17.0, 66.0, 110.0


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis in powers of ten: from `low` to `high`, drawn from `start` to `end`."""

    low: int
    high: int
    start: float
    end: float

    def at(self, value: float) -> float:
        """Position of a value on the axis.

        >>> Axis(0, 4, 100.0, 300.0).at(100.0)
        200.0
        """
        return self.start + (math.log10(value) - self.low) * (self.end - self.start) / (self.high - self.low)

    def ticks(self) -> Iterator[int]:
        """Powers of ten, five or fewer.

        >>> list(Axis(-16, 2, 0.0, 1.0).ticks())
        [-16, -12, -8, -4, 0]
        """
        yield from range(self.low, self.high + 1, -(-(self.high - self.low + 1) // 5))


def measured(layer: Derived) -> StabilityTable:
    """Measure the errors of the emitted NumPy code at growing offsets, on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        manifest.write(layer.emission, Path(folder))
        module = loading.load(Path(folder) / layer.emission.name)
        return stability(checkable(layer.plan, module))


def lines_of(table: StabilityTable, dtype: str) -> list[StabilityRow]:
    """The lines of a type up to the offset beside which it holds no deviation, where rows are constant."""
    return [line for line in table.lines if line.dtype == dtype and line.offset < 2.0 ** _DIGITS[dtype]]


def error_plots(table: StabilityTable) -> list[str]:
    """The error of each form against the offset, a plot for each type, as SVG. A form without a point is no number."""
    return [_error_plot(table, dtype) for dtype in _DIGITS]


def _error_plot(table: StabilityTable, dtype: str) -> str:
    lines = lines_of(table, dtype)
    worst = "; ".join(f"{words}: at most {_largest(getattr(line, form) for line in lines)}" for form, words in FORMS)
    parts = [f'<text x="0" y="12">{dtype}: error of the outputs</text>', *_axes_and_lines(lines, dtype)]
    for place, (form, words) in enumerate(FORMS):
        x = 4 + 114 * place
        parts.append(f'<g class="{form}"><path d="M{x:.0f} 28h18"/>{_mark(form, x + 9, 28)}</g>')
        parts.append(f'<text x="{x + 23:.0f}" y="32">{words}</text>')
    title = f"Error of the outputs of {table.layer} in {dtype} against the offset of its rows"
    return _svg(parts, _WIDTH, _HEIGHT, f"plot-{dtype}", title, worst)


def _axes_and_lines(lines: Sequence[StabilityRow], dtype: str) -> Iterator[str]:
    least = 2.0 ** -_DIGITS[dtype]
    points = {
        form: [(line.offset, max(error, least)) for line in lines if math.isfinite(error := getattr(line, form))]
        for form, _ in FORMS
    }
    errors = [error for each in points.values() for _, error in each] or [1.0]
    offsets = [line.offset for line in lines] or [1.0]
    across = Axis(*_decades(offsets), _LEFT, _WIDTH - _RIGHT)
    up = Axis(*_decades([*errors, least]), _HEIGHT - _BOTTOM, _TOP)
    for tick in up.ticks():
        y = up.at(10.0**tick)
        yield f'<path class="grid" d="M{across.start:.0f} {y:.1f}H{across.end:.0f}"/>'
        yield f'<text class="end" x="{across.start - 6:.0f}" y="{y + 4:.1f}">{_power_of_ten(tick)}</text>'
    for tick in across.ticks():
        x = across.at(10.0**tick)
        yield f'<text class="middle" x="{x:.1f}" y="{up.start + 16:.0f}">{_power_of_ten(tick)}</text>'
    middle = (across.start + across.end) / 2
    yield f'<text class="middle" x="{middle:.0f}" y="{up.start + 34:.0f}">offset, in deviations of the row</text>'
    for form, _ in reversed(FORMS):
        places = [(across.at(offset), up.at(error)) for offset, error in points[form]]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places) if places else ""
        yield f'<g class="{form}"><path d="{path}"/>{"".join(_mark(form, *place) for place in places)}</g>'


def bytes_plot(plan: Plan) -> str:
    """Row tensors moved by each direction, fused beside a kernel for each operation, as SVG."""
    programs = (plan.forward, plan.backward)
    fused = [cost(program).tensors for program in programs]
    apart = [each.tensors for each in unfused(plan)]
    scale = _BARS_WIDTH / max(*fused, *apart, 1)
    parts: list[str] = []
    y = 0.0
    for program, one, other in zip(programs, fused, apart, strict=True):
        parts.append(f'<text x="0" y="{y + _BAR + 4:.0f}">{program.direction}</text>')
        for kind, value, words in (("fused", one, "fused"), ("unfused", other, "a kernel for each operation")):
            width = value * scale
            parts.append(
                f'<rect class="{kind}" x="{_BARS_LEFT:.0f}" y="{y:.0f}" width="{width:.1f}" height="{_BAR - 3:.0f}"/>'
            )
            parts.append(f'<text x="{_BARS_LEFT + width + 6:.1f}" y="{y + 11:.0f}">{value}  {words}</text>')
            y += _BAR
        y += 10
    title = f"Row tensors moved by {plan.derivation.definition.name}, fused and unfused"
    words = "; ".join(
        f"{program.direction}: {one} fused, {other} with a kernel for each operation"
        for program, one, other in zip(programs, fused, apart, strict=True)
    )
    return _svg(parts, _BARS_LEFT + _BARS_WIDTH + 190, y, "plot-bytes", title, words)


def _svg(parts: Iterable[str], width: float, height: float, name: str, title: str, described: str) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {width:.0f} {height:.0f}" role="img"'
        f' aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(described)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _mark(form: str, x: float, y: float) -> str:
    return f'<path d="{_MARKS[form]}" transform="translate({x:.1f} {y:.1f})"/>'


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten below and above all values.

    >>> _decades([2e-7, 30.0])
    (-7, 2)
    """
    low = math.floor(math.log10(min(values)))
    return low, max(math.ceil(math.log10(max(values))), low + 1)


def _largest(errors: Iterable[float]) -> str:
    found = list(errors)
    return f"{max(found):.1e}" if all(map(math.isfinite, found)) else "not a number"


def _power_of_ten(exponent: int) -> str:
    """A tick as text, which any font sets as it is.

    >>> _power_of_ten(-6)
    '10⁻⁶'
    """
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
