# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
"""Residual addition, then root-mean-square normalization; the sum is the second output."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    AddRMSNorm,
    Gradients,
    Outputs,
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
    "AddRMSNorm",
    "Gradients",
    "Outputs",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
