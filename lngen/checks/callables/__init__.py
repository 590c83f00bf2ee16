"""Check of a function that lngen has not written against a definition.

Takes: a `Plan`, and a function or a module of PyTorch, a function of JAX, or one of NumPy with its backward.
Gives: a `Report`, by the claims to which lngen's own backends are held.
Knows nothing of: how the function computes; only what it takes and what it returns.
"""
