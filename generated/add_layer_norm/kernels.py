# Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
"""Residual addition, then layer normalization; the sum is the second output. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "add_layer_norm_forward": (
                "x, residual, gamma, beta, eps, out y, out h, saved mu, "
                "saved mu_residual, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(2, 0),
        kernels={
            "add_layer_norm_backward": (
                "h, dy, dh, saved mu, saved mu_residual, saved rstd, gamma, out dx, "
                "out dresidual, the workspace, the rows, the features"
            ),
            "add_layer_norm_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, out dbeta, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "add_layer_norm_jvp": (
                "h, x_dot, residual_dot, saved mu, saved mu_residual, saved rstd, "
                "gamma, gamma_dot, beta_dot, out y_dot, out h_dot, the rows, "
                "the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "add_layer_norm_backward_backward": (
                "h, dy, dh, ddx, ddresidual, saved mu, saved mu_residual, saved rstd, "
                "gamma, ddgamma, ddbeta, out dx, out dresidual, out ddy, out ddh, "
                "the workspace, the rows, the features"
            ),
            "add_layer_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, ddbeta, out dgamma, "
                "out dbeta, the features"
            ),
        },
    ),
}
