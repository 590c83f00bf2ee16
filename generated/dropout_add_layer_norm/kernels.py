# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
"""Dropout, residual addition, then layer normalization; the sum is the second output. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "dropout_add_layer_norm_forward": (
                "x, residual, seed, gamma, beta, p, eps, out y, out h, saved mu, "
                "saved mu_residual, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(2, 0),
        kernels={
            "dropout_add_layer_norm_backward": (
                "h, dy, dh, saved mu, saved mu_residual, saved rstd, seed, gamma, p, "
                "out dx, out dresidual, the workspace, the rows, the features"
            ),
            "dropout_add_layer_norm_backward_columns": (
                "the workspace, the blocks, seed, gamma, p, out dgamma, out dbeta, "
                "the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "dropout_add_layer_norm_jvp": (
                "h, x_dot, residual_dot, saved mu, saved mu_residual, saved rstd, "
                "seed, gamma, p, gamma_dot, beta_dot, out y_dot, out h_dot, the rows, "
                "the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "dropout_add_layer_norm_backward_backward": (
                "h, dy, dh, ddx, ddresidual, saved mu, saved mu_residual, saved rstd, "
                "seed, gamma, p, ddgamma, ddbeta, out dx, out dresidual, out ddy, "
                "out ddh, the workspace, the rows, the features"
            ),
            "dropout_add_layer_norm_backward_backward_columns": (
                "the workspace, the blocks, seed, gamma, p, ddgamma, ddbeta, "
                "out dgamma, out dbeta, the features"
            ),
        },
    ),
}
