from lngen.language import D, Feature, Row, cos, expm1, maximum, mean, rsqrt, sign, sqrt, sum, where


def layer(query: Row, x: Feature = 1):
    inner = (((query - mean(query)) * rsqrt(mean(query**2) - mean(query) ** 2 + 0.01)) ** 4) ** (-1)
    return expm1((3 + sqrt(D)) * mean(maximum(sign(query / sqrt(sum(query**2) + 0.001)), 0.1) ** 0.5)) * cos(
        where(~(x == 0.1) & (x < 0.3), 0.001, inner)
    )
