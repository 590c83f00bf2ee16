from lngen.language import Constant, Row, cos


def layer(key: Row, gain: Constant = 2):
    return cos(1.5 * key + (gain - 2))
