# SPDX-License-Identifier: MIT
"""Functions of one number that NumPy lacks, on arrays of any shape, in float32, float64 and longdouble."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def sigmoid(u: Array, out: Array | None = None) -> Array:
    """1/(1 + exp(-u)); where exp(-u) is infinite, its reciprocal is the right 0."""
    with np.errstate(over="ignore"):
        below = np.add(np.exp(np.negative(u, out=out), out=out), 1.0, out=out)
    return np.divide(1.0, below, out=out)


def softplus(u: Array, out: Array | None = None) -> Array:
    """log(1 + exp(u)), without overflow."""
    return np.logaddexp(u, 0.0, out=out)


class ErfFit(NamedTuple):
    """The polynomials of erf for one type, coefficients of the highest power first."""

    top: int
    """Argument from which the result rounds to 1."""

    middle: float
    """Value of 1/(|x| + 2) in the middle of the range of `far`."""

    near: tuple[float, ...]
    far: tuple[float, ...]


ERF_LIMIT = 1.5
"""Up to where erf(x) is x + x*P(x**2 - ERF_CENTRE)."""

ERF_CENTRE = ERF_LIMIT**2 / 2
"""The middle of x**2 there: about it no large terms of the polynomial cancel."""

ERF_FLOAT32 = ErfFit(
    top=4,
    middle=0.22619047619047616,
    near=(
        6.205873060404022e-07,
        -5.743587953751249e-06,
        4.58739438052091e-05,
        -0.0003336776807077745,
        0.002113284028803979,
        -0.01143929907610633,
        0.052076083521700726,
        -0.20022448077852753,
        -0.1831638252160808,
    ),
    far=(
        -6.405750234248778,
        1.73975578098436,
        4.924012026208114,
        3.509726701422565,
        1.5331562609733602,
        0.21683534919618572,
    ),
)
ERF_FLOAT64 = ErfFit(
    top=6,
    middle=0.20535714285714285,
    near=(
        1.5889546007818838e-13,
        -2.4075144884490414e-12,
        3.3348513684153505e-11,
        -4.380817997617544e-10,
        5.3236115921634245e-09,
        -5.943647517532254e-08,
        6.052458308324918e-07,
        -5.57194417152782e-06,
        4.588856069743332e-05,
        -0.0003338413250436483,
        0.002113278881814353,
        -0.011439241436458074,
        0.05207608401055205,
        -0.2002244862536007,
        -0.1831638252160808,
    ),
    far=(
        -756.4838289414425,
        48.56125999652139,
        188.87577802369916,
        -52.01564857347395,
        -41.98814669454468,
        21.697159694581213,
        11.663614665435107,
        -7.983735302592422,
        -5.600510081335931,
        2.403055202532812,
        4.749528866731571,
        3.207108885781873,
        1.3932609618792846,
        0.186373736649343,
    ),
)


def erf(x: Array, out: Array | None = None) -> Array:
    """The error function, within 2 ulp in float32 and float64, to 1e-16 in longdouble.

    x + x*P(x**2 - ERF_CENTRE) for |x| <= ERF_LIMIT. Entries beyond that, few where they are normal deviates, are
    picked out: 1 - exp(-x**2)*Q(w) with w linear in 1/(|x| + 2). P and Q are near-minimax. `out` is not x.
    """
    x = np.asarray(x)
    t, out = np.empty_like(x), np.empty_like(x) if out is None else out
    top, middle, near, far = ERF_FLOAT32 if x.dtype == np.float32 else ERF_FLOAT64
    np.minimum(np.absolute(x, out=t), ERF_LIMIT, out=t)
    np.subtract(np.square(t, out=t), ERF_CENTRE, out=t)
    _polynomial(near, t, out)
    with np.errstate(invalid="ignore"):  # an infinite x, which is beyond
        np.add(np.multiply(out, x, out=out), x, out=out)
    beyond = np.flatnonzero(np.greater(np.absolute(x, out=t), ERF_LIMIT))
    if beyond.size:
        signed = x.take(beyond)
        size = np.minimum(np.absolute(signed), top)
        w = 1.0 / (size + 2.0) - middle
        scaled = _polynomial(far, w, np.empty_like(w))
        out.put(beyond, np.copysign(1.0 - np.exp(-(size**2)) * scaled, signed))
    return out


def _polynomial(coefficients: Sequence[float], x: Array, out: Array) -> Array:
    """A polynomial by Horner's scheme, the highest power first."""
    first, second, *others = coefficients
    np.add(np.multiply(x, first, out=out), second, out=out)
    for coefficient in others:
        np.add(np.multiply(out, x, out=out), coefficient, out=out)
    return out
