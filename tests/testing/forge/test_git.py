"""Real git clones from the fake forge, fetches from it and pushes to it."""

import subprocess

import pytest

IDENTITY = ("-c", "user.name=dev", "-c", "user.email=dev@localhost", "-c", "credential.helper=")


def git(folder, *argv):
    done = subprocess.run(
        ("git", *IDENTITY, *argv), cwd=folder, capture_output=True, text=True, env=ALONE, check=False
    )
    return done.returncode, done.stdout + done.stderr


ALONE = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "HOME": "/nonexistent",
}


@pytest.fixture
def clone(forge, tmp_path):
    assert git(tmp_path, "clone", "-q", forge.clone_url_as(forge.token), "clone") == (0, "")
    return tmp_path / "clone"


def commit(clone, branch, text):
    git(clone, "checkout", "-q", "-B", branch)
    (clone / "calc.py").write_text(text)
    assert git(clone, "commit", "-qam", "Change calc")[0] == 0
    return git(clone, "rev-parse", "HEAD")[1].strip()


def test_clone_push_and_fetch(forge, clone):
    assert (clone / "README.md").read_text() == "# Shop\n"
    sha = commit(clone, "fix", "def add(a, b):\n    return a + b\n")
    assert git(clone, "push", "-q", "origin", "fix") == (0, "")
    assert forge.branches()["fix"] == sha
    pushed = forge.push("main", {"new.txt": "new\n"}, by="ana")
    assert git(clone, "fetch", "-q", "origin", "main") == (0, "")
    assert git(clone, "rev-parse", "FETCH_HEAD")[1].strip() == pushed
    assert git(clone, "log", "-1", "--format=%an", "FETCH_HEAD")[1].strip() == "ana"


def test_a_large_push_comes_in_chunks(forge, clone):
    sha = commit(clone, "large", "".join(f"line {number}\n" for number in range(200_000)))
    assert git(clone, "-c", "http.postBuffer=4096", "push", "-q", "origin", "large") == (0, "")
    assert forge.branches()["large"] == sha


def test_a_push_moves_its_pull_request_and_is_refused_without_force(forge, clone, client):
    sha = commit(clone, "fix", "x = 1\n")
    git(clone, "push", "-q", "origin", "fix")
    number = forge.open_pull("fix", "Fix", by="setpoint-bot").number
    newer = commit(clone, "fix", "x = 2\n")
    assert git(clone, "push", "-q", "origin", "fix") == (0, "")
    assert client.repo("GET", f"/pulls/{number}").body["head"]["sha"] == newer
    git(clone, "reset", "-q", "--hard", sha)
    other = commit(clone, "fix", "x = 3\n")
    assert git(clone, "push", "-q", "origin", "fix")[0] == 1
    assert git(clone, "push", "-q", "--force", "origin", "fix") == (0, "")
    assert forge.issue(number).merging.head_sha == other
    assert git(clone, "fetch", "-q", "origin", f"refs/pull/{number}/head") == (0, "")


@pytest.mark.parametrize("private", [True, False])
def test_who_may_not_push_is_refused(tmp_path, private):
    from setpoint.testing.forge import FakeForge

    with FakeForge(tmp_path / "forge", files={"a": "a\n"}, private=private) as forge:
        forge.people["rob"] = "read"
        assert git(tmp_path, "clone", "-q", forge.clone_url_as(forge.token), "own")[0] == 0
        wrong = {"": 128, "wrong": 128, forge.token_of("rob"): 128, forge.token_of("eve"): 128}
        for token in wrong:
            url = forge.clone_url_as(token) if token else forge.clone_url
            code, said = git(tmp_path / "own", "push", url, "HEAD:refs/heads/mine")
            assert code == 128, said
        expired = forge.app_token()
        assert git(tmp_path / "own", "push", "-q", forge.clone_url_as(expired), "HEAD:app") == (0, "")
        forge.pass_time(3601)
        assert git(tmp_path / "own", "push", "-q", forge.clone_url_as(expired), "HEAD:late")[0] == 128
        assert set(forge.branches()) == {"main", "app"}
        anonymous, _ = git(tmp_path, "clone", "-q", forge.clone_url, "anonymous")
        assert (anonymous == 0) is not private


def test_an_unknown_repository_does_not_exist(forge, tmp_path):
    url = forge.clone_url_as(forge.token).replace("shop", "other")
    code, said = git(tmp_path, "clone", "-q", url, "other")
    assert code == 128
    assert "not found" in said
