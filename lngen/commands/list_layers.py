"""`lngen list`: the layers there are, and what each costs a row."""

from __future__ import annotations

from rich.table import Table

from lngen.commands import console, layers
from lngen.cost import cost, reductions
from lngen.definition import load
from lngen.emission import planned
from lngen.errors import LngenError
from lngen.plan import Plan
from lngen.report import formulas


def run() -> None:
    """Print each layer of the folder of definitions with its gradient, reductions and row tensors moved."""
    table = Table(box=None, pad_edge=False)
    table.add_column("layer", no_wrap=True)
    table.add_column("gradient of its first row", overflow="fold")
    table.add_column("reductions\nfwd bwd", justify="right", min_width=len("reductions"))
    table.add_column("row tensors\nfwd bwd", justify="right", min_width=len("row tensors"))
    files = layers.every_file()
    with console.progress(len(files)) as begin:
        for file in files:
            begin(file.stem)
            try:
                plan = planned(load(file), proved=False)
            except LngenError as error:
                table.add_row(layers.shown(file), str(error).partition("\n")[0], "-", "-", style="red")
                continue
            table.add_row(plan.derivation.definition.name, *columns(plan))
    console.output().print(table)


def columns(plan: Plan) -> tuple[str, str, str]:
    """The formulas of the first row's gradient; reductions and row tensors, forward and backward."""
    programs = plan.forward, plan.backward
    return (
        "\n".join(first_gradient(plan)),
        "   ".join(str(reductions(program)) for program in programs),
        "   ".join(str(cost(program).tensors) for program in programs),
    )


def first_gradient(plan: Plan) -> list[str]:
    """The lines of backward that the gradient of the first input needs, in order of computation."""
    _, first = plan.derivation.gradients[0]
    needed = {first}
    for equation in reversed(plan.derivation.backward):
        if equation.symbol in needed:
            needed |= equation.expression.free_symbols
    lines = zip(plan.derivation.backward, formulas(plan)[1], strict=True)
    return [line for equation, line in lines if equation.symbol in needed]
