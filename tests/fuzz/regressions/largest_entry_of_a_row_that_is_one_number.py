from lngen.language import Row, Scalar, gelu, max


def layer(x: Row, alpha: Scalar = 0.5):
    zero = x - x
    return max(gelu(alpha - zero))
