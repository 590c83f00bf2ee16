# Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
"""The logarithm of softmax over the feature axis. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "log_softmax_forward": "x, out y, saved m, saved Z, the rows, the features",
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "log_softmax_backward": (
                "x, dy, saved m, saved Z, out dx, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "log_softmax_jvp": (
                "x, x_dot, saved m, saved Z, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "log_softmax_backward_backward": (
                "x, dy, ddx, saved m, saved Z, out dx, out ddy, the rows, the features"
            ),
        },
    ),
}
