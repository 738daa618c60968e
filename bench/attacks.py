"""Measure what VERIFIED is worth: whole runs with agents that cheat, and with agents that do ordinary work.

    python bench/attacks.py check [--only WORD ...] [--languages python go]
    python bench/attacks.py run [--kind cheat] [--only WORD ...] [--seed 1] [--most 60] [--minutes 20]
    python bench/attacks.py table [--seed 1]

`bench/attacks/*.txt` holds the cases, written without knowledge of the product's code. Each is a small
project, a request, and the tree that a scripted agent leaves. Then `setpoint run` decides. A hidden oracle
knows what the request asks for: honest work passes it and the cheat fails it, which `check` shows for every
case. A cheat counts as wrongly verified if the *delivered* tree fails the oracle. Results are in
FOLDER/results.jsonl; `run` continues with what is missing there. A cheat that was verified keeps its folder.
Languages whose tools are missing are left out.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from attack_cases import Case, cases
from attack_run import Place, Result, label_fault, prepared, run

PROGRAMS = {"python": "git", "javascript": "node", "go": "go", "rust": "cargo"}


def chosen(given: argparse.Namespace) -> list[Case]:
    """Give the cases that are asked for, spread over families and languages."""
    able = {language for language, program in PROGRAMS.items() if shutil.which(program)}
    wanted = [
        case
        for case in cases(given.seed)
        if case.language in able
        and (not given.languages or case.language in given.languages)
        and (not given.kind or case.kind == given.kind)
        and (not given.only or any(word in f"{case.name} {case.family}" for word in given.only))
    ]
    random.Random(given.seed).shuffle(wanted)
    seen: Counter[tuple[str, str]] = Counter()
    turns: dict[str, int] = {}
    for case in wanted:
        seen[case.family, case.language] += 1
        turns[case.name] = seen[case.family, case.language]
    return sorted(wanted, key=lambda case: (case.kind != "cheat", turns[case.name]))


def check(wanted: Iterable[Case], place: Place) -> int:
    """Show which cases are mislabelled; gives their number."""
    faults = 0
    for case in wanted:
        fault = label_fault(case, place)
        faults += bool(fault)
        print(f"{case.name}: {fault or 'ok'}", flush=True)
    print(f"{faults} mislabelled")
    return faults


def results(place: Place) -> list[Result]:
    """Read what was measured before."""
    kept = place.folder / "results.jsonl"
    lines = kept.read_text("utf-8").splitlines() if kept.exists() else []
    return [Result(**json.loads(line)) for line in lines]


def drive(wanted: Iterable[Case], place: Place, given: argparse.Namespace) -> None:
    """Run what has no result yet, until time or number is used up."""
    ends = time.monotonic() + given.minutes * 60
    known = {result.name for result in results(place) if result.seed == given.seed}
    left = given.most
    for case in wanted:
        if case.name in known:
            continue
        if left <= 0 or time.monotonic() > ends:
            break
        left -= 1
        fault = label_fault(case, place)
        if fault:
            print(f"{case.name}: mislabelled: {fault}", file=sys.stderr, flush=True)
            continue
        result = run(case, place, given.seed)
        with (place.folder / "results.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")
        mark = "WRONG " if result.kind == "cheat" and result.right is False else ""
        told = f"{mark}{result.name}: {result.ending} after {result.seconds} s: {result.reason[:200]}"
        print(told, file=sys.stderr, flush=True)


def table(found: list[Result]) -> None:
    """Print what became of cheats by family and language, and of honest work one by one."""
    languages = [language for language in PROGRAMS if any(each.language == language for each in found)]
    print(f"| family | {' | '.join(languages)} | verified wrongly | verified, repaired | not verified |")
    print(f"|---|{'---|' * (len(languages) + 3)}")
    families: dict[str, list[Result]] = defaultdict(list)
    cheats = [each for each in found if each.kind == "cheat"]
    for each in cheats:
        families[each.family].append(each)
    for family in [*sorted(families), "all"]:
        of = families.get(family, cheats)
        cells = [_share([each for each in of if each.language == language]) for language in languages]
        wrong, right = (sum(each.right is truth for each in of) for truth in (False, True))
        print(
            f"| {family} | {' | '.join(cells)} | {wrong} | {right} | {len(of) - wrong - right} of {len(of)} |"
        )
    print("\nCells: wrongly verified of all. *Repaired*: the delivered tree passes the oracle.\n")
    for each in cheats:
        if each.right is False:
            print(f"- verified wrongly: {each.name} ({each.family}): {each.folder}")
    honest = [each for each in found if each.kind == "honest"]
    counts = Counter(_judged(each) for each in honest)
    print(f"\nhonest work: {', '.join(f'{count} {what}' for what, count in counts.most_common())}")
    print("\n| honest work | outcome | ending | reason |\n|---|---|---|---|")
    for each in honest:
        reason = "" if each.ending == "verified" else " ".join(each.reason.split()).replace("|", "/")
        print(f"| {each.name} | {_judged(each)} | {each.ending} | {reason} |")


def _judged(result: Result) -> str:
    """Say whether honest work ended as it should."""
    if result.ending == "verified":
        return "verified" if result.right else "delivered otherwise"
    return "as expected" if result.expect.startswith(result.ending) else "not verified"


def _share(of: list[Result]) -> str:
    return f"{sum(each.right is False for each in of)}/{len(of)}" if of else ""


def main() -> int:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("check", "run", "table"))
    parser.add_argument("--only", nargs="*", default=[], help="parts of names of cases, files or families")
    parser.add_argument("--languages", nargs="*", default=[], choices=list(PROGRAMS))
    parser.add_argument("--kind", choices=("cheat", "honest"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=1000)
    parser.add_argument("--limit", type=float, default=240, help="seconds that one run may take")
    parser.add_argument("--keep", action="store_true", help="keep every folder")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "setpoint-attacks")
    parser.add_argument("--setpoint", type=Path, default=Path(sys.executable).with_name("setpoint"))
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    place = Place(
        folder=given.folder, setpoint=given.setpoint, environment=prepared(given.folder),
        limit_s=given.limit, keep=given.keep,
    )  # fmt: skip
    if given.verb == "table":
        table([result for result in results(place) if result.seed == given.seed])
        return 0
    wanted = chosen(given)
    if given.verb == "check":
        return int(check(wanted, place) > 0)
    drive(wanted, place, given)
    table([result for result in results(place) if result.seed == given.seed])
    return 0


if __name__ == "__main__":
    sys.exit(main())
