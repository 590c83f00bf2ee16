"""The page of a layer as text: whole, of one file, escaped, and never two things under one name."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

import lngen
from lngen.cli import app as cli
from lngen.extensions.page.page import fragment, page
from lngen.extensions.page.site import site
from lngen.language.parsing import parse
from lngen.pipeline.stages import derived
from tests.shipped import sampled, shipped

KILOBYTES = 700
"""Limit of a page. The font takes 45 of it, and formulas of the second order half."""

ATTACK = '''
"""</title><script>alert(1)</script> & <img src=x onerror=alert(2)> "quoted" {{ 7*7 }} {% raw %}

<b>second</b> paragraph' onmouseover='alert(3)
"""
from lngen.language import Row, Feature, mean


def script(x: Row, onload: Feature = 1, constructor: Feature = 0):
    """</code></pre><script>alert(4)</script><!-- -->"""
    # </code></pre><script>alert(5)</script>
    toString = mean(x)
    y = onload * (x - toString) + constructor
    return y
'''


def run(*arguments):
    return CliRunner().invoke(cli.app, arguments, prog_name="lngen")


class _Seen(HTMLParser):
    """Elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.names, self.addresses = Counter(), Counter(), [], set(), []
        self.attributes = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags[tag] += 1
        self.attributes |= given.keys()
        if "id" in given:
            self.ids[given["id"]] += 1
        if "data-name" in given:
            self.names.add(given["data-name"])
        self.links += [given["href"]] if tag in ("a", "use") and "href" in given else []
        self.addresses += [value for key, value in attrs if key in ("src", "href", "action", "xlink:href") and value]


@pytest.mark.parametrize("name", sampled(pytest.mark.ci))
def test_it_is_one_file_whose_links_and_names_lead_somewhere(name):
    text = page(shipped(name))
    seen = _Seen(text)
    assert len(text.encode()) < KILOBYTES * 1000
    assert [found for found, times in seen.ids.items() if times > 1] == []
    assert all(address.startswith("#") for address in seen.addresses), "nothing is loaded from elsewhere"
    assert not re.search(r"@import|url\((?!#|data:font/)|https?://", text.replace(_citation(name), ""))
    assert {link[1:] for link in seen.links} <= seen.ids.keys()
    assert {f"name-{found}" for found in seen.names} <= seen.ids.keys()
    steps = [step for d in shipped(name).plan.derivation.derivatives().values() for step in d.steps]
    assert {f"step-{step.number}" for step in steps} <= seen.ids.keys()


def _citation(name):
    return shipped(name).definition.docstring


def test_what_a_definition_says_is_text():
    layer = derived(parse(ATTACK, "<script>alert(6)</script>.py"), proved=False)
    for text in (page(layer), fragment(layer.plan), *site([layer]).values()):
        seen = _Seen(text)
        assert seen.tags["script"] <= 1, "the page's own"
        assert not seen.tags["img"]
        assert not [name for name in seen.attributes if name.startswith("on")]
        assert "49" not in re.findall(r"quoted.{0,20}", text)
    assert "&lt;script&gt;alert(4)&lt;/script&gt;" in page(layer)


def test_a_notebook_is_shown_the_result_and_the_steps():
    layer = lngen.derive("def centred(x: Row):\n    y = x**2\n    return y")
    text = layer._repr_html_()
    seen = _Seen(text)
    assert seen.tags["math"] >= 2
    assert seen.tags["details"] > 1
    assert not seen.ids
    assert not seen.tags["script"]
    assert not seen.tags["html"]
    assert '<mi mathvariant="normal">d</mi><mi>x</mi>' in text
    assert layer.page().startswith("<!doctype html>")


class TestCommands:
    def test_derive_writes_the_page_of_one_layer(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "mine.py").write_text("def mine(x: Row):\n    return x**2\n")
        result = run("derive", "mine.py", "--out", "here", "--html", "mine.html")
        assert result.exit_code == 0
        assert "wrote mine.html" in result.stdout
        assert "<h1>mine</h1>" in (tmp_path / "mine.html").read_text()

    def test_a_page_is_of_one_layer(self):
        result = run("derive", "layer_norm", "rms_norm", "--html", "x.html")
        assert result.exit_code == 2
        assert "lngen site" in result.stderr

    def test_site_writes_a_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "of").mkdir()
        for name in ("one", "two"):
            (tmp_path / "of" / f"{name}.py").write_text(f'"""The {name}."""\ndef {name}(x: Row):\n    return x**2\n')
        result = run("site", "of", "--to", "public")
        assert result.exit_code == 0
        written = {str(path.relative_to(tmp_path / "public")) for path in (tmp_path / "public").rglob("*.html")}
        assert written == {"index.html", "layers/one.html", "layers/two.html"}
        index = (tmp_path / "public" / "index.html").read_text()
        assert _Seen(index).links == ["layers/one.html", "layers/two.html"]
        assert 'href="../index.html"' in (tmp_path / "public" / "layers" / "one.html").read_text()

    def test_a_folder_without_definitions_is_refused(self, tmp_path):
        result = run("site", str(tmp_path), "--to", str(tmp_path / "public"))
        assert result.exit_code == 2
        assert "holds no definition" in result.stderr
        assert not (tmp_path / "public").exists()
