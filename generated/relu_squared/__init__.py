# Made by lngen 0.1.0 from the definition of relu_squared; derivation.md has its steps, cost and evidence.
# Do not edit; edit relu_squared.py and run: lngen derive relu_squared.py
# definition sha256:1f4d0bba06106d2d5bde084978ce875d350faebb4f3e03c44c88b41f8d56b117
"""Square of the positive part."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    ReluSquared,
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
    "ReluSquared",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
