"""The wheel, as a user has it: installed into an environment of its own and used from another folder."""

import email
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

import lngen
from lngen.language.parsing import load
from lngen.language.syntax import Kind
from lngen.pipeline.files import loading
from lngen.pipeline.files.manifest import runtime_emission
from tests.shipped import NAMES
from tests.test_readme import PAGES, framework_of, on_a_device

pytestmark = pytest.mark.ci

ROOT = Path(__file__).parents[1]


def run(*command: object, cwd: Path, **variables: str) -> str:
    # What points Python at this checkout must not reach the other environment.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | variables
    result = subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def build_wheel(source: Path, folder: Path) -> Path:
    # hatchling is in the test extra, so that no network is needed here.
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=source)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """The Python of an empty environment that lngen's wheel was installed into.

    Its dependencies come from the environment of the tests, whose folder is put at the end of the path. A
    `.pth` file in a folder that was added in this way is not read, so an editable lngen there stays unseen.
    """
    python = empty_environment(tmp_path_factory.mktemp("environment"))
    install(python, wheel)
    return python


def empty_environment(folder: Path) -> Path:
    """The Python of an environment without a package."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    return folder / "bin" / "python"


def install(python: Path, wheel: Path) -> None:
    """Install a wheel into an environment, and put the packages of this one at the end of the path there."""
    options = ["install", "--quiet", "--no-deps", "--no-index", wheel]
    run(sys.executable, "-m", "pip", "--python", python, *options, cwd=python.parent)
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(python, "-c", code, cwd=python.parent).strip())
    (site / "zz_dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def files_below(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in files}


def test_it_holds_the_package_and_the_three_folders_inside_it(wheel):
    held = {name for name in contents(wheel) if ".dist-info/" not in name}
    moved = files_below(ROOT / "derive") | files_below(ROOT / "templates") | files_below(ROOT / "generated")
    reports = {name for name in moved if name.endswith("/derivation.md")}
    assert len(reports) == len(loading.available())
    copies = {f"lngen/generated/_runtime/{path}": text for path, text in runtime_emission().files}
    assert held == files_below(ROOT / "lngen") | {f"lngen/{name}" for name in moved - reports} | copies.keys()
    assert {name: contents(wheel)[name].decode() for name in copies} == copies


class References(HTMLParser):
    """The links and pictures of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


def test_the_description_of_the_wheel_renders_on_an_index_without_a_relative_link(wheel):
    from readme_renderer import markdown

    (metadata,) = (text for name, text in contents(wheel).items() if name.endswith(".dist-info/METADATA"))
    message = email.message_from_bytes(metadata)
    assert message["Description-Content-Type"] == "text/markdown"
    page = markdown.render(message.get_payload())
    assert page is not None
    assert "<table>" in page
    elsewhere = ("https://", "#")
    assert [link for link in References(page).found if not link.startswith(elsewhere)] == []
    # As it stands in the repository it has some, so the test can fail.
    as_it_is = References(markdown.render((ROOT / "README.md").read_text(encoding="utf-8"))).found
    assert [link for link in as_it_is if not link.startswith(elsewhere)]


def test_an_editable_install_puts_two_names_on_the_path(tmp_path):
    python = empty_environment(tmp_path / "environment")
    build = "import sys, hatchling.build as backend; print(backend.build_editable(sys.argv[1]))"
    built = run(sys.executable, "-c", build, tmp_path, cwd=ROOT).split()[-1]
    install(python, tmp_path / built)
    code = """
import importlib.util, sys
root, *names = sys.argv[1:]
for name in names:
    spec = importlib.util.find_spec(name)
    print(name, spec is not None and any(place.startswith(root) for place in spec.submodule_search_locations or ()))
import lngen
from generated import layer_norm
print(lngen.__file__)
"""
    names = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and re.fullmatch("[a-z]+", path.name))
    assert {"benchmarks", "docs", "generated", "lngen", "tests", "tools"} <= set(names)
    *found, file = run(python, "-W", "error", "-c", code, ROOT, *names, cwd=tmp_path).splitlines()
    ours = {line.split()[0] for line in found if line.endswith("True")}
    assert ours == {"lngen", "generated"}
    assert Path(file) == ROOT / "lngen" / "__init__.py"
    assert lngen.__version__ in run(python, "-m", "lngen", "--version", cwd=tmp_path)

    # Beside a project of one's own that is called the same.
    (tmp_path / "generated" / "mine").mkdir(parents=True)
    (tmp_path / "generated" / "mine" / "__init__.py").touch()
    run(python, "-c", "from generated import layer_norm, mine", cwd=tmp_path)


def test_it_is_the_one_that_the_source_distribution_builds(wheel, tmp_path):
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path / "sdist", cwd=ROOT)
    (archive,) = (tmp_path / "sdist").glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extraction_filter = getattr(tarfile, "data_filter", None)
        opened.extractall(tmp_path)
    source = tmp_path / archive.name.removesuffix(".tar.gz")
    assert contents(build_wheel(source, tmp_path / "wheel")) == contents(wheel)


def test_every_emitted_layer_loads_and_runs(python, tmp_path):
    code = """
import sys, numpy, lngen
for name, *shapes in map(str.split, sys.argv[1:]):
    module = lngen.load(name)
    if not shapes:
        print(module.__name__)
        continue
    y, saved = module.forward(*(numpy.ones([int(n) for n in shape.split(",")]) for shape in shapes))
    gradients = module.backward(saved, *map(numpy.ones_like, y if isinstance(y, tuple) else (y,)))
    print(module.__name__, gradients[0].shape, "sympy" in sys.modules, module is lngen.load(name))
"""
    assert loading.available()
    shapes = {Kind.ROW: "2,3", Kind.ROW_SCALAR: "2", Kind.FEATURE: "3"}
    layers = []
    for name in loading.available():
        inputs = load(ROOT / "derive" / f"{name}.py").differentiable if name in NAMES else []
        layers.append(" ".join([name, *(shapes[entry.kind] for entry in inputs if entry.default is None)]))
    printed = run(python, "-c", code, *layers, cwd=tmp_path)
    wanted = [f"lngen.generated.{name}{' (2, 3) False True' * (name in NAMES)}\n" for name in loading.available()]
    assert printed == "".join(wanted)


def test_snippets_of_documents_run_in_one_script_with_an_empty_cache(python, tmp_path):
    script = []
    for block in [*PAGES["README.md"], *PAGES["docs/how_to/use_a_layer.md"]]:
        text = "\n".join(block.lines)
        if block.language != "python" or framework_of(block) or on_a_device(block):
            continue
        if file := re.match(r"# (\w+\.py)\n", text):
            (tmp_path / file[1]).write_text(text, encoding="utf-8")
        elif "from generated" not in text and "from my_layers" not in text:  # those are of a checkout, and of a command
            script.append(text)
    assert any("lngen.load(" in text for text in script)
    assert any("lngen.derive(Path(" in text for text in script)
    (tmp_path / "script.py").write_text("\n".join(script), encoding="utf-8")
    cache = tmp_path / "cache"
    printed = [run(python, "-W", "error", "script.py", cwd=tmp_path, LNGEN_CACHE=str(cache)) for _ in range(2)]
    assert re.sub(r"[\d.]+ s$", "", printed[0].strip()) == re.sub(r"[\d.]+ s$", "", printed[1].strip())
    assert list((cache / "derivations").iterdir())  # what was derived is kept of an installed lngen, too
