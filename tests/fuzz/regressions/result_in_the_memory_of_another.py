from lngen.language import Array, D, erf, exp, maximum, mean, min, minimum, rsqrt, sum


def layer(w: Array["n t d"], s: Array["d"]):
    p = w * w
    last = rsqrt(mean(p**2, "d") + 1e-05)
    q = 3 + min(erf(s), "d") * ((s + s) / ((0.001 * 0.5) ** 2 + 0.5))
    c = w / sum(exp(maximum(s - s, minimum(q, D))), "d")
    return (c, p, last)
