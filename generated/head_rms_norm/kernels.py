# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
"""Root-mean-square normalization of queries or keys, with a weight for each head. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "head_rms_norm_forward": (
                "x, weight, eps, out y, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "head_rms_norm_backward": (
                "x, weight, dy, saved rstd, out dx, out dweight, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "head_rms_norm_jvp": (
                "x, weight, x_dot, weight_dot, saved rstd, out y_dot, the rows, "
                "the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "head_rms_norm_backward_backward": (
                "x, weight, dy, ddx, ddweight, saved rstd, out dx, out dweight, "
                "out ddy, the rows, the features"
            ),
        },
    ),
}
