# Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
# Do not edit; edit tvd.py and run: lngen derive tvd.py
# definition sha256:19ac4ec7bf4f3132606617eab619a4775839151a35595d1e2e232bc8d3477cbe
"""Total variation distance of a teacher's and a student's softmax, one number a row."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    TVD,
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
    "TVD",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
