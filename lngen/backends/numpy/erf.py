"""The coefficients of erf, which NumPy lacks: polynomials fitted by mpmath, and how they were fitted.

For |x| <= 1, `erf(x) = x + x*P(x**2)`. Above, `erf(|x|) = 1 - exp(-x**2)*Q(w)`, where
`w = (1/(|x| + 2) - middle)/half` runs through -1 ... 1 while |x| runs from `top` to 1; beyond `top` the
result is 1. Both forms add a small correction to a value that is exact, so that little rounding is left: the
result is within 2 units in the last place. `fitted` makes the coefficients again, and a test compares.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath


@dataclass(frozen=True)
class ErfFit:
    """Coefficients for one type, the highest power first."""

    top: int
    small: tuple[float, ...]
    large: tuple[float, ...]

    @property
    def middle(self) -> float:
        """The middle of 1/(x + 2) over 1 <= x <= top."""
        return (1 / (self.top + 2) + 1 / 3) / 2

    @property
    def half(self) -> float:
        """Half the length of that interval."""
        return (1 / 3 - 1 / (self.top + 2)) / 2


def fitted(top: int, small: int, large: int) -> ErfFit:
    """Near-minimax polynomials (Chebyshev nodes, 40 digits) with so many coefficients."""
    with mpmath.workdps(40):
        low, high = mpmath.mpf(1) / (top + 2), mpmath.mpf(1) / 3
        middle, half = (low + high) / 2, (high - low) / 2

        def near(t: mpmath.mpf) -> mpmath.mpf:
            root = mpmath.sqrt(t)
            return (mpmath.erf(root) / root if t else 2 / mpmath.sqrt(mpmath.pi)) - 1

        def far(w: mpmath.mpf) -> mpmath.mpf:
            x = 1 / (middle + half * w) - 2
            return mpmath.exp(x * x) * mpmath.erfc(x)

        return ErfFit(
            top,
            tuple(float(c) for c in mpmath.chebyfit(near, [0, 1], small)),
            tuple(float(c) for c in mpmath.chebyfit(far, [-1, 1], large)),
        )


FLOAT32 = ErfFit(
    top=4,
    small=(
        7.875875062685488e-05,
        -0.000801686428716587,
        0.005189087423433974,
        -0.026854212010626412,
        0.11283594715160218,
        -0.37612626666720334,
        0.12837916584835093,
    ),
    large=(
        -1.1494861984942571e-06,
        -2.802938325549644e-05,
        4.607866369061166e-05,
        0.0029247520788123972,
        0.026850911280617798,
        0.1423953299228289,
        0.25539567631050575,
    ),
)
FLOAT64 = ErfFit(
    top=6,
    small=(
        -7.795898827002142e-10,
        1.3720064546777686e-08,
        -1.6208483801871705e-07,
        1.6447424703317362e-06,
        -1.492473690741966e-05,
        0.00012055294904839707,
        -0.0008548325975389692,
        0.0052239776071164225,
        -0.02686617064323777,
        0.11283791670945006,
        -0.37612638903183543,
        0.12837916709551256,
    ),
    large=(
        4.4133850329466983e-13,
        1.8386753405993422e-11,
        -7.45510449620631e-11,
        -2.6260417449824267e-10,
        2.6248030731791732e-09,
        -5.937642934649013e-10,
        -7.00535615043276e-08,
        1.6350179331888476e-07,
        1.9795619117948376e-06,
        -7.3405185545281365e-06,
        -8.079220427446309e-05,
        0.00019713917780504528,
        0.005588816281840148,
        0.03856057042517875,
        0.16189356804102498,
        0.22142954022993183,
    ),
)
