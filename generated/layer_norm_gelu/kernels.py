# Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
"""Layer normalization, then the Gaussian error linear unit. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "layer_norm_gelu_forward": (
                "x, gamma, beta, eps, out y, saved mu, saved mu_residual, saved rstd, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(2, 0),
        kernels={
            "layer_norm_gelu_backward": (
                "x, dy, saved mu, saved mu_residual, saved rstd, gamma, beta, out dx, "
                "the workspace, the rows, the features"
            ),
            "layer_norm_gelu_backward_columns": (
                "the workspace, the blocks, gamma, beta, out dgamma, out dbeta, "
                "the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "layer_norm_gelu_jvp": (
                "x, x_dot, saved mu, saved mu_residual, saved rstd, gamma, beta, "
                "gamma_dot, beta_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(2, 0),
        kernels={
            "layer_norm_gelu_backward_backward": (
                "x, dy, ddx, saved mu, saved mu_residual, saved rstd, gamma, beta, "
                "ddgamma, ddbeta, out dx, out ddy, the workspace, the rows, "
                "the features"
            ),
            "layer_norm_gelu_backward_backward_columns": (
                "the workspace, the blocks, gamma, beta, ddgamma, ddbeta, out dgamma, "
                "out dbeta, the features"
            ),
        },
    ),
}
