from lngen.language import Row, log, maximum, mean, sqrt


def layer(key: Row):
    return maximum(key, sqrt(log(mean(key) + 1e-05)))
