"""C++ backend: the mathematics of row programs as one text for GPUs and for processors."""
