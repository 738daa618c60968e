"""Pick out of what a run printed the lines that tell a person of trouble, each as short as it can be."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TIME = re.compile(r"^\d\d:\d\d:\d\d ")
_BROKE = re.compile(
    r"^  (?P<kind>[a-z_]+): (?P<what>.*?);.*?(?P<wait> waiting \d+ s, then)? "
    r"(?P<step>continuing in|starting a new|not tried again)"
)
_STEPS = {
    "trying again": "it tries again in its session",
    "starting a new": "a new session",
    "not tried again": "not tried again",
}
_TOLD = (
    (re.compile(r"^  (?P<tool>[\w .-]+): .*\[refused: (?P<why>.*)\]$"), "{tool} refused: {why}"),
    (re.compile(r"^  (?P<tool>[\w .-]+): .*\[failed( [\d.]+ s)?\]$"), "{tool} failed"),
    (re.compile(r"^bounce \d+: .*: (?P<why>sent back by .*?|nothing was changed)( \+.*)?$"), "{why}"),
    (re.compile(r"^guard (?P<name>\w+): (?P<why>.*?); hint:"), "a question: {why}"),
    (re.compile(r"^(?P<what>interrupted): "), "{what}, with the command that resumes it"),
)
_WHAT_CHARS = 90


def shown(text: str) -> list[str]:
    """Return the lines of a run's output that report trouble, without times, the same ones once."""
    return list(dict.fromkeys(_picked(text)))


def _picked(text: str) -> Iterator[str]:
    for line in text.splitlines():
        bare = _TIME.sub("", line)
        if broke := _BROKE.match(bare):
            wait = broke["wait"].replace(", then", "") + ";" if broke["wait"] else ""
            yield f"{broke['kind']}: {_short(broke['what'])};{wait} {_STEPS[broke['step']]}"
            continue
        for pattern, told in _TOLD:
            if found := pattern.match(bare):
                yield told.format(**{key: _short(value) for key, value in found.groupdict().items() if value})
                break


def _short(text: str) -> str:
    """Return a text without folders of this machine, cut at a word."""
    flat = re.sub(r"/\S+/", "", " ".join(text.split()))
    return flat if len(flat) <= _WHAT_CHARS else f"{flat[:_WHAT_CHARS].rsplit(' ', 1)[0]} …"
