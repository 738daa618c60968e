"""Measure what becomes of honest work, right and wrong patches, and cheats, in whole runs of Setpoint.

    python bench/trial.py SET [--half 1] [--only ID ...] [--kinds KIND ...] [--most N] [--without RUN]
                          [--setpoint PATH] [--into FOLDER] [--histories HISTORIES] [--check | --table]
                          [--beside FOLDER]

SET is `honest` (commits of public repositories, in two halves: `--half 2` is opened once, at the end),
`patches` (right and wrong ones), `cheats`, or `packages` (seeded bugs and features of small packages). The
data are frozen in `bench/data/trial/` and `bench/attacks/`. Each case is a fresh repository at its base, an
agent by command that leaves the patch, and one unattended `setpoint run` with a time limit. One JSON line a
case goes into FOLDER/SET.jsonl, and what is there is not run again. `--most` takes a sample that is the same
everywhere. `--without` switches one run of the proof off. `--check` runs no Setpoint: it shows which cases do
not hold what they claim. Run it on a quiet machine, one at a time. HISTORIES holds bare clones of the public
repositories as `OWNER+NAME`, or the source archives of the packages.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from trial_case import Case, turn
from trial_run import Place, Result, fault, run
from trial_sets import SETS, able

ENDINGS = ("verified", "self_tested", "unproven", "stopped", "escalated", "waiting", "time limit")
_WORDS = 60


def chosen(given: argparse.Namespace) -> list[Case]:
    """Give the cases that are asked for, in a random order that is always the same."""
    found = [
        case
        for case in SETS[given.set](given.histories)
        if able(case)
        and (not case.half or case.half == given.half)
        and (not given.only or any(word in case.name for word in given.only))
        and (not given.kinds or case.kind in given.kinds)
        and (not given.languages or case.language in given.languages)
    ]
    return sorted(found, key=lambda case: turn(case.name))[: given.most]


def results(kept: Path) -> list[Result]:
    """Read what was measured before."""
    lines = kept.read_text("utf-8").splitlines() if kept.exists() else []
    return [Result(**json.loads(line)) for line in lines]


def check(wanted: Iterable[Case], place: Place) -> int:
    """Show which cases do not hold what they claim; gives their number."""
    faults = 0
    for case in wanted:
        said = fault(case, place)
        faults += bool(said)
        print(f"{case.name}: {said or 'ok'}", flush=True)
    return faults


def drive(wanted: Iterable[Case], place: Place, kept: Path) -> None:
    """Run what has no result yet."""
    known = {result.name for result in results(kept)}
    for case in wanted:
        if case.name in known:
            continue
        result = run(case, place)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")
        said = "; ".join(result.decided_by)
        print(f"{case.name} ({case.kind}): {result.ending}, {result.seconds} s: {said}"[:300], flush=True)


def table(found: Sequence[Result]) -> None:
    """Print how cases ended by kind, what decided, and medians."""
    others = sorted({each.ending for each in found} - set(ENDINGS))
    endings = [ending for ending in (*ENDINGS, *others) if any(each.ending == ending for each in found)]
    judged = any(each.right is not None for each in found)
    head = ["kind", "cases", *endings, *(["verified, and wrong"] if judged else [])]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    kinds = sorted({each.kind for each in found})
    for kind in (*kinds, "all"):
        of = [each for each in found if kind in {each.kind, "all"}]
        cells = [sum(each.ending == ending for each in of) for ending in endings]
        wrong = sum(each.ending == "verified" and each.right is False for each in of)
        shown = [kind, len(of), *cells, *([wrong] if judged else [])]
        print(f"| {' | '.join(map(str, shown))} |")
    counts = Counter(by.replace("|", "/")[:_WORDS] for each in found for by in each.decided_by)
    print("\n| decided by | cases |\n|---|---|")
    for by, count in counts.most_common():
        print(f"| {by} | {count} |")
    medians(found)


def beside(older: Sequence[Result], newer: Sequence[Result]) -> None:
    """Print how each case ended in two folders, with what decided in each."""
    before = {each.name: each for each in older}
    print("| case | kind | before | decided by | now | decided by |\n|---|---|---|---|---|---|")
    for each in sorted(newer, key=lambda each: (each.kind, each.name)):
        if old := before.get(each.name):
            cells = [
                cell
                for one in (old, each)
                for cell in (one.ending, "; ".join(one.decided_by).replace("|", "/")[: 2 * _WORDS])
            ]
            print(f"| {each.name} | {each.kind} | {' | '.join(cells)} |")


def medians(found: Sequence[Result]) -> None:
    """Print medians of seconds, of the proof's share, and of the ratio to the project's own tests."""
    shares = [each.proof_s / each.seconds for each in found if each.proof_s is not None]
    ratios = [each.cpu_s / each.own_cpu_s for each in found if each.own_cpu_s]
    for name, values in (
        ("seconds of a run", [each.seconds for each in found]),
        ("seconds of computing of a run", [each.cpu_s for each in found]),
        ("seconds of the proof", [each.proof_s for each in found if each.proof_s is not None]),
        ("the proof's share of a run", shares),
        ("computing of a run / of the project's own tests", ratios),
    ):
        if values:
            print(f"\n{name}: median {statistics.median(values):.2f} of {len(values)}", end="")
    print(f"\n\nsent back at least once: {sum(bool(each.sent_back) for each in found)} of {len(found)}")


def main() -> int:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", choices=list(SETS))
    parser.add_argument("--half", type=int, choices=(1, 2), default=1)
    parser.add_argument("--only", nargs="*", default=[], help="parts of names")
    parser.add_argument("--kinds", nargs="*", default=[])
    parser.add_argument("--languages", nargs="*", default=[])
    parser.add_argument("--most", type=int)
    parser.add_argument("--without", default="", help="a run of the proof that is switched off")
    parser.add_argument("--setpoint", type=Path, default=Path(sys.executable).with_name("setpoint"))
    parser.add_argument("--into", type=Path, default=Path(tempfile.gettempdir()) / "setpoint-trial")
    parser.add_argument("--beside", type=Path, help="compare with the results in this folder")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "setpoint-trial-work")
    parser.add_argument(
        "--histories", type=Path, default=Path("histories"), help="where clones and archives are"
    )
    parser.add_argument("--limit", type=float, default=240, help="seconds that one run may take")
    parser.add_argument("--keep", action="store_true", help="keep every folder")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    wanted = chosen(given)
    given.into.mkdir(parents=True, exist_ok=True)
    place = Place(
        folder=given.work.resolve(), setpoint=given.setpoint, limit_s=given.limit, without=given.without,
        keep=given.keep,
    )  # fmt: skip
    if given.check:
        return int(check(wanted, place) > 0)
    kept = given.into / f"{given.set}.jsonl"
    if not given.table:
        drive(wanted, place, kept)
    names = {case.name for case in wanted}
    found = [result for result in results(kept) if result.name in names]
    table(found)
    if given.beside:
        beside(results(given.beside / kept.name), found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
