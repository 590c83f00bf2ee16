from lngen.language import Constant, Feature, Row, RowScalar, Scalar, where


def layer(x: Row, z: Row, s: RowScalar, w: Feature = 1, t: Scalar = 2, c: Constant = 3):
    return x * where(w <= w, 4, w) + (z - z) + 0 * s + where(1 > 2, t, 1) + where(2 > 1, 0, c)
