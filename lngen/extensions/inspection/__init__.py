"""Facts that the compiler lists of kernels: registers, spills, shared memory, instructions, widths of accesses."""
