from lngen.language import Array, D


def layer(query: Array["n ... d"]):
    return (D - 1) / (query + 0.5)
