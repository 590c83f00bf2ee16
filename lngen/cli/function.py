"""`lngen check --function`: a function that lngen has not written, held to a definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lngen.checked import check_subject
from lngen.checks.callables.calling import find
from lngen.checks.callables.checking import CallableRequest, Subject
from lngen.checks.callables.shown import lines
from lngen.cli import console
from lngen.cli.check import NOT_RUN, parse_dtypes
from lngen.errors import LngenError, ToolchainMissing
from lngen.language.definition import Definition


def run(
    definitions: Sequence[Definition],
    function: str,
    backward: str,
    call: str,
    constants: Sequence[str],
    without: Sequence[str],
    strict: bool,
    full: bool,
    dtypes: Sequence[str],
    seed: int,
    device: str,
    as_json: bool,
) -> int:
    """Check a function; the exit status is 1 if a claim fails, and `NOT_RUN` if a package or a device is missing."""
    if len(definitions) != 1:
        raise LngenError("a function is checked against one layer: name it, as in lngen check LAYER --function ...")
    (definition,) = definitions
    asked = CallableRequest(parse_dtypes(dtypes), seed, tuple(without), strict, full)
    fixed = _fixed(definition, constants)
    try:
        found, pulled_back = find(function), find(backward) if backward else None
        subject = Subject.of(definition, found, call, pulled_back, fixed, device)
    except ToolchainMissing as missing:
        console.note(str(missing))
        return NOT_RUN
    with console.progress(1) as part:
        part(f"{definition.name}: deriving")
        held = check_subject(subject, asked, part)
    if as_json:
        console.print_json([held.report.as_json()])
    else:
        for line in lines(held.report, function, held.own):
            print(line)
    return 0 if held.report.outcome == "passed" else 1


def _fixed(definition: Definition, words: Sequence[str]) -> Mapping[str, float]:
    known = {definition.public(entry.name): entry.name for entry in definition.constants}
    fixed: dict[str, float] = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            fixed[known[name]] = float(value)
        except (KeyError, ValueError):
            have = ", ".join(known) or "none"
            raise LngenError(
                f"--constant {word}: write a Constant of {definition.name} ({have}) and a number, as eps=1e-6."
            ) from None
    return fixed
