"""Arguments that are left out as types: what is computed of them alone is a number of the same kind."""

import subprocess

import pytest

from lngen.runtime import trust
from tests.requirements import gxx, needs_gxx

HEADER = """
#define LNGEN_INLINE inline
template <class C, class T> T select(C condition, T a, T b) { return condition ? a : b; }
#include "absence.h"
using namespace lngen;
template <class X, class Y> constexpr bool same = false;
template <class X> constexpr bool same<X, X> = true;
"""
RUNTIME = trust.__file__.rpartition("/")[0]


def compiles(statement: str) -> bool:
    command = [
        str(gxx()),
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{RUNTIME}/cpp",
        "-fsyntax-only",
        "-x",
        "c++",
    ]
    done = subprocess.run([*command, "-"], input=HEADER + statement, text=True, capture_output=True, check=False)
    return done.returncode == 0


@needs_gxx
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("One() / Fixed<2>()", "Fixed<1, 2>"),
        ("Fixed<-4>() / Fixed<2>()", "Fixed<-2>"),
        ("Fixed<4>() / Fixed<-6>()", "Fixed<-2, 3>"),
        ("Fixed<-1>() / Fixed<-3>()", "Fixed<1, 3>"),
        ("Fixed<1, 2>() + Fixed<1, 3>()", "Fixed<5, 6>"),
        ("Fixed<1, 2>() + Fixed<1, 2>()", "One"),
        ("Fixed<1, 2>() - Fixed<1, 2>()", "Zero"),
        ("Fixed<2>() * Fixed<1, 2>()", "One"),
        ("-Fixed<1, 2>()", "Fixed<-1, 2>"),
        # What no result uses is divided by what is not computed.
        ("Zero() / Zero()", "Zero"),
        ("One() / Zero()", "Zero"),
    ],
)
def test_numbers_that_are_known_are_computed_as_types(expression: str, value: str) -> None:
    assert compiles(f"static_assert(same<decltype({expression}), {value}>);")
    assert not compiles(f"static_assert(same<decltype({expression}), Fixed<17>>);")


@needs_gxx
def test_a_known_number_beside_another_is_of_the_other_s_type() -> None:
    assert compiles("static_assert(same<decltype(1.0f * Fixed<1, 2>()), float> && 3.0f * Fixed<1, 2>() == 1.5f);")


@needs_gxx
def test_a_result_beyond_the_terms_of_a_stage_is_refused() -> None:
    assert compiles("float f(Found<float, 3, 2> found) { return get<1>(found); }")
    assert not compiles("auto f(Found<float, 1, 1> found) { return get<1>(found); }")
