"""First place of a row's extreme, as a reduction of its own.

`AttainsFirst(body, m)` needs the whole row. It becomes a row scalar, the place of the entry nearest to `m`, and a
comparison of each place with it. A test for equality would not do: a compiler may contract the body differently where
`m` was computed, and no entry might be equal. The nearest always exists; of equals, the first counts.
"""

from __future__ import annotations

import dataclasses
from itertools import count

import sympy
from sympy import Expr

from lngen.backends.spelling import reading
from lngen.expressions.symbols import AttainsFirst, FeatureSymbol, RowScalarSymbol, TypedSymbol, Where
from lngen.plan.program import FeatureReduction, RowProgram, Stage

PLACE = FeatureSymbol("place of an entry")
"""The position of an entry in its row, counted from 0, as a number of the compute type."""


def there(first: TypedSymbol) -> Expr:
    """1 at the entry whose place is `first`, 0 elsewhere."""
    return Where(sympy.Eq(PLACE, first), 1, 0)


def distance(attained: Expr) -> Expr:
    """Return the distance of an entry from the extreme; exactly 0 if they are equal, also if both are infinite."""
    body, extreme = attained.args
    return Where(sympy.Eq(body, extreme), 0, sympy.Abs(body - extreme))


def with_places(program: RowProgram) -> RowProgram:
    """The same program without `AttainsFirst` in its stages; each has a stage of its own before them."""
    stages: list[Stage] = []
    waiting = list(program.stages)
    numbers = count(1)
    while waiting:
        stage = waiting[0]
        found = {atom for line in stage.lines() for atom in line.body.atoms(AttainsFirst)}
        innermost = [atom for atom in found if not any(part.has(AttainsFirst) for part in atom.args)]
        if not innermost:
            stages.append(waiting.pop(0))
            continue
        reductions = []
        for atom in sorted(innermost, key=lambda atom: reading(sympy.sstr(atom))):
            # No name of the derivation is in these letters.
            first = RowScalarSymbol(f"first{next(numbers)}")
            step = next(line.step for line in stage.lines() if line.body.has(atom))
            reductions.append(FeatureReduction(first, "min", atom, step))
            waiting = [later.replaced({atom: there(first)}) for later in waiting]
        stages.append(Stage(reductions=tuple(reductions)))
    return dataclasses.replace(program, stages=tuple(stages))
