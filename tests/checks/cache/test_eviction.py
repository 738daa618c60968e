"""What is kept to save time goes again: with its run, or when nobody asks for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from setpoint.checks.cache import eviction
from setpoint.checks.cache.eviction import LASTS_S, forget, tools_of, trim
from setpoint.checks.cache.results import ResultCache
from setpoint.checks.results import judged
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.evidence import CheckState
from setpoint.model.ids import TraceId, Tree
from setpoint.settings import ChecksSettings, Settings

NOW = 2_000_000_000.0
CHECKS = ChecksSettings(bandit=False, coverage=False, pytest=False, python=sys.executable)


def made(path: Path, age_s: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    for each in (path, *list(path.parents)[:2]):
        os.utime(each, (NOW - age_s, NOW - age_s))
    return path


def test_what_nobody_asked_for_goes_once_a_day(tmp_path: Path) -> None:
    cache, old = tmp_path / "cache", LASTS_S + 60
    kept = made(cache / "checks" / "ab" / "1.json", 60)
    gone = [
        made(cache / "checks" / "ab" / "2.json", old),
        made(cache / "evaluations" / "ab" / "3.json", old),
        made(cache / "by_file" / "4.json", old),
        made(cache / "tools" / "run-old" / "mypy" / "5", old),
    ]
    stay = [made(cache / "tools" / name / "mypy" / "6", old) for name in ("shared", "tree")]

    trim(tmp_path, NOW)
    os.utime(cache / "trimmed", (NOW, NOW))

    assert kept.exists()
    assert all(each.exists() for each in stay)
    assert not any(each.exists() for each in gone)
    assert not (cache / "tools" / "run-old").exists()
    again = made(cache / "checks" / "ab" / "2.json", old)
    trim(tmp_path, NOW + 60)
    assert again.exists(), "looked again at once"
    trim(tmp_path, NOW + 25 * 3600)
    assert not again.exists()


def test_a_run_takes_its_caches_with_it_and_no_others(tmp_path: Path) -> None:
    names = ("run-1", "run-1-c2", "run-10", "shared")
    for name in names:
        (tools_of(tmp_path, name) / "go").mkdir(parents=True)

    forget(tmp_path, TraceId("run-1"))

    assert sorted(path.name for path in tools_of(tmp_path, "").iterdir()) == ["run-10", "shared"]


def test_what_is_asked_for_is_young_again(tmp_path: Path) -> None:
    kept = ResultCache(tmp_path)
    kept.keep(("key",), (judged("t", Tree("t"), (), tool="t 1"),))
    (file,) = tmp_path.rglob("*.json")
    os.utime(file, (0, 0))

    assert kept.get(("key",)) is not None
    assert file.stat().st_mtime > 0


async def test_checks_of_the_tree_begin_where_the_one_before_ended(bench) -> None:
    made = await bench({"go.mod": "module example.com/a\n\ngo 1.19\n", "a.go": "package a\n"})
    evaluator = TreeEvaluator(Settings(checks=CHECKS), made.artifacts, made.folders)
    left = []

    for number in range(2):
        (made.root / "a.go").write_text(f"package a\n\nconst N = {number}\n")
        evaluation = await evaluator.measure(made.root)
        assert evaluation.evidence_of("go_vet").state is CheckState.PASS
        left.append({path.name for path in tools_of(made.state, "").iterdir() if path.is_dir()})

    assert left == [{"tree"}, {"tree"}]
    assert [*tools_of(made.state, "tree").glob("go/??")]


def test_the_oldest_goes_first_where_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache" / "checks" / "ab"
    kept = [made(cache / f"{age}.json", age) for age in (60, 61, 62, 63)]
    monkeypatch.setattr(eviction, "MOST_BYTES", 2)
    assert trim(tmp_path, NOW)
    assert [each.exists() for each in kept] == [True, True, False, False]
