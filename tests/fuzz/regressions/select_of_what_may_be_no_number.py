from lngen.language import Row, rsqrt, silu, where


def layer(a: Row):
    root = silu(rsqrt(a))
    return where(root == 0.7, root, 1)
