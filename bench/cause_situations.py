"""Situations in which a test fails without a change: for the lack of it, or for another reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

GO_MOD = "module example.com/shop\n\ngo 1.19\n"
CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
PACKAGE = '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n'
_TESTS = {".py": "tests/test_new.py", ".js": "test/new.test.js", ".go": "new_test.go", ".rs": "tests/new.rs"}
_CODE = {".py": "shop.py", ".js": "shop.js", ".go": "shop.go", ".rs": "src/lib.rs"}
_PART = re.compile(r"\n@(?=(?:old|new|test|base .*|more .*)\n)")
_JS = 'import test from "node:test";\nimport assert from "node:assert";\n'
_GO = 'package shop\n\nimport "testing"\n'
STANDING = {
    ".py": {"tests/test_standing.py": "def test_stands():\n    assert True\n"},
    ".js": {
        "package.json": PACKAGE,
        "test/standing.test.js": _JS + 'test("stands", () => assert.ok(true));\n',
    },
    ".go": {"go.mod": GO_MOD, "standing_test.go": _GO + "\nfunc TestStands(t *testing.T) {}\n"},
    ".rs": {"Cargo.toml": CARGO, "tests/standing.rs": "#[test]\nfn stands() {}\n"},
}


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A change with a test of its own."""

    name: str
    language: str
    old: str
    """The code at the base."""
    new: str
    """The code of the result."""
    test: str
    honest: bool = True
    title: str = "add what is missing"
    base: dict[str, str] = field(default_factory=dict)
    """More files at the base."""
    more: dict[str, str] = field(default_factory=dict)
    """More files of the change."""

    @property
    def before(self) -> dict[str, str]:
        """All files of the base."""
        code = {_CODE[self.language]: self.old} if self.old else {}
        return {
            ".gitignore": "__pycache__\ntarget\nCargo.lock\n",
            **STANDING[self.language],
            **code,
            **self.base,
        }

    @property
    def change(self) -> dict[str, str]:
        """All files of the change."""
        code = {_CODE[self.language]: self.new} if self.new != self.old else {}
        return {**code, _TESTS[self.language]: self.test, **self.more}


def _of(language: str, head: str, rows: str, *, honest: bool) -> tuple[Situation, ...]:
    """Read situations written as name, old, new and test, each behind a mark."""
    made = []
    for row in rows.strip("\n").split("\n## ")[0:]:
        name, _, rest = row.removeprefix("## ").partition("\n")
        name, _, title = name.partition(" | ")
        parts = {"old": "", "new": "", "test": ""}
        more: dict[str, dict[str, str]] = {"base": {}, "more": {}}
        for part in _PART.split("\n" + rest)[1:]:
            key, _, text = part.partition("\n")
            where, _, path = key.partition(" ")
            if path:
                more[where][path] = text + "\n"
            else:
                parts[where] = text + "\n"
        made.append(
            Situation(
                name=f"{language[1:]}: {name}", language=language, honest=honest,
                title=title or "add what is missing", old=parts["old"],
                new=parts["new"] or parts["old"], test=head + parts["test"], **more,
            )
        )  # fmt: skip
    return tuple(made)


_LANGUAGES = (("python", ".py", ""), ("javascript", ".js", _JS), ("go", ".go", _GO), ("rust", ".rs", ""))
_FOLDER = Path(__file__).with_name("data") / "causes"
SITUATIONS = tuple(
    situation
    for kind in ("honest", "other")
    for name, suffix, begins in _LANGUAGES
    for situation in _of(
        suffix, begins, (_FOLDER / f"{kind}-{name}.txt").read_text("utf-8"), honest=kind == "honest"
    )
)
