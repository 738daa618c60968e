"""Documents, prompts and code use plain words: words.toml lists what to avoid and what to say instead."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from house.source import ROOT, SAMPLE, shown

DOCUMENTS = ("docs", "README.md", "CHANGELOG.md", "AGENTS.md", "src/setpoint/pipelines/prompts")
"""Folders and files of text."""

CODE = (
    "docs",
    "src/setpoint/agents",
    "src/setpoint/app",
    "src/setpoint/checks",
    "src/setpoint/cli",
    "src/setpoint/database",
    "src/setpoint/durable",
    "src/setpoint/history",
    "src/setpoint/inner",
    "src/setpoint/learning",
    "src/setpoint/people",
    "src/setpoint/phase",
    "src/setpoint/ports",
    "src/setpoint/production",
    "src/setpoint/runs",
    "src/setpoint/stories",
    "src/setpoint/system",
    "src/setpoint/testing",
    "src/setpoint/web",
    "src/setpoint/wiring",
    "src/setpoint/workspace",
)
"""Folders whose docstrings, comments and messages are read."""

EXCEPT = {
    "docs/reference": "generated from docstrings of src, which is not in CODE yet",
}

Lint = Mapping[re.Pattern[str], str]


def patterns(*kinds: str) -> Lint:
    """Return the patterns of these kinds, each with what to say instead."""
    listed = tomllib.loads((Path(__file__).parent / "words.toml").read_text("utf-8"))
    return {
        re.compile(entry["pattern"].replace(" ", r"\s+"), re.IGNORECASE): entry["say"]
        for kind in kinds
        for entry in listed[kind]
    }


def prose(text: str) -> str:
    """Return Markdown without fenced blocks, inline code and link targets, with all line breaks in place."""
    for block in (r"^```.*?^```", r"`[^`\n]*`", r"(?<=\])\([^)\s]*\)", r"\{%.*?%\}|\{\{.*?\}\}"):
        text = re.sub(block, lambda hit: "\n" * hit[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)
    return text


def spoken(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments and strings of a Python file, each with its line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, re.sub(r"`[^`\n]*`", "", node.value)


def hits(text: str, lint: Lint, first: int = 1) -> Iterator[str]:
    """Yield each word that must not appear with its line and what to say instead."""
    for pattern, say in lint.items():
        for hit in pattern.finditer(text):
            line = first + text.count("\n", 0, hit.start())
            yield f"{line}: {' '.join(hit[0].split())!r}: say {say}"


def listed(places: tuple[str, ...], *endings: str) -> list[Path]:
    """Return the files below these places, without those of EXCEPT and the sample project."""
    found = [
        path
        for place in places
        for path in ([ROOT / place] if (ROOT / place).is_file() else sorted((ROOT / place).rglob("*")))
        if path.suffix in endings and SAMPLE not in path.parents
    ]
    return [path for path in found if not any(f"{shown(path)}/".startswith(f"{name}/") for name in EXCEPT)]


@pytest.mark.parametrize("path", listed(DOCUMENTS, ".md", ".j2"), ids=shown)
def test_documents_and_prompts_use_plain_words(path):
    assert list(hits(prose(path.read_text("utf-8")), patterns("words"))) == []


@pytest.mark.parametrize("path", listed(CODE, ".py"), ids=shown)
def test_code_uses_plain_words(path):
    lint = patterns("words", "code")
    assert [hit for line, text in spoken(path.read_text("utf-8")) for hit in hits(text, lint, line)] == []


def test_every_place_exists_and_every_pattern_is_of_use():
    assert [place for place in (*DOCUMENTS, *CODE) if not (ROOT / place).exists()] == []
    assert all(say for say in patterns("words", "code").values())


def test_the_lint_reads_prose_over_line_breaks_and_leaves_code_alone():
    text = "# T\n\nThe maker asks\nleave. `a wish` [x](wish.md)\n\n```text\nmend: it\n```\nIt stands there.\n"
    found = list(hits(prose(text), patterns("words")))
    assert [hit.split(": say")[0] for hit in found] == ["3: 'asks leave'", "9: 'stands'"]


def test_the_lint_reads_docstrings_comments_and_messages():
    source = '"""Give the best run."""\n\nWISH = 1  # goes on\nraise ValueError("no wish was found")\n'
    lint = patterns("words", "code")
    found = [hit for line, text in spoken(source) for hit in hits(text, lint, line)]
    assert sorted(hit.split(": say")[0] for hit in found) == ["1: 'Give the'", "3: 'goes on'", "4: 'wish'"]
