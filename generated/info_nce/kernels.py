# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "info_nce_forward": (
                "similarity, positive, scale, out y, saved m, saved Z, the rows, "
                "the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(0, 1),
        kernels={
            "info_nce_backward": (
                "similarity, positive, dy, saved m, saved Z, scale, out dsimilarity, "
                "the workspace, the rows, the features"
            ),
            "info_nce_backward_columns": (
                "the workspace, the blocks, scale, out dscale, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "info_nce_jvp": (
                "similarity, positive, similarity_dot, saved m, saved Z, scale, "
                "scale_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(0, 1),
        kernels={
            "info_nce_backward_backward": (
                "similarity, positive, dy, ddsimilarity, saved m, saved Z, scale, "
                "ddscale, out dsimilarity, out ddy, the workspace, the rows, "
                "the features"
            ),
            "info_nce_backward_backward_columns": (
                "the workspace, the blocks, scale, ddscale, out dscale, the features"
            ),
        },
    ),
}
