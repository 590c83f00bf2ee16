from lngen.language import Row, mean, sum


def layer(names: Row):
    atomic = ((sum(names) + sum(names) * mean(names)) ** 4) ** 2
    distance = names / names * (names - atomic)
    g_2 = mean(distance)
    return (g_2, distance)
