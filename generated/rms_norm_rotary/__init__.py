# Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
# definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
"""Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    RMSNormRotary,
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
    "RMSNormRotary",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
