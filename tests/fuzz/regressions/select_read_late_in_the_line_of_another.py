from lngen.language import D, Row, Scalar, cos, gelu, max, maximum, mean, sum, where


def layer(s: Row, t: Scalar):
    f = D + s
    return where(D < 1.4, t, t) - 3 / (1.5 + cos(t)) * (mean(f) * maximum(sum(f) / t, sum(f)) - gelu(max(f) * t))
