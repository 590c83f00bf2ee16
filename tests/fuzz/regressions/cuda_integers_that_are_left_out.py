from lngen.language import Array, Int


def layer(x: Array["n ... d"], tau: Int["n ..."] = 0):
    return x * tau
