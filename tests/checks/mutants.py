"""Wrong formulas, planted on purpose into the programs that backends print: what each kind of evidence catches.

A gradient checker is worth what it catches. A mistake is planted once, in the row programs, and emitted for every
backend; the rest change the right gradients before they are returned. None knows a formula: each applies to whatever
reductions, parameters and stores a layer has.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.symbols import D, FeatureSymbol, RowScalarSymbol, RowSymbol, TypedSymbol
from lngen.checks.checker import References
from lngen.checks.derived import checkable
from lngen.checks.evidence import KINDS
from lngen.checks.runner import check
from lngen.emit import cpu, cuda, numpy
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import Derived
from lngen.plan.planner import Plan
from lngen.plan.program import Assignment, RowProgram, RowsReduction
from lngen.prove.programs import program_proofs
from lngen.report.heading import notes

SHAPES = ((5, 7), (2, 33), (5, 128))
"""Small D, where factors of D - 1 are loud, and a D with a tail."""

PROOF = "emitted programs"
"""Name of the evidence that refuses a program before anything runs."""

_FIRST_ORDER = tuple(kind for kind in KINDS if kind not in ("tangents", "second order"))
_EMITTERS = {"numpy": numpy.emit, "cpu": cpu.emit, "cuda": cuda.emit}

Values = Mapping[Expr, Expr]


@dataclass(frozen=True)
class Mutant:
    """A planted mistake: the programs with it, or what it does to each gradient."""

    name: str
    programs: tuple[RowProgram, ...]
    spoil: Callable[[Any], object] | None = None


@dataclass(frozen=True)
class Planted:
    """A planted mistake, and the rewriting of a file that plants it; `near` is in what is said of a side with it."""

    name: str
    rewrite: Callable[[str], str]
    near: str = ""


def replaced(name: str, old: str, new: str, near: str = "") -> Planted:
    """A mistake that is one text in the place of another."""
    return Planted(name, lambda text: text.replace(old, new), near)


@dataclass(frozen=True)
class Kill:
    """Kinds of evidence that failed for a mutant; if there are none, it survived."""

    mutant: str
    caught_by: tuple[str, ...]


def loaded(made: Derived, mutant: Mutant, folder: Path, backend: str = "numpy") -> Any:
    """Emit the programs of a mutant into a folder, beside the layer's other files; return a backend of it."""
    manifest.write(made.emission, folder)
    place = folder / made.emission.name
    for name in dict.fromkeys(["numpy", backend]):
        for file, text in _EMITTERS[name](mutant.programs, notes(made.plan, name)).items():
            (place / file).write_text(text, encoding="utf-8")
    module = importlib.import_module(f"{loading.load(place).__name__}.{backend}_backend")
    return module if mutant.spoil is None else _spoiled(module, mutant.spoil)


def caught_by(
    made: Derived,
    mutant: Mutant,
    module: Any,
    backend: str = "numpy",
    kinds: Sequence[str] = _FIRST_ORDER,
    references: References | None = None,
    shapes: Sequence[tuple[int, int]] = SHAPES,
) -> tuple[str, ...]:
    """Return the kinds of evidence that fail for a module. Error bounds are those of the right programs."""
    layer, types = replace(checkable(made.plan, module), proofs=()), ("float64", "float32")
    report = check(layer, shapes, types, backend, kinds=kinds, references=references)
    return tuple(kind for kind in KINDS if any(failure.kind == kind for failure in report.failures))


def is_refused(plan: Plan, mutant: Mutant) -> bool:
    """Test whether the proof of programs refuses those of a mutant, as NumPy is handed them."""
    programs = [numpy.handed(program) for program in mutant.programs[:2]]
    return any(not proof.passed for proof in program_proofs(plan.derivation, {"NumPy": programs}))


def kill_table(made: Derived, folder: Path) -> tuple[Kill, ...]:
    """Prove and check every mutant of a layer, in NumPy."""
    references: References = {}
    kills = []
    for number, mutant in enumerate(mutants(*made.plan.programs())):
        module = loaded(made, mutant, folder / str(number))
        refused = (PROOF,) if mutant.spoil is None and is_refused(made.plan, mutant) else ()
        kills.append(Kill(mutant.name, (*refused, *caught_by(made, mutant, module, references=references))))
    return tuple(kills)


def markdown(tables: Mapping[str, Sequence[Kill]]) -> str:
    """The kill tables of some layers, by title, as sections of a Markdown page."""
    caught = {kind for kills in tables.values() for kill in kills for kind in kill.caught_by}
    kinds = [kind for kind in (PROOF, *KINDS) if kind in caught]
    lines: list[str] = []
    for title, kills in tables.items():
        lines += [
            "",
            f"## {title}",
            "",
            f"| planted error | {' | '.join(kinds)} |",
            "|---" * (len(kinds) + 1) + "|",
        ]
        lines += [
            f"| {kill.mutant} | " + " | ".join("x" if kind in kill.caught_by else "" for kind in kinds) + " |"
            for kill in kills
        ]
    return "\n".join(lines) + "\n"


def mutants(forward: RowProgram, backward: RowProgram, *others: RowProgram) -> Iterator[Mutant]:
    """Every mutant that applies to a layer, in a fixed order."""

    def made(name: str, changed: RowProgram) -> Mutant:
        return Mutant(name, (forward, changed, *others))

    for symbol in _reduced(backward):
        for change, value in (
            ("left out", sympy.S.Zero),
            ("counted twice", 2 * symbol),
            ("with the wrong sign", -symbol),
        ):
            yield made(f"`{symbol.name}` {change}", _substituted(backward, {symbol: value}))
    means = {symbol: symbol * D / (D - 1) for symbol in _reduced(backward, "mean")}
    if means:
        yield made("all means of backward over D - 1", _substituted(backward, means))
    yield from _statistics(forward, backward, *others)
    for parameter in backward.parameters:
        if isinstance(parameter.symbol, FeatureSymbol):
            yield made(f"`{parameter.name}` forgotten", _substituted(backward, {parameter.symbol: sympy.S.One}))
    for name, changed in _column_sums(backward):
        yield made(name, changed)
    programs = (forward, backward, *others)
    if corrected := {r.symbol: sympy.S.Zero for q in programs for s in q.stages if s.correction for r in s.reductions}:
        yield Mutant("correction of the mean left out", tuple(_substituted(q, corrected) for q in programs))
    for name, spoil in _SPOILED.items():
        yield Mutant(name, programs, spoil)


def _reduced(program: RowProgram, operator: str | None = None) -> list[TypedSymbol]:
    return [
        reduction.symbol
        for stage in program.stages
        if not stage.correction
        for reduction in stage.reductions
        if operator is None or reduction.operator == operator
    ]


def _substituted(program: RowProgram, values: Values) -> RowProgram:
    """The program with symbols replaced wherever they are *used*; reductions keep their own names."""
    return program.mapped(lambda line: line.with_body(line.body.xreplace(values)))


def _statistics(forward: RowProgram, *others: RowProgram) -> Iterator[Mutant]:
    """Wrong statistics for backward alone: the outputs stay right, and only the gradient gives them away."""
    squares = {
        r.symbol: r.symbol * D / (D - 1)
        for stage in forward.stages
        for r in stage.reductions
        if r.operator == "mean" and isinstance(r.body, sympy.Pow) and r.body.exp.is_even
    }
    constants = {p.symbol for p in forward.parameters if p.kind == "Constant"}
    for stage in forward.stages:
        for assignment in stage.row_scalars:
            if assignment.symbol not in forward.saved:
                continue
            outside = assignment.expression.replace(
                lambda e: (
                    isinstance(e, sympy.Pow)
                    and e.exp.is_Rational
                    and e.exp.q == 2
                    and bool(e.base.free_symbols & constants)
                ),
                lambda e: _outside_root(e, constants),
            )
            if outside != assignment.expression:
                names = " and ".join(sorted(f"`{c.name}`" for c in assignment.expression.free_symbols & constants))
                yield _resaved(f"{names} outside the root", forward, others, assignment, outside)
            unbiased = assignment.expression.xreplace(squares)
            if unbiased != assignment.expression:
                name = f"`{assignment.symbol.name}` from the unbiased variance"
                yield _resaved(name, forward, others, assignment, unbiased)


def _outside_root(root: Expr, constants: set[TypedSymbol]) -> Expr:
    inside = [term for term in sympy.Add.make_args(root.base) if not term.free_symbols & constants]
    moved = [term for term in sympy.Add.make_args(root.base) if term.free_symbols & constants]
    return (sympy.sqrt(sympy.Add(*inside)) + sympy.Add(*moved)) ** (2 * root.exp)


def _resaved(
    name: str, forward: RowProgram, others: Sequence[RowProgram], assignment: Assignment, wrong: Expr
) -> Mutant:
    """Save a wrong row scalar beside the right one that the outputs are made with."""
    right = assignment.symbol
    symbol = RowScalarSymbol(f"{right.name}_wrong", **({"positive": True} if right.is_positive else {}))
    stages = tuple(
        replace(stage, row_scalars=(*stage.row_scalars, replace(assignment, symbol=symbol, expression=wrong)))
        if assignment in stage.row_scalars
        else stage
        for stage in forward.stages
    )

    def resaved(program: RowProgram) -> RowProgram:
        return replace(program, saved=tuple(symbol if s == right else s for s in program.saved))

    later = [_substituted(resaved(program), {right: symbol}) for program in others]
    return Mutant(name, (resaved(replace(forward, stages=stages)), *later))


def _column_sums(backward: RowProgram) -> Iterator[tuple[str, RowProgram]]:
    """Leave one row factor out of each sum over rows."""
    for stage in backward.stages:
        for reduction in stage.rows_reductions:
            factors = [f for f in sympy.Mul.make_args(reduction.body) if isinstance(f, RowSymbol)]
            if len(factors) < 2:
                continue
            dropped = max(factors, key=lambda f: (not f.name.startswith("d"), f.name))
            wrong: RowsReduction = reduction.with_body(reduction.body / dropped)
            changed = backward.mapped(lambda line, right=reduction, wrong=wrong: wrong if line is right else line)
            yield f"`{dropped.name}` left out of `{reduction.symbol.name}`", changed


def _spoiled(module: Any, spoil: Callable[[Any], object]) -> Any:
    """A module whose backward changes the right gradients before it returns them."""

    def backward(saved: Any, *cotangents: Any, **options: Any) -> Any:
        gradients = module.backward(saved, *cotangents, **options)
        for gradient in gradients:
            if gradient is not None and gradient.size:
                spoil(gradient)
        return gradients

    return SimpleNamespace(**{**vars(module), "backward": backward})


def _rows_shifted(gradient: Any) -> None:
    gradient[:] = np.roll(gradient, 1, 0)


def _of_rows(spoil: Callable[[Any], object]) -> Callable[[Any], object]:
    # The row gradients of the modules are the 2-d ones.
    return lambda gradient: gradient.ndim == 2 and spoil(gradient)


_SPOILED: Mapping[str, Callable[[Any], object]] = {
    "last row wrong": _of_rows(lambda gradient: np.multiply(gradient[-1], 1.001, out=gradient[-1])),
    "last column zero": lambda gradient: gradient.ndim and gradient[..., -1].fill(0),
    "rows shifted by one": _of_rows(_rows_shifted),
    "one entry of the first row off by 1e-9": _of_rows(lambda gradient: np.add.at(gradient, (0, 0), 1e-9)),
    "rounded to float32 on the way": lambda gradient: np.copyto(gradient, gradient.astype(np.float32)),
}


_WITHOUT_LAST = "(lambda a, b, **more: np.vecdot(a[..., :-1], b[..., :-1], **more)) if a."
THRESHOLDS = [
    ("a row of one piece without its last entry", r"np\.vecdot if a\.", _WITHOUT_LAST),
    ("the part of a piece taken off", r"total \+= end", "total -= end"),
    ("the part of a piece alone", r"total \+= end", "total = end"),
    ("pieces without the part of one", r"if end is not None:\n", "if False:\n"),
    ("pieces without the first", r"np\.add\.reduce\(pieces, ", "np.add.reduce(pieces[..., 1:], "),
    ("what is left of a mean dropped", r"if np\.count_nonzero\(far\):", "if False:"),
    ("what is left of a mean dropped in backward", r"if np\.count_nonzero\(left\):", "if False:"),
    ("what is left of a mean taken off where it is near", r"np\.absolute\(mean\) >", "np.absolute(mean) <"),
    ("rows far from zero not put back among others", r"if these is not \.\.\.:", "if False:"),
    ("the spread of rows far from zero not put right", r"spread\[these\] = .*\n", "pass\n"),
    ("short rows filled with the first's value", r"copyto\(out, values\)", "copyto(out, values[:1])"),
    ("long rows with the first's value", r"( +)values = out\n", r"\1values = out\n    else:\n\1values = values[:1]\n"),
    ("parameters of long rows backwards", r"ufunc\(block, wide, out", "ufunc(block, wide[::-1], out"),
    ("repeated parameters backwards", r"wide\.size\), wide, out", "wide.size), wide[::-1], out"),
    ("parameters of what is left of a block backwards", r"wide\[:features\], out", "wide[:features][::-1], out"),
    ("sums over rows without the first of a block", r"weights\.dot\(block\)", "weights[1:].dot(block[1:])"),
    ("sums over rows twice for a row alone", r"np\.multiply\(weights, block\[0\]\)", "2 * weights * block[0]"),
    ("one block without its last row", r"\[\[\(0, slice\(0, count\)\)\]\]", "[[(0, slice(0, count - 1))]]"),
    ("several blocks without the last", r"range\(0, count, height\)", "range(0, count - 1, height)"),
    ("chunks without their later blocks", r"spans\[i : i \+ together\]", "spans[i : i + 1]"),
    ("sums over rows of the first chunk", r"np\.add\.reduce\(total, axis=0\)", "total[0]"),
    ("threads without the last", r"for i in range\(min\(threads, len\(chunks\)\)\)", "for i in range(threads - 1)"),
]
"""Mistakes in what layers share, each on one side of a threshold of NumPy code."""


def threshold_mutants() -> Iterator[Planted]:
    """Every mistake on one side of a threshold."""
    for name, pattern, replacement in THRESHOLDS:
        yield Planted(name, partial(re.sub, pattern, replacement))
