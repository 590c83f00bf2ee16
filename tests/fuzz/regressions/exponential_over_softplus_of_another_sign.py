from lngen.language import Feature, Row, Scalar, cos, exp, gelu, min, softplus, sqrt, sum, where


def layer(gain: Row, b: Feature, a: Scalar = -1):
    q = min(gain + 0.25)
    outer = exp(gain + gain) / softplus(q - q + gain * b)
    k = gelu(b)
    return where(k >= a * a, (outer - outer) / sum(exp(sqrt(1.5 + cos(k)))) - exp(k), outer)
