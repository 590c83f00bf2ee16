from lngen.language import Feature, Row, mean, softplus


def layer(a: Row, xhat: Feature, g: Feature = 0):
    p = mean(a) * -a * (xhat / (mean(xhat**4) + 0.1) * (g / softplus(xhat)))
    return p
