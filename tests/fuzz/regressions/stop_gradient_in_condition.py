from lngen.language import Row, gelu, mean, minimum, stop_gradient


def layer(r: Row):
    mu = 1.5 - r
    core = minimum(mean(gelu(mu)), stop_gradient(r * r)) * minimum(mu, r)
    return -mean(core * core)
