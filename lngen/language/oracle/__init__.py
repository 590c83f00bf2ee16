"""The number types of the evaluator: floats that round as they should, the complex step, mpmath."""
