"""Speed of a layer's kernels as read from their machine code: registers, occupancy, instructions, the limit."""
