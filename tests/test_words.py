"""Words of the documents: short sentences, the field's nouns, numbers that are compared in tables."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
MOST_WORDS = 35
MOST_MEASURES = 2

RIDDLES = re.compile(
    r"(What|Whatever|Which of|Of what|That by which|That which|That of|Those (that|which|whose|of)|Of those|Neither is|"
    r"With what|By what|In what|From what)\b"
)
"""First words of a sentence whose subject is to be guessed; a question may begin so."""

CELL_RIDDLES = re.compile(r"(what|whatever|those|that (of|by|which))\b(?!.*\?$)", re.I)
"""First words of a cell of a table that names no noun."""

OBSCURE = {
    r"(is|are|was|were) (to be )?had\b": "there is, you get",
    r"to be had\b": "available",
    r"nobody's (concern|business)": "automatic, private",
    r"\bsooner\b": "faster, earlier",
    r"\bhas to be had\b": "is needed",
    r"all there is\b": "dominate",
    r"\bget along with\b": "work with",
    r"\bof what (is|was|are|can|a|the)\b": "name the noun",
    r"\bthat is told\b": "is described",
    r"\bis (kept|held) to that\b": "is checked against",
    r"\bnobody that\b": "name the actor",
    r"\btakes? the time\b": "dominates",
    r"\bthat by which\b": "name the noun",
    r"\bgoes by (it|that|them)\b": "uses",
    r"\bis no (pipe|such|number)\b": "say it positively",
}

UNIT = (
    r"(?:%|[kMG]i?B(?:/s)?|TB/s|ns|us|ms|microseconds?|seconds?|minutes?|cycles|times(?= (?:as|faster|slower|its|the)))"
)
MEASURE = re.compile(rf"(?<![\w.*])(?:\d[\d,]*(?:\.\d+)?\s?{UNIT}(?!\w)|1/\d+(?:\.\d+)?|\d+\.\d+(?![\w.]*\w))")


def prose(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, kind (`heading`, `text` or `cell`) and words of each piece of prose: no code, no comments."""
    kinds = {"heading_open": "heading", "paragraph_open": "text", "td_open": "cell", "th_open": "cell"}
    kind, line = "", 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type in kinds:
            kind, line = kinds[token.type], token.map[0] + 1 if token.map else line
        elif token.type == "inline" and kind:
            words = "".join(
                "code" if part.type == "code_inline" else " " if part.type.endswith("break") else part.content
                for part in token.children or ()
                if part.type not in {"html_inline", "image"}
            )
            yield line, kind, words


def sentences(words: str) -> list[str]:
    return re.split(r"(?<=[.!?])[)*]*\s+(?=[A-Z*(\"“]|code\b|lngen\b)", words.strip())


def faults(text: str) -> list[str]:
    """Each fault as `line: what is wrong: the sentence`."""
    found = []
    for line, kind, words in prose(text):
        if kind == "cell":
            found += [f"{line}: cell begins with a riddle: {words}"] if CELL_RIDDLES.match(words) else []
            continue
        for sentence in sentences(words):
            count = len(re.findall(r"[\w'’.-]*\w[\w'’-]*", sentence))
            measures = MEASURE.findall(sentence)
            wrong = [f"{count} words"] if count > MOST_WORDS else []
            if RIDDLES.match(sentence.lstrip("*(")) and not sentence.endswith("?"):
                wrong.append("begins with a riddle")
            if len(measures) > MOST_MEASURES:
                wrong.append(f"compares {len(measures)} numbers; a table can")
            wrong += [f"write: {plain}" for form, plain in OBSCURE.items() if re.search(form, sentence, re.I)]
            found += [f"{line}: {each}: {sentence}" for each in wrong]
    return found


def documents() -> dict[str, str]:
    pages = [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "benchmarks" / "README.md",
        ROOT / "tests" / "README.md",
        *(ROOT / "docs").rglob("*.md"),
    ]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(pages)}
    for path in sorted((ROOT / "docs").rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        told = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        texts[path.relative_to(ROOT).as_posix()] = "\n\n".join(told)
    return texts


DOCUMENTS = documents()


@pytest.mark.parametrize("page", sorted(DOCUMENTS))
def test_documents_words_are_plain(page):
    assert faults(DOCUMENTS[page]) == []


LONG = " ".join(["Word"] + ["word"] * (MOST_WORDS - 1))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"{LONG} word.", "36 words"),
        ("# What is kept", "begins with a riddle"),
        ("**What stands there** is kept.", "begins with a riddle"),
        ("It takes 2.1 ms, PyTorch 3.4 ms, JAX 5 ms.", "compares 3 numbers"),
        ("It takes 1.4 times as long, cold 0.5, warm 0.7.", "compares 3 numbers"),
        ("The same functions are to be had compiled.", "write: available"),
        ("| a | b |\n| --- | --- |\n| 1 | what a part sends |", "cell begins with a riddle"),
        ("The rest is nobody's concern.", "write: automatic"),
    ],
)
def test_faults_planted_are_found(text, fault):
    assert any(f": {fault}" in each for each in faults(text))
