from lngen.language import Row, rsqrt, silu, where


def layer(a: Row):
    root = silu(rsqrt(a))
    return where(0.7 == root, root, 1)
