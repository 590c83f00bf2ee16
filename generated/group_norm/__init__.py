# Made by lngen 0.1.0 from the definition of group_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
"""Group normalization: each row is the channels of a group, with all that lies behind them."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    GroupNorm,
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
    "GroupNorm",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
