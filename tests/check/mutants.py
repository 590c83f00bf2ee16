"""Wrong gradients, planted on purpose: what each kind of evidence catches.

A gradient checker is worth what it catches. Most mutants change the row programs and emit again; the rest
change the text of the emitted module, found by its syntax. None knows a formula: each applies to whatever
reductions, parameters and stores a layer has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import sympy
from sympy import Expr

from lngen.algebra.symbols import D, FeatureSymbol, RowScalarSymbol, RowSymbol, TypedSymbol
from lngen.check.checker import References
from lngen.check.evidence import KINDS
from lngen.check.layer import Checkable
from lngen.check.runner import check
from lngen.pipeline.files.loading import NUMPY, module_from_files
from lngen.plan.program import Assignment, RowProgram, RowsReduction

SHAPES = ((5, 7), (2, 33), (5, 128))
"""Small D, where factors of D - 1 are loud, and a D with a tail."""

Emit = Callable[[RowProgram, RowProgram], Mapping[str, str]]
Values = Mapping[Expr, Expr]


@dataclass(frozen=True)
class Mutant:
    """A planted error: the programs and a rewriting of the emitted text."""

    name: str
    forward: RowProgram
    backward: RowProgram
    rewrite: Callable[[str], str] | None = None
    file: str = NUMPY


@dataclass(frozen=True)
class Planted:
    """A planted mistake, and the rewriting of a file that plants it; `near` is in what is said of a side with it."""

    name: str
    rewrite: Callable[[str], str]
    near: str = ""


@dataclass(frozen=True)
class Kill:
    """Kinds of evidence that failed for a mutant; if there are none, it survived."""

    mutant: str
    caught_by: tuple[str, ...]


def kill_table(layer: Checkable, emit: Emit) -> tuple[Kill, ...]:
    """Check every mutant of a layer with row programs. Error bounds are those of the right programs.

    `emit` is the backend's emission; it returns files by name, of which those of NumPy are run.
    """
    assert layer.forward_program is not None
    assert layer.backward_program is not None
    kills = []
    references: References = {}
    for mutant in mutants(layer.forward_program, layer.backward_program):
        files = dict(emit(mutant.forward, mutant.backward))
        if mutant.rewrite is not None:
            rewritten = mutant.rewrite(files[mutant.file])
            if rewritten == files[mutant.file]:
                continue  # nothing of its kind in this layer
            files |= {mutant.file: rewritten}
        planted = replace(layer, module=module_from_files(files, "mutant"))
        report = check(planted, SHAPES, ("float64", "float32"), references=references)
        kills.append(Kill(mutant.name, tuple(k for k in KINDS if any(f.kind == k for f in report.failures))))
    return tuple(kills)


def markdown(tables: Mapping[str, Sequence[Kill]]) -> str:
    """The kill tables of some layers, by title, as sections of a Markdown page."""
    kinds = [k for k in KINDS if any(k in kill.caught_by for kills in tables.values() for kill in kills)]
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


def mutants(forward: RowProgram, backward: RowProgram) -> Iterator[Mutant]:
    """Every mutant that applies to a layer, in a fixed order."""
    for symbol in _reduced(backward):
        for change, value in (
            ("left out", sympy.S.Zero),
            ("counted twice", 2 * symbol),
            ("with the wrong sign", -symbol),
        ):
            yield Mutant(f"`{symbol.name}` {change}", forward, _substituted(backward, {symbol: value}))
    means = {symbol: symbol * D / (D - 1) for symbol in _reduced(backward, "mean")}
    if means:
        yield Mutant("all means of backward over D - 1", forward, _substituted(backward, means))
    yield from _statistics(forward, backward)
    for parameter in backward.parameters:
        if isinstance(parameter.symbol, FeatureSymbol):
            forgotten = _substituted(backward, {parameter.symbol: sympy.S.One})
            yield Mutant(f"`{parameter.name}` forgotten", forward, forgotten)
    yield from _column_sums(forward, backward)
    yield from _corrections(forward, backward)
    yield Mutant("last four columns left out of one reduction", forward, backward, _short_reduction, "numpy_kernels.py")
    for name, body in _SPOILED.items():
        yield Mutant(name, forward, backward, partial(_spoiled, body))


def _spoiled(body: str, text: str) -> str:
    """Emitted text whose backward changes the right gradients before it returns them."""
    return text + _WRAPPER + body + _WRAPPER_END


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
    return replace(
        program,
        stages=tuple(stage.replaced(values) for stage in program.stages),
        epilogue=tuple(replace(q, expression=q.expression.xreplace(values)) for q in program.epilogue),
    )


def _statistics(forward: RowProgram, backward: RowProgram) -> Iterator[Mutant]:
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
                yield _resaved(f"{names} outside the root", forward, backward, assignment, outside)
            unbiased = assignment.expression.xreplace(squares)
            if unbiased != assignment.expression:
                name = f"`{assignment.symbol.name}` from the unbiased variance"
                yield _resaved(name, forward, backward, assignment, unbiased)


def _outside_root(root: Expr, constants: set[TypedSymbol]) -> Expr:
    inside = [term for term in sympy.Add.make_args(root.base) if not term.free_symbols & constants]
    moved = [term for term in sympy.Add.make_args(root.base) if term.free_symbols & constants]
    return (sympy.sqrt(sympy.Add(*inside)) + sympy.Add(*moved)) ** (2 * root.exp)


def _resaved(name: str, forward: RowProgram, backward: RowProgram, assignment: Assignment, wrong: Expr) -> Mutant:
    """Save a wrong row scalar beside the right one that the outputs are made with."""
    right = assignment.symbol
    symbol = RowScalarSymbol(f"{right.name}_wrong", **({"positive": True} if right.is_positive else {}))
    stages = tuple(
        replace(stage, row_scalars=(*stage.row_scalars, replace(assignment, symbol=symbol, expression=wrong)))
        if assignment in stage.row_scalars
        else stage
        for stage in forward.stages
    )
    saved = tuple(symbol if s == right else s for s in forward.saved)
    backward = _substituted(replace(backward, saved=saved), {right: symbol})
    return Mutant(name, replace(forward, stages=stages, saved=saved), backward)


def _column_sums(forward: RowProgram, backward: RowProgram) -> Iterator[Mutant]:
    """Leave one row factor out of each sum over rows."""
    for at, stage in enumerate(backward.stages):
        for reduction in stage.rows_reductions:
            factors = [f for f in sympy.Mul.make_args(reduction.body) if isinstance(f, RowSymbol)]
            if len(factors) < 2:
                continue
            dropped = max(factors, key=lambda f: (not f.name.startswith("d"), f.name))
            wrong: RowsReduction = replace(reduction, body=reduction.body / dropped)
            changed = replace(
                stage, rows_reductions=tuple(wrong if r is reduction else r for r in stage.rows_reductions)
            )
            stages = (*backward.stages[:at], changed, *backward.stages[at + 1 :])
            name = f"`{dropped.name}` left out of `{reduction.symbol.name}`"
            yield Mutant(name, forward, replace(backward, stages=stages))


def _corrections(forward: RowProgram, backward: RowProgram) -> Iterator[Mutant]:
    corrected = {
        reduction.symbol: sympy.S.Zero
        for program in (forward, backward)
        for stage in program.stages
        if stage.correction
        for reduction in stage.reductions
    }
    if corrected:
        yield Mutant(
            "correction of the mean left out",
            _substituted(forward, corrected),
            _substituted(backward, corrected),
        )


def _is_row_reduction(node: ast.AST) -> bool:
    """Test whether a call is a sum over the feature axis: `vecdot`, or a function of emitted code made of it."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.vecdot", "_rows.row_sum", "_rows.row_mean")


def _short_reduction(text: str) -> str:
    """Emitted text in which the last reduction of backward misses the last four features."""
    tree = ast.parse(text)
    lines = [
        node
        for function in tree.body
        if isinstance(function, ast.FunctionDef) and "backward" in function.name
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is_row_reduction(node.value)
    ]
    if not lines:
        return text
    last = ast.unparse(max(lines, key=lambda node: node.lineno).targets[0])
    for line in lines:
        # With a weight and without one it stands on two lines.
        if ast.unparse(line.targets[0]) == last:
            assert isinstance(line.value, ast.Call)
            short = ast.parse("_without_last_four(operand)", mode="eval").body
            assert isinstance(short, ast.Call)
            short.args = [line.value.args[1]]
            line.value.args[1] = short
    return ast.unparse(ast.fix_missing_locations(tree)) + _WITHOUT_LAST_FOUR


_WITHOUT_LAST_FOUR = """

def _without_last_four(operand):
    short = np.array(operand)
    short[..., -4:] = 0
    return short
"""

_WRAPPER = """

_right_backward = backward


def backward(saved, *cotangents, out=None, **options):
    gradients = _right_backward(saved, *cotangents, out=out, **options)
    for gradient in gradients:
        if gradient is None or gradient.size == 0:
            continue
"""

_WRAPPER_END = "    return gradients\n"

_IN_ROWS = "        if gradient.ndim == 2:\n            "

# Each works on one gradient array in place. The row gradients of the modules are the 2-d ones.
_SPOILED = {
    "last row wrong": _IN_ROWS + "gradient[-1] *= 1.001\n",
    "last column zero": "        if gradient.ndim:\n            gradient[..., -1] = 0\n",
    "rows shifted by one": _IN_ROWS + "gradient[:] = np.roll(gradient, 1, 0)\n",
    "one entry of the first row off by 1e-9": _IN_ROWS + "gradient[0, 0] += 1e-9\n",
    "rounded to float32 on the way": "        gradient[...] = gradient.astype(np.float32)\n",
}


def threshold_mutants() -> Iterator[Planted]:
    """Mistakes in what layers share, each on one side of a threshold of NumPy code."""
    yield _planted("a row of one piece without its last entry", r"np\.vecdot if a\.", "_without_last if a.")
    yield _planted("the part of a piece taken off", r"total \+= end", "total -= end")
    yield _planted("the part of a piece alone", r"total \+= end", "total = end")
    yield _planted("pieces without the part of one", r"if end is not None:\n", "if False:\n")
    yield _planted("pieces without the first", r"np\.add\.reduce\(pieces, ", "np.add.reduce(pieces[..., 1:], ")
    yield _planted("what is left of a mean dropped", r"if np\.count_nonzero\(far\):", "if False:")
    yield _planted("what is left of a mean dropped in backward", r"if np\.count_nonzero\(left\):", "if False:")
    yield _planted(
        "what is left of a mean taken off where it is near", r"np\.absolute\(mean\) >", "np.absolute(mean) <"
    )
    yield _planted("rows far from zero not put back among others", r"if these is not \.\.\.:", "if False:")
    yield _planted("the spread of rows far from zero not put right", r"spread\[these\] = .*\n", "pass\n")
    yield _planted("short rows filled with the first's value", r"copyto\(out, values\)", "copyto(out, values[:1])")
    yield _planted(
        "long rows with the first's value", r"( +)values = out\n", r"\1values = out\n    else:\n\1values = values[:1]\n"
    )
    yield _planted("parameters of long rows backwards", r"ufunc\(block, wide, out", "ufunc(block, wide[::-1], out")
    yield _planted("repeated parameters backwards", r"wide\.size\), wide, out", "wide.size), wide[::-1], out")
    yield _planted(
        "parameters of what is left of a block backwards", r"wide\[:features\], out", "wide[:features][::-1], out"
    )
    yield _planted(
        "sums over rows without the first of a block", r"weights\.dot\(block\)", "weights[1:].dot(block[1:])"
    )
    yield _planted(
        "sums over rows twice for a row alone", r"np\.multiply\(weights, block\[0\]\)", "2 * weights * block[0]"
    )
    yield _planted(
        "one block without its last row", r"\[\[\(0, slice\(0, count\)\)\]\]", "[[(0, slice(0, count - 1))]]"
    )
    yield _planted("several blocks without the last", r"range\(0, count, height\)", "range(0, count - 1, height)")
    yield _planted("chunks without their later blocks", r"spans\[i : i \+ together\]", "spans[i : i + 1]")
    yield _planted("sums over rows of the first chunk", r"np\.add\.reduce\(total, axis=0\)", "total[0]")
    yield _planted(
        "threads without the last", r"for i in range\(min\(threads, len\(chunks\)\)\)", "for i in range(threads - 1)"
    )


def _planted(name: str, pattern: str, replacement: str) -> Planted:
    def rewrite(text: str) -> str:
        found = re.sub(pattern, replacement, text)
        return found + _WITHOUT_LAST if found != text and "def row_sum" in text else found

    return Planted(name, rewrite)


_WITHOUT_LAST = """

def _without_last(a, b, keepdims=False):
    return np.vecdot(a[..., :-1], b[..., :-1], keepdims=keepdims)
"""
