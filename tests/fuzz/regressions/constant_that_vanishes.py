from lngen.language import Constant, Row, where


def layer(rstd: Row, z: Constant):
    return where(0.001 > 0.5, z, rstd)
