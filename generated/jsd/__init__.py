# Made by lngen 0.1.0 from the definition of jsd; derivation.md has its steps, cost and evidence.
# Do not edit; edit jsd.py and run: lngen derive jsd.py
# definition sha256:b28d007ce999de73cc9db154c53ebf5b3ccf610eafe7fdebb5114df4ab0d0ea6
"""Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    JSD,
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
    "JSD",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
