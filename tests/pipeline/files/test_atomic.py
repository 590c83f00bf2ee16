import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

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
    with replacing(target) as new:
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

    with pytest.raises(error), replacing(target) as new:
        fill_half(new)
    assert os.listdir(target) == ["old"]
    assert os.listdir(tmp_path) == ["layer"]


@contextmanager
def reader(pipe):
    """The future of what a thread reads of a named pipe until this ends; the pipe has its reader from the beginning."""
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    # A pipe that nobody writes to is at its end, and the reader would go before there is anything.
    open_end = os.open(pipe, os.O_WRONLY)

    def read():
        with open(descriptor, encoding="utf-8") as stream:
            return stream.read()

    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(read)
        finally:
            os.close(open_end)


class TestWrite:
    TEXT = "line\n" * 50_000  # more than a pipe holds

    def test_a_new_file_and_one_that_is_there_are_written_whole(self, tmp_path):
        for _ in range(2):
            atomic.write(tmp_path / "file", self.TEXT)
            assert (tmp_path / "file").read_text() == self.TEXT
        assert os.listdir(tmp_path) == ["file"]

    def test_a_named_pipe_with_a_reader_is_written_into_and_stays(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with reader(tmp_path / "pipe") as found:
            atomic.write(tmp_path / "pipe", self.TEXT)
        assert found.result(timeout=10) == self.TEXT
        assert (tmp_path / "pipe").is_fifo()
        assert os.listdir(tmp_path) == ["pipe"]

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

    @pytest.mark.parametrize("to", ["file", "pipe"])
    def test_standard_output_is_written_into_in_its_order(self, tmp_path, to):
        program = (
            "from pathlib import Path\nfrom lngen.pipeline.files import atomic\n"
            "print('before')\natomic.write(Path('/dev/stdout'), 'text\\n')\nprint('after')"
        )
        command = [sys.executable, "-c", program]
        if to == "pipe":
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        else:
            with open(tmp_path / "file", "w") as file:
                subprocess.run(command, stdout=file, check=True)
            printed = (tmp_path / "file").read_text()
        assert printed == "before\ntext\nafter\n"

    def test_a_file_whose_writing_fails_is_as_it_was(self, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("before")

        def fails(self, to):
            raise OSError("full")

        monkeypatch.setattr(type(tmp_path), "replace", fails)
        with pytest.raises(OSError, match="full"):
            atomic.write(tmp_path / "file", self.TEXT)
        assert (tmp_path / "file").read_text() == "before"
        assert os.listdir(tmp_path) == ["file"]
