"""Emitted text in exact arithmetic: numbers modulo a prime in the place of floating point, and loops as they are.

A result that is equal to that of the program's lines is equal as a polynomial: two different ones of degree d agree at
random numbers below p with a probability of d/p (Schwartz, 1980; Zippel, 1979). There is no tolerance. The prime has 63
bits for compiled text (`residues`), and 26 for that of NumPy (`arrays`), where many entries are compared.

Comparisons go by an order of the numbers that has no meaning, and is the same on both sides. Rounding and casts are not
looked at. `numpy_text` runs the text of NumPy so, `processor` compiled kernels, and `lngen.extensions.simt.field` those
of CUDA on the emulator.
"""
