"""Compilers of CUDA on this machine."""
