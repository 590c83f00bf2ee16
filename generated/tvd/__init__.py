# Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
# Do not edit; edit tvd.py and run: lngen derive tvd.py
# definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
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
