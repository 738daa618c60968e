"""Write what was measured of the public repositories as a page of the documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecosystems import Repository

HEAD = """# Languages, measured on public repositories

<!-- not run: it clones 32 public repositories -->
```sh
python bench/ecosystems.py FOLDER --prepare    # clone and install
python bench/ecosystems.py FOLDER              # own command beside `setpoint check`
python bench/ecosystems.py FOLDER --seeded     # a bug, a wrong repair, then a right one
```

`bench/ecosystems.py` runs the test command of each repository beside `setpoint check` on the same clean
tree and compares the numbers of tests. On some of them it also commits a bug and starts `setpoint run "make
the failing tests pass"` with a scripted agent that makes a wrong repair first and the right one in its
second turn. This page is generated from that run. The commits are listed in `bench/data/ecosystems.toml`.
"""
MATRIX = """
## What works in which language

*yes*: in every repository of the language where it applies. *partly*: in some of them, or in a weaker form.
*no*: in none. The number of repositories is in brackets; "read" in the last two rows: stated by the code,
not by this run.

"""
NOTES = """
- **tests**: both count the same passed and failed tests.
- **lint**, **types**, **security**: a check of that kind that the project uses, or that Setpoint has for
  the language, gave a result. *partly*: another one of that kind was `not_measured`. Types of Go, Rust and
  Java are checked by the compiler, whenever tests run.
- **mutants**: *yes*: mutants were judged. *partly*: whole changed functions were sabotaged, and the tests
  noticed.
- **localisation**: the file with the bug is named, in the plan or by a suspicious line.
- **old tests**: the tests of the base ran as they were, and none was lost.
"""
COLUMNS = (
    *("repository", "language", "layout", "runner", "own command"),
    *("own", "read", "own, s", "check, s", "difference"),
)
COVERED = ("coverage",)
LINT = ("ruff", "flake8", "pylint", "eslint", "biome", "oxlint", "xo", "go_vet", "golangci_lint", "clippy")
TYPES = ("mypy", "pyright", "ty", "pyrefly", "tsc", "tsd")
SECURITY = ("bandit", "govulncheck", "npm_audit", "cargo_audit", "semgrep")
MUTANTS = ("mutation", "mutants")
REPAIR = {
    "Python": "yes (read)",
    **dict.fromkeys(("TypeScript", "JavaScript", "Go"), "partly (read)"),
}
COVER = {"Python": "yes (read)", "TypeScript": "partly (read)", "JavaScript": "partly (read)"}
COMPILED = ("Go", "Rust", "Java")
Rows = Sequence[Mapping[str, Any]]


def page(listed: Sequence[Repository], result: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page: the matrix, both tables and what is missing."""
    compared, seeded = result.get("compared", {}), result.get("seeded", {})
    rows = [each for each in listed if each.name in compared]
    lines = [HEAD.rstrip("\n"), MATRIX.rstrip("\n"), ""]
    languages = list(dict.fromkeys(each.language for each in listed))
    lines += [f"| | {' | '.join(languages)} |", "|---" * (len(languages) + 1) + "|"]
    for title, cell in CELLS.items():
        cells = [
            cell(
                language,
                [compared[each.name] for each in rows if each.language == language],
                [seeded[each.name] for each in listed if each.language == language and each.name in seeded],
            )
            for language in languages
        ]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    lines.append(NOTES.rstrip("\n"))
    lines += [*_comparison(rows, compared), *_runs(listed, seeded)]
    lines += [
        "",
        "## Not measured",
        "",
        "No project of Maven or Gradle: the plug-ins and libraries that public ones need were not at hand.",
        "Ant builds those of the JVM (`apt-get install ant ant-optional junit4` on Debian 12, Java 17).",
        "The rows were measured on several commits, beside other work: the times show an order of magnitude.",
    ]
    return "\n".join(lines) + "\n"


def _comparison(rows: Sequence[Repository], compared: Mapping[str, Any]) -> list[str]:
    equal = sum(compared[each.name]["equal"] for each in rows)
    red = [each.name for each in rows if not compared[each.name]["clean"]]
    lines = [
        "",
        "## Own command and reading",
        "",
        f"{equal} of {len(rows)} counts are equal; *printed*: no reader knows the runner, so "
        "its exit code judges, and the number is read from what it prints. "
        + (
            f"`check` failed on the clean tree of {', '.join(red)}."
            if red
            else "`check` failed on no clean tree."
        ),
        "",
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
    ]
    for each in rows:
        row = compared[each.name]
        why = "" if row["equal"] else each.differs or "**not explained**"
        cells = [
            f"[{each.repo}](https://github.com/{each.repo})",
            each.language,
            each.layout,
            each.runner,
            f"`{each.test}`",
            _tests(row["own"]),
            _tests(row["read"]),
            f"{row['own']['seconds']:.1f}",
            f"{row['read']['seconds']:.1f}",
            why,
        ]
        lines.append(f"| {' | '.join(_plain(cell) for cell in cells)} |")
    return lines


def _runs(listed: Sequence[Repository], seeded: Mapping[str, Any]) -> list[str]:
    done = [each for each in listed if each.name in seeded]
    good = sum(seeded[each.name]["good"] for each in done)
    lines = [
        "",
        "## Seeded bugs",
        "",
        f"{good} of {len(done)} runs ended verified after two rounds, and no plan names a protected file.",
        "",
        "| repository | runner | ending | rounds | files that the plan names | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for each in done:
        row = seeded[each.name]
        named = ", ".join(f"`{path}`" for path in row.get("plan_names", ())) or "none"
        ending = row["ending"] if row["good"] else f"**{row['ending']}**: {row['why'][:160]}"
        cells = [
            each.name,
            each.runner,
            ending,
            str(row.get("rounds", 0)),
            named,
            f"{row.get('seconds', 0):.0f}",
        ]
        lines.append(f"| {' | '.join(_plain(cell) for cell in cells)} |")
    return lines


def _tests(counts: Mapping[str, Any]) -> str:
    if "passed" not in counts:
        return "nothing"
    failed = f", {counts['failed']} failed" if counts.get("failed") else ""
    return f"{counts['passed']}{failed}{' (printed)' if counts.get('printed') else ''}"


def _plain(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "/")


def _share(good: int, of: int) -> str:
    if not of:
        return "not measured"
    return f"{'yes' if good == of else 'partly' if good else 'no'} ({good} of {of})"


def _equal(_: str, compared: Rows, __: Rows) -> str:
    return _share(sum(each["equal"] for each in compared), len(compared))


def _kind(names: Sequence[str]) -> Callable[[str, Rows, Rows], str]:
    def cell(language: str, compared: Rows, seeded: Rows) -> str:
        if names is TYPES and language in COMPILED:
            return "yes, by the compiler"
        states = [each["read"]["checks"] for each in compared] + [each["checks"] for each in seeded]
        found = {
            name: state
            for each in states
            for name, state in each.items()
            if any(_named(name, start) for start in names)
        }
        ran = {
            name
            for each in states
            for name, state in each.items()
            if name in found and state in ("pass", "fail")
        }
        if not ran:
            return "no"
        lost = sorted(found.keys() - ran)
        with_results = ", ".join(f"`{name}`" for name in sorted(ran))
        return (
            f"partly ({with_results}; not {', '.join(f'`{name}`' for name in lost)})"
            if lost
            else f"yes ({with_results})"
        )

    return cell


def _named(name: str, start: str) -> bool:
    return name == start or name.startswith((f"{start}_", f"{start}-"))


def _mutants(_: str, __: Rows, seeded: Rows) -> str:
    if any(_ran(each["checks"], MUTANTS) for each in seeded):
        return _share(sum(_ran(each["checks"], MUTANTS) for each in seeded), len(seeded))
    noticed = sum(each.get("obligations", {}).get("sensitivity") == "met" for each in seeded)
    return f"partly (whole functions, {noticed} of {len(seeded)})" if noticed else "no"


def _ran(checks: Mapping[str, str], names: Iterable[str]) -> bool:
    return any(
        state in ("pass", "fail") and any(_named(name, each) for each in names)
        for name, state in checks.items()
    )


def _localised(_: str, __: Rows, seeded: Rows) -> str:
    return _share(sum(each.get("localised", False) for each in seeded), len(seeded))


def _integrity(_: str, __: Rows, seeded: Rows) -> str:
    return _share(sum(_ran(each["checks"], ("integrity",)) for each in seeded), len(seeded))


CELLS: Mapping[str, Callable[[str, Rows, Rows], str]] = {
    "tests": _equal,
    "coverage": _kind(COVERED),
    "lint": _kind(LINT),
    "types": _kind(TYPES),
    "security": _kind(SECURITY),
    "mutants": _mutants,
    "localisation": _localised,
    "old tests": _integrity,
    "repair without a model": lambda language, _, __: REPAIR.get(language, "no (read)"),
    "`setpoint cover`": lambda language, _, __: COVER.get(language, "no (read)"),
}
