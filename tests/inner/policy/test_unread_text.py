"""Which of a project's instructions a prompt gives to an agent that does not read them itself."""

import pytest

from setpoint.agents.registry import shipped
from setpoint.inner.policy.unread_text import MOST_TEXT, unread
from setpoint.model.project_text import InstructionFile, ProjectText, ReadsItself, Skill

GENERAL = InstructionFile(path="AGENTS.md", text="Use tabs.\n")
CLAUDE = InstructionFile(path="CLAUDE.md", text="Be brief.\n")
IMPORTS = InstructionFile(path="CLAUDE.md", text="# Rules\n@AGENTS.md\n")
LINK = InstructionFile(path="CLAUDE.md", text="", target="AGENTS.md")


@pytest.mark.parametrize(
    ("agent", "files", "given", "read"),
    [
        ("claude", (GENERAL,), (), ("AGENTS.md",)),
        ("claude", (GENERAL, CLAUDE), ("AGENTS.md",), ("CLAUDE.md",)),
        ("claude", (GENERAL, IMPORTS), (), ("CLAUDE.md",)),
        ("claude", (GENERAL, LINK), (), ("CLAUDE.md",)),
        ("gemini", (GENERAL, CLAUDE), ("AGENTS.md",), ()),
        ("gemini", (CLAUDE,), ("CLAUDE.md",), ()),
        ("codex", (CLAUDE,), ("CLAUDE.md",), ()),
        ("codex", (GENERAL, CLAUDE), (), ("AGENTS.md",)),
        ("opencode", (CLAUDE,), (), ("CLAUDE.md",)),
        ("aider", (GENERAL,), ("AGENTS.md",), ()),
    ],
)
def test_an_agent_gets_what_it_does_not_read(agent, files, given, read):
    found = unread(ProjectText(files=files), shipped()[agent].reads)
    assert (tuple(each.path for each in found.files), found.read) == (given, read)


def test_skills_and_instructions_of_folders_are_named_where_the_agent_does_not_find_them():
    skills = (Skill(path=".claude/skills/a/SKILL.md"), Skill(path=".agents/skills/b/SKILL.md"))
    project = ProjectText(skills=skills, nested=("web/AGENTS.md", "web/GEMINI.md"))
    reads = ReadsItself(files=("GEMINI.md",), skills=(".agents/skills",))
    found = unread(project, reads)
    assert found.skills == skills[:1]
    assert (found.nested, found.read) == (("web/AGENTS.md",), (".agents/skills/b/SKILL.md",))


def test_a_long_file_is_cut_and_says_so():
    long = InstructionFile(path="AGENTS.md", text="x" * (MOST_TEXT + 1))
    (given,) = unread(ProjectText(files=(long,)), ReadsItself()).files
    assert given.text.startswith("x" * MOST_TEXT)
    assert given.text.endswith("[... cut; the file has the rest]")
