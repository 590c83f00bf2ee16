from lngen.language import Feature, Row, mean, rsqrt


def layer(x: Row, gain: Feature = 0):
    c = x - mean(x)
    y = gain * c * rsqrt(mean(c**2) + 0.01)
    return (y, c)
