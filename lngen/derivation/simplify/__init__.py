"""Simplification of the gradients to their shortest form, every step recorded."""

from lngen.derivation.simplify.derive import derive

__all__ = ["derive"]
