"""A derivation becomes row programs, one a direction, and what they cost."""
