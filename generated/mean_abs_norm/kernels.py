# Made by lngen 0.1.0 from the definition of mean_abs_norm.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 9 flops per row element; backward 3 row tensors (2 read, 1 written), 18 flops per row element.
# Evidence: 1 output, 10 steps, 32 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
"""Centred rows divided by their mean absolute deviation. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "mean_abs_norm_forward": (
                "x, gamma, beta, eps, out y, saved mu, saved mu_residual, saved scale, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(2, 0),
        kernels={
            "mean_abs_norm_backward": (
                "x, dy, saved mu, saved mu_residual, saved scale, gamma, out dx, "
                "the workspace, the rows, the features"
            ),
            "mean_abs_norm_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, out dbeta, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "mean_abs_norm_jvp": (
                "x, x_dot, saved mu, saved mu_residual, saved scale, gamma, gamma_dot, "
                "beta_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "mean_abs_norm_backward_backward": (
                "x, dy, ddx, saved mu, saved mu_residual, saved scale, gamma, ddgamma, "
                "ddbeta, out dx, out ddy, the workspace, the rows, the features"
            ),
            "mean_abs_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, ddbeta, out dgamma, "
                "out dbeta, the features"
            ),
        },
    ),
}
