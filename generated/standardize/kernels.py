# Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
"""Rows of mean zero and unbiased variance one, without parameters. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "standardize_forward": (
                "x, eps, out y, saved mu, saved mu_residual, saved rstd, the rows, "
                "the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "standardize_backward": (
                "x, dy, saved mu, saved mu_residual, saved rstd, out dx, the rows, "
                "the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "standardize_jvp": (
                "x, x_dot, saved mu, saved mu_residual, saved rstd, out y_dot, "
                "the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "standardize_backward_backward": (
                "x, dy, ddx, saved mu, saved mu_residual, saved rstd, out dx, out ddy, "
                "the rows, the features"
            ),
        },
    ),
}
