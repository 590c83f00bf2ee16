# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
"""Rotary position embedding: both halves of a row are turned by the angle of their position. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "rotary_forward": (
                "a, b, cosine, sine, out y_0, out y_1, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "rotary_backward": (
                "cosine, sine, dy_0, dy_1, out da, out db, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "rotary_jvp": (
                "cosine, sine, a_dot, b_dot, out y_0_dot, out y_1_dot, the rows, "
                "the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "rotary_backward_backward": (
                "cosine, sine, dy_0, dy_1, dda, ddb, out da, out db, out ddy_0, "
                "out ddy_1, the rows, the features"
            ),
        },
    ),
}
