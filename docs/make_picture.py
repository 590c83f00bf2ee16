"""Make docs/page.png, the picture in README: the page of a layer as Chromium shows it. Needs the extra `browser`.

python docs/make_picture.py
"""

import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import lngen

PICTURE = Path(__file__).with_name("page.png")
SIZE = {"width": 1120, "height": 900}
OPEN = (16, 17)
SHADES = 48


def main():
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as browsers:
        page = Path(folder) / "page.html"
        page.write_text(lngen.derive("layer_norm").page(), encoding="utf-8")
        browser = browsers.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        shown = browser.new_page(viewport=SIZE)
        shown.goto(page.as_uri())
        for step in OPEN:
            shown.locator(f"#step-{step} summary").first.click()
        shown.locator(f"#step-{OPEN[0] - 1}").evaluate("step => step.scrollIntoView()")
        shown.locator(f"#step-{OPEN[-1]} [data-name=xhat]").last.hover()
        shown.wait_for_timeout(500)
        shown.screenshot(path=PICTURE)
    # Text on a plain ground needs few shades.
    Image.open(PICTURE).convert("RGB").quantize(SHADES).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
