"""Write `rules.md`: every rule of a derivation, with its example.

python docs/make_rules.py
"""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lngen.derivation.rules import RULES, Rule  # noqa: E402
from lngen.report.escape import markdown  # noqa: E402

HEAD = """\
# Rules

Made by `python docs/make_rules.py` from `lngen/derivation/rules/table.py`; each example is a step of a derivation.

A derivation is a list of steps. Each step names its rule. Here is what each rule says, when it may be used, what it
gains, and why it holds, in the order in which they are tried. In all of them x is a row, D the number of its features,
`mean`, `sum`, `max` and `min` are over the features of a row, and `sum_rows` is over the rows. A *number of a row* is
one value a row, as its mean is. The *cotangent* of a value is the derivative of the loss by it, written `d` and its
name.
"""


def document() -> str:
    """The page."""
    return "\n".join([HEAD, *(line for rule in RULES for line in section(rule))]).rstrip("\n") + "\n"


def section(rule: Rule) -> Iterator[str]:
    """A rule as Markdown."""
    yield from (f'<a id="{rule.anchor}"></a>', "", f"## {rule.name}", "")
    said = {"": rule.statement, "*Condition.* ": rule.condition, "*Gain:* ": rule.gains, "*Proof.* ": rule.proof}
    yield from (line for head, words in said.items() for line in (head + markdown(words), ""))
    if rule.example is None:
        yield from ("Only in definitions that are too long to be shown here.", "")
        return
    definition, before, after = rule.example.definition, rule.example.before, rule.example.after
    yield from ("*Example.* In the derivation of", "", "```text", definition, "```", "", "```text")
    yield from (f"{before}\n -> {after}" if before else after, "```", "")


if __name__ == "__main__":
    (ROOT / "docs" / "rules.md").write_text(document(), encoding="utf-8", newline="\n")
