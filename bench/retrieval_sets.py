"""Sets for `bench/retrieval.py`: learnings, and questions with the learnings that answer them.

`decisions`: the project's own decisions, and questions in other words, written by hand and frozen in
`data/decision_questions.json`. `taught`: what the loop itself drew from the first half of the tasks of
`memory_conventions.py`; the wishes of the second half ask for the rules of their area. `cosqa`: the test set
of CoSQA (500 web queries, 6,267 Python functions), read from a checkout of Jun-jie-Huang/CoCLR.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import memory_conventions as conventions
import sqlalchemy as sa

from setpoint.database.connect import Store, open_store
from setpoint.database.tables import BM_DOC, BM_POST, LEARNING
from setpoint.learning.store import SqlMemory, word_index
from setpoint.learning.store.learnings import row_of
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ids import LearningId
from setpoint.model.learning import Learning, LearningKind

ROOT = Path(__file__).parents[1]
HALF = 6
"""Tasks of each area that teach."""


class Asked(NamedTuple):
    """A question, and the learnings that answer it."""

    text: str
    answers: frozenset[str]


class Set(NamedTuple):
    """A store with learnings, and what is asked of it."""

    store: Store
    asked: list[Asked]


def keep(store: Store, learnings: list[Learning]) -> None:
    """Keep learnings as they are, without comparing each with the others."""
    words = {known.id: word_index.words_of(known, [known.situation]) for known in learnings}
    lengths = [{"learning_id": id_, "length": sum(found.values())} for id_, found in words.items()]
    posts = [
        {"term": term, "learning_id": id_, "count": count}
        for id_, found in words.items()
        for term, count in found.items()
    ]
    with store.writing() as connection:
        connection.execute(sa.insert(LEARNING), [row_of(known) for known in learnings])
        connection.execute(sa.insert(BM_DOC), lengths)
        connection.execute(sa.insert(BM_POST), posts)


def learning(id_: str, title: str, body: str) -> Learning:
    """Make a learning of a text."""
    return Learning(
        id=LearningId(f"lrn-{id_}"),
        made_at=datetime.now(UTC),
        kind=LearningKind.SEMANTIC,
        title=" ".join(title.split())[:200] or id_,
        body=body[:4000],
        source=f"bench:{id_}",
    )


def decisions(folder: Path) -> Set:
    """Read the decisions as they stood when the set was frozen; some are there that nobody asks for."""
    data = ROOT / "bench" / "data"
    questions: dict[str, list[str]] = json.loads((data / "decision_questions.json").read_text("utf-8"))
    texts: dict[str, str] = json.loads((data / "decision_texts.json").read_text("utf-8"))
    found = []
    for number, text in texts.items():
        head, _, body = text.partition("\n")
        found.append(learning(number, head.partition(". ")[2], body.strip()))
    store = open_store(folder / "decisions")
    keep(store, found)
    asked = [Asked(text, frozenset({f"lrn-{name}"})) for name, texts in questions.items() for text in texts]
    return Set(store, asked)


def taught(folder: Path) -> Set:
    """Let the loop teach itself on the first tasks, and ask with the wishes of the others."""
    store = open_store(folder / "taught")
    memory = SqlMemory(store)
    terms = MemoryTerms(recall=False, max_reflection_usd=Decimal(0))
    tasks = conventions.tasks(10)
    with tempfile.TemporaryDirectory() as place:
        for name, number, wish in tasks:
            if number < HALF:
                target = Path(place) / f"{name}-{number}" / "run"
                asyncio.run(conventions.worked(target, conventions.AREAS[name], wish, memory, terms))
    known = memory.standings()
    asked = []
    for name, number, wish in tasks:
        if number >= HALF:
            rules = [message for _, message in conventions.AREAS[name].rules]
            answers = {
                each.learning.id for each in known if any(rule in each.learning.title for rule in rules)
            }
            asked.append(Asked(wish, frozenset(answers)))
    return Set(store, asked)


def cosqa(folder: Path, checkout: Path) -> Set:
    """Read CoSQA's retrieval test set."""
    search = checkout / "data" / "search"
    numbers: dict[str, int] = json.loads((search / "code_idx_map.txt").read_text("utf-8"))
    queries = json.loads((search / "cosqa-retrieval-test-500.json").read_text("utf-8"))
    found = []
    for code, number in numbers.items():
        name = re.search(r"(?:def|class)\s+(\w+)", code)
        found.append(learning(f"{number:05}", name.group(1) if name else code[:80], code))
    store = open_store(folder / "cosqa")
    keep(store, found)
    asked = [Asked(each["doc"], frozenset({f"lrn-{each['retrieval_idx']:05}"})) for each in queries]
    return Set(store, asked)
