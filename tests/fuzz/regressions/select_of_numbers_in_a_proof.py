from lngen.language import D, Row, cos, maximum, silu, sqrt, sum


def layer(x: Row):
    h = 1 / maximum(cos(silu(1 / D)) - x * x * 0.5, 0.1)
    return sum(h) * sqrt(sum(h / maximum(sqrt(sum(h**2)), 0.1)))
