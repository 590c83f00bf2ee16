"""Fit of the polynomials of `lngen/runtime/native/simd_functions.h`.

    python -m tests.runtime.native.simd_fits

prints them as they stand in the header, with the error of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import mpmath
import numpy as np
from mpmath import mpf

Real = Callable[[mpf], mpf]


class Fit(NamedTuple):
    """A polynomial of `count` coefficients that is nearest to `function` from `low` to `high`, times `weight`."""

    name: str
    function: Real
    weight: Real
    low: float
    high: float
    count: dict[str, int]
    """Number of coefficients by the type of the numbers: f32 or f64."""


def fitted(fit: Fit, count: int, points: int = 400) -> tuple[list[mpf], mpf]:
    """Return the coefficients in ascending order, by Remez's exchange on Chebyshev's nodes, and the largest error."""
    with mpmath.workdps(60):
        middle, half = (mpf(fit.high) + mpf(fit.low)) / 2, (mpf(fit.high) - mpf(fit.low)) / 2
        grid = [middle - half * mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * points)) for i in range(points)]
        values, weights = [fit.function(x) for x in grid], [fit.weight(x) for x in grid]
        chosen = [round((points - 1) * (1 - float(mpmath.cos(mpmath.pi * i / count))) / 2) for i in range(count + 1)]
        for _ in range(40):
            rows = [[grid[i] ** k for k in range(count)] + [(-1) ** j / weights[i]] for j, i in enumerate(chosen)]
            solution = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix([values[i] for i in chosen]))
            coefficients = list(solution)[:count]
            errors = [
                w * (v - mpmath.polyval(coefficients[::-1], x)) for x, v, w in zip(grid, values, weights, strict=True)
            ]
            extremes: list[int] = []
            for i, error in enumerate(errors):
                if extremes and (error > 0) == (errors[extremes[-1]] > 0):
                    if abs(error) > abs(errors[extremes[-1]]):
                        extremes[-1] = i
                else:
                    extremes.append(i)
            while len(extremes) > count + 1:
                extremes.pop(0 if abs(errors[extremes[0]]) < abs(errors[extremes[-1]]) else -1)
            if len(extremes) < count + 1 or extremes == chosen:
                break
            chosen = extremes
        return coefficients, max(map(abs, errors))


def _one(_: mpf) -> mpf:
    return mpf(1)


# A quarter of a per cent beyond where rounding the multiple of log(2) or pi/2 leads.
_EXP, _TURN, _LOG = 0.3475, 0.80, 0.02945
_TANH = 0.55
ERF = {"f32": 0.95, "f64": 1.0}

FITS = [
    # (exp(r) - 1 - r)/r**2, by what it adds to exp(r)
    Fit(
        "exp",
        lambda r: (mpmath.expm1(r) - r) / r**2,
        lambda r: r**2 / mpmath.exp(r),
        -_EXP,
        _EXP,
        {"f32": 5, "f64": 10},
    ),
    # (log((1 + s)/(1 - s)) - 2*s)/s**3 in s**2
    Fit(
        "log",
        lambda z: (2 * mpmath.atanh(mpmath.sqrt(z)) / mpmath.sqrt(z) - 2) / z,
        lambda z: z / 2,
        0,
        _LOG,
        {"f32": 3, "f64": 7},
    ),
    # (sin(r) - r)/r**3 and (cos(r) - 1 + r**2/2)/r**4 in r**2
    Fit(
        "sin",
        lambda z: (mpmath.sin(mpmath.sqrt(z)) / mpmath.sqrt(z) - 1) / z,
        lambda z: z,
        0,
        _TURN**2,
        {"f32": 3, "f64": 6},
    ),
    Fit(
        "cos",
        lambda z: (mpmath.cos(mpmath.sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2,
        0,
        _TURN**2,
        {"f32": 3, "f64": 6},
    ),
    # (tanh(x) - x)/x**3 in x**2
    Fit(
        "tanh",
        lambda s: (mpmath.tanh(mpmath.sqrt(s)) / mpmath.sqrt(s) - 1) / s,
        lambda s: s * mpmath.sqrt(s) / mpmath.tanh(mpmath.sqrt(s)),
        0,
        _TANH**2 * 1.001,
        {"f32": 5, "f64": 11},
    ),
    # erf(x)/x - 1 in x**2
    *(
        Fit(
            "erf near 0",
            lambda s: mpmath.erf(mpmath.sqrt(s)) / mpmath.sqrt(s) - 1,
            _one,
            0,
            ERF[dtype] ** 2 * 1.001,
            {dtype: count},
        )
        for dtype, count in {"f32": 7, "f64": 12}.items()
    ),
    # -log(erfc(x))
    *(
        Fit(
            "erf beyond",
            lambda x: -mpmath.log(mpmath.erfc(x)),
            mpmath.erfc,
            ERF[dtype] * 0.999,
            {"f32": 4.0, "f64": 6.0}[dtype],
            {dtype: count},
        )
        for dtype, count in {"f32": 7, "f64": 18}.items()
    ),
]

_TYPES = {"f32": np.float32, "f64": np.float64}


def printed(fit: Fit, dtype: str) -> tuple[str, float]:
    """Return the coefficients as in the header, and the error in halves of a unit in the last place of 1."""
    coefficients, error = fitted(fit, fit.count[dtype])
    text = ", ".join(str(_TYPES[dtype](float(c))) + "f" * (dtype == "f32") for c in coefficients)
    return text, float(error) * 2.0 ** (np.finfo(_TYPES[dtype]).nmant + 1)


if __name__ == "__main__":
    for fit in FITS:
        for dtype in fit.count:
            text, error = printed(fit, dtype)
            print(f"{fit.name} {dtype}: {error:.3g}")
            print("   ", text)
