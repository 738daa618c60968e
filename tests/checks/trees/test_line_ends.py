"""Line ends and modes that a maker changes without being asked, through the evaluator's `protect`."""

from __future__ import annotations

import pytest

from checks.conftest import git
from setpoint.settings import ChecksSettings

OFF = ChecksSettings(pytest=False, bandit=False)
LF = "one = 1\ntwo = 2\nthree = 3\n"
CRLF = LF.replace("\n", "\r\n")


async def base(bench, text: str, **story: object):
    made = await bench({"a.py": "", "run.sh": "echo 1\n"}, settings=OFF, **story)
    (made.tree / "a.py").write_bytes(text.encode())
    (made.tree / "run.sh").chmod(0o755)
    made.last = await made.workspace.snapshot(made.copy, "base", (await made.record()).attempt)
    made.order = made.order.model_copy(update={"base": made.last.commit})
    return made


async def written(made, text: str) -> str:
    (made.tree / "a.py").write_bytes(text.encode())
    await made.record()
    return git(made.tree, f"--git-dir={made.copy.repository}", "show", f"{made.last.commit}:a.py") + "\n"


@pytest.mark.parametrize(
    ("before", "wrote", "kept"),
    [
        (CRLF, LF.replace("2", "5"), CRLF.replace("2", "5")),
        (CRLF, CRLF + "four = 4\n", CRLF + "four = 4\r\n"),
        (LF, CRLF.replace("2", "5"), LF.replace("2", "5")),
        (LF, LF + "four = 4\r\n", LF + "four = 4\r\n"),
        (CRLF, "one = '\0'\n", "one = '\0'\n"),
    ],
)
async def test_the_ends_of_the_base_are_kept(bench, before, wrote, kept):
    made = await base(bench, before)

    await written(made, wrote)

    assert (made.tree / "a.py").read_bytes().decode() == kept


async def test_who_asks_for_other_ends_gets_them(bench):
    made = await base(bench, CRLF, body="Convert a.py to LF")

    await written(made, LF)

    assert (made.tree / "a.py").read_bytes().decode() == LF


async def test_new_attributes_for_line_ends_are_obeyed(bench):
    made = await base(bench, CRLF)

    (made.tree / ".gitattributes").write_text("*.py text eol=lf\n")
    await written(made, LF)

    assert (made.tree / "a.py").read_bytes().decode() == LF


async def test_a_file_that_was_written_anew_may_still_be_executed(bench):
    made = await base(bench, LF)

    (made.tree / "run.sh").unlink()
    (made.tree / "run.sh").write_text("echo 2\n")
    await made.record()

    assert (made.tree / "run.sh").stat().st_mode & 0o777 == 0o755
