import os
import socket

import pytest

from lngen.errors import LngenError
from lngen.pipeline.files import atomic
from lngen.pipeline.files.atomic import replacing


@pytest.fixture(params=["exchange", "two renames"])
def exchange(request, monkeypatch):
    """Run a test with both ways of exchanging folders, on any system."""
    if request.param == "two renames":
        monkeypatch.setattr(atomic, "_exchange_at_once", lambda one, other: False)


@pytest.mark.usefixtures("exchange")
def test_the_new_folder_takes_the_place_of_the_old(tmp_path):
    target = tmp_path / "layer"
    target.mkdir()
    (target / "stale").touch()
    with replacing(target) as (new,):
        (new / "fresh").touch()
        assert os.listdir(target) == ["stale"]
    assert os.listdir(target) == ["fresh"]
    assert os.listdir(tmp_path) == ["layer"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_exception_leaves_the_old_folder(tmp_path, error):
    target = tmp_path / "layer"
    target.mkdir()
    (target / "old").touch()

    def fill_half(new):
        (new / "half").touch()
        raise error

    with pytest.raises(error), replacing(target) as (new,):
        fill_half(new)
    assert os.listdir(target) == ["old"]
    assert os.listdir(tmp_path) == ["layer"]


@pytest.mark.usefixtures("exchange")
@pytest.mark.parametrize("failing", [0, 1, 2])
def test_of_several_folders_all_are_replaced_or_none(tmp_path, monkeypatch, failing):
    targets = [tmp_path / name for name in ("old", "new", "other")]
    for target in (targets[0], targets[2]):
        target.mkdir()
        (target / "stale").touch()
    exchange, calls = atomic.exchange, []

    def fails(new, target):
        calls.append(target)
        if len(calls) == failing + 1:
            raise OSError("full")
        exchange(new, target)

    def fill():
        with replacing(*targets) as news:
            for new in news:
                (new / "fresh").touch()

    with monkeypatch.context() as patch:
        patch.setattr(atomic, "exchange", fails)
        with pytest.raises(OSError, match="full"):
            fill()
    assert {target.name: os.listdir(target) for target in targets if target.exists()} == {
        "old": ["stale"],
        "other": ["stale"],
    }
    assert sorted(os.listdir(tmp_path)) == ["old", "other"]
    fill()
    assert [os.listdir(target) for target in targets] == [["fresh"]] * 3


class TestWrite:
    TEXT = "line\n" * 50_000  # more than a pipe holds

    def test_a_new_file_and_one_that_is_there_are_written_whole(self, tmp_path):
        for _ in range(2):
            atomic.write(tmp_path / "file", self.TEXT)
            assert (tmp_path / "file").read_text() == self.TEXT
        assert os.listdir(tmp_path) == ["file"]

    def test_a_named_pipe_without_a_reader_is_refused_at_once(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(LngenError, match=r"pipe is a pipe without a reader\. Start the reader first\."):
            atomic.write(tmp_path / "pipe", self.TEXT)
        assert (tmp_path / "pipe").is_fifo()

    @pytest.mark.parametrize("there", [True, False])
    def test_the_file_that_a_link_leads_to_is_replaced_and_the_link_stays(self, tmp_path, there):
        (tmp_path / "deep").mkdir()
        file = tmp_path / "deep" / "file"
        if there:
            file.write_text("before")
        (tmp_path / "link").symlink_to("deep/file")
        atomic.write(tmp_path / "link", self.TEXT)
        assert (tmp_path / "link").is_symlink()
        assert file.read_text() == self.TEXT
        assert not file.is_symlink()
        assert os.listdir(tmp_path / "deep") == ["file"]

    def test_a_folder_a_socket_and_a_place_that_is_not_there_are_refused(self, tmp_path):
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").touch()
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tmp_path / "socket"))
            for name, why in (
                ("folder", "is a folder"),
                ("socket", "is a socket"),
                ("none/file", "is in a folder that is not there"),
                ("file/file", "is in a folder that is not there"),
            ):
                with pytest.raises(LngenError, match=f"{name} {why}. Name another file"):
                    atomic.write(tmp_path / name, self.TEXT)
        assert (tmp_path / "socket").is_socket()

    def test_a_file_whose_writing_fails_is_as_it_was(self, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("before")

        def fails(self, to):
            raise OSError("full")

        monkeypatch.setattr(type(tmp_path), "replace", fails)
        with pytest.raises(OSError, match="full"):
            atomic.write(tmp_path / "file", self.TEXT)
        assert (tmp_path / "file").read_text() == "before"
        assert os.listdir(tmp_path) == ["file"]
