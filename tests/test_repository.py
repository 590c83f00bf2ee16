"""Rules of the repository that no single module can keep."""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from lngen.version import DISTRIBUTION

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "lngen"

# The packages and modules of lngen, in the order in which data flows. A module may import its own and those before it.
STAGES = [
    "errors",
    "layout",
    "version",
    "paths",
    "entry_points",
    "runtime",
    "language",
    "algebra",
    "derivation",
    "plan",
    "prove",
    "emit",
    "report",
    "pipeline",
    "torch",
    "jax",
    "checks",
    "definitions",
    "derived",
    "checked",
    "cli",
    "extensions",
    "__main__",
]
RANK = {f"lngen.{stage}": rank for rank, stage in enumerate(STAGES)}

# The driver by another way than PyCUDA's public names: its library, NVIDIA's bindings, PyCUDA's private names.
DRIVER = re.compile(r"libcuda|nvcuda|from cuda|import cuda|\._(launch|param_set|set_block)")
LAYER_NAME = re.compile(r"layer_?norm|rms_?norm|softmax", re.IGNORECASE)
# What another project has on the package index, and what installs it.
STRANGER = re.compile(r"pip install [^\n`,;]*\blngen(?!-derive)(?![\w/-])|(?<![\w.-])lngen\[[a-z_,]+\]")
MACHINE_PATH = re.compile(r"(?<![\w./<>{}$~-])/(home|root|Users|work|mnt|workspace)/\w")


def modules() -> list[str]:
    """The names of all modules of lngen, but the package itself."""
    files = (path.relative_to(ROOT).with_suffix("") for path in PACKAGE.rglob("*.py"))
    names = (".".join(path.parts).removesuffix(".__init__") for path in files)
    return sorted(name for name in names if name != "lngen")


def file_of(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def tracked_files() -> list[Path]:
    """The files of the repository: those git does not ignore, or in an unpacked archive all but caches."""
    # A clone may belong to another user than the one who tests it.
    git = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists():
        listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return [ROOT / name for name in sorted(listed.split("\0")) if name and (ROOT / name).is_file()]
    parts = ("__pycache__", ".venv", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache")
    return [path for path in sorted(ROOT.rglob("*")) if path.is_file() and not set(parts) & set(path.parts)]


def lines(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Every line of the text files, with where it stands."""
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def imports(path: Path) -> Iterator[str]:
    """The modules and names of lngen that a file imports, wherever in it, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "lngen")
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                # What is written beside layers knows its neighbours by where they are.
                folder = [path.parent, *path.parents][node.level]
                assert folder.is_relative_to(ROOT / "lngen" / "runtime"), (
                    f"{path}:{node.lineno}: lngen imports by absolute names"
                )
                package = ".".join([*folder.relative_to(ROOT).parts, *filter(None, [node.module])])
                yield from (f"{package}.{alias.name}" for alias in node.names)
            elif (node.module or "").split(".")[0] == "lngen":
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.ci
def test_the_machine_names_no_layer():
    files = [path for path in tracked_files() if path.relative_to(ROOT).parts[0] in ("lngen", "templates")]
    assert len(files) > 10
    assert [place for place, line in lines(files) if LAYER_NAME.search(line)] == []
    assert [path for path in files if LAYER_NAME.search(str(path.relative_to(ROOT)))] == []


def test_one_module_reaches_the_driver_otherwise_than_by_pycuda():
    files = sorted((PACKAGE / "runtime").rglob("*.py"))
    found = {ROOT / place.partition(":")[0] for place, line in lines(files) if DRIVER.search(line)}
    assert [path.name for path in found] == ["driver.py"]


@pytest.mark.ci
def test_no_file_names_a_path_of_the_machine_it_was_written_on():
    assert [place for place, line in lines(tracked_files()) if MACHINE_PATH.search(line)] == []


def written_by_hand() -> list[Path]:
    """The tracked files but those of `generated/`, which are made from them."""
    return [path for path in tracked_files() if path.relative_to(ROOT).parts[0] != "generated"]


@pytest.mark.ci
def test_no_text_tells_anybody_to_install_another_project_s_distribution():
    own = Path(__file__).relative_to(ROOT)
    found = [place for place, line in lines(written_by_hand()) if STRANGER.search(line)]
    assert [place for place in found if not place.startswith(f"{own}:")] == []


def test_emitted_text_names_what_is_missing_and_not_the_distribution():
    """A package that was written needs nothing of lngen, so installing lngen is no remedy there."""
    emitted = [path for path in written_by_hand() if path.is_relative_to(PACKAGE / "runtime")]
    emitted += [path for path in written_by_hand() if path.is_relative_to(ROOT / "templates")]
    assert len(emitted) > 50
    assert [place for place, line in lines(emitted) if DISTRIBUTION in line] == []


@pytest.mark.ci
def test_the_distribution_is_the_one_that_the_project_declares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    extras = set(project["optional-dependencies"])
    asked = [
        found
        for place, line in lines(written_by_hand())
        if not place.startswith("CHANGELOG.md:")  # of releases as they were
        for found in re.findall(rf"{DISTRIBUTION}\[([a-z,]+)\]", line)
    ]
    assert asked
    assert {name for names in asked for name in names.split(",")} <= extras


@pytest.mark.ci
def test_every_module_imports():
    """All in one process, where a module that is needed later is not what makes an earlier one importable."""
    # What imports a framework takes seconds; tests/pipeline/files/test_shared.py imports each in a process of its own.
    apart = ("lngen.__main__", "lngen.runtime.torch", "lngen.runtime.jax", "lngen.torch", "lngen.jax")
    names = [name for name in modules() if not name.startswith(apart)]
    program = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    for order in (names, names[::-1]):
        done = subprocess.run([sys.executable, "-W", "error", "-c", program, *order], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.ci
def test_emitted_files_import_nothing_of_lngen():
    emitted = sorted((ROOT / "generated").rglob("*.py"))
    assert len(emitted) > 200
    assert [path for path in emitted if _absolute_imports(path) & {"lngen", "sympy", "jinja2"}] == []


def _absolute_imports(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0}
    return {name.split(".")[0] for name in named}


def stage_of(dotted: str) -> int | None:
    """The rank of a module's stage; None for a name of the package itself, such as its version."""
    return RANK.get(".".join(dotted.split(".")[:2]))


def test_every_module_has_its_stage():
    assert [name for name in modules() if stage_of(name) is None] == []


@pytest.mark.ci
def test_no_module_imports_a_later_stage():
    upward = [
        f"{module} imports {imported}"
        for module in modules()
        for imported in imports(file_of(module))
        if (stage_of(imported) or 0) > (stage_of(module) or 0)
    ]
    assert upward == []


@pytest.mark.ci
def test_no_modules_import_one_another_in_a_circle():
    files = {module: file_of(module) for module in modules()}
    # `from package import name` may be of a module in it or of what its `__init__` holds.
    found = {
        module: {name if name in files else name.rpartition(".")[0] for name in imports(path)} - {module}
        for module, path in files.items()
    }
    TopologicalSorter(found).prepare()  # raises CycleError, with the circle


def test_the_version_stands_in_one_place():
    version = importlib.import_module("lngen").__version__
    declared = [path.name for path in ROOT.glob("*.toml") if f'"{version}"' in path.read_text()]
    assert declared == []
    assert f"## {version} " in (ROOT / "CHANGELOG.md").read_text()


PACKAGES = [stage for stage in STAGES if (PACKAGE / stage).is_dir() and stage != "extensions"]


def test_the_architecture_lists_the_packages_in_their_order():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text.partition("## Terms")[0], re.MULTILINE) == PACKAGES


@pytest.mark.ci
def test_the_nightly_tests_can_be_collected():
    """Each test is in one tier, which only a run of the tier itself looks at."""
    words = ["-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "exhaustive", "tests"]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
