"""What `cargo mutants` writes of the mutants of Rust: `mutants.out/mutants.json` and `outcomes.json`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from setpoint.checks.cover.stryker import Span, spliced
from setpoint.checks.formats.bad_report import BadReport
from setpoint.model.mutation import Fate, Mutant, MutationReport

_FATES = {"CaughtMutant": Fate.KILLED, "MissedMutant": Fate.SURVIVED, "Timeout": Fate.TIMEOUT}
"""What became of mutants; others (`Unviable`: it does not build) count neither way and are left out."""
_GLOB = re.compile(r"[\[{*?]")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Mutant(_Part):
    name: str
    file: str
    span: Span
    replacement: str
    genre: str


class _Scenario(_Part):
    Mutant: _Mutant


class _Outcome(_Part):
    scenario: _Scenario | str
    summary: str


class _Outcomes(_Part):
    outcomes: tuple[_Outcome, ...]


_LIST = TypeAdapter(tuple[_Mutant, ...])
Lines = Mapping[str, Collection[int]]
"""Files, and those of their lines that are mutated; all lines where there are none."""


def words_of(lines: Lines) -> Iterator[str]:
    """Return the words that make `cargo mutants` mutate these lines alone."""
    for file, wanted in sorted(lines.items()):
        yield from ("--file", _GLOB.sub(r"[\g<0>]", file))
        numbers = "|".join(map(str, sorted(wanted))) or r"\d+"
        yield from ("--re", f"^{re.escape(file)}:(?:{numbers}):")


def read_outcomes(
    listed: bytes, outcomes: bytes, lines: Lines, source: Callable[[str], str]
) -> MutationReport:
    """Read both files; mutants without an outcome were not tried. Raises `BadReport` where they are none."""
    made = _parsed(lambda: _LIST.validate_json(listed), "mutants.json")
    if not made:
        return MutationReport(mutants=())
    known = _parsed(lambda: _Outcomes.model_validate_json(outcomes), "outcomes.json").outcomes
    if any(isinstance(each.scenario, str) and each.summary != "Success" for each in known):
        raise BadReport("the tests do not pass on the original")
    told = {each.scenario.Mutant.name: each.summary for each in known if isinstance(each.scenario, _Scenario)}
    wanted = [each for each in made if _wanted(each.file, each.span.start.line, lines)]
    texts = {file: source(file).split("\n") for file in {each.file for each in wanted}}
    mutants = tuple(
        _mutant(each, texts[each.file], _FATES[told[each.name]] if each.name in told else Fate.UNTRIED)
        for each in wanted
        if told.get(each.name, "CaughtMutant") in _FATES
    )
    return MutationReport(mutants=mutants, made=len(mutants), same=len(wanted) - len(mutants))


def _parsed(read: Callable[[], Any], what: str) -> Any:  # noqa: ANN401 - what the reader returns
    try:
        return read()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadReport(f"{what} of cargo-mutants is not readable at '{place}': {first['msg']}") from None


def _wanted(file: str, line: int, lines: Lines) -> bool:
    return file in lines and (not lines[file] or line in lines[file])


def _mutant(each: _Mutant, lines: list[str], fate: Fate) -> Mutant:
    before, after = spliced(lines, each.span, each.replacement)
    return Mutant(
        file=each.file,
        line=each.span.start.line,
        operator=each.genre,
        before=before,
        after=after,
        verdict=fate,
    )
