"""A derivation as a file for Lean 4: its values as definitions, its proved steps as theorems (`docs/lean.md`)."""
