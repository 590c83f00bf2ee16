"""SymPy expressions over rows: the alphabet, numbers for it, how large values get, and how a person writes them.

Takes: SymPy expressions over rows.
Gives: symbols with axes, reductions, how values grow, notation for readers.
Knows nothing of: layers and directions.
"""
