from lngen.language import Feature, Row, RowScalar, cos, exp, log, max, sin, sqrt, sum


def layer(x: Row, b: RowScalar = -1, query: Feature = -1):
    p = query * query * x * x
    inner = exp(p - max(p)) / sum(exp(p - max(p)))
    right = sin(b)
    outer = inner + right
    v = outer / sqrt(sum(outer**2) + 0.001)
    m = log(1.5 + cos(v))
    return m
