"""Counts of lines of code."""

import pytest

from tools import house

MODULE = '''"""About.

More.
"""

# why
x = 1  # that


def f():
    """Return it."""
    return (
        x
    )
'''


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", MODULE, 5),
        ("a.py", "LIMIT = 3\n'''Text of an attribute.'''\n", 1),
        ("a.cuh", "// about\n\nint a;  // that\n/* two\n   lines */\nint b;\n", 2),
        ("a.jinja", "{# about #}\n{{ line }}\n", 1),
    ],
)
def test_code_lines_leaves_out_comments_docstrings_and_blank_lines(name, text, expected, tmp_path):
    file = tmp_path / name
    file.write_text(text)
    assert house.code_lines(file) == expected


def test_every_python_file_of_lngen_is_in_one_group():
    every = [path for name, files in house.groups().items() if name not in ("core", "tests") for path in files]
    assert len(every) == len(set(every))
    assert set((house.ROOT / "lngen").rglob("*.py")) <= {*every}
