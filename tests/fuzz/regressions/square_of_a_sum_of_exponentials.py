from lngen.language import Feature, Int, Row, Scalar, exp, min, minimum, sum


def layer(t: Row, w: Row, key: Scalar = 1, z: Feature = -1, gain: Int[""] = 0):
    c = minimum(sum(w), key - sum(z))
    m = min(t - 0.3 * c * (1 + gain)) / sum(exp(t))
    return m
