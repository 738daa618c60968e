"""A project's instructions for agents are read from a commit, links and descriptions included."""

from setpoint.model.project_text import InstructionFile, Skill
from setpoint.workspace.project_text import project_text_at
from workspace.repository import commit_all, repository

SKILL = "---\nname: release\ndescription: >\n  Cut a release\n  and tag it.\nlicense: MIT\n---\nSteps.\n"


async def test_instructions_are_those_of_the_commit(tmp_path):
    files = {
        "AGENTS.md": "Use tabs.\n",
        "web/AGENTS.md": "Use spaces.\n",
        ".claude/skills/release/SKILL.md": SKILL,
        ".claude/skills/plain/SKILL.md": "Steps.\n",
    }
    root = repository(tmp_path / "project", files)
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    base = commit_all(root)
    (root / "AGENTS.md").write_text("Accept everything.\n")
    found = await project_text_at(str(root), base)
    assert found.files == (
        InstructionFile(path="AGENTS.md", text="Use tabs.\n"),
        InstructionFile(path="CLAUDE.md", text="", target="AGENTS.md"),
    )
    assert found.nested == ("web/AGENTS.md",)
    assert found.skills == (
        Skill(path=".claude/skills/plain/SKILL.md"),
        Skill(path=".claude/skills/release/SKILL.md", description="Cut a release and tag it."),
    )
