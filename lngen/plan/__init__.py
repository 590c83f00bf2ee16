"""A derivation becomes row programs, one per direction, and what they cost."""
