from lngen.language import Feature, Row, abs, index, maximum, mean, silu, sqrt, sum


def layer(x: Row, w: Feature):
    t = 0.3 * x * (1 + index())
    h = t / (abs(w) + 1)
    return (h / maximum(sqrt(sum(h**2)), 0.1) - silu(0.5 + (w + 0.1 * index()))) * (t / (mean(abs(t)) + 0.01) * 1.5)
