# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "batch_norm_forward": (
                "x, gamma, beta, eps, out y, out mu, out var, saved mu_saved, "
                "saved mu_residual, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "batch_norm_backward": (
                "x, gamma, dy, dmu, dvar, saved mu_saved, saved mu_residual, "
                "saved rstd, out dx, out dgamma, out dbeta, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "batch_norm_jvp": (
                "x, gamma, x_dot, gamma_dot, beta_dot, saved mu_residual, saved rstd, "
                "out y_dot, out mu_dot, out var_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "batch_norm_backward_backward": (
                "x, gamma, dy, dmu, dvar, ddx, ddgamma, ddbeta, saved mu_residual, "
                "saved rstd, out dx, out dgamma, out dbeta, out ddy, out ddmu, "
                "out ddvar, the rows, the features"
            ),
        },
    ),
}
