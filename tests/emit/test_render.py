import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from lngen import paths
from lngen.emit import render
from lngen.errors import LngenError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "util").mkdir()
    return tmp_path


def put(folder: Path, text: str, name: str = "t.jinja") -> str:
    (folder / name).write_text(text)
    return name


def test_a_block_leaves_no_line_and_the_last_newline_stays(folder):
    template = put(
        folder,
        "{% for line in lines %}\n    {% if line %}\n{{ line }};\n    {% endif %}\n{% endfor %}\nend\n",
    )
    assert render.render(template, folder, lines=["a < b", "", "c && d"]) == "a < b;\nc && d;\nend\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("first\n{{ gradient }}\n", "line 2: 'gradient' is undefined$"),
        ("{% if saved %}x{% endif %}", "line 1: 'saved' is undefined"),
        ("{% for r in stage.reductions %}{% endfor %}", "line 1: .*no attribute 'reductions'"),
        ("a\nb\n{% endif %}\n", "line 3: .*'endif'"),
        ("{{ name() }}", "line 1: TypeError: "),
    ],
)
def test_a_fault_of_a_template_is_one_error_with_its_line(folder, text, message):
    with pytest.raises(LngenError, match=rf"^template t\.jinja, {message}"):
        render.render(put(folder, text), folder, stage=SimpleNamespace(name="mean"), name="y")


def test_an_error_in_an_imported_macro_names_the_imported_template(folder):
    put(folder, "{% macro assign(line) %}\n{{ line.left }} = {{ line.right }}\n{% endmacro %}\n", "util/lines.jinja")
    template = put(folder, "{% from 'util/lines.jinja' import assign %}\n{{ assign(line) }}")
    assert render.render(template, folder, line={"left": "y", "right": "x"}) == "y = x\n"
    with pytest.raises(LngenError, match=r"^template util/lines\.jinja, line 2: .*'right'"):
        render.render(template, folder, line={"left": "y"})


def test_a_missing_template_is_named_with_the_one_that_asks_for_it(folder):
    with pytest.raises(LngenError, match=r"^there is no template gone\.jinja$"):
        render.render("gone.jinja", folder)
    with pytest.raises(LngenError, match=r"^there is no template gone\.jinja, which t\.jinja asks for$"):
        render.render(put(folder, "{% include 'gone.jinja' %}"), folder)


def test_no_template_is_read_from_outside_the_folder(folder):
    put(folder.parent, "secret", "outside.jinja")
    with pytest.raises(LngenError, match="there is no template"):
        render.render("../outside.jinja", folder)


def test_a_changed_template_is_read_again(folder):
    template = put(folder, "old")
    assert render.render(template, folder) == "old"
    put(folder, "new")
    os.utime(folder / template, (0, 0))
    assert render.render(template, folder) == "new"


def test_sources_are_the_templates_below_the_folders_named(folder):
    put(folder, "b", "util/b.jinja")
    put(folder, "a", "util/a.jinja")
    put(folder, "not a template", "util/notes.txt")
    put(folder, "elsewhere")
    assert list(render.sources("util", folder=folder).items()) == [("util/a.jinja", "a"), ("util/b.jinja", "b")]


# What follows reads the templates themselves.

CODE = re.compile(r"\{\{(.*?)\}\}|\{%(.*?)%\}", re.DOTALL)
STRING = re.compile(r"""'[^']*'|"[^"]*\"""")
ARITHMETIC = re.compile(r"[-+*/%]|\|\s*(sum|round|abs|int|float|max|min)\b")
# Two lists of the plan one after the other, and a number put into a text, are placing: nothing is worked out.
PLACING = re.compile(r"\b\w+\.\w+(\.\w+)*(\s*\+\s*\w+\.\w+(\.\w+)*)+|%\s*loop\.index0")


def arithmetic(text: str) -> list[str]:
    """The tags of a template that compute. Rough: it looks for operators in Jinja's own code."""
    text = re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)
    tags = [(match[1] or match[2] or "").removeprefix("-").removeprefix("+") for match in CODE.finditer(text)]
    bare = [PLACING.sub("", STRING.sub("", tag.removesuffix("-").removesuffix("+"))) for tag in tags]
    return [tag for tag in bare if ARITHMETIC.search(tag)]


def templates() -> list[Path]:
    folder = paths.templates_folder()
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".woff2")


def test_templates_do_not_compute():
    assert templates()
    found = {path.name: arithmetic(path.read_text()) for path in templates()}
    assert {name: tags for name, tags in found.items() if tags} == {}


def test_jinja_is_imported_by_this_module_alone():
    package = Path(render.__file__).parent
    users = [path.name for path in package.rglob("*.py") if re.search(r"\b(import|from) jinja2\b", path.read_text())]
    assert users == ["render.py"]
