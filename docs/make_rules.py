"""Write `rules.md`: every rule of a derivation, with a step that it made.

python docs/make_rules.py
"""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lngen.algebra.notation import text  # noqa: E402
from lngen.derivation.derivation import Derivation, Step  # noqa: E402
from lngen.derivation.rules import RULES, Rule  # noqa: E402
from lngen.derivation.simplify import derive  # noqa: E402
from lngen.derivation.simplify.second_order import second_order  # noqa: E402
from lngen.language.parsing import parse  # noqa: E402
from lngen.report.escape import markdown  # noqa: E402
from lngen.report.formulas import reading_order  # noqa: E402

HEAD = """\
# Rules

Made by `python docs/make_rules.py` from `lngen/derivation/rules.py`; each example is a step of a derivation.

A derivation is a list of steps. Each step names its rule, and here is what the rule says, when it may be used, and why
it holds. In all of them x is a row, D the number of its features, `mean`, `sum`, `max` and `min` are over the features
of a row, and `sum_rows` is over the rows. A *number of a row* is one value a row, as its mean is. The *cotangent* of a
value is the derivative of the loss by it, written `d` and its name.
"""


def document() -> str:
    """The page."""
    return "\n".join([HEAD, *(line for rule in RULES.values() for line in section(rule))]).rstrip("\n") + "\n"


def section(rule: Rule) -> Iterator[str]:
    """A rule as Markdown."""
    yield from (f'<a id="{rule.anchor}"></a>', "", f"## {rule.name}", "")
    said = {"": rule.statement, "*Condition.* ": rule.condition, "*Proof.* ": rule.proof}
    yield from (line for head, words in said.items() for line in (head + markdown(words), ""))
    if rule.example:
        yield from ("*Example.* In the derivation of", "", "```text", rule.example, "```", "", "```text")
        yield from (*example(rule), "```", "")
    else:
        yield from ("Only in definitions that are too long to be shown here.", "")


def example(rule: Rule) -> Iterator[str]:
    """The first step of the example's derivation that the rule made."""
    made = second_order(derive(parse(rule.example)))
    order = reading_order(made)
    made_by = [step for step in steps(made) if step.rule == rule.name]
    step = next((step for step in made_by if len(step.contributions) > 1), made_by[0])
    yield f"{step.target}: {step.reason}"
    yield from (f"  with {text(left, order)} = {text(right, order)}" for left, right in step.uses)
    if len(step.contributions) > 1:
        yield from (f"  through {sent.source}: {text(sent.expression, order)}" for sent in step.contributions)
    yield from () if step.before is None else (f"    {text(step.before, order)}",)
    yield f"  = {text(step.after, order)}"


def steps(made: Derivation) -> Iterator[Step]:
    """The steps of all directions."""
    yield from made.steps
    yield from (step for part in (made.jvp, made.backward_backward) if part is not None for step in part.steps)


if __name__ == "__main__":
    (ROOT / "docs" / "rules.md").write_text(document(), encoding="utf-8", newline="\n")
