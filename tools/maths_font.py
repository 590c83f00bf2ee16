"""The font of formulas on pages: a part of Latin Modern Math, small enough to stand in each of them.

`python -m tools.maths_font latinmodern-math.otf` writes `templates/html/maths.woff2`. It needs `fonttools[woff]`, and
the font as Debian's package fonts-lmodern has it. The part is called otherwise than the whole, as the licence asks.
"""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "lngen maths"
_TARGET = Path(__file__).parents[1] / "templates" / "html" / "maths.woff2"
_ASCII = range(0x20, 0x7F)
_GREEK = (*range(0x391, 0x3AA), *range(0x3B1, 0x3CA), *map(ord, "ϑϕϵϱϖϰ"))
# A browser takes the slanted letters of a formula from here.
_SLANTED = (*range(0x1D434, 0x1D468), ord("ℎ"), *range(0x1D6E2, 0x1D71C))
_SIGNS = tuple(map(ord, "∑√≤≥≠⋯⋅×⊙−∞ℓ∂∏∈→·±‖′″¯˙¨ˆ˜\u0302\u0303\u0304\u0307\u0308\u00a0"))


def write(source: Path, target: Path = _TARGET) -> None:
    """Write the part of the font `source` that formulas need, with the sizes of fences, roots and accents."""
    from fontTools import subset  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped,import-not-found,unused-ignore]

    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(flavor="woff2", layout_features=[], hinting=False, desubroutinize=True)
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    options.notdef_outline = True
    part = subset.Subsetter(options)
    part.populate(unicodes=[*_ASCII, *_GREEK, *_SLANTED, *_SIGNS])
    part.subset(font)
    for entry in font["name"].names:
        if entry.nameID in (1, 4, 6):
            entry.string = NAME.replace(" ", "-") if entry.nameID == 6 else NAME
    if "CFF " in font:
        font["CFF "].cff.fontNames = [NAME.replace(" ", "-")]
    font.flavor = "woff2"
    font.save(target)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
