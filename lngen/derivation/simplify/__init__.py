"""Simplification of the gradients to their shortest form, every step recorded."""

from lngen.derivation.simplify.gradients import derive

__all__ = ["derive"]
