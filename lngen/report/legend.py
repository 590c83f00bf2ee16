"""The legend of a report: over what means and sums run, and what a d before a name says."""

from __future__ import annotations

from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import SumRows
from lngen.derivation.derivation import Derivation
from lngen.language.definition import Definition
from lngen.plan.program import OPERATORS
from lngen.report.axes import AxesWords
from lngen.report.formulas import in_parts


def legend(d: Derivation) -> tuple[str, ...]:
    """The lines of a legend, of the signs that the forward, the steps and the gradients have.

    >>> from lngen.derivation.gradients import derive
    >>> from lngen.language.parsing import parse
    >>> for line in legend(derive(parse("def f(x: Row, w: Feature): return w*x/mean(x)"))):
    ...     print(line)
    mean, sum: over the D features of a row; sum_rows: over the rows. Rows do not mix.
    dy is the gradient of the loss with respect to y. A d before any other name says the same of it: dx, dw.
    """
    lines = [show_sums(q.expression) for q in (*d.forward.equations, *d.backward)]
    lines += [side for step in d.steps for side in (step.before, step.after) if side is not None]
    met = [word for head, word in OPERATORS.items() if any(line.has(head) for line in lines)]
    words = AxesWords(d.definition)
    over = [f"{', '.join(met)}: over {words.features}"] if met else []
    over += [f"sum_rows: over {words.rows}"] if any(line.has(SumRows) for line in lines) else []
    outputs = [d.definition.public(name) for name in d.definition.outputs]
    given = [symbol.name for symbol in d.adjoint.cotangents]
    verb = "are the gradients" if len(outputs) > 1 else "is the gradient"
    named = f"{', '.join(given)} {verb} of the loss with respect to {', '.join(outputs)}"
    results = ", ".join(gradient.name for _, gradient in d.gradients)
    said = f"{named}. A d before any other name says the same of it: {results}." if results else f"{named}."
    return (
        *([f"{'; '.join(over)}. Rows do not mix."] if over else []),
        *_axes(d.definition),
        *_random(d.definition),
        said,
    )


def _random(definition: Definition) -> list[str]:
    """A line about each row of random numbers."""
    return [
        f"{entry.name} is {entry.draws}: random numbers from 0 to 1, made again where they are read, never stored."
        for entry in definition.inputs
        if entry.draws
    ]


def _axes(definition: Definition) -> list[str]:
    """A line about axes that have names."""
    layout = definition.layout
    if layout is None:
        return []
    rows, features = " ".join(layout.rows), " ".join(layout.features)
    words = f'Rows have the axes "{layout.pattern}": "{rows}" number them, and "{features}" make up a row.'
    lacking = [entry for entry in definition.inputs if definition.lacks(entry)]
    if lacking:
        own = ", ".join(f'{entry.name} "{entry.pattern}"' for entry in lacking)
        summed = ", and its gradient is summed over them" if any(each.kind.has_gradient for each in lacking) else ""
        words += f" An array is broadcast over the axes that it lacks{summed}: {own}."
    return [words, *_parts(definition)]


def _parts(definition: Definition) -> list[str]:
    """A line about arrays in parts: those that are read, and those that are made."""
    first, last = in_parts(definition, "forward")
    arrays = ", ".join(f'{each.name} with the axes "{each.pattern}"' for each in definition.parts)
    return [f"Arrays in parts, {arrays}: {'; '.join([*first, *last])}."] if arrays else []
