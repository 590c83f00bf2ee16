from lngen.language import Row, exp, min, sum


def layer(z: Row):
    mean_g = min(z) / z
    return exp(mean_g) / sum(exp(mean_g))
