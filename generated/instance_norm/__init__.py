# Made by lngen 0.1.0 from the definition of instance_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
# definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
"""Instance normalization: each row is one channel of one sample."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    InstanceNorm,
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
    "InstanceNorm",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
