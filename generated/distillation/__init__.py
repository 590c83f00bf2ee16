# Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
# Do not edit; edit distillation.py and run: lngen derive distillation.py
# definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
"""Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Distillation,
    Gradients,
    Saved,
    SecondGradients,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Distillation",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
