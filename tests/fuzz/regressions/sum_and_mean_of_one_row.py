from lngen.language import D, Row, exp, max, maximum, mean, minimum, sqrt, sum, where


def layer(b: Row):
    inner = b * b
    m = where(sum(inner) != (D + 1) / exp(mean(inner)), max(inner) + minimum(0.5, 1 / D), 3)
    last = (inner - mean(inner)) / sqrt(mean((inner - mean(inner)) ** 2) + 1e-05)
    return (last - mean(last)) / sqrt(mean((last - mean(last)) ** 2) + 1e-05) + maximum(m, 0.1) ** (-0.75)
