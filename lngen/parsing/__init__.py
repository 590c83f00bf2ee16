"""Text to a definition: syntax tree, expressions, constant folding, the smallest legal D."""
