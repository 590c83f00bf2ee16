# Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
# definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
"""Root-mean-square normalization with a scale and a shift for each sample."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    ModulatedRMSNorm,
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
    "Gradients",
    "ModulatedRMSNorm",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
