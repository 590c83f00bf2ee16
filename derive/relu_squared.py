"""Square of the positive part.

So et al., 2021, arXiv:2109.08668 (section 3.1).
"""

from lngen.language import Row, relu


def relu_squared(x: Row):
    return relu(x) ** 2
