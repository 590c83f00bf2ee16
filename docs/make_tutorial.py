"""Run `tutorial.ipynb` and store what its cells print, so that it can be read where nothing is run.

python docs/make_tutorial.py

Nothing else of a run is stored: no times, no names of kernels, so that a second run changes no byte.
"""

import json
import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOK = Path(__file__).resolve().with_name("tutorial.ipynb")


def executed() -> NotebookNode:
    """The notebook with the outputs of its cells. Raises CellExecutionError if one fails."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    # The kernel is a Python of its own, which has to find this checkout.
    root = str(NOTEBOOK.parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    NotebookClient(notebook, timeout=300, record_timing=False, kernel_name="python3").execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def printed(notebook: NotebookNode) -> list[str]:
    """The text of each cell of code: printed, or shown as its value."""
    return [
        "".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def stored(notebook: NotebookNode) -> str:
    """The text of the file: a cell's source is one line of it, and each line that a cell printed is one."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text" in output:
                output["text"] = output["text"].splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(stored(executed()), encoding="utf-8")
