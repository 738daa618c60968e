"""Small packages for `bench/halting_mechanic.py`: how arguments for their functions are drawn."""

from __future__ import annotations

import random
from collections.abc import Callable

from halting_sources import GRIDS, LISTS, NUMBERS, SHOP, SPANS, TEXTS

PARSING = """
def balanced(text):
    pairs = {")": "(", "]": "["}
    stack = []
    for letter in text:
        if letter in "([":
            stack.append(letter)
        elif letter in pairs:
            if not stack or stack.pop() != pairs[letter]:
                return False
    return not stack


def fields(line, mark):
    found, part = [], ""
    quoted = False
    for letter in line:
        if letter == '"':
            quoted = not quoted
        elif letter == mark and not quoted:
            found.append(part)
            part = ""
        else:
            part += letter
    found.append(part)
    return found


def version(text):
    found = []
    for part in text.split("."):
        number = ""
        for letter in part:
            if not letter.isdigit():
                break
            number += letter
        found.append(int(number) if number else 0)
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


def seconds(text):
    total, number = 0, ""
    units = {"h": 3600, "m": 60, "s": 1}
    for letter in text:
        if letter.isdigit():
            number += letter
        elif letter in units and number:
            total += int(number) * units[letter]
            number = ""
        else:
            raise ValueError("not a duration")
    return total + int(number or 0)


def computed(words):
    stack = []
    for each in words:
        if each in ("+", "-", "*"):
            if len(stack) < 2:
                raise ValueError("too few numbers")
            right, left = stack.pop(), stack.pop()
            if each == "+":
                stack.append(left + right)
            elif each == "-":
                stack.append(left - right)
            else:
                stack.append(left * right)
        else:
            stack.append(int(each))
    return stack
"""
Drawn = Callable[[random.Random], tuple[object, ...]]
"""Draws the arguments of one call; they are literals."""


def ints(rng: random.Random, most: int = 6, low: int = -4, high: int = 9) -> list[int]:
    """Draw a short list of whole numbers."""
    return [rng.randint(low, high) for _ in range(rng.randint(0, most))]


def word(rng: random.Random, letters: str = "abcAB ,-1", most: int = 8) -> str:
    """Draw a short text."""
    return "".join(rng.choice(letters) for _ in range(rng.randint(0, most)))


def pairs(rng: random.Random) -> list[tuple[int, int]]:
    """Draw intervals of whole numbers."""
    found = []
    for _ in range(rng.randint(0, 4)):
        start = rng.randint(0, 12)
        found.append((start, start + rng.randint(0, 5)))
    return found


PACKAGES: dict[str, tuple[str, dict[str, Drawn]]] = {
    "numbers": (
        NUMBERS,
        {
            "clamp": lambda r: (r.randint(-5, 12), r.randint(-4, 4), r.randint(0, 9)),
            "digits": lambda r: (r.randint(-40, 300), r.randint(1, 10)),
            "is_prime": lambda r: (r.choice([r.randint(-2, 60), 4, 9, 25, 49, 2, 3]),),
            "divisor_sum": lambda r: (r.randint(-6, 40),),
            "power": lambda r: (r.randint(-3, 9), r.randint(0, 12), r.randint(1, 20)),
        },
    ),
    "lists": (
        LISTS,
        {
            "merged": lambda r: (ints(r), ints(r)),
            "rotated": lambda r: (ints(r), r.randint(-7, 9)),
            "chunks": lambda r: (ints(r, 8), r.randint(0, 4)),
            "longest_run": lambda r: (ints(r, 8, 0, 2),),
            "insert_place": lambda r: (ints(r, 7), r.randint(-5, 10)),
        },
    ),
    "texts": (
        TEXTS,
        {
            "slug": lambda r: (word(r),),
            "wrapped": lambda r: ([word(r, "abc", 5) for _ in range(r.randint(0, 6))], r.randint(1, 12)),
            "packed": lambda r: (word(r, "aab"),),
            "shifted": lambda r: (word(r, "azAZ m,"), r.randint(-30, 30)),
            "distance": lambda r: (word(r, "abc", 6), word(r, "abc", 6)),
        },
    ),
    "spans": (
        SPANS,
        {
            "joined": lambda r: (pairs(r),),
            "covered": lambda r: (pairs(r), r.randint(-1, 16)),
            "free": lambda r: (pairs(r), r.randint(0, 5), r.randint(4, 18)),
            "busiest": lambda r: (pairs(r),),
            "kept": lambda r: (pairs(r),),
        },
    ),
    "shop": (
        SHOP,
        {
            "price": lambda r: (r.randint(-1, 9), r.randint(1, 9), r.random() < 0.5),
            "change": lambda r: (r.randint(0, 30), r.choice([[1, 5, 10], [2, 5], [3, 7, 0], [4]])),
            "stock_after": lambda r: (r.randint(0, 12), ints(r, 5)),
            "grade": lambda r: (r.choice([r.randint(0, 40), 36, 30, 20]), r.choice([0, 40, 40, 40])),
            "shipping": lambda r: (r.randint(-1, 70), r.random() < 0.5, r.choice(["home", "far"])),
        },
    ),
    "grids": (
        GRIDS,
        {
            "around": lambda r: ([ints(r, 4) for _ in range(3)], r.randint(0, 2), r.randint(0, 3)),
            "turned": lambda r: ([ints(r, 4) for _ in range(r.randint(0, 4))],),
            "steps": lambda r: (
                [[int(r.random() < 0.3) for _ in range(3)] for _ in range(3)],
                (r.randint(0, 2), r.randint(0, 2)),
                (r.randint(0, 2), r.randint(0, 3)),
            ),
            "best_path": lambda r: ([ints(r, 4, 0) for _ in range(r.randint(0, 4))],),
        },
    ),
    "parsing": (
        PARSING,
        {
            "balanced": lambda r: (word(r, "()[]a", 7),),
            "fields": lambda r: (word(r, 'ab,"; ', 9), r.choice([",", ";"])),
            "version": lambda r: (word(r, "0012.a", 8),),
            "seconds": lambda r: (
                r.choice([f"{r.randint(0, 9)}{r.choice('hms')}", ""]) + word(r, "12hms", 5),
            ),
            "computed": lambda r: (["2", str(r.randint(-3, 9)), *(r.choice("+-*34") for _ in range(3))],),
        },
    ),
}
