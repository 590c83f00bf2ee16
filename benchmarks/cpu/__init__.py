"""Cost of emitted NumPy code on this machine's processor, beside other implementations."""
