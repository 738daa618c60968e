"""Delivered commits are like the user's own: author, signature, and what the hook for messages asks for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from setpoint.model.config.delivery import DeliverySettings
from setpoint.model.ids import TraceId
from setpoint.system.git.git import head
from setpoint.workspace.commits import conventional
from setpoint.workspace.delivery import GitBranchForge
from workspace.repository import git, repository_of_ada, workspace_of
from workspace.test_users_repository import attempt

MESSAGE = "The price of 3 is wrong.\n\nSetpoint-Run: run-1\nSetpoint-Iteration: 1\n"
TYPED = "#!/bin/sh\ngrep -Eq '^(feat|fix): [a-z]' \"$1\" || { echo 'conventional commits only'; exit 1; }\n"


@pytest.fixture
async def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    root = repository_of_ada(tmp_path / "project", monkeypatch)
    workspace = workspace_of(root)
    copy = await workspace.open(TraceId("run-1"), await head(root))
    (Path(copy.path) / "calc.py").write_text("a = 2\n")
    snapshot = await workspace.snapshot(copy, "implement-1", attempt())

    async def deliver(author: str = "user"):
        forge = GitBranchForge(root, DeliverySettings(author=author))
        return root, await forge.deliver(copy, snapshot.commit, "setpoint/story", message=MESSAGE)

    return deliver


def hook(root: Path, text: str, name: str = "commit-msg") -> None:
    place = root / ".git/hooks" / name
    place.write_text(text)
    place.chmod(0o755)


def make_key(place: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place], check=True)


def people(root: Path, branch: str) -> str:
    return git(root, "log", "-1", "--format=%an <%ae>, %cn", branch)


@pytest.mark.parametrize(
    ("author", "who"),
    [
        ("user", "Ada <ada@example.org>, Ada"),
        ("setpoint", "Setpoint <setpoint@localhost>, Setpoint"),
        ("Bob B <bob@example.org>", "Bob B <bob@example.org>, Ada"),
    ],
)
async def test_the_author_is_who_the_settings_name(made, author, who):
    root, branch = await made(author)

    assert people(root, branch) == who
    assert branch.notes == ()


async def test_who_has_no_name_in_git_is_told_so(made, tmp_path):
    (tmp_path / "project/.git/config").write_text("[core]\n\tbare = false\n")

    root, branch = await made()

    assert people(root, branch) == "Setpoint <setpoint@localhost>, Setpoint"
    assert [note.partition(",")[0] for note in branch.notes] == ["git does not know you"]


async def test_a_commit_is_signed_where_the_users_are(made, tmp_path):
    key = tmp_path / "key"
    make_key(key)
    root = tmp_path / "project"
    (tmp_path / "signers").write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    for name, value in (
        ("commit.gpgSign", "true"),
        ("gpg.format", "ssh"),
        ("user.signingKey", str(key)),
        ("gpg.ssh.allowedSignersFile", str(tmp_path / "signers")),
    ):
        git(root, "config", name, value)

    root, branch = await made()

    assert git(root, "log", "-1", "--format=%G?", branch) == "G"
    assert branch.notes == ()


async def test_a_signature_that_fails_does_not_lose_the_work(made, tmp_path):
    git(tmp_path / "project", "config", "commit.gpgSign", "true")
    git(tmp_path / "project", "config", "gpg.program", "/bin/false")

    root, branch = await made()

    assert git(root, "log", "-1", "--format=%an %s", branch) == "Ada The price of 3 is wrong."
    (note,) = branch.notes
    assert note.startswith("the commit is not signed, though commit.gpgSign is set: ")


async def test_a_message_that_the_hook_refuses_is_written_once_more(made, tmp_path):
    hook(tmp_path / "project", TYPED)

    root, branch = await made()

    assert git(root, "log", "-1", "--format=%s", branch) == "fix: the price of 3 is wrong"
    assert (
        git(root, "log", "-1", "--format=%(trailers:key=Setpoint-Run,valueonly)", branch).strip() == "run-1"
    )
    assert branch.notes == ()


async def test_a_message_that_the_hook_refuses_twice_is_delivered_with_its_words(made, tmp_path):
    hook(tmp_path / "project", "#!/bin/sh\necho 'no ticket named' >&2\nexit 1\n")

    root, branch = await made()

    assert git(root, "log", "-1", "--format=%s", branch) == "The price of 3 is wrong."
    (note,) = branch.notes
    assert "refuses the message: no ticket named; hint:" in note


SIGNED = """\
#!/bin/sh
[ "$2" = message ] || exit 1
sed -i "1s/^/#$(git symbolic-ref --short HEAD | grep -o '^[0-9]*') /" "$1"
git interpret-trailers --in-place --trailer "Signed-off-by: $(git config user.name)" "$1"
"""
DEMANDS = '#!/bin/sh\ngrep -q "^Signed-off-by: Ada" "$1" || { echo "sign off"; exit 1; }\n'


async def test_the_hook_that_prepares_messages_runs_before_the_one_that_judges_them(made, tmp_path):
    git(tmp_path / "project", "checkout", "-qb", "5484-price")
    hook(tmp_path / "project", SIGNED, "prepare-commit-msg")
    hook(tmp_path / "project", DEMANDS)

    root, branch = await made()

    assert branch.notes == ()
    assert git(root, "log", "-1", "--format=%s", branch) == "#5484 The price of 3 is wrong."
    trailers = git(root, "log", "-1", "--format=%(trailers:keyonly)", branch).split()
    assert trailers == ["Setpoint-Run", "Setpoint-Iteration", "Signed-off-by"]


async def test_a_hook_that_prepares_no_message_is_named(made, tmp_path):
    hook(
        tmp_path / "project", "#!/bin/sh\necho 'no ticket in the branch' >&2\nexit 1\n", "prepare-commit-msg"
    )

    root, branch = await made()

    assert git(root, "log", "-1", "--format=%s", branch) == "The price of 3 is wrong."
    assert branch.notes[0].startswith("the prepare-commit-msg hook (")
    assert "refuses the message: no ticket in the branch; hint:" in branch.notes[0]


async def test_a_hook_that_adds_another_line_each_time_makes_one_branch(made, tmp_path):
    hook(tmp_path / "project", '#!/bin/sh\necho "Change-Id: I$(date +%N)" >> "$1"\n')

    (root, first), (_, second) = await made(), await made()

    assert first == second == "setpoint/story"
    assert "Change-Id: I" in git(root, "log", "-1", "--format=%B", first)


def test_a_conventional_message_keeps_its_type_and_its_trailers():
    long = "word " * 30
    said = conventional(f"Docs: x\n\n{long}\n\nAssisted-by: {long}\n")

    assert said.startswith("Docs: x\n")
    assert max(map(len, said.split("Assisted-by")[0].splitlines())) <= 72
    assert said.endswith(f"Assisted-by: {long}".rstrip() + "\n")
