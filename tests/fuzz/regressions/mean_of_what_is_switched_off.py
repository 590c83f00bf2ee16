from lngen.language import Row, cos, exp, mean, minimum, rsqrt, softplus, sum


def layer(t: Row):
    m = sum(1.5 * 2 * t**3)
    u = minimum(t, m)
    n = (u - mean(u)) * rsqrt(mean(u**2) - mean(u) ** 2 + 0.01) * (u / softplus(m) - (1.5 + t))
    outer = cos(minimum(exp(m), u))
    return (outer, n)
