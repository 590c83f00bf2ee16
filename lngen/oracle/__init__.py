"""The number types of the evaluator: floats that round as they should, complex steps, mpmath, fractions."""
