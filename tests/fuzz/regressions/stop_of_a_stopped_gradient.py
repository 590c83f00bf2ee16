from lngen.language import Feature, Row, exp, mean, sign, stop_gradient, sum


def layer(a: Row, w: Feature = 0.5):
    q = a / (sign(stop_gradient(stop_gradient(w))) ** 2 + 0.5)
    v = q - mean(q)
    return exp(v) / sum(exp(v))
