import os

import pytest

from lngen.files import atomic
from lngen.files.atomic import replacing


@pytest.fixture(params=["exchange", "two renames"])
def exchange(request, monkeypatch):
    """Both ways of exchanging folders, whichever this system has."""
    if request.param == "two renames":
        monkeypatch.setattr(atomic, "_exchange_at_once", lambda one, other: False)


@pytest.mark.usefixtures("exchange")
def test_the_new_folder_takes_the_place_of_the_old(tmp_path):
    target = tmp_path / "layer"
    target.mkdir()
    (target / "stale").touch()
    with replacing(target) as new:
        (new / "fresh").touch()
        assert os.listdir(target) == ["stale"]
    assert os.listdir(target) == ["fresh"]
    assert os.listdir(tmp_path) == ["layer"]


def test_there_need_not_be_an_old_folder(tmp_path):
    with replacing(tmp_path / "deep" / "layer") as new:
        (new / "fresh").touch()
    assert os.listdir(tmp_path / "deep" / "layer") == ["fresh"]
    assert os.listdir(tmp_path / "deep") == ["layer"]


def test_the_new_folder_is_as_open_as_any_other(tmp_path):
    (tmp_path / "other").mkdir()
    with replacing(tmp_path / "layer"):
        pass
    assert (tmp_path / "layer").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_exception_leaves_the_old_folder(tmp_path, error):
    target = tmp_path / "layer"
    target.mkdir()
    (target / "old").touch()

    def fill_half(new):
        (new / "half").touch()
        raise error

    with pytest.raises(error), replacing(target) as new:
        fill_half(new)
    assert os.listdir(target) == ["old"]
    assert os.listdir(tmp_path) == ["layer"]


def test_an_exception_between_two_renames_puts_the_old_folder_back(tmp_path, monkeypatch):
    target = tmp_path / "layer"
    target.mkdir()
    (target / "old").touch()
    monkeypatch.setattr(atomic, "_exchange_at_once", lambda one, other: False)
    rename = type(target).rename

    def fails_for_the_new_one(self, to):
        if to == target and not self.name.endswith(".old"):
            raise KeyboardInterrupt
        return rename(self, to)

    monkeypatch.setattr(type(target), "rename", fails_for_the_new_one)
    with pytest.raises(KeyboardInterrupt), replacing(target):
        pass
    assert os.listdir(target) == ["old"]
    assert os.listdir(tmp_path) == ["layer"]
