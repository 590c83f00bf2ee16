# Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
"""Each row divided by its Euclidean length. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "l2_norm_forward": "x, eps, out y, saved rstd, the rows, the features",
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "l2_norm_backward": "x, dy, saved rstd, out dx, the rows, the features",
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "l2_norm_jvp": "x, x_dot, saved rstd, out y_dot, the rows, the features",
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "l2_norm_backward_backward": (
                "x, dy, ddx, saved rstd, out dx, out ddy, the rows, the features"
            ),
        },
    ),
}
