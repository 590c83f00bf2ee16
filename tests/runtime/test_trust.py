"""Trust in the cache: files that another user may have written are not used."""

import os
import shutil
import stat
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from lngen.pipeline.cache import entries, folders
from lngen.runtime import cache, trust
from lngen.runtime.cuda import compilers
from lngen.runtime.native import compiler as host_compiler
from tests.ownership import give_away
from tests.requirements import needs_gxx
from tests.runtime.native import host_kernels

UNUSED = "so it is not used: remove it, or set LNGEN_CACHE to a folder of your own"


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(host_compiler, "_libraries", {})
    return tmp_path / "cache"


# ---- each way in: what fills the cache with something, what an attacker puts there, and whether that is used


class MachineCode:
    """A library for the processor."""

    def __init__(self, tmp_path):
        self.source = host_kernels.written(tmp_path)

    def fill(self):
        # A library that is loaded from a path is what the system takes for whatever is there later.
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("LNGEN_CACHE", str(cache.root().with_name("first")))
            first = host_compiler.library(self.source, []).path
        cache.make(cache.folder("cpu"))
        path = cache.folder("cpu") / first.name
        shutil.copy2(first, path)
        return path

    def poison(self, path):
        evil = host_compiler.compiler().compile("evil.cpp", "int evil;", ["-x", "c++", "-shared", "-fPIC"])
        path.write_bytes(cache.sealed(evil))

    def is_poisoned(self):
        host_compiler._libraries.clear()
        try:
            host_compiler.library(self.source, []).address("axpy")
        except AttributeError:
            return True
        return False


class Cubin:
    """Machine code for a GPU."""

    def __init__(self, tmp_path):
        self.source = tmp_path / "kernels.cu"
        self.source.write_text("")

    def compiled(self):
        made = SimpleNamespace(identity=lambda: "1", compile=lambda *_: (b"made", ""))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(compilers, "compiler", lambda driver: made)
            return compilers.compiled(self.source, "sm_90", [])

    def fill(self):
        self.compiled()
        (path,) = (cache.root() / "cuda").glob("*.cubin")
        return path

    def poison(self, path):
        path.write_bytes(cache.sealed(b"evil"))

    def is_poisoned(self):
        return self.compiled() != b"made"


class Version:
    """Cached version of a compiler."""

    def __init__(self, tmp_path):
        self.program = tmp_path / "program"
        self.program.touch()

    def version(self):
        return cache.version("cpu", [self.program], lambda: "said")

    def fill(self):
        self.version()
        (path,) = (cache.root() / "cpu").glob("*.version")
        return path

    def poison(self, path):
        path.write_bytes(cache.sealed(b"evil"))

    def is_poisoned(self):
        return self.version() != "said"


class Python:
    """The emitted modules of a layer, which are imported."""

    def __init__(self, tmp_path):
        pass

    def entry(self):
        def make(folder):
            (folder / "deep").mkdir()
            (folder / "deep" / "module.py").write_text("made")

        return folders.entry("layer", make, "layers") / "deep" / "module.py"

    def fill(self):
        return self.entry()

    def poison(self, path):
        for folder in path.parents[:2]:  # in one that others cannot enter they cannot write, whatever its mode
            folder.chmod(0o755)
        path.write_text("evil")

    def is_poisoned(self):
        return self.entry().read_text() != "made"


class Derivation:
    """Cached derivation."""

    def __init__(self, tmp_path):
        pass

    def fill(self):
        entries.write("one", b"made")
        return entries.place() / "one"

    def poison(self, path):
        packed = zlib.compress(b"evil")
        path.write_bytes(entries._checksum("one", packed) + packed)

    def is_poisoned(self):
        return entries.read("one") is not None


WAYS = [pytest.param(MachineCode, marks=needs_gxx), Cubin, Version, Python, Derivation]


def written_by_others(path, monkeypatch):
    path.chmod(path.stat().st_mode | 0o022)


def a_link(path, monkeypatch):
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("by_a_link", [False, True])
def test_the_cache_is_used_where_it_is_the_user_s_own(way, by_a_link, root, tmp_path, monkeypatch):
    """The false case of all below: what may be used is used, so that what is refused is refused for its reason."""
    kept = way(tmp_path)
    kept.poison(kept.fill())
    if by_a_link:
        a_link(root, monkeypatch)
    assert kept.is_poisoned()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("damage", [give_away, written_by_others, a_link])
@pytest.mark.parametrize("what", ["the file", "its folder", "the root"])
def test_what_others_may_have_written_is_not_used_and_told_once(way, damage, what, root, tmp_path, monkeypatch):
    kept = way(tmp_path)
    path = kept.fill()
    kept.poison(path)
    place = {"the file": path, "its folder": path.parent, "the root": root}[what]
    if place == root and damage is a_link:  # where the cache is, the user says
        a_link(root, monkeypatch)
        give_away(root, monkeypatch)
    else:
        damage(place, monkeypatch)
    with pytest.warns(UserWarning, match=UNUSED) as told:
        assert (kept.is_poisoned(), kept.is_poisoned()) == (False, False)
    assert len({str(warning.message) for warning in told}) == len(told)


@pytest.mark.parametrize("way", WAYS)
def test_a_pipe_is_not_waited_for(way, root, tmp_path):
    kept = way(tmp_path)
    path = kept.fill()
    path.unlink()
    os.mkfifo(path)
    with pytest.warns(UserWarning, match="is neither a file nor a folder"):
        assert not kept.is_poisoned()


@pytest.mark.parametrize("way", [pytest.param(MachineCode, marks=needs_gxx), Cubin, Version])
def test_what_was_refused_is_replaced_in_a_folder_of_the_user_s_own(way, root, tmp_path):
    kept = way(tmp_path)
    path = kept.fill()
    kept.poison(path)
    written_by_others(path, None)
    with pytest.warns(UserWarning, match=UNUSED):
        assert not kept.is_poisoned()
    assert not kept.is_poisoned()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("way", WAYS)
def test_a_umask_that_lets_a_group_write_makes_nothing_that_is_refused(way, root, tmp_path):
    before = os.umask(0o002)
    try:
        kept = way(tmp_path)
        path = kept.fill()
        assert not kept.is_poisoned() or way is Derivation
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
        kept.poison(path)
        path.chmod(0o600)
        assert kept.is_poisoned()
    finally:
        os.umask(before)


@pytest.mark.ci
def test_a_layer_whose_modules_were_imported_under_an_open_umask_is_used_again(root):
    """Python makes folders of its own beside what it imports."""
    program = "import os; os.umask(0o002); import lngen; lngen.derive('def cubed(x: Row): return x**3').load()"
    command = [sys.executable, "-W", "error", "-c", program]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(2):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    assert list((root / "layers").rglob("__pycache__"))


# ---- locks


@pytest.mark.parametrize("make", [lambda lock: lock.symlink_to("precious"), os.mkfifo, lambda lock: lock.touch()])
def test_a_lock_takes_the_place_of_what_stands_there_and_never_of_what_a_link_leads_to(tmp_path, make):
    precious, lock = tmp_path / "precious", tmp_path / "lock"
    precious.write_text("precious")
    make(lock)
    with cache.alone(lock):
        assert stat.S_ISREG(lock.lstat().st_mode)
    assert precious.read_text() == "precious"
    assert os.listdir(tmp_path) == ["precious"]


@needs_gxx
def test_a_lock_that_is_a_link_empties_no_file_when_kernels_are_compiled(root, tmp_path):
    kept = MachineCode(tmp_path)
    path = kept.fill()
    (tmp_path / "precious").write_text("precious")
    path.unlink()
    path.with_name(f".{path.name}.lock").symlink_to(tmp_path / "precious")
    assert not kept.is_poisoned()
    assert (tmp_path / "precious").read_text() == "precious"


# ---- the answer itself


def status(kind: int, mode: int, user: int) -> os.stat_result:
    return os.stat_result((kind | mode, 0, 0, 1, user, 0, 0, 0, 0, 0))


OWN = os.geteuid()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (status(stat.S_IFREG, 0o644, OWN), ""),
        (status(stat.S_IFREG, 0o644, 0), ""),
        (status(stat.S_IFDIR, 0o755, OWN), ""),
        (status(stat.S_IFDIR, 0o1777, 0), ""),
        (status(stat.S_IFREG, 0o644, OWN + 1), "belongs to another user"),
        (status(stat.S_IFDIR, 0o700, OWN + 1), "belongs to another user"),
        (status(stat.S_IFREG, 0o664, OWN), "may be written to by others"),
        (status(stat.S_IFREG, 0o1646, OWN), "may be written to by others"),
        (status(stat.S_IFDIR, 0o777, OWN), "may be written to by others"),
        (status(stat.S_IFLNK, 0o777, OWN), "is a symbolic link"),
        (status(stat.S_IFIFO, 0o600, OWN), "is neither a file nor a folder"),
        (status(stat.S_IFSOCK, 0o600, OWN), "is neither a file nor a folder"),
        (status(stat.S_IFCHR, 0o600, OWN), "is neither a file nor a folder"),
    ],
)
def test_what_may_be_used_is_the_user_s_or_root_s_and_nobody_else_s_to_change(given, why):
    assert trust.objection(given) == why


def test_the_mode_of_what_is_in_a_closed_folder_is_of_no_concern():
    assert trust.objection(status(stat.S_IFREG, 0o666, OWN), closed=True) == ""
    assert trust.objection(status(stat.S_IFREG, 0o666, OWN + 1), closed=True) == "belongs to another user"


def test_a_temporary_folder_goes_with_its_process_and_not_with_one_that_was_forked():
    program = (
        "import os, sys\nfrom lngen.runtime import trust\nplace = trust.temporary()\nprint(place, flush=True)\n"
        "child = os.fork()\nif not child: sys.exit()\nos.waitpid(child, 0)\nassert place.is_dir()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not Path(done.stdout.splitlines()[0]).exists()
