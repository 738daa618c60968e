"""The two plots of a halting comparison in plain characters, at most 78 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase

from setpoint.model.halting_replay import PolicyFigures
from setpoint.model.halting_tables import Bin, Calibration, frontier, spots

WIDTH, ROWS = 56, 10
"""Characters of a plotted area."""
_BAR = 40


def pareto_lines(figures: Sequence[PolicyFigures]) -> list[str]:
    """Return success over cost: each policy is a letter, in capitals where no other one beats it."""
    shown, best = spots(figures), frontier(figures)
    if not shown:
        return []
    most = max(each.cost_usd for each in shown) or 1.0
    grid = [[" "] * (WIDTH + 1) for _ in range(ROWS + 1)]
    named = []
    for letter, each in zip(ascii_lowercase, shown, strict=False):
        mark = letter.upper() if each.policy in best else letter
        row, column = ROWS - round(each.success * ROWS), round(each.cost_usd / most * WIDTH)
        while grid[row][column] != " " and column < WIDTH:
            column += 1
        grid[row][column] = mark
        named.append(f"{mark} {each.policy}")
    lines = ["success over cost; capitals: no other policy reaches as much for less"]
    lines += [f"{(ROWS - at) / ROWS:>6.0%} |{''.join(row).rstrip()}" for at, row in enumerate(grid)]
    lines += [f"{'':>6} +{'-' * WIDTH}", f"{'$0':>8}{f'${most:.2f}':>{WIDTH}}"]
    return [*lines, *_wrapped(named)]


def reliability_lines(found: Calibration) -> list[str]:
    """Return, for each bin of predictions, what was predicted and what was observed."""
    head = f"P(verified) by the priors in {found.runs} runs; | predicted, = right, calibration error"
    return [f"{head} {found.error:.3f}", *map(_bin_line, found.bins)]


def _bin_line(each: Bin) -> str:
    bar = list("=" * round(each.observed * _BAR)) + [" "] * (_BAR + 1)
    bar[round(each.predicted * _BAR)] = "|"
    text = "".join(bar[: _BAR + 1])
    return f"{each.predicted:>6.0%} {text} {each.observed:>4.0%} of {each.count}"


def _wrapped(named: Iterable[str]) -> list[str]:
    lines = [""]
    for each in named:
        if len(lines[-1]) + len(each) > WIDTH + 12:
            lines.append("")
        lines[-1] += f"  {each}"
    return lines
