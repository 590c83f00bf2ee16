"""Numbers modulo a prime: exact ones, and the same in Python and in C++."""

from __future__ import annotations

import ctypes
import subprocess

import pytest
import sympy

from lngen.checks.field.calls import HEADER
from lngen.checks.field.residues import ModularArithmetic, P, Residue
from tests.requirements import gxx, needs_gxx

TEXT = """
#include "numbers.h"
using lngen_field::Number;
extern "C" unsigned long long of(double value) { return Number(value).v; }
extern "C" unsigned long long quotient(unsigned long long a, unsigned long long b) { return (Number(a) / Number(b)).v; }
extern "C" unsigned long long function(unsigned long long u) { return (exp(Number(u)) - erf(Number(u))).v; }
extern "C" unsigned long long power(unsigned long long u, double w) { return pow(Number(u), Number(w)).v; }
"""
NUMBERS = (0.0, 1.0, -1.0, 0.01, -2.5, 1 / 3, 2**0.5, 2.0**-24, 1e-5, 1e-40, 1e17, 1e38, -1e38, 1e300)


@pytest.mark.ci
def test_numbers_are_exact():
    assert Residue.of(0.01) * 100 == 1
    assert Residue.of(-2.5) * 2 == -5
    assert Residue.of(-(10**38)) == Residue.of(-1e38) == 1
    assert Residue.of(sympy.sqrt(2)) == Residue.of(2**0.5)
    assert Residue.of(sympy.sqrt(2)) * Residue.of(sympy.sqrt(2)) != 2


@needs_gxx
@pytest.mark.ci
def test_numbers_are_the_same_in_both_languages(tmp_path):
    command = [str(gxx()), "-std=c++17", "-fPIC", "-shared", f"-I{HEADER.parent}", "-x", "c++", "-", "-o", "made.so"]
    subprocess.run(command, input=TEXT, text=True, check=True, cwd=tmp_path)
    library = ctypes.CDLL(str(tmp_path / "made.so"))
    for name in ("of", "quotient", "function", "power"):
        getattr(library, name).restype = ctypes.c_uint64
    for value in NUMBERS:
        assert library.of(ctypes.c_double(value)) == Residue.of(value).v, value
    arithmetic, word = ModularArithmetic(), ctypes.c_uint64
    for u in (0, 1, 5, P - 1, 0x123456789ABCDEF):
        number = Residue(u)
        assert library.quotient(word(u), word(7)) == (number / 7).v
        assert library.function(word(u)) == (arithmetic.apply("exp", number) - arithmetic.apply("erf", number)).v
        assert library.power(word(u), ctypes.c_double(0.3)) == arithmetic.raised(number, 0.3).v
