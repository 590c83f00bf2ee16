"""SymPy expressions over rows: the alphabet, numbers for it, how large values get, and how a person writes them."""
