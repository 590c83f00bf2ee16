# Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
"""Softmax over the feature axis."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Saved,
    SecondGradients,
    Softmax,
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
    "Softmax",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
