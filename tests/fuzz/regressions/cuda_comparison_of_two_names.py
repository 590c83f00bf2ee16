from lngen.language import Feature, Row, where


def layer(z: Row, shift: Feature):
    return where(z > shift, 1, z)
