from lngen.language import Row, exp, log, mean


def layer(x: Row):
    m = mean(exp(x) ** 3)
    return exp(x) ** (-5) * m + log(m)
