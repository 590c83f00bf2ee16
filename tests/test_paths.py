from pathlib import Path

import pytest

from lngen import paths

ROOT = Path(__file__).parents[1]


def test_a_checkout_is_a_project_of_our_name(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "lngen-derive"\n')
    assert paths._checkout_of(tmp_path / "lngen") == tmp_path


@pytest.mark.parametrize(
    "project",
    [
        None,
        '[project]\nname = "other"\n',
        '[project]\nname = "lngen"\n',
        "[tool.ruff]\n",
        'project = "lngen"\n',
        "not = toml = at all",
        b"\xff\xfe",
    ],
)
def test_whatever_else_stands_beside_the_package_is_no_checkout(tmp_path, project):
    if project is not None:
        content = project if isinstance(project, bytes) else project.encode()
        (tmp_path / "pyproject.toml").write_bytes(content)
    assert paths._checkout_of(tmp_path / "lngen") is None
