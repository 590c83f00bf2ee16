# Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has its steps, cost and evidence.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
"""The logarithm of a row's sum of exponentials, one number a row. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "logsumexp_forward": "x, out y, saved m, saved Z, the rows, the features",
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "logsumexp_backward": (
                "x, dy, saved m, saved Z, out dx, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "logsumexp_jvp": (
                "x, x_dot, saved m, saved Z, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "logsumexp_backward_backward": (
                "x, dy, ddx, saved m, saved Z, out dx, out ddy, the rows, the features"
            ),
        },
    ),
}
