"""Validation of emitted text: what a file computes, read back into algebra and shown equal to its program."""
