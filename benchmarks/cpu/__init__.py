"""What emitted NumPy costs on this machine's processor, beside what others take for the same."""
