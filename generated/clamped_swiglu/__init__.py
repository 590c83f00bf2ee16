# Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
# definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
"""SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    ClampedSwiglu,
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
    "ClampedSwiglu",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
