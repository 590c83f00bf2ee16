# Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit dpo.py and run: lngen derive dpo.py
# definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
"""Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Dpo,
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
    "Dpo",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
