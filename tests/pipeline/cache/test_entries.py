"""Files that are kept between runs: whole, the user's own, and not too many."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from lngen.pipeline.cache import entries
from tests.ownership import give_away


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))
    return tmp_path / "derivations"


def test_only_the_user_can_read_the_folder_and_its_files(place):
    entries.write("one", b"text")
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()] == [0o600]


def _cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def _one_bit(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _of_another(path):
    entries.write("other", b"another text")
    path.write_bytes(path.with_name("other").read_bytes())


@pytest.mark.parametrize("damage", [_cut, _one_bit, _of_another, lambda path: path.write_bytes(b"")])
def test_what_was_damaged_is_not_read(place, damage):
    entries.write("one", b"text" * 100)
    damage(place / "one")
    assert entries.read("one") is None


def test_a_folder_of_another_user_is_not_read(place, monkeypatch):
    entries.write("one", b"text")
    give_away(place, monkeypatch)
    with pytest.warns(UserWarning, match="belongs to another user, so it is not used"):
        assert entries.read("one") is None
    assert entries.usage().obstacle == f"{place} belongs to another user"
    assert entries.usage().count == 0


def test_nothing_is_written_to_a_folder_that_others_may_change(place):
    place.mkdir()
    place.chmod(0o777)
    with pytest.warns(UserWarning, match="may be written to by others, so it is not used"):
        entries.write("one", b"text")
    assert not list(place.iterdir())


def test_what_was_not_read_for_the_longest_time_goes_first(place, monkeypatch):
    for age, name in enumerate(("oldest", "old", "read again", "new")):
        entries.write(name, os.urandom(1000))
        os.utime(place / name, (age, age))
    entries.read("read again")
    os.utime(place / "new", (10, 10))
    monkeypatch.setattr(entries, "MAXIMUM_BYTES", 3 * 1100)
    entries.write("newest", os.urandom(1000))
    assert sorted(path.name for path in place.iterdir()) == ["new", "newest", "read again"]


@pytest.mark.ci
def test_many_at_once_read_a_whole_entry_or_none():
    contents = [bytes([number]) * 200_000 for number in range(8)]

    def work(number):
        entries.write("shared", contents[number % 8])
        return entries.read("shared")

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(200))) <= {*contents}
    assert entries.usage().count == 1
