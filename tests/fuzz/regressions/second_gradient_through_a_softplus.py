from lngen.language import Row, abs, max, softplus


def layer(storage: Row):
    u = storage / softplus(storage)
    here = u / (max(abs(u)) + 0.1)
    return (here, u)
