from lngen.language import Array, Data, abs, cos, mean, rsqrt, softplus


def layer(w: Array["n c ..."], a: Data["..."], s: Array["n c ..."]):
    q = w / (s**4 / (mean((a + 4) ** 2, "...") + 1e-05) / (1.5 + cos(mean(abs(a), "..."))) + 1)
    return rsqrt(softplus(q))
