"""Row programs of a derivation, one per direction, and their cost.

Takes: a `Derivation`.
Gives: a `Plan`: a `RowProgram` for each direction, with its saved values and its cost.
Knows nothing of: the text of any backend.
"""
