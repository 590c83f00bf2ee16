from lngen.language import D, Row, abs, cos, expm1, maximum, mean, minimum, rsqrt, softplus, sum, tanh, where


def layer(query: Row):
    u = minimum(query, query) / (abs(query + (D + 1)) + 1)
    c = rsqrt(1.5 + cos(maximum(1 / (D - 1), 2))) * sum(where(u > 0.1, u, u)) / (mean(tanh(u) ** 4) + 0.1)
    q = abs(u * c)
    inner = maximum(c, q)
    return sum(-1 * inner) + expm1(0.001) / softplus(c + c)
