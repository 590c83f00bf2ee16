"""What compiles CUDA on this machine."""
