"""Row programs of a derivation, one per direction, and their cost.

Takes: a `Derivation`.
Gives: a `RowProgram` for each direction, every algebraic pass applied, and its cost.
Knows nothing of: the text of any backend.
"""
