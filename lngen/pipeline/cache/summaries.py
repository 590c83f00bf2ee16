"""A line of `lngen list`, kept apart from plans: SymPy, which those need, takes longer to import than a list."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from lngen.language.definition import Definition
from lngen.pipeline.cache.results import kept

if TYPE_CHECKING:
    from lngen.plan.planner import Plan


def summary(definition: Definition, plan: Callable[[], Plan]) -> list[str]:
    """The first row's gradient, reductions and row tensors; `plan` is called where they are not known."""

    def columns() -> list[str]:
        from lngen.report.summary import columns

        return list(columns(plan()))

    return kept("summary", definition, columns, lambda made: json.dumps(made).encode(), json.loads)
