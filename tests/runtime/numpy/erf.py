"""Fit of the coefficients of erf in `lngen.runtime.numpy.functions`."""

from __future__ import annotations

import mpmath

from lngen.runtime.numpy.functions import ERF_CENTRE, ERF_LIMIT, ErfFit


def fitted(top: int, near: int, far: int) -> ErfFit:
    """Near-minimax polynomials (Chebyshev nodes, 40 digits) with so many coefficients.

    `near` is of erf(x)/x - 1 in x**2 - ERF_CENTRE, `far` of exp(x**2)*erfc(x) in 1/(x + 2) less its middle while x runs
    from ERF_LIMIT to `top`. (The derivatives of erf(sqrt(t))/sqrt(t) alternate in sign: the terms of its expansion at
    the middle of an interval add up to no more than its value at the lower end.)
    """
    middle = (1 / (top + 2) + 1 / (ERF_LIMIT + 2)) / 2
    with mpmath.workdps(40):
        low, high = mpmath.mpf(1) / (top + 2), 1 / (mpmath.mpf(ERF_LIMIT) + 2)
        centre, half = (low + high) / 2, (high - low) / 2

        def ratio(t: mpmath.mpf) -> mpmath.mpf:
            root = mpmath.sqrt(t + ERF_CENTRE)
            return (mpmath.erf(root) / root if root else 2 / mpmath.sqrt(mpmath.pi)) - 1

        def scaled_complement(w: mpmath.mpf) -> mpmath.mpf:
            x = 1 / (centre + w) - 2
            return mpmath.exp(x * x) * mpmath.erfc(x)

        return ErfFit(
            top,
            middle,
            tuple(float(c) for c in mpmath.chebyfit(ratio, [-ERF_CENTRE, ERF_CENTRE], near)),
            tuple(float(c) for c in mpmath.chebyfit(scaled_complement, [-half, half], far)),
        )
