from lngen.language import Row, sin


def layer(x: Row, a: Row):
    apart = a - x
    tenth = apart / 10
    return tenth + sin(x) * 0.001
