"""Derivation of a definition's gradients, every step recorded.

Takes: a `Definition`.
Gives: a `Derivation`: equations of each direction, and a step with rule and reason for each change.
Knows nothing of: loops, memory, emitted code.
"""
