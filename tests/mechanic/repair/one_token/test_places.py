"""How suspicious the lines are on which edits are tried."""

from __future__ import annotations

from setpoint.model.attempt import Brief
from setpoint.model.evidence import Cause, Failure, Suspect
from setpoint_mechanic.repair.one_token.places import suspicious

CODE = """export function page(items, size) {
  const count = items.length;
  return {
    first: items[0],
    next: size <= count
      ? items[size] : null,
    each: items.map((item) => {
      return item + 1;
    }),
  };
}
"""


def scores(workdir, brief, *suspects: Suspect) -> dict[int, float]:
    (workdir / "page.js").write_text(CODE)
    (workdir / "page.test.js").write_text('import { page } from "./page.js";\ntest("a", () => page());\n')
    failure = Failure(test="page.test.js::a", cause=Cause.ASSERTION, message="")
    asked: Brief = brief().model_copy(update={"suspects": suspects})
    return dict(suspicious(asked, [failure])["page.js"].lines)


def suspect(line: int, rank: int, score: float) -> Suspect:
    return Suspect(file="page.js", line=line, rank=rank, score=score)


def test_lines_of_one_score_weigh_nearly_the_same_in_the_order_of_their_ranks(workdir, brief) -> None:
    found = scores(workdir, brief, suspect(8, 1, 0.5), suspect(3, 2, 0.5), suspect(2, 3, 0.5))

    assert found[8] > found[3] > found[2] > 1.4


def test_a_line_of_the_change_comes_first_though_another_has_a_higher_score(workdir, brief) -> None:
    found = scores(workdir, brief, suspect(2, 1, 0.2), suspect(3, 2, 0.9))

    assert found[2] > found[3]


def test_the_lines_of_a_statement_have_nearly_its_score_but_not_the_statements_in_it(workdir, brief) -> None:
    found = scores(workdir, brief, suspect(3, 1, 0.5))

    assert found[3] > found[5] == found[6] == found[4] > 1.4
    assert found[8] < 1


CALC = "package calc\n\nfunc Far() int {\n\treturn 1\n}\n\nfunc Near() int {\n\treturn 2\n}\n"
HELD = """package calc

import "testing"

func TestNear(t *testing.T) { check(t) }

func check(t *testing.T) {
	if (held{}).get() != 3 {
		t.Fatal("no")
	}
}

type held struct{}

func (held) get() int { return Near() }
"""


def test_what_the_functions_of_its_own_test_file_name_is_near_a_test_of_go(workdir, brief) -> None:
    for name, text in {"go.mod": "module calc.org/c\n", "c.go": CALC, "c_test.go": HELD}.items():
        (workdir / name).write_text(text)
    failure = Failure(test="calc.org/c::TestNear", cause=Cause.ASSERTION, message="")

    found = suspicious(brief(), [failure])["c.go"].lines

    assert found[8] > 5 * found[4]


def test_what_the_functions_of_its_own_test_file_name_is_near_a_test_of_a_script(workdir, brief) -> None:
    code = "export const near = () =>\n  1;\nexport function far() {\n  return 2;\n}\n"
    test = 'import { near } from "./c.js";\nfunction check() {\n  near();\n}\ntest("a", () => check());\n'
    test += 'import { far } from "./c.js";\ntest("b", () => far());\n'
    for name, text in {"c.js": code, "c.test.js": test}.items():
        (workdir / name).write_text(text)

    found = suspicious(brief(), [Failure(test="c.test.js::a", cause=Cause.ASSERTION, message="")])

    assert found["c.js"].lines[2] > 5 * found["c.js"].lines[4]
