# Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
"""Each row divided by its mean fourth power, to the power 1/4. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "power_norm_forward": (
                "x, gamma, eps, out y, saved scale, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(1, 0),
        kernels={
            "power_norm_backward": (
                "x, dy, saved scale, gamma, out dx, the workspace, the rows, "
                "the features"
            ),
            "power_norm_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "power_norm_jvp": (
                "x, x_dot, saved scale, gamma, gamma_dot, out y_dot, the rows, "
                "the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "power_norm_backward_backward": (
                "x, dy, ddx, saved scale, gamma, ddgamma, out dx, out ddy, "
                "the workspace, the rows, the features"
            ),
            "power_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, out dgamma, the features"
            ),
        },
    ),
}
