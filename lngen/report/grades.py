"""Evidence counted by grade: the headline of a report."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lngen.derivation.derivation import EVERY_D, NONE, QUOTIENTS, Proof


def by_grade(proofs: Iterable[Proof]) -> str:
    """Count the grades of each sort of statement; sorts with the same grades are put together.

    >>> every = "exact at every D"
    >>> proofs = [Proof(every, "", True, "steps", 11), Proof("50 digits", "", True, "steps")]
    >>> by_grade([*proofs, Proof(every, "", True, "gradients", 3), Proof(every, "", True, "tangents")])
    '12 steps: 11 exact at every D, 1 to 50 digits; 3 gradients, 1 tangent: exact at every D'
    """
    counts: dict[str, dict[str, int]] = {}
    for proof in proofs:
        grades = counts.setdefault(proof.about or "statements", {})
        grade = proof.kind if proof.passed else "FAILED"
        grades[grade] = grades.get(grade, 0) + proof.count
    alike: dict[str, list[str]] = {}
    for about, grades in counts.items():
        alike.setdefault(_graded(grades), []).append(_many(sum(grades.values()), about))
    return "; ".join(f"{', '.join(subjects)}: {grades}" for grades, subjects in alike.items())


def exact_at_every_size(proofs: Iterable[Proof]) -> str:
    """Count the statements that are exact at every D, of those that could be.

    Difference quotients are taken at a given D, and are not counted.

    >>> every = "exact at every D"
    >>> exact_at_every_size([Proof(every, "", True, "steps", 11), Proof("50 digits", "", True, "steps")])
    '11 of 12'
    """
    could = [proof for proof in proofs if proof.about != QUOTIENTS]
    exact = sum(proof.count for proof in could if proof.kind == EVERY_D and proof.passed)
    return f"{exact} of {sum(proof.count for proof in could)}"


def _graded(grades: dict[str, int]) -> str:
    words = {
        grade: f"to {grade}" if grade[:1].isdigit() else "no claim" if grade == NONE else grade for grade in grades
    }
    if len(grades) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{count} {words[grade]}" for grade, count in grades.items())


def _many(count: int, about: str) -> str:
    if count == 1:
        # The first word that ends in an s is the noun: "gradients by difference quotients", "given equations".
        about = re.sub(r"ies\b|s\b", lambda ending: "y" if ending[0] == "ies" else "", about, count=1)
    return f"{count} {about}"
