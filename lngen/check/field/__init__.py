"""Kernels in exact arithmetic: numbers modulo a prime in the place of floating point, and loops as they are.

A result that is equal to that of the program's lines is equal as a polynomial: two different ones of degree d agree at
random numbers of 63 bits with a probability of d/2**63 (Schwartz, 1980; Zippel, 1979). There is no tolerance.

Comparisons go by an order of the numbers that has no meaning, and is the same on both sides. Rounding and casts are not
looked at. `processor` runs compiled kernels so, and `lngen.extensions.simt.field` those of CUDA on the emulator.
"""
