# Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
"""Softmax over the feature axis. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={"softmax_forward": "x, out y, the rows, the features"},
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={"softmax_backward": "y, dy, out dx, the rows, the features"},
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={"softmax_jvp": "y, x_dot, out y_dot, the rows, the features"},
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "softmax_backward_backward": (
                "y, dy, ddx, out dx, out ddy, the rows, the features"
            ),
        },
    ),
}
