"""The file for Lean: what it says and does not say, the values, the theorems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lngen.algebra.notation import text
from lngen.derivation.derivation import Derivation
from lngen.errors import counted, printable
from lngen.extensions.lean.notation import lean_name
from lngen.extensions.lean.theorems import LeftOut, Theorem, Theorems
from lngen.extensions.lean.values import LeanValue, LeanValues

_WIDTH = 100
_HEAD = """\
/-
{name}: the forward and the gradients, exported by lngen for Lean 4 with Mathlib.

NOT CHECKED BY LEAN: nobody has run Lean on this file. The statements are what lngen proved by its own prover.

  {scripts}, in scripts that no Lean has run
  {open}
  {left}

The chain rule itself is not a theorem here: the first line of each gradient is a definition. What it takes from
analysis is stated as slopes, `HasDerivAt`, and left open; linear slopes are not stated. Not exported are tangents and
second derivatives. Rows are numbered by `Fin {rows}`, features by `Fin D`.
-/
import Mathlib

open scoped BigOperators

/-- Sums with a term each, and their factors inside. -/
macro "row_sums" : tactic => `(tactic| try simp only [mul_add, add_mul, mul_sub, sub_mul, add_div, sub_div,
  neg_mul, mul_neg, neg_div, Finset.sum_add_distrib, Finset.sum_sub_distrib, Finset.sum_neg_distrib, Finset.mul_sum,
  Finset.sum_mul, Finset.sum_div, Finset.sum_const, Finset.card_univ, Fintype.card_fin, nsmul_eq_mul])

/-- The identity of a field, as it is, with factors inside of sums, or outside. -/
macro "row_algebra" : tactic => `(tactic| first
  | done
  | (ring; done)
  | (field_simp; done)
  | (field_simp; ring; done)
  | (row_sums; try field_simp; row_sums; try ring_nf; done)
  | (simp only [← Finset.sum_div, ← Finset.mul_sum, ← Finset.sum_mul]; try field_simp; try ring_nf; done))

variable {{{rows} D : ℕ}}
"""


def document(derivation: Derivation) -> str:
    """The forward and the gradients of a derivation as a file of Lean 4 over Mathlib."""
    values = LeanValues(derivation)
    found = Theorems(values).all()
    theorems = [each for each in found if isinstance(each, Theorem)]
    left_out = [each for each in found if isinstance(each, LeftOut)]
    open_ = sum(theorem.is_open for theorem in theorems)
    head = _HEAD.format(
        name=derivation.definition.name,
        scripts=counted(len(theorems) - open_, "theorem"),
        open=f"{counted(open_, 'theorem')} with `sorry` for a proof",
        left=f"{counted(len(left_out), 'claim')} left out, each with its reason",
        rows=values.rows,
    )
    return "\n".join([head, *_values(values), *(_written(each, values.rows) for each in found), "end Steps", ""])


def _values(values: LeanValues) -> Iterator[str]:
    yield "/-- Values that are given. A value that is not defined here may be any. -/"
    yield f"structure Values ({values.rows} D : ℕ) where"
    yield from (f"  {lean_name(value.symbol.name)} : {_field(value, values)}" for value in values.fields)
    yield "\nnamespace Values\n"
    for value in values.definitions:
        name, varied = lean_name(value.symbol.name), values.binders(value.symbol)
        head = f"noncomputable def {name} (s : Values {values.rows} D){varied} : ℝ :="
        yield from (*_broken([head, str(value.term)]), "")
    yield "end Values\n\nnamespace Steps\n"


def _field(value: LeanValue, values: LeanValues) -> str:
    meaning = "" if value.meaning is None else f"  -- stands for {text(value.meaning, values.order)}"
    return values.type_of(value.symbol) + meaning


def _written(each: Theorem | LeftOut, rows: str) -> str:
    if isinstance(each, LeftOut):
        return f"-- {printable(each.says)}: left out: {printable(each.reason)}\n"
    binders = f"(s : Values {rows} D){each.conditions.binders}{each.indices}"
    head = [f"/-- {each.says}. -/", f"theorem {each.name} {binders} :"]
    statement = [f"    {each.statement} := by"]
    if len(statement[0]) > _WIDTH and " = " in each.statement:
        left, _, right = each.statement.partition(" = ")
        statement = [f"    {left}", f"    = {right} := by"]
    return "\n".join([*head, *statement, *(f"  {line}" for line in each.proof), ""])


def _broken(parts: Sequence[str]) -> list[str]:
    """A declaration on one line, or its parts on a line each where that is too long."""
    whole = " ".join(parts)
    return [whole] if len(whole) <= _WIDTH else [parts[0], *(f"  {part}" for part in parts[1:])]
