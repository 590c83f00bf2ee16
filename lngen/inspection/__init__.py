"""What the machine code of a layer's kernels says of their speed: registers, occupancy, instructions, the limit."""
