"""`lngen show`: one stage of a layer on its way from definition to code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from rich.syntax import Syntax

from lngen.algebra.notation import Order, text
from lngen.cli import console
from lngen.language.definition import Definition
from lngen.pipeline.stages import derived, planned
from lngen.plan.program import Line, RowProgram, Stage
from lngen.report import formulas
from lngen.report.formulas import reading_order


def run(definition: Definition, stage: str) -> None:
    """Print a stage: coloured on a terminal, the bare text in a pipe."""
    lines, language = _STAGES[stage](definition)
    shown = "\n".join(lines).strip("\n")
    out = console.output()
    if out.is_terminal:
        out.print(Syntax(shown, language, background_color="default", word_wrap=True))
    else:
        print(shown)


def _definition(definition: Definition) -> tuple[Iterable[str], str]:
    return definition.source.splitlines(), "python"


def _vjp(definition: Definition) -> tuple[Iterable[str], str]:
    derivation = planned(definition, proved=False).derivation
    order = reading_order(derivation)
    forward = (f"{q.symbol.name} = {text(q.expression, order)}" for q in derivation.written.equations)
    adjoint = (f"{q.symbol.name} = {text(q.expression, order)}" for q in derivation.adjoint.equations)
    return ["# forward", *forward, "", "# unsimplified adjoint", *adjoint], "python"


def _simplified(definition: Definition) -> tuple[Iterable[str], str]:
    lines = formulas(planned(definition, proved=False))
    return ["# forward", *lines["forward"], "", "# backward", *lines["backward"]], "python"


def _plan(definition: Definition) -> tuple[Iterable[str], str]:
    both = planned(definition, proved=False)
    order = reading_order(both.derivation)
    return [*_program(both.forward, order), "", *_program(both.backward, order)], "python"


def _program(program: RowProgram, order: Order) -> Iterator[str]:
    reads = [f"{row.name} ({row.origin})" for row in program.rows]
    yield f"# {program.direction}: reads {', '.join([*reads, *(p.name for p in program.parameters)])}"
    if program.saved:
        yield f"# saved, one per row: {', '.join(symbol.name for symbol in program.saved)}"
    if program.prologue:
        yield "# once per call"
        yield from _lines(program.prologue, order)
    for number, stage in enumerate(program.stages, 1):
        yield f"# stage {number}{', a correction' if stage.correction else ''}"
        yield from _stage(stage, order)
    if program.epilogue:
        yield "# once, after all rows"
        yield from _lines(program.epilogue, order)


def _stage(stage: Stage, order: Order) -> Iterator[str]:
    yield from _lines(stage.temps, order)
    yield from _lines(stage.reductions, order)
    yield from _lines(stage.row_scalars, order)
    yield from _lines(stage.rows_reductions, order)
    yield from (f"store {', '.join(store.names)}" for store in stage.stores)


def _lines(lines: Iterable[Line], order: Order) -> Iterator[str]:
    return (f"{line.symbol.name} = {text(line.expression, order)}  # {line.source}" for line in lines)


def _numpy(definition: Definition) -> tuple[Iterable[str], str]:
    files = derived(definition).files
    return "\n\n".join(text for path, text in files.items() if path.startswith("numpy_")).splitlines(), "python"


def _cpu(definition: Definition) -> tuple[Iterable[str], str]:
    return derived(definition).text("layer.h").splitlines(), "cpp"


def _cuda(definition: Definition) -> tuple[Iterable[str], str]:
    return derived(definition).text("kernels.cu").splitlines(), "cuda"


_STAGES: Mapping[str, Callable[[Definition], tuple[Iterable[str], str]]] = {
    "definition": _definition,
    "vjp": _vjp,
    "simplified": _simplified,
    "plan": _plan,
    "numpy": _numpy,
    "cpu": _cpu,
    "cuda": _cuda,
}
