"""`python -m tests.fuzz`: one definition again, a file, a long run, or its summary."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tests.fuzz.campaign import FOLDER, Campaign
from tests.fuzz.generate import FULL, SMALL
from tests.fuzz.judge import Verdict, judge
from tests.fuzz.summary import summary


def main() -> int:
    """0 if nothing failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, metavar="K", help="definition K alone, with its text")
    parser.add_argument("-n", type=int, default=0, help="definitions 0 to N - 1, but for those in the journal")
    parser.add_argument("--file", type=Path, action="append", default=[], help="a definition in a file")
    parser.add_argument("--minimise", action="store_true", help="make what fails smaller, and keep it")
    parser.add_argument("--summary", action="store_true", help="print the summary of the journal, in Markdown")
    parser.add_argument("--small", action="store_true", help="definitions as in the ordinary test run")
    parser.add_argument("--no-cuda", action="store_true", help="leave out the emulated kernels")
    parser.add_argument("--plain-names", action="store_true", help="no names that lngen or emitted code uses")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the journal and the failures (%(default)s)")
    processors = len(os.sched_getaffinity(0))
    parser.add_argument("--processes", type=int, default=processors, help="how many share the work (%(default)s)")
    given = parser.parse_args()
    profile = SMALL if given.small else FULL
    campaign = Campaign(given.seed, given.folder, profile, not given.no_cuda, given.plain_names)
    if given.file:
        texts = {path.name: path.read_text(encoding="utf-8") for path in given.file}
        return max(_shown(name, judge(text, cuda=campaign.cuda)) for name, text in texts.items())
    if given.only is not None:
        print(campaign.text(given.only))
        verdict = campaign.judged(given.only)
        if verdict.failed and given.minimise:
            print(campaign.keep(given.only, verdict))
        return _shown(f"seed {given.seed}, {given.only}", verdict)
    if given.n:
        campaign.run_shared(range(given.n), max(1, given.processes))
    verdicts = campaign.verdicts()
    if given.summary:
        print(summary(campaign, verdicts))
    failed = sum(Verdict(entry["outcome"]).failed for entry in verdicts.values())
    print(f"{len(verdicts)} definitions, {failed} failed; journal in {campaign.journal}", file=sys.stderr)
    return int(failed > 0)


def _shown(name: str, verdict: Verdict) -> int:
    print(f"{name}: {verdict.outcome} {verdict.key} ({verdict.seconds:.1f} s, {verdict.points} shapes)")
    if verdict.detail:
        print(verdict.detail)
    return int(verdict.failed)


if __name__ == "__main__":
    sys.exit(main())
