"""A long run: definition after definition, taken down in a journal, failures minimised and kept."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.failure import HANG, TRACEBACK
from tests.fuzz.generate import FULL, Profile, definition_text
from tests.fuzz.judge import SECONDS, Verdict, judge
from tests.fuzz.minimise import minimise

CUDA_EVERY = 10
PROVED_EVERY = 20
AWKWARD_EVERY = 3
FOLDER = Path("build/fuzz")


def _say(line: str) -> None:
    print(line, flush=True)


@dataclass(frozen=True)
class Campaign:
    """Campaign: the definitions, and the tests of each.

    `folder` holds the journal and the failures.
    """

    seed: int
    folder: Path = FOLDER
    profile: Profile = FULL
    cuda: bool = True
    plain_names: bool = False

    def text(self, number: int) -> str:
        """A definition; one of AWKWARD_EVERY has names that are hard to bear."""
        return definition_text(self.seed, number, self.profile, self._awkward(number))

    def _awkward(self, number: int) -> bool:
        return number % AWKWARD_EVERY == 0 and not self.plain_names

    @property
    def journal(self) -> Path:
        """One JSON object a line: `{"number": K}` when a definition is begun, its verdict when it is done."""
        return self.folder / f"seed{self.seed}.jsonl"

    @property
    def failures(self) -> Path:
        """One definition of each kind of failure, minimised, and beside it what went wrong."""
        return self.folder / "failures"

    def judged(self, number: int, text: str | None = None, seconds: float = SECONDS) -> Verdict:
        """The verdict on a definition, or on a smaller one in place of it."""
        text = self.text(number) if text is None else text
        cuda = self.cuda and number % CUDA_EVERY == 0
        proved = number % PROVED_EVERY == 0 or self._awkward(number)
        return judge(text, seed=number, cuda=cuda, proved=proved, seconds=seconds)

    def verdicts(self) -> dict[int, dict[str, Any]]:
        """The verdicts in the journal, by number. A definition that was begun and not done took the process down."""
        found: dict[int, dict[str, Any]] = {}
        if self.journal.is_file():
            for line in self.journal.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                ended = asdict(Verdict(TRACEBACK, "the process ended", "it was begun, and the process ended"))
                found[entry["number"]] = entry if "outcome" in entry else {**ended, **entry}
        return found

    def run(self, numbers: range, report: Callable[[str], None] = _say) -> None:
        """Judge those that are not in the journal yet, and keep the first failure of each kind."""
        self.folder.mkdir(parents=True, exist_ok=True)
        done = self.verdicts()
        kept = {path.read_text(encoding="utf-8").splitlines()[0] for path in self.failures.glob("*.txt")}
        for number in numbers:
            if number in done:
                continue
            self._write({"number": number})
            verdict = self.judged(number)
            self._write({"number": number, **asdict(verdict)})
            if verdict.failed:
                report(f"{number}: {verdict.title}")
                if verdict.title not in kept:
                    kept.add(verdict.title)
                    self.keep(number, verdict)

    def run_shared(self, numbers: range, processes: int) -> None:
        """`run`, the numbers dealt out to processes of their own; one that is killed takes no other with it."""
        spawn = multiprocessing.get_context("spawn")
        shares = [spawn.Process(target=self.run, args=(numbers[first::processes],)) for first in range(processes)]
        for share in shares:
            share.start()
        for share in shares:
            share.join()

    def keep(self, number: int, verdict: Verdict) -> Path:
        """Minimise a failing definition and write it beside what went wrong; the path of the definition."""
        seconds = SECONDS / 3 if verdict.outcome == HANG else SECONDS

        def still_fails(text: str) -> bool:
            return self.judged(number, text, seconds).same_as(verdict)

        text = minimise(self.text(number), still_fails)
        detail = self.judged(number, text, seconds).detail
        place = self.failures / f"s{self.seed}_{number}_{'_'.join(verdict.outcome.split())}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
        again = f"python -m tests.fuzz --seed {self.seed} --only {number}"
        again += " --plain-names" if self.plain_names else ""
        note = f"{verdict.title}\nfound by {again}; run on the file: python -m tests.fuzz --file FILE"
        place.with_suffix(".txt").write_text(f"{note}\n\n{detail}\n", encoding="utf-8")
        return place

    def _write(self, entry: dict[str, Any]) -> None:
        with self.journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
