# Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit geglu.py and run: lngen derive geglu.py
# definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
"""Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Geglu,
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
    "Geglu",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
