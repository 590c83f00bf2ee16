"""From a definition to its gradients in their shortest form, every step recorded."""

from lngen.derivation.simplify.derive import derive

__all__ = ["derive"]
