"""Where a row attains its extreme first, as a reduction of its own.

`AttainsFirst(body, m)` looks at the whole row. It becomes a row scalar, the place of the entry that is
nearest to `m`, and a comparison of each place with it. The nearest, rather than the equal one, since a
compiler may contract the body differently where `m` was computed: of equals the first is meant, and there
always is one.
"""

from __future__ import annotations

import dataclasses
from itertools import count

import sympy
from sympy import Expr

from lngen.backends.spelling import reading
from lngen.expressions.symbols import AttainsFirst, FeatureSymbol, RowScalarSymbol, TypedSymbol, Where
from lngen.plan.program import Assignment, FeatureReduction, RowProgram, Stage

PLACE = FeatureSymbol("place of an entry")
"""The position of an entry in its row, counted from 0, as a number of the compute type."""


def there(first: TypedSymbol) -> Expr:
    """1 at the entry whose place is `first`, 0 elsewhere."""
    return Where(sympy.Eq(PLACE, first), 1, 0)


def distance(attained: Expr) -> Expr:
    """How far an entry is from the extreme; exactly 0 where it equals it, infinite ones included."""
    body, extreme = attained.args
    return Where(sympy.Eq(body, extreme), 0, sympy.Abs(body - extreme))


def with_places(program: RowProgram) -> RowProgram:
    """The same program without `AttainsFirst` in its stages; each has a stage of its own before them."""
    stages: list[Stage] = []
    waiting = list(program.stages)
    numbers = count(1)
    while waiting:
        stage = waiting[0]
        found = {atom for expression, _ in _expressions(stage) for atom in expression.atoms(AttainsFirst)}
        innermost = [atom for atom in found if not any(part.has(AttainsFirst) for part in atom.args)]
        if not innermost:
            stages.append(waiting.pop(0))
            continue
        reductions = []
        for atom in sorted(innermost, key=lambda atom: reading(sympy.sstr(atom))):
            # No name of the derivation is in these letters.
            first = RowScalarSymbol(f"first{next(numbers)}")
            step = next(step for e, step in _expressions(stage) if e.has(atom))
            reductions.append(FeatureReduction(first, "min", atom, step))
            waiting = [_replaced(later, atom, there(first)) for later in waiting]
        stages.append(Stage(reductions=tuple(reductions)))
    return dataclasses.replace(program, stages=tuple(stages))


def _expressions(stage: Stage) -> list[tuple[Expr, int]]:
    """Every expression of a stage with its derivation step."""
    lines = [(line.expression, line.step) for line in (*stage.temps, *stage.row_scalars)]
    reductions = [(item.body, item.step) for item in stage.reductions if not isinstance(item.body, AttainsFirst)]
    return lines + reductions + [(item.body, item.step) for item in stage.rows_reductions]


def _replaced(stage: Stage, old: Expr, new: Expr) -> Stage:
    def line(each: Assignment) -> Assignment:
        return dataclasses.replace(each, expression=each.expression.xreplace({old: new}))

    return dataclasses.replace(
        stage,
        temps=tuple(map(line, stage.temps)),
        row_scalars=tuple(map(line, stage.row_scalars)),
        reductions=tuple(dataclasses.replace(r, body=r.body.xreplace({old: new})) for r in stage.reductions),
        rows_reductions=tuple(dataclasses.replace(s, body=s.body.xreplace({old: new})) for s in stage.rows_reductions),
    )
