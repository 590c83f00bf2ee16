"""The coefficients of erf, which NumPy lacks: polynomials fitted by mpmath, and how they were fitted.

For |x| <= 1.5, `erf(x) = x + x*P(x**2 - 1.125)`. That is done for all entries; those beyond are few where they are
normal deviates over sqrt(2), as before a GELU, and are picked out: `erf(|x|) = 1 - exp(-x**2)*Q(w)`, where
`w = 1/(|x| + 2) - middle` runs through -half ... half while |x| runs from `top` to 1.5; beyond `top` the result is 1.

The variables of both polynomials are centred, so that no large terms cancel. (The derivatives of erf(sqrt(t))/sqrt(t)
alternate in sign: the terms of its expansion about the middle of an interval add up to no more than its value at the
lower end.) Both forms add a correction to a value that is exact: the result is within 2 units in the last place.
`fitted` makes the coefficients again, and a test compares.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath

LIMIT = 1.5
"""Up to where the first form is used."""

CENTRE = LIMIT**2 / 2
"""The middle of x**2 there."""


@dataclass(frozen=True)
class ErfFit:
    """Coefficients for one type, the highest power first."""

    top: int
    near: tuple[float, ...]
    far: tuple[float, ...]

    @property
    def middle(self) -> float:
        """The middle of 1/(x + 2) over LIMIT <= x <= top."""
        return (1 / (self.top + 2) + 1 / (LIMIT + 2)) / 2


def fitted(top: int, near: int, far: int) -> ErfFit:
    """Near-minimax polynomials (Chebyshev nodes, 40 digits) with so many coefficients."""
    with mpmath.workdps(40):
        low, high = mpmath.mpf(1) / (top + 2), 1 / (mpmath.mpf(LIMIT) + 2)
        middle, half = (low + high) / 2, (high - low) / 2

        def ratio(t: mpmath.mpf) -> mpmath.mpf:
            root = mpmath.sqrt(t + CENTRE)
            return (mpmath.erf(root) / root if root else 2 / mpmath.sqrt(mpmath.pi)) - 1

        def scaled_complement(w: mpmath.mpf) -> mpmath.mpf:
            x = 1 / (middle + w) - 2
            return mpmath.exp(x * x) * mpmath.erfc(x)

        return ErfFit(
            top,
            tuple(float(c) for c in mpmath.chebyfit(ratio, [-CENTRE, CENTRE], near)),
            tuple(float(c) for c in mpmath.chebyfit(scaled_complement, [-half, half], far)),
        )


FLOAT32 = ErfFit(
    top=4,
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
FLOAT64 = ErfFit(
    top=6,
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
