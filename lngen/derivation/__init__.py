"""Derivation of a definition's gradients, every step recorded."""
