"""Lay out what a run does at one moment as rows of text for a terminal of some width.

Pure: the same moment and size give the same rows, so that they can be tested and a run can be replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from setpoint.app.views.live import Moment, Pane
from setpoint.app.views.live.moment import Reached, call_text
from setpoint.cli.project.metrics import sparkline
from setpoint.model.wording import counted, lasted

LEAST_WIDTH = 24
"""A narrower terminal gets rows of this width."""
NARROW = 60
"""Below this width short forms are used."""
MOST_ROWS = 24
ELLIPSIS = "…"
_MARKS = {Reached.BEHIND: "●", Reached.HERE: "◐", Reached.AHEAD: "○"}
_K, _M = 1000, 1_000_000


class Row(NamedTuple):
    """A row of the frame."""

    text: str
    style: str = ""
    """A Rich style; it never carries what the text does not say."""


def frame(
    moment: Moment, width: int, height: int = MOST_ROWS, *, keys: Sequence[str] = ()
) -> tuple[Row, ...]:
    """Return the rows of the live part: phases, agents at work, one status line, and the keys.

    None is wider than `width`, and there are at most `height`; what each agent does goes before details.
    """
    width = max(width, LEAST_WIDTH)
    head = [_phases(moment, width)]
    foot = [_status(moment, width)]
    if moment.score or moment.open:
        foot.insert(0, _result(moment, width))
    if moment.note:
        foot.append(Row(_cut(f"  {moment.note}", width), "magenta"))
    if keys:
        gap = "  " if width >= NARROW else " "
        foot.append(Row(_cut(f"  {gap.join(keys)}", width), "dim"))
    room = max(height - len(head) - len(foot), 1)
    if moment.waits:
        middle = [Row(_cut(f"  {moment.waits}", width), "bold magenta")]
    elif moment.doing:
        middle = [Row(_cut(f"  {moment.doing}", width), "cyan")]
    else:
        middle = _panes(moment.panes, width, room)
    return (*head, *middle[:room], *foot)


def heartbeat(moment: Moment) -> str:
    """Say in one line what a run is doing, for output that only takes whole lines."""
    parts = [_where(moment), *(f"{_who(pane)}: {_does(pane)}" for pane in moment.panes)]
    parts.append(moment.waits or moment.doing)
    return f"... {'; '.join(part for part in parts if part)}; {', '.join(_figures(moment))}"


def _phases(moment: Moment, width: int) -> Row:
    number = f"#{moment.iteration} of {moment.most_iterations}" if moment.iteration else ""
    whole = " ".join(f"{_MARKS[reached]} {name}" for name, reached in moment.phases)
    if cell_len(whole) + cell_len(number) + 1 > width:
        whole = _where(moment, number=False)
    return Row(spread(whole, number, width), "bold")


def _where(moment: Moment, *, number: bool = True) -> str:
    names = [name for name, _ in moment.phases]
    here = next((name for name, reached in moment.phases if reached is Reached.HERE), "")
    place = f"{here} ({names.index(here) + 1} of {len(names)})" if here else "start"
    return f"{place} #{moment.iteration}" if number and moment.iteration else place


def _result(moment: Moment, width: int) -> Row:
    parts = [moment.open]
    if score := moment.score:
        shown = score if width >= NARROW else score.partition(" ")[0]
        parts.append(f"quality {sparkline(list(moment.scores))} {shown}".replace("  ", " "))
    return Row(_cut(f"  {' · '.join(part for part in parts if part)}", width), "dim")


def _status(moment: Moment, width: int) -> Row:
    """Return time, dollars, tokens and change, in shorter words where there is little room."""
    text = " · ".join(_figures(moment))
    if cell_len(text) + 2 > width:
        text = " · ".join(_figures(moment, short=True))
    return Row(_cut(f"  {text}", width), "bold")


def _figures(moment: Moment, *, short: bool = False) -> list[str]:
    cost, change = moment.cost, moment.change
    if short:
        cost, change = cost.partition(" of ")[0], change.partition(" +")[2]
        change = f"+{change}" if change else ""
    tokens = f"{_count(moment.tokens)} {'tok' if short else 'tokens'}" if moment.tokens else ""
    return [figure for figure in (lasted(moment.elapsed_s), cost, tokens, change) if figure]


def _panes(panes: Sequence[Pane], width: int, room: int) -> list[Row]:
    """Return the rows of all agents; each gets the same share, and every one its most telling row."""
    share = max(room // len(panes), 1) if panes else 0
    rows: list[Row] = []
    for pane in panes:
        own = list(_pane(pane, width))
        # A single row names the agent and what it does.
        rows += [_short(pane, width)] if share == 1 else own[:share]
    return rows


def _pane(pane: Pane, width: int) -> Iterator[Row]:
    told = [counted(pane.calls, "call")] if pane.calls else []
    told += [f"{pane.errors} failed"] if pane.errors else []
    told += [f"edited {', '.join(pane.files)}"] if pane.files and width >= NARROW else []
    told += [f"{len(pane.files)} edited"] if pane.files and width < NARROW else []
    yield Row(spread(f"  {_who(pane)}  {', '.join(told)}".rstrip(), lasted(pane.elapsed_s), width))
    for each in pane.running:
        yield Row(spread(f"  ▸ {call_text(each.call)}", lasted(each.elapsed_s), width), "cyan")
    if pane.silence:
        yield Row(_cut(f"    {pane.silence}", width), "yellow" if "waiting" in pane.silence else "cyan")
    if pane.last is not None and not pane.running:
        mark = "✗" if pane.last.ok is False else "✓"
        took = "" if pane.last.duration_s is None else lasted(pane.last.duration_s)
        yield Row(spread(f"  {mark} {call_text(pane.last)}", took, width), "dim")


def _short(pane: Pane, width: int) -> Row:
    return Row(_cut(f"  {_who(pane)}: {_does(pane)}", width), "cyan")


def _does(pane: Pane) -> str:
    if pane.running:
        newest = pane.running[-1]
        return f"{call_text(newest.call)}, {lasted(newest.elapsed_s)}"
    return pane.silence or (call_text(pane.last) if pane.last else "starting")


def _who(pane: Pane) -> str:
    return f"candidate {pane.candidate} {pane.agent}" if pane.candidate else pane.agent


def _count(tokens: int) -> str:
    if tokens < _K:
        return str(tokens)
    return f"{tokens / _K:.1f}k" if tokens < _M else f"{tokens / _M:.1f}M"


def spread(left: str, right: str, width: int) -> str:
    """Put one text at the left end of a row and one at the right end; the left one is cut."""
    if not right:
        return _cut(left, width)
    room = width - cell_len(right) - 1
    return f"{set_cell_size(_cut(left, room), room)} {right}"


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + ELLIPSIS
