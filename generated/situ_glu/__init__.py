# Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
# Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
# definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
"""Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Saved,
    SecondGradients,
    SituGlu,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Gradients",
    "Saved",
    "SecondGradients",
    "SituGlu",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
