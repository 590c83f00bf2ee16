"""Emitted files in a folder, held to what was emitted: changed ones, code that ends its process, what is not run."""

import re

import pytest

from lngen.checks import emitted
from lngen.checks.emitted import CheckRequest, check_emitted
from lngen.language.parsing import parse
from lngen.pipeline import stages
from lngen.pipeline.files import loading, manifest
from tests import corpus
from tests.requirements import needs_gxx

ROW = r"(void work\(const Row& row\) \{\n)"
ONE = CheckRequest(shapes=[(2, 3)], dtypes=["float64"], at_thresholds=False)


def written(folder, name="rms_norm", **options):
    definition = corpus.definition(name) if name in corpus.NAMES else parse(name)
    made = stages.derived(definition, proved=False, **options)
    manifest.write(made.emission, folder)
    return made, folder / made.definition.name


def changed(path, pattern, replacement):
    text = path.read_text(encoding="utf-8")
    found, count = re.subn(pattern, replacement, text)
    assert count, "nothing was planted"
    path.write_text(found, encoding="utf-8")


def failures(report):
    return [f"{item.what}: {item.detail}" for item in report.failures]


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["differs", "missing", "left over"])
def test_check_emitted_with_a_changed_runtime_names_the_file(kind, tmp_path):
    made, place = written(tmp_path)
    name = "_runtime/strange.py" if kind == "left over" else "_runtime/cuda/grids.py"
    file = tmp_path / name
    if kind == "missing":
        file.unlink()
    else:
        file.write_text("# no code of lngen's\n" + (file.read_text() if file.exists() else ""))
    report = check_emitted(made, place, "numpy", ONE, print)
    assert failures(report) == [f"the files are what lngen emits: {name} {kind}; run: lngen derive"]


@pytest.mark.ci
def test_check_emitted_with_long_rows_summed_wrongly_fails_without_shapes(tmp_path):
    """A mistake in what layers share that rows of fewer than 2049 entries do not have."""
    made, place = written(tmp_path, "layer_norm")
    changed(tmp_path / "_runtime" / "numpy" / "rows.py", r"total \+= end", "total -= end")
    report = check_emitted(made, place, "numpy", CheckRequest(dtypes=["float64"], shapes=[(1, 2)]), print)
    assert any(item.kind == "thresholds" and item.shape[1] > 2048 for item in report.failures)


@pytest.mark.ci
def test_check_emitted_with_a_runtime_without_thresholds_says_so(tmp_path):
    made, place = written(tmp_path)
    changed(tmp_path / "_runtime" / "numpy" / "rows.py", r"\bSHORT_ROW\b", "SHORT")
    report = check_emitted(made, place, "numpy", CheckRequest(shapes=[], dtypes=["float64"]), print)
    assert any(text.startswith("can be read from the code: AttributeError") for text in failures(report))


@needs_gxx
@pytest.mark.parametrize(
    ("replacement", "how"),
    [
        pytest.param("*(volatile int*)8 = 1;", "signal 11 (SIGSEGV)", marks=pytest.mark.ci),
        pytest.param("__builtin_abort();", "signal 6 (SIGABRT)", marks=pytest.mark.exhaustive),
    ],
)
def test_check_emitted_with_kernels_that_end_the_process_reports_it(replacement, how, tmp_path):
    made, place = written(tmp_path)
    changed(place / "layer.h", ROW, rf"\1      {replacement}\n")
    report = check_emitted(made, place, "cpu", ONE, print)
    first, second = failures(report)
    assert first == f"the code runs to its end: the process ended by {how} while it ran forward and backward at 2 x 3"
    assert "layer.h differs" in second
    assert report.outcome == "failed"


@pytest.mark.ci
@needs_gxx
def test_check_emitted_with_kernels_that_do_not_end_ends_them(tmp_path, monkeypatch):
    made, place = written(tmp_path)
    changed(place / "layer.h", ROW, '\\1      for (;;) asm volatile("");\n')
    asked = CheckRequest(shapes=[(2, 3)], dtypes=["float64"], at_thresholds=False, seconds=10)
    first, _ = failures(check_emitted(made, place, "cpu", asked, print))
    assert first.endswith("was ended after 10 seconds without an answer while it ran forward and backward at 2 x 3")


def test_check_emitted_without_a_compiler_is_not_run(tmp_path, monkeypatch):
    made, place = written(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    said = []
    report = check_emitted(made, place, "cpu", ONE, said.append)
    assert (report.passed, report.outcome, report.failures) == (False, "not run", ())
    assert report.not_run.startswith("no C++ compiler")
    assert said == [f"rms_norm: cpu is not run: {report.not_run}"]
    assert (report.as_json()["outcome"], report.as_json()["passed"]) == ("not run", False)


@pytest.mark.parametrize("backend", loading.FRAMEWORKS)
def test_check_emitted_without_a_framework_is_not_run(backend, tmp_path, monkeypatch):
    made, place = written(tmp_path)
    monkeypatch.setattr(loading, "is_installed", lambda package: False)
    report = check_emitted(made, place, backend, ONE, lambda text: None)
    assert report.outcome == "not run"
    assert report.not_run.endswith("is not installed")


def test_check_emitted_where_cuda_is_compiled_alone_has_not_passed(tmp_path, monkeypatch):
    made, place = written(tmp_path)
    monkeypatch.setattr(emitted, "hindrance", lambda folder, backend: "PyCUDA is missing")
    monkeypatch.setattr(emitted, "_compiled", lambda folder, asked: [])
    report = check_emitted(made, place, "cuda", ONE, lambda text: None)
    assert (report.outcome, report.not_run, report.passed) == ("not run", "PyCUDA is missing", False)
