"""The page of a layer as text: whole, of one file, escaped, and never two things under one name."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

import lngen
from lngen import cli
from lngen.expressions.symbols import ENTRY_OF
from lngen.files import render
from lngen.language.parsing import parse
from lngen.page import plots
from lngen.page.page import fragment, page
from lngen.page.site import site
from lngen.pipeline import derived
from tests.requirements import needs_matplotlib, needs_nvrtc
from tests.shipped import sampled, shipped

KILOBYTES = 420

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
    assert not re.search(r"@import|url\(\s*['\"]?(?!#)|https?://", text.replace(_citation(name), ""))
    assert {link[1:] for link in seen.links} <= seen.ids.keys()
    names = seen.names | set(re.findall(r"<u>(\w+)</u>", text))
    assert {f"name-{found}" for found in names} <= seen.ids.keys()
    steps = [step for d in shipped(name).plan.derivation.derivatives().values() for step in d.steps]
    assert {f"step-{step.number}" for step in steps} <= seen.ids.keys()


def _citation(name):
    return shipped(name).definition.docstring


def test_it_is_the_same_every_time():
    assert page(shipped("layer_norm")) == page(shipped("layer_norm"))


def test_what_a_definition_says_is_text():
    layer = derived(parse(ATTACK, "<script>alert(6)</script>.py"), proved=False)
    for text in (page(layer), fragment(layer.plan), *site([layer]).values()):
        seen = _Seen(text)
        assert seen.tags["script"] <= 2, "the panel's data and the page's script"
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


def test_the_panel_has_every_function():
    script = render.render("html/panel.js")
    assert [entry.name for entry in ENTRY_OF.values() if f"  {entry.name}: " not in script] == []


class TestPlots:
    @needs_matplotlib
    def test_both_are_in_the_page_in_its_colours(self):
        layer = shipped("layer_norm")
        text = page(layer, plots.measured(layer))
        found = re.findall(r'<svg role="img".*?</svg>', text, flags=re.DOTALL)
        assert len(found) == 2
        assert all("var(--one)" in plot and not re.search(r"#[0-9a-f]{6}", plot) for plot in found)

    @needs_matplotlib
    def test_they_are_the_same_every_time(self):
        assert plots.bytes_plot(shipped("layer_norm").plan) == plots.bytes_plot(shipped("layer_norm").plan)

    def test_without_matplotlib_the_page_says_how_to_get_them(self, monkeypatch):
        monkeypatch.setattr(plots, "can_plot", lambda: False)
        text = page(shipped("layer_norm"))
        assert '<svg role="img"' not in text
        assert "pip install" in text


class TestCommands:
    def test_derive_writes_the_page_of_one_layer(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "mine.py").write_text("def mine(x: Row):\n    return x**2\n")
        result = run("derive", "mine.py", "--out", "here", "--html", "mine.html")
        assert result.exit_code == 0
        assert "wrote mine.html" in result.stdout
        assert "<h1>mine</h1>" in (tmp_path / "mine.html").read_text()

    @needs_nvrtc
    @pytest.mark.ci
    def test_with_an_architecture_the_page_has_the_machine_code(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")
        monkeypatch.setattr("lngen.page.machine_code.LENGTHS", (64,))
        monkeypatch.setattr("lngen.page.machine_code.DTYPES", ("f32",))
        (tmp_path / "mine.py").write_text("def mine(x: Row):\n    return x**2\n")
        assert run("derive", "mine.py", "--out", "here", "--html", "mine.html", "--arch", "sm_120").exit_code == 0
        text = (tmp_path / "mine.html").read_text()
        section = text.partition('<section id="machine"')[2].partition("</section>")[0]
        assert "RTX 5090" in section
        assert '<th scope="row">backward_backward_f32</th><td>64</td>' in section
        assert '<a href="#machine">' in text
        assert "machine" not in _Seen(page(shipped("layer_norm"))).ids

    def test_a_page_is_of_one_layer(self):
        result = run("derive", "layer_norm", "rms_norm", "--html", "x.html")
        assert result.exit_code == 2
        assert "lngen site" in result.stderr

    def test_site_writes_a_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "of").mkdir()
        for name in ("one", "index"):
            (tmp_path / "of" / f"{name}.py").write_text(f'"""The {name}."""\ndef {name}(x: Row):\n    return x**2\n')
        result = run("site", "of", "--to", "public")
        assert result.exit_code == 0
        written = {str(path.relative_to(tmp_path / "public")) for path in (tmp_path / "public").rglob("*.html")}
        assert written == {"index.html", "layers/one.html", "layers/index.html"}
        index = (tmp_path / "public" / "index.html").read_text()
        assert _Seen(index).links == ["layers/index.html", "layers/one.html"]
        assert 'href="../index.html"' in (tmp_path / "public" / "layers" / "one.html").read_text()

    def test_a_folder_without_definitions_is_refused(self, tmp_path):
        result = run("site", str(tmp_path), "--to", str(tmp_path / "public"))
        assert result.exit_code == 2
        assert "holds no definition" in result.stderr
        assert not (tmp_path / "public").exists()
