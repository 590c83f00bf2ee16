"""Row programs of a derivation, one per direction, and their cost."""
