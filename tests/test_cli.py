import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lngen.checks import FULL_SHAPES, QUICK_SHAPES, Evidence, Report, running
from lngen.checks.toolchain import device, nvrtc
from lngen.cli import app as cli
from lngen.cli import check as check_command
from lngen.cli import console, layers
from lngen.cli import derive as derive_command
from lngen.paths import RUNTIME
from lngen.pipeline.files import manifest
from tests.requirements import needs_nvrtc
from tests.shipped import FILES, LAYERS, ROOT, WHOLE, shipped
from tests.tiers import sample

SHARED = [f"{RUNTIME}/{path}" for path, _ in manifest.runtime_emission().files]
COPIED = ", which the layers share: copy them with it"

MINE = '''
"""A scaled row."""
from lngen.language import Feature, Row


def mine(x: Row, w: Feature = 0):
    return (1 + w) * x
'''


def lngen(*arguments: object):
    """Run a command in this process; the result has exit_code, stdout and stderr."""
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], prog_name="lngen")


def process(*arguments: object, cwd: Path = ROOT, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, **more)


@pytest.fixture
def mine(tmp_path, monkeypatch) -> Path:
    """A definition of one's own, in the working folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    return file


class TestOfTheWhole:
    @pytest.mark.ci
    @pytest.mark.parametrize("words", [["--version"], ["derive", "typo.py"], ["check", "typo.py"], ["list"]])
    def test_an_answer_at_once_comes_without_sympy(self, words, tmp_path):
        (tmp_path / "typo.py").write_text("def f(x: Row):\n    return meen(x)\n")
        code = (
            "import sys; from lngen.cli.app import app\n"
            f"try: app({words}, prog_name='lngen')\n"
            "finally: print(sorted({'sympy', 'numpy', 'jinja2', 'mpmath'} & set(sys.modules)))"
        )
        result = process("-c", code, cwd=tmp_path)
        assert result.stdout.splitlines()[-1:] == ["[]"]
        assert ("did you mean 'mean'?" in result.stderr) == ("typo.py" in words)

    @pytest.mark.parametrize("arguments", [["derve"], ["cost"], ["cost", "x", "--dtype", "y", "z"], ["derive", "--no"]])
    def test_a_wrong_option_is_refused(self, arguments):
        result = lngen(*arguments)
        assert result.exit_code == 2
        assert "Usage" in result.stderr

    def test_an_interrupt_is_not_a_traceback(self, monkeypatch):
        def interrupted(*arguments):
            raise KeyboardInterrupt

        monkeypatch.setattr(layers, "every_file", interrupted)
        result = lngen("list")
        assert (result.exit_code, result.stderr) == (cli.INTERRUPTED, "")


class TestNew:
    @pytest.mark.ci
    def test_what_it_writes_passes_its_own_tests(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = lngen("new", "my_norm")
        assert result.exit_code == 0
        assert sorted(path.name for path in tmp_path.iterdir()) == ["my_norm.py", "test_my_norm.py"]
        done = process("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_norm.py", cwd=tmp_path)
        assert done.returncode == 0, done.stdout
        (tmp_path / "my_norm.py").write_text((tmp_path / "my_norm.py").read_text().replace("x**2", "x**4"))
        assert process("-m", "pytest", "-q", "-k", "numpy", "test_my_norm.py", cwd=tmp_path).returncode == 1

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("mean", "is a function of the language"),
            ("../x", "is no name"),
            ("f(x):pass#", "is no name"),
            ("con", "device"),
        ],
    )
    def test_a_name_that_no_layer_has_is_refused(self, name, said, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = lngen("new", name)
        assert (result.exit_code, [*tmp_path.iterdir()]) == (2, [])
        assert said in result.stderr

    def test_a_file_that_is_there_is_left_as_it_is(self, mine):
        result = lngen("new", "mine")
        assert (result.exit_code, mine.read_text()) == (2, MINE)
        assert "mine.py is there already" in result.stderr


class TestDerive:
    @pytest.mark.ci
    def test_it_prints_the_derivation_and_then_what_it_wrote(self, mine):
        result = lngen("derive", "mine.py", "--out", "here")
        assert (result.exit_code, result.stderr) == (0, "")
        derivation, written = result.stdout.split("\nwrote ", 1)
        assert "dw = sum_rows(dy*x)" in derivation
        *files, next_step, on_numpy, in_torch, in_jax = f"wrote {written}".splitlines()
        assert files == [f"wrote here/_runtime: {len(SHARED)} files{COPIED}", f"wrote here/mine: {len(FILES)} files"]
        assert next_step == "Next: `lngen check mine.py --out here` holds the code against its definition."
        assert on_numpy == "Import it: `from here import mine`"
        assert in_torch == "In PyTorch: `from here.mine.torch_backend import Mine`"
        assert in_jax == "In JAX: `from here.mine.jax_backend import mine`"
        again = lngen("derive", "mine.py", "--out", "here").stdout
        assert ("unchanged in here: " in again, "Next:" in again) == (True, False)

    @pytest.mark.ci
    def test_the_import_of_a_folder_in_a_folder_works_from_here(self, mine):
        printed = lngen("derive", "mine.py", "--out", "inner/layers", "--backend", "numpy").stdout
        line = re.search("Import it: `(.*)`", printed)[1]
        assert line == "from inner.layers import mine"
        subprocess.run([sys.executable, "-c", line], cwd=mine.parent, check=True)

    @pytest.mark.ci
    def test_a_layer_of_another_definition_is_replaced_with_a_word(self, mine):
        words = "derive", "mine.py", "--out", "here", "--backend", "numpy"
        assert "another definition" not in lngen(*words).stdout
        mine.write_text("def mine(x: Row): return x*mean(x)\n")
        assert re.search(r"wrote here/mine: \d files; it was of another definition", lngen(*words).stdout)

    @pytest.mark.ci
    def test_a_certificate_is_written_and_holds(self, mine):
        result = lngen("derive", "mine.py", "--certificate", "c.json")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.endswith("\nwrote c.json\n")
        verify = [sys.executable, "-I", str(ROOT / "tools" / "verify.py"), "c.json", "--definition", "mine.py"]
        assert " and every result hold\n" in subprocess.run(verify, capture_output=True, text=True).stdout
        assert sorted(path.name for path in mine.parent.iterdir()) == ["c.json", "mine.py"]

    @pytest.mark.ci
    def test_what_is_printed_of_a_file_acts_on_no_terminal(self, mine):
        name = "red\x1b[31m.json"
        result = lngen("derive", "mine.py", "--certificate", name, "--out", "here")
        assert (result.exit_code, "\x1b" in result.output) == (0, False)
        assert r"wrote red\x1b[31m.json" in result.stdout
        renamed = mine.rename(mine.with_name("red\x1b[31m.py"))
        result = lngen("derive", renamed.name, "--out", "here")
        assert (result.exit_code, "\x1b" in result.output) == (0, False)
        assert r"Next: `lngen check 'red\x1b[31m.py' --out here`" in result.stdout

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("mine.py", "mine.py", WHOLE[0], "--certificate", "c.json"), "--certificate is for one layer: name it"),
            (("mine.py", "--certificate", "none/c.json"), "none/c.json is in a folder that is not there"),
            (("mine.py", "--html", "."), ". is a folder. Name a file"),
            (("mine.py", "--html", "p.html", "--check"), "--check writes nothing: leave out --html"),
        ],
    )
    def test_a_document_that_cannot_be_written_is_refused_before_anything_is(self, mine, words, message):
        result = lngen("derive", *words)
        assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
        assert message in result.stderr
        assert [path.name for path in mine.parent.iterdir()] == ["mine.py"]

    @pytest.mark.parametrize("packaged", [True, False])
    def test_of_a_file_from_elsewhere_nothing_is_written_unasked(self, mine, monkeypatch, packaged):
        monkeypatch.setattr(layers.paths, "packaged", packaged)
        result = lngen("derive", "mine.py")
        assert result.exit_code == 0
        assert result.stdout.endswith("\nNothing was written: say with --out DIR where the code is to go.\n")
        assert [path.name for path in mine.parent.iterdir()] == ["mine.py"]
        result = lngen("derive", "mine.py", "--check")
        assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
        assert "Say with --out DIR which folder" in result.stderr
        assert [path.name for path in mine.parent.iterdir()] == ["mine.py"]

    def test_one_refused_file_leaves_everything_unwritten(self, mine):
        wrong = mine.parent / "wrong.py"
        wrong.write_text("def wrong(x: Row): return z\n")
        result = lngen("derive", mine, wrong, "--out", "here")
        assert result.exit_code == cli.REFUSED
        assert result.stdout == ""
        assert not (mine.parent / "here").exists()

    @pytest.mark.parametrize("out", ["mine.py", "mine.py/below", "/proc/closed"])
    def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_derived(self, mine, monkeypatch, out):
        monkeypatch.setattr(derive_command, "derived", None)
        result = lngen("derive", mine, "--out", out)
        assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
        assert "hoose another --out" in result.stderr

    def test_a_document_is_alone_on_stdout(self, mine):
        result = lngen("derive", mine, "--out", "here", "--format", "markdown")
        assert result.exit_code == 0
        assert not any(line.startswith("wrote") for line in result.stdout.splitlines())
        assert result.stderr.startswith(f"wrote here/_runtime: {len(SHARED)} files{COPIED}\n")

    def test_json_is_one_document(self, mine):
        result = lngen("derive", mine, "--out", "here", "--format", "json")
        (report,) = json.loads(result.stdout)
        assert report["name"] == "mine"

    def test_a_check_writes_nothing(self, mine):
        result = lngen("derive", mine, "--out", "here", "--check")
        assert result.exit_code == 1
        assert "mine/kernels.cu: missing" in result.stdout
        assert "Run `lngen derive mine.py --out here`" in result.stdout.replace(str(mine), "mine.py")
        assert not (mine.parent / "here").exists()
        lngen("derive", mine, "--out", "here")
        assert lngen("derive", mine, "--out", "here", "--check").exit_code == 0


HOSTILE = {
    "a hidden call": 'def f(x: Row): return __import__("os").system("touch executed")',
    "a decorator": "@print\ndef f(x: Row): return x * 2",
    "a tower": "def f(x: Row): return x * 9**9**9",
    "30,000 signs": f"def f(x: Row): return {'-' * 30_000}x",
}


COMMANDS = (("derive", "--out", "here"), ("check",), ("derive", "--full"))


@pytest.mark.parametrize(("case", "command"), [*zip(HOSTILE, COMMANDS * len(HOSTILE), strict=False)])
def test_a_hostile_definition_is_refused(case, command, tmp_path, monkeypatch):
    text = HOSTILE[case]
    monkeypatch.chdir(tmp_path)
    Path("hostile.py").write_text(text)
    result = lngen(*command, "hostile.py")
    place, _, message = result.stderr.partition(": ")
    file, line, column = place.split(":")
    assert (file, result.exit_code, result.stdout) == ("hostile.py", cli.REFUSED, "")
    assert int(line) <= len(text.splitlines())
    assert int(column) >= 1
    assert "\n  remedy: " in message
    assert "Traceback" not in message
    assert [path.name for path in tmp_path.iterdir()] == ["hostile.py"]


def test_an_unknown_layer_is_answered_with_those_there_are():
    result = lngen("derive", "layer_nrm")
    assert result.exit_code == cli.REFUSED
    assert ", ".join(LAYERS) in result.stderr
    assert "Did you mean layer_norm?" in result.stderr


def nowhere():
    return device.Survey((), None, "there is no GPU.", "make pycuda")


class TestCheck:
    @pytest.fixture
    def no_pycuda(self, monkeypatch):
        monkeypatch.setattr(device, "survey", nowhere)

    def test_the_table_has_a_line_for_every_kind_and_how_close_it_comes_to_its_bound(self, mine):
        result = lngen("check", "mine.py", "--backend", "numpy", "--shape", "2,3", "--dtype", "f64")
        assert (result.exit_code, result.stderr) == (0, "")
        for kind in (
            "exact proof",
            "forward vs oracle",
            "complex step",
            "precision",
            "contracts",
        ):
            assert kind in result.stdout
        assert re.search(r"^complex step +\d+ +\d+%, float64: \w+ at 2 x 3 +ok$", result.stdout, re.MULTILINE)
        assert len(result.stdout.splitlines()) < 25
        assert "FAILED" not in result.stdout

    def test_what_fails_is_told_once_for_each_kind_at_its_smallest(self, mine, monkeypatch):
        wrong = [
            Evidence("precision", "dx", shape, "float64", 1.0, 1e-15, False, f"worst in {shape[0]} rows")
            for shape in ((5, 7), (2, 3), (9, 9))
        ]
        held = Evidence("precision", "y", (2, 3), "float64", 1e-16, 1e-15, True)
        monkeypatch.setattr(running, "check", lambda *_, **options: Report("mine", "numpy", 0, (*wrong, held)))
        result = lngen("check", "mine.py", "--backend", "numpy")
        assert result.exit_code == 1
        lines = [line for line in result.stdout.splitlines() if line.startswith("precision")]
        assert re.fullmatch(r"precision +1 +10%, float64: y at 2 x 3 +ok *", lines[0])
        assert re.fullmatch(r"precision +3 +float64: dx at 2 x 3 \(and 2 more\): worst in 2 rows +FAILED", lines[1])
        assert len(lines) == 2

    def test_what_cannot_be_judged_is_no_claim(self, mine, monkeypatch):
        silent = Evidence("precision", "dx", (2, 3), "float64", None, None, True, "it may overflow", claimed=False)
        held = Evidence("precision", "y", (2, 3), "float64", 1e-16, 1e-15, True)
        monkeypatch.setattr(running, "check", lambda *_, **options: Report("mine", "numpy", 0, (silent, held)))
        result = lngen("check", "mine.py", "--backend", "numpy")
        assert result.exit_code == 0
        (line,) = [line for line in result.stdout.splitlines() if "it may overflow" in line]
        assert line.endswith("no claim")
        # The others are about the text of the files.
        assert re.search(r"mine, numpy: \d+ checks passed, no claim on 1 ", result.stdout)

    @pytest.mark.ci
    def test_each_report_is_printed_when_it_is_there(self, mine, monkeypatch):
        """The first report is flushed before the second check begins."""
        yours = mine.with_name("yours.py")
        yours.write_text(MINE.replace("mine", "yours"))
        seen = []

        def checked(*arguments, **options):
            seen.append(sys.stdout.buffer.getvalue().decode())
            return Report("any", "numpy", 0, ())

        monkeypatch.setattr(running, "check", checked)
        monkeypatch.setattr(check_command, "cores", lambda: 1)
        result = lngen("check", mine, yours, "--backend", "numpy")
        assert seen[0] == ""
        assert re.search(r"mine, numpy: \d+ checks passed", seen[1])
        assert result.stdout.endswith("all 2 passed\n")

    @pytest.mark.ci
    def test_json_is_one_document(self, mine):
        arguments = ("--backend", "numpy", "--shape", "2,3", "--dtype", "f32", "--json", "--seed", "7")
        (report,) = json.loads(lngen("check", "mine.py", *arguments).stdout)
        assert (report["layer"], report["backend"], report["seed"], report["passed"]) == ("mine", "numpy", 7, True)
        assert {entry["dtype"] for entry in report["evidence"] if entry["kind"] == "precision"} == {"float32"}

    @pytest.mark.ci
    def test_layers_side_by_side_are_reported_as_each_alone(self, mine, monkeypatch):
        yours = mine.with_name("yours.py")
        yours.write_text(MINE.replace("mine", "yours").replace("1 + w", "w"))
        arguments = ("--backend", "numpy", "--shape", "2,3", "--dtype", "f64", "--json")
        monkeypatch.setattr(check_command, "cores", lambda: 2)
        together = lngen("check", yours, mine, *arguments)
        monkeypatch.setattr(check_command, "cores", lambda: 1)
        assert together.exit_code == 0
        assert [report["layer"] for report in json.loads(together.stdout)] == ["yours", "mine"]
        assert together.stdout == lngen("check", yours, mine, *arguments).stdout

    def test_a_failure_is_shown_and_is_the_exit_status(self, mine, monkeypatch):
        wrong = Evidence("complex step", "dx", (2, 3), "float64", 0.5, 1e-13, False, "worst at row 1")
        monkeypatch.setattr(running, "check", lambda *_, **options: Report("mine", "numpy", 0, (wrong,)))
        result = lngen("check", "mine.py", "--backend", "numpy")
        assert result.exit_code == 1
        assert "dx at 2 x 3: worst at row 1" in result.stdout
        assert re.search(r"mine, numpy: 1 of \d+ checks FAILED", result.stdout)

    def test_code_that_was_changed_by_hand_fails(self, tmp_path, monkeypatch):
        name = WHOLE[-1]
        manifest.write(shipped(name).emission, tmp_path)
        module = tmp_path / name / "numpy_backend.py"
        module.write_text(module.read_text() + "\nraise SystemError('broken by hand')\n")
        monkeypatch.setattr(layers, "output_folder", lambda: tmp_path)
        result = lngen("check", name, "--backend", "numpy", "--shape", "2,3")
        assert result.exit_code == 1
        assert "the module imports: SystemError: broken by hand" in " ".join(result.stdout.split())
        assert f"{name}/numpy_backend.py differs" in " ".join(result.stdout.split())

    @pytest.mark.ci
    @pytest.mark.parametrize("options", [[], ["--directions", "forward,backward"]])
    def test_the_command_that_derive_prints_finds_what_was_changed(self, mine, options):
        told = lngen("derive", "mine.py", "--out", "my_layers", "--backend", "numpy", *options)
        (command,) = re.findall("Next: `lngen (.*)` holds", " ".join(told.stdout.split()))
        words = shlex.split(command)
        assert words == ["check", "mine.py", "--out", "my_layers"]
        quick = ["--backend", "numpy", "--shape", "2,3", "--dtype", "f64"]
        for subject in (words[1:], ["my_layers/mine"]):
            result = lngen("check", *subject, *quick)
            assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "code: my_layers/mine")
        kernels = mine.parent / "my_layers/mine/numpy_backend.py"
        kernels.write_text(kernels.read_text().replace("np.multiply", "np.add", 1))
        subject = words[1:]
        if options:
            mine.unlink()
            subject = ["my_layers/mine"]
        # In a process of its own, as the module is imported here.
        result = process("-m", "lngen", "check", *subject, *quick, cwd=mine.parent)
        assert result.returncode == 1
        found = " ".join(result.stdout.replace("FAILED", "").split())  # which stands beside the first line of a cell
        assert re.search(r"output 0: \S+ and the definition gives", found)
        assert "the files are what lngen emits: mine/numpy_backend.py" in found
        assert f"again: python -m lngen check {' '.join(subject)} --backend numpy --shape 2,3" in found

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["mine.py", "--out", "nowhere"], "nowhere/mine holds no layer that this lngen wrote."),
            (["empty"], "empty is a folder, and none that lngen wrote a layer to."),
        ],
    )
    def test_a_folder_without_a_layer_is_refused(self, mine, words, message):
        (mine.parent / "empty").mkdir()
        result = lngen("check", *words)
        assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
        assert message in result.stderr

    @pytest.mark.ci
    @needs_nvrtc
    @pytest.mark.cuda
    def test_cuda_is_compiled(self, mine, no_pycuda):
        result = lngen("check", "mine.py", "--backend", "cuda", "--dtype", "f32", "--shape", "4,256", "--json")
        (report,) = json.loads(result.stdout)
        assert result.exit_code == check_command.NOT_RUN
        assert (report["outcome"], report["passed"]) == ("not run", False)
        assert report["not_run"].startswith("make pycuda")
        kernels = {entry["what"]: entry for entry in report["evidence"] if entry["kind"] == "compiled, not run"}
        assert set(kernels) >= {"mine_forward_f32, D = 256", "mine_backward_f32, D = 256"}
        assert all("no spill" in entry["detail"] for entry in kernels.values())
        assert "128-bit accesses" in kernels["mine_forward_f32, D = 256"]["detail"]

    @pytest.mark.ci
    def test_where_kernels_are_neither_run_nor_compiled(self, mine, monkeypatch, no_pycuda):
        def missing():
            raise nvrtc.NvrtcMissing("no NVRTC: install it")

        monkeypatch.setattr(nvrtc, "_nvrtc", missing)
        result = lngen("check", "mine.py", "--shape", "2,3", "--dtype", "f64")
        assert result.exit_code == check_command.NOT_RUN
        assert result.stderr.startswith("cuda is left out: nothing here runs its kernels, and NVRTC is missing")
        assert result.stdout.endswith("passed; NOT RUN: cuda\n")
        result = lngen("check", "mine.py", "--backend", "cuda")
        assert result.exit_code == check_command.NOT_RUN
        assert "cuda is not run: make pycuda" in result.stderr
        assert "not compiled for GPUs: pip install" in result.stderr
        assert "mine, cuda: NOT RUN (make pycuda" in " ".join(result.stdout.split())

    def test_shapes_and_types_are_read_as_lngen_cost_reads_them(self):
        assert check_command.parse_shapes(["7", "32,512,768", "0,5"]) == ((1, 7), (16384, 768), (0, 5))
        assert check_command.parse_shapes(["full"]) == FULL_SHAPES
        assert check_command.parse_shapes([]) == QUICK_SHAPES
        assert check_command.parse_dtypes(["bf16", "double"]) == ("bfloat16", "float64")


class TestCost:
    def test_it_prints_what_is_moved(self):
        result = lngen("cost", WHOLE[0], "--shape", "32,512,768", "--dtype", "bf16")
        assert (result.exit_code, result.stderr) == (0, "")
        # Two and three tensors of two bytes per entry; besides, three f32 a row and the parameters.
        rows, tensor, feature = 32 * 512, 32 * 512 * 768 * 2, 768 * 2
        forward, backward = 2 * tensor + 12 * rows + 2 * feature, 3 * tensor + 12 * rows + 3 * feature
        lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
        assert f"moved {forward / 1e6:.2f} MB {backward / 1e6:.2f} MB" in lines


@needs_nvrtc
class TestInspect:
    @pytest.fixture(autouse=True)
    def by_nvrtc(self, monkeypatch):
        monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")

    @pytest.mark.ci
    def test_it_prints_each_kernel(self):
        result = lngen(
            "inspect", "rms_norm", "--arch", "sm_80", "--D", "256", "--dtype", "f16", "--direction", "backward"
        )
        assert (result.exit_code, result.stderr) == (0, "")
        first, *rest = result.stdout.splitlines()
        assert first == "rms_norm, rows of 256 f16, sm_80"
        names = [line for line in rest if line and line[0] != " "]
        assert names[:2] == ["rms_norm_backward_f16", "rms_norm_backward_columns_f16"]
        assert re.search(r"^  registers a thread +\d+$", result.stdout, re.M)

    @pytest.mark.ci
    def test_as_a_document(self):
        result = lngen("inspect", "rms_norm", "--D", "256", "--dtype", "f32", "--direction", "forward", "--json")
        document = json.loads(result.stdout)
        (kernel,) = document["kernels"]
        assert (document["arch"], document["D"], kernel["kernel"]) == ("sm_90", 256, "rms_norm_forward_f32")
        assert kernel["spilled_bytes"] == 0
        assert (kernel["accesses"] is None) == bool(document["missing"])

    def test_without_a_compiler(self, monkeypatch):
        monkeypatch.setattr("lngen.runtime.cuda.compilers.find_nvrtcs", list)
        result = lngen("inspect", "rms_norm", "--D", "257", "--dtype", "f32")
        assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
        assert "pip install nvidia-cuda-nvrtc" in result.stderr


CHECK, COST, INSPECT = ("check", "mine.py"), ("cost", WHOLE[0]), ("inspect", WHOLE[0], "--D", "256", "--dtype", "f32")
UNREADABLE = [
    *((CHECK, "--shape", shape, "shape") for shape in ("2,-3", "", "2,")),
    (CHECK, "--shape", "5," + "9" * 5000, "Write a smaller one"),
    (CHECK, "--backend", "x", "there is no backend 'x'; there are numpy, cpu, cuda, torch, jax"),
    ((*COST, "--dtype", "f32"), "--shape", "a,b", "a,b"),
    ((*COST, "--shape", "32,768"), "--dtype", "f8", "f8"),
    (INSPECT, "--arch", "sm_91", "sm_120"),
    ((*INSPECT, "--arch", "sm_90"), "--dtype", "f8", "bf16"),
    *(((*INSPECT, "--arch", "sm_90"), "--D", features, "--D") for features in ("0", "4294967296")),
]


@pytest.mark.parametrize(("words", "option", "value", "said"), UNREADABLE)
def test_a_value_that_cannot_be_read_is_refused(words, option, value, said, mine):
    result = lngen(*words, option, value)
    assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
    assert said in " ".join(result.stderr.split())
    assert len(result.stderr) < 400


def test_the_list_is_read_from_what_was_derived(tmp_path, monkeypatch):
    for name in (*WHOLE, "softmax"):
        shutil.copytree(ROOT / "generated" / name, tmp_path / "generated" / name)
    monkeypatch.setattr(layers, "definitions_folder", lambda: tmp_path / "derive")
    (tmp_path / "derive").mkdir()
    for name in WHOLE:
        shutil.copy(ROOT / "derive" / f"{name}.py", tmp_path / "derive")
    (tmp_path / "derive" / "softmax.py").write_text("def softmax(x: Row):\n    return 2*x\n")
    result = lngen("list")
    assert result.exit_code == 0
    assert "not derived as it is now: lngen derive softmax" in result.stdout
    for name in WHOLE:
        assert f"{name} " in result.stdout
    rms = next(line for line in result.stdout.splitlines() if line.startswith("rms_norm "))
    # Reductions and row tensors, forward and backward, then the lines of the gradient.
    assert rms.split() == ["rms_norm", "1", "1", "2", "3", "g", "=", "gamma*dy"]
    assert "dx = rstd*(g - xhat*mean(g*xhat))" in result.stdout


class TestLayers:
    @pytest.mark.parametrize(("own", "packaged"), [(True, True), (False, True), (True, False)])
    def test_an_installed_lngen_prefers_the_folder_of_the_user(self, tmp_path, monkeypatch, own, packaged):
        if own:
            (tmp_path / "derive").mkdir()
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(layers.paths, "packaged", packaged)
        users = own and packaged
        assert layers.definitions_folder() == (Path("derive") if users else layers.paths.derive_folder())


class TestOfTheSystem:
    """Errors of the system give one message and a status, in every command."""

    def run(self, words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "LNGEN": f"{sys.executable} -m lngen"}
        return subprocess.run(["bash", "-c", words], cwd=cwd, env=environment, capture_output=True, text=True)

    @pytest.mark.parametrize("command", ["derive", "list"])
    def test_a_folder_that_is_gone(self, command, tmp_path):
        (tmp_path / "gone").mkdir()
        result = self.run(f"cd gone && rmdir ../gone && $LNGEN {command}", tmp_path)
        assert (result.returncode, result.stdout) == (cli.REFUSED, "")
        assert result.stderr == "the folder that lngen was started in is gone. Change to one that exists.\n"

    @pytest.mark.ci
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    @pytest.mark.parametrize("command", ["derive mine.py --out here", "--help"])
    def test_a_device_that_is_full(self, command, mine):
        result = self.run(f"$LNGEN {command} > /dev/full", mine.parent)
        assert result.returncode == cli.REFUSED
        assert result.stderr == "the output: No space left on device. Make room there, or choose another place.\n"

    @pytest.mark.parametrize("command", ["derive mine.py --out here", "--version"])
    def test_a_stdout_that_is_closed(self, command, mine):
        result = self.run(f"$LNGEN {command} >&-", mine.parent)
        assert result.returncode == cli.REFUSED
        assert result.stderr == "standard output is closed. Redirect it to /dev/null if you do not want it.\n"
        assert [path.name for path in mine.parent.iterdir()] == ["mine.py"]

    @pytest.mark.ci
    def test_a_reader_that_has_gone(self, mine):
        result = self.run("set -o pipefail; $LNGEN derive mine.py --out here | head -n 1", mine.parent)
        assert (result.returncode, result.stdout, result.stderr) == (0, "mine\n", "")


EVERY_COMMAND = [
    "derive",
    f"derive {WHOLE[0]}",
    "list",
    f"cost {WHOLE[0]} --shape 8192,4096 --dtype bf16",
    f"stability {WHOLE[0]}",
    f"check {WHOLE[0]} --backend numpy --shape 3,8 --dtype f32",
    "device",
    f"inspect {WHOLE[0]} --D 4096 --dtype bf16 --direction forward --direction backward",
    "inspect no_such_layer --D 8 --dtype f32",
    "derive no_such_layer",
    "derive broken.py",
    *(
        f"{command} --help"
        for command in ("derive", "check", "cost", "stability", "device", "build", "inspect", "list", "cache")
    ),
]


@pytest.mark.parametrize("line", sample(EVERY_COMMAND, EVERY_COMMAND[1::3]))
def test_nothing_is_wider_than_the_terminal_and_no_word_is_broken(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(layers, "output_folder", lambda: tmp_path)
    Path("broken.py").write_text(
        "def f(x: Row):\n    a_value_with_a_name = cumsum(x)\n    return a_value_with_a_name\n"
    )

    def printed(columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        result = lngen(*line.split())
        return [*result.stdout.splitlines(), *result.stderr.splitlines()]

    whole = set(re.findall(r"\w+", " ".join(printed(300))))
    for columns in (80, 120):
        lines = printed(columns)
        assert [line for line in lines if len(line) > columns] == []
        if line.startswith("derive") and "--help" not in line:
            # What changed on disk is told once.
            lines = [line for line in lines if "changed" not in line and "wrote" not in line]
        assert set(re.findall(r"\w+", " ".join(lines))) - whole == set()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class TestProgress:
    @pytest.fixture(autouse=True)
    def a_terminal_that_moves(self, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")

    def test_what_is_quick_shows_no_bar(self):
        with redirect_stderr(Terminal()) as terminal, console.progress(2) as part:
            part("one")
            with part.away():
                print("printed")
        assert terminal.getvalue() == ""

    def test_a_bar_comes_and_is_away_while_something_is_printed(self, monkeypatch):
        monkeypatch.setattr(console, "_PATIENCE", 0.0)
        with redirect_stderr(Terminal()) as terminal, console.progress(2) as part:
            part("the first")
            deadline = time.monotonic() + 30
            while "the first" not in terminal.getvalue() and time.monotonic() < deadline:
                time.sleep(0.01)
            assert "the first" in terminal.getvalue()
            with part.away():
                before = terminal.getvalue()
                part("the second")
                time.sleep(0.3)  # a bar is drawn ten times a second
                assert terminal.getvalue() == before
        assert "the second" in terminal.getvalue()
