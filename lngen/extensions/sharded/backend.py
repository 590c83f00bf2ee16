"""The backend for rows in parts, as an entry point has it."""

from __future__ import annotations

from lngen.emit.backends import Backend
from lngen.errors import counted
from lngen.extensions.sharded.compiled import TEMPLATES
from lngen.extensions.sharded.emission import emit
from lngen.extensions.sharded.over_parts import evidence
from lngen.extensions.sharded.sharding import sharded
from lngen.plan.planner import Plan


def collective_line(plan: Plan) -> str:
    """Describe the collectives of forward and backward with sharded features, in one line.

    The bytes are those that each process sends of a row whose type has 4 bytes.
    """
    found = []
    for program in (plan.forward, plan.backward):
        form = sharded(program)
        size = 4 * form.numbers_sent
        count = counted(form.collectives, "collective") if form.collectives else "no collective"
        found.append(f"{program.direction} {count}" + (f", {size} bytes per float32 row" if size else ""))
    return f"sharded over features: {'; '.join(found)}"


BACKEND = Backend(
    emit,
    "Rows in parts",
    needs=("numpy", "cpu", "cuda"),
    templates=("sharded", "cpp"),
    folder=TEMPLATES,
    option="--sharded",
    remark=collective_line,
    check=evidence,
    takes_integers=True,
)
