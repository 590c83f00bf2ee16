from lngen.language import D, Feature, Row, exp, maximum, mean, silu, sqrt, sum, where


def layer(state: Row, path: Feature = 0):
    ms = (mean(state) - sum(state)) * silu(sum(state)) - mean(path**3)
    g = state + 4
    Tile = sqrt(maximum(exp(g) * where(ms != 1 / D, ms, ms) - (g - mean(g)), 0.1))
    return (Tile, g, ms)
