from lngen.language import D, Row, abs, cos, log1p, sqrt, where


def layer(tau: Row):
    last = tau / (D - 1)
    return (
        last
        - last / (abs(sqrt(abs(cos(-1 * 1.5 + log1p(1.5 + cos(tau)))) + 1)) + 1)
        - where((tau == last) | ~(1 >= 0.3), (D + 1) * 1, 1 - last)
    )
