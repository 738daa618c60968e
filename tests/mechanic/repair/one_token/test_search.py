"""The search in Go and in scripts, with the real runners."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.model.attempt import Attempt, BreakageKind, Brief
from setpoint.model.evidence import Suspect
from setpoint_mechanic.repair import MechanicAgent
from setpoint_mechanic.repair.one_token import search
from setpoint_mechanic.repair.one_token.trial import of_go, of_scripts

MODULE = "module example.com/calc\n\ngo 1.19\n"
CLAMP = """package calc

func Clamp(x, low, high int) int {
	if x < low {
		return low
	}
	if x %s high {
		return high
	}
	return x
}
"""
GO_TESTS = """package calc

import "testing"

func TestAbove(t *testing.T) {
	if Clamp(9, 1, 3) != 3 {
		t.Fatal("above")
	}
}

func TestInside(t *testing.T) {
	if Clamp(2, 1, 3) != 2 {
		t.Fatal("inside")
	}
}
"""
PACKAGE = '{"name": "calc", "type": "module", "scripts": {"test": "node --test test/"}}\n'
ADD = "export function add(a, b) {\n  return a %s b;\n}\n"
SCRIPT_TESTS = """import assert from "node:assert";
import { test } from "node:test";
import { add } from "../src/calc.js";

test("adds", () => assert.strictEqual(add(2, 3), 5));
"""


class Watcher:
    def began(self, call) -> None:
        pass

    def called(self, call) -> bool:
        return False

    def spent(self, usage) -> None:
        pass


async def tried(toolkit, brief: Brief) -> Attempt:
    return await MechanicAgent(toolkit, search_s=60.0).attempt(brief, Watcher())


async def test_an_operator_of_go_is_repaired(ask, toolkit) -> None:
    files = {"go.mod": MODULE, "calc.go": CLAMP % "<", "calc_test.go": GO_TESTS}
    brief = await ask(files, "example.com/calc::TestAbove", "example.com/calc::TestInside", program="go")

    attempt = await tried(toolkit, brief)

    assert attempt.breakage is None, attempt.breakage
    assert (Path(brief.workdir) / "calc.go").read_text() == CLAMP % ">"
    assert (Path(brief.workdir) / "calc_test.go").read_text() == GO_TESTS
    assert "plausible, not proven" in attempt.text


async def test_an_operator_of_a_script_is_repaired(ask, toolkit) -> None:
    files = {"package.json": PACKAGE, "src/calc.js": ADD % "-", "test/calc.test.js": SCRIPT_TESTS}
    brief = await ask(files, "test/calc.test.js::adds", program="node")

    attempt = await tried(toolkit, brief)

    assert attempt.breakage is None, attempt.breakage
    assert (Path(brief.workdir) / "src/calc.js").read_text() == ADD % "+"


async def test_what_one_token_cannot_repair_ends_with_the_number_tried(ask, toolkit) -> None:
    wrong = "export function add() {\n  return 'nothing';\n}\n"
    files = {"package.json": PACKAGE, "src/calc.js": wrong, "test/calc.test.js": SCRIPT_TESTS}
    brief = await ask(files, "test/calc.test.js::adds", program="node")

    attempt = await tried(toolkit, brief)

    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING  # another agent goes on at once
    assert "edits of one token" in attempt.breakage.message
    assert (Path(brief.workdir) / "src/calc.js").read_text() == wrong


async def test_a_search_that_ends_at_its_most_edits_does_not_say_that_all_were_tried(
    ask, toolkit, monkeypatch
) -> None:
    monkeypatch.setattr(search, "MOST_TRIED", 1)
    never = SCRIPT_TESTS.replace("5)", "99)")
    files = {"package.json": PACKAGE, "src/calc.js": ADD % "-", "test/calc.test.js": never}
    brief = await ask(files, "test/calc.test.js::adds", program="node")

    attempt = await tried(toolkit, brief)

    assert attempt.breakage is not None
    assert "it tried 1 of " in attempt.breakage.message
    assert "it tries 1 edits at most" in attempt.breakage.message
    assert "Not every known edit was tried" in attempt.text


async def test_a_negation_is_not_taken_where_another_edit_fits_too(ask, toolkit) -> None:
    wrong = (
        "export function first(list, more = []) {\n  if (list.length) return null;\n  return list[1];\n}\n"
    )
    test = SCRIPT_TESTS.replace("add", "first").replace("first(2, 3), 5", "first([7, 7]), 7")
    files = {"package.json": PACKAGE, "src/calc.js": wrong, "test/calc.test.js": test}
    brief = await ask(files, "test/calc.test.js::firsts", program="node")

    attempt = await tried(toolkit, brief)

    assert attempt.breakage is None
    text = (Path(brief.workdir) / "src/calc.js").read_text()
    assert text == wrong.replace("list.length", "more.length")


async def test_the_suspicious_lines_are_listed_by_their_rank(ask, toolkit) -> None:
    wrong = "export function add(a) {\n  const b = 'nothing';\n  return b;\n}\n"
    files = {"package.json": PACKAGE, "src/calc.js": wrong, "test/calc.test.js": SCRIPT_TESTS}
    brief = await ask(files, "test/calc.test.js::adds", program="node")
    ranked = ((3, 1, 0.8, "return b;"), (2, 2, 0.6, "const b = 'nothing';"))
    suspects = tuple(Suspect(file="src/calc.js", line=a, rank=b, score=c, text=d) for a, b, c, d in ranked)

    attempt = await tried(toolkit, brief.model_copy(update={"suspects": suspects}))

    assert "- src/calc.js:3 (0.80) return b;\n- src/calc.js:2 (0.60) const b" in attempt.text


@pytest.mark.slow
async def test_an_edit_that_breaks_another_test_is_not_taken(ask, toolkit) -> None:
    both = SCRIPT_TESTS + 'test("adds nothing", () => assert.strictEqual(add(2, 0), 2));\n'
    files = {"package.json": PACKAGE, "src/calc.js": ADD % "-", "test/calc.test.js": both}
    brief = await ask(files, "test/calc.test.js::adds", program="node")

    await tried(toolkit, brief)

    assert (Path(brief.workdir) / "src/calc.js").read_text() == ADD % "+"


async def test_a_test_that_does_not_fail_is_said_to_pass(ask, toolkit) -> None:
    files = {"package.json": PACKAGE, "src/calc.js": ADD % "+", "test/calc.test.js": SCRIPT_TESTS}
    brief = await ask(files, "test/calc.test.js::adds", program="node")

    attempt = await tried(toolkit, brief)

    assert attempt.breakage is not None
    assert "none of the failing tests was seen to fail" in attempt.breakage.message


def test_a_report_that_is_cut_gives_what_it_holds(tmp_path) -> None:
    assert dict(of_go('{"Action":"pass","Package":"p","Test":"TestA"}\n{"Action":')) == {"p::TestA": True}
    assert dict(of_scripts('{"testResults": [', tmp_path)) == {}
