"""The user's own pre-commit hook: it sees the change as staged, and counts only against the change."""

from __future__ import annotations

from pathlib import Path

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.settings import ChecksSettings
from setpoint.system.git.hooks_folder import INSTALLED

OFF = ChecksSettings(pytest=False, bandit=False)
REFUSES = '#!/bin/sh\ngit diff --cached | grep -q "^+.*TODO" && { echo "no TODO, please"; exit 1; }\nexit 0\n'
REWRITES = '#!/bin/sh\nfor f in $(git diff --cached --name-only); do sed -i "s/ *$//" "$f"; done\n'


def hook(root: Path, text: str, name: str = "pre-commit") -> None:
    place = root / ".git/hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)
    place.chmod(0o755)


async def begun(bench, text: str, **files: str):
    made = await bench({"a.py": "a = 1\n", **files}, settings=OFF)
    hook(made.root, text)
    await made.measure(Stage.BASE)
    return made


async def test_what_the_hook_refuses_is_a_finding_with_its_words(bench):
    made = await begun(bench, REFUSES)

    await made.change({"a.py": "a = 2  # TODO\n"})
    (found,) = (await made.measure(Stage.EVALUATE)).blocking
    await made.change({"a.py": "a = 2\n"})
    after = await made.measure(Stage.EVALUATE)

    assert found.source == "git_hooks"
    assert found.message.endswith("refuses the change: no TODO, please")
    assert (after.blocking, after.evidence_of("git_hooks").state) == ((), CheckState.PASS)


async def test_what_the_hook_refuses_at_the_base_too_blames_nobody(bench):
    made = await begun(bench, REFUSES, **{"b.py": "b = 1  # TODO\n"})

    await made.change({"b.py": "b = 2  # TODO\n"})
    after = await made.measure(Stage.EVALUATE)

    assert (after.blocking, after.evidence_of("git_hooks").state) == ((), CheckState.NOT_MEASURED)
    assert "as the base holds them, too" in after.evidence_of("git_hooks").reason


async def test_what_the_hook_rewrites_is_taken_over(bench):
    made = await begun(bench, REWRITES, **{"b.py": "b = 1   \n"})

    await made.change({"a.py": "a = 2   \n"})
    after = await made.measure(Stage.EVALUATE)

    assert (made.tree / "a.py").read_text() == "a = 2\n"
    assert (made.tree / "b.py").read_text() == "b = 1   \n"
    assert after.evidence_of("git_hooks").state is CheckState.PASS
    assert (made.root / "a.py").read_text() == "a = 1\n"


async def test_of_setpoints_own_hook_only_the_one_before_it_runs(bench):
    made = await begun(bench, f"#!/bin/sh\n{INSTALLED}\nexit 1\n")

    await made.change({"a.py": "a = 2  # TODO\n"})
    alone = await made.measure(Stage.EVALUATE)
    hook(made.root, REFUSES, "pre-commit.before-setpoint")
    both = await made.measure(Stage.EVALUATE)

    assert (alone.blocking, alone.evidence_of("git_hooks")) == ((), None)
    assert [each.source for each in both.blocking] == ["git_hooks"]


async def test_a_hook_that_misses_a_program_is_not_measured(bench):
    made = await begun(bench, "#!/bin/sh\nno-such-program --staged\n")

    await made.change({"a.py": "a = 2\n"})
    after = await made.measure(Stage.EVALUATE)

    assert (after.blocking, after.evidence_of("git_hooks").state) == ((), CheckState.NOT_MEASURED)
