"""Inlined includes of a file, with lines and file names unchanged."""

import re
import subprocess
from pathlib import Path

import pytest

from lngen.runtime.includes import inlined
from tests.requirements import gxx, needs_gxx


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    """A file of three lines that includes two others, of which one includes the other."""
    for folder in ("layer", "shared"):
        (tmp_path / folder).mkdir()
    (tmp_path / "shared" / "sums.cuh").write_text('#include "rows.cuh"\nint sums = rows;\n')
    (tmp_path / "shared" / "rows.cuh").write_text("#pragma once\n#include <cuda_fp16.h>\nint rows;\n")
    source = tmp_path / "layer" / "kernels.cu"
    source.write_text('#include "../shared/rows.cuh"\n# include "../shared/sums.cuh"  // and more\nint last;\n')
    return source


def test_what_has_a_guard_is_there_once_and_what_is_of_others_stays(layer: Path) -> None:
    text = inlined(layer)
    assert [line for line in text.splitlines() if line.startswith("int")] == [
        "int rows;",
        "int sums = rows;",
        "int last;",
    ]
    assert re.findall("#include.*", text) == ["#include <cuda_fp16.h>"]


@pytest.mark.parametrize(
    ("head", "times"),
    [("#pragma once\n", 1), ("// all\n#ifndef A_H\n#define A_H\n", 1), ("#ifndef A\n#define A 1\n#endif\n", 2)],
)
def test_what_has_no_guard_is_there_as_often_as_it_is_included(tmp_path: Path, head: str, times: int) -> None:
    (tmp_path / "a.h").write_text(f"{head}int a;\n")
    assert inlined(tmp_path / "k.cu", '#include "a.h"\n' * 2).count("int a;") == times


def test_messages_name_files_and_lines(layer: Path) -> None:
    places: dict[str, tuple[str, int]] = {}
    file, number = "kernels.cu", 1
    for line in inlined(layer).splitlines():
        if named := re.fullmatch(r'#line (\d+) "(.*)"', line):
            file, number = named[2], int(named[1])
        else:
            places[line] = file, number
            number += 1
    assert places["int rows;"] == ("rows.cuh", 3)
    assert places["int sums = rows;"] == ("sums.cuh", 2)
    assert places["int last;"] == ("kernels.cu", 3)


@needs_gxx
def test_a_compiler_says_the_same(layer: Path) -> None:
    text = inlined(layer).replace("int sums", "int 1sums").replace("int last", "int 2last")
    command = [str(gxx()), "-fsyntax-only", "-x", "c++", "-"]
    source = text.replace("#include <cuda_fp16.h>", "")
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    assert re.findall(r"^(\S+):(\d+):\d+: error", done.stderr, re.MULTILINE) == [("sums.cuh", "2"), ("kernels.cu", "3")]


def test_a_text_that_was_not_written_stands_where_it_would(layer: Path) -> None:
    assert inlined(layer.parents[1] / "nowhere" / "kernels.cu", layer.read_text()) == inlined(layer)


def test_folders_are_looked_through_for_what_is_not_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.h").write_text("int a;\n")
    source = tmp_path / "k.cu"
    source.write_text("#include <a.h>\n")
    assert inlined(source) == "#include <a.h>\n"
    assert "int a;" in inlined(source, folders=[tmp_path / "own"])
    (tmp_path / "a.h").write_text("int beside;\n")
    assert "beside" not in inlined(source, folders=[tmp_path / "own"])
    assert "beside" in inlined(source, '#include "a.h"', [tmp_path / "own"])


def test_what_is_not_there_is_left_to_the_compiler(tmp_path: Path) -> None:
    assert inlined(tmp_path / "k.cu", '#include "lost.cuh"\n') == '#include "lost.cuh"\n'
