"""What the compiler says of a layer's kernels: registers, spills, shared memory, instructions, widths of accesses."""
