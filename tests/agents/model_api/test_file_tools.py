"""What a model can see and change: the project, within bounds, and nothing else."""

import os

import pytest

from setpoint.agents.model_api.file_tools import MOST_LINES, MOST_MATCHES, MOST_PATHS, Files, Refused

DIFF = """\
diff --git a/one.py b/one.py
--- a/one.py
+++ b/one.py
@@ -1 +1 @@
-1
+diff --git a/not.py b/not.py
diff --git a/two.py b/three.py
similarity index 90%
rename from two.py
rename to three.py
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-1
"""


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("one\nTwo\nthree two\n")
    (folder / "README.md").write_text("read me\n")
    (tmp_path / "secret.txt").write_text("outside two\n")
    return folder


def test_files_are_listed_and_found(root):
    (root / "node_modules").mkdir()
    (root / "node_modules" / "x.js").write_text("two\n")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("two\n")
    files = Files(root)
    assert files.list_files() == "README.md\nsrc/app.py"
    assert files.list_files("src") == "src/app.py"
    assert files.search("TWO") == "src/app.py:2: Two\nsrc/app.py:3: three two"
    assert files.search("nowhere") == "[nothing found]"
    assert files.read_file("src/app.py", 2) == "2\tTwo\n3\tthree two"


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "/etc/passwd",
        "src/../../secret.txt",
        "link",
        "folder/secret.txt",
        ".git/config",
        "\0",
    ],
)
@pytest.mark.parametrize("tool", ["read_file", "delete_file", "list_files"])
def test_nothing_outside_is_reached(root, path, tool):
    (root / "link").symlink_to(root.parent / "secret.txt")
    (root / "folder").symlink_to(root.parent)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x\n")
    with pytest.raises(Refused):
        getattr(Files(root), tool)(path)
    with pytest.raises(Refused):
        Files(root).write_file(path, "harm")
    assert (root.parent / "secret.txt").read_text() == "outside two\n"
    assert (root / ".git" / "config").read_text() == "x\n"


def test_links_are_not_followed_by_a_search(root):
    (root / "link").symlink_to(root.parent / "secret.txt")
    (root / "folder").symlink_to(root.parent)
    assert "outside" not in Files(root).search("outside")


@pytest.mark.parametrize(
    "name", [".env", ".env.local", "server.pem", "id_rsa", "ID_ED25519", "Credentials.json", ".netrc"]
)
def test_files_that_may_hold_secrets_are_not_shown(root, name):
    (root / name).write_text("two\n")
    (root / "plain.txt").symlink_to(root / name)
    files = Files(root)
    assert name not in files.list_files()
    assert name not in files.search("two")
    for asked in (name, "plain.txt"):
        with pytest.raises(Refused, match="may hold secrets"):
            files.read_file(asked)


def test_an_example_of_a_secret_is_shown_and_tokens_are_taken_out(root):
    (root / ".env.example").write_text("KEY=\n")
    token = "ghp_" + "a1" * 20
    (root / "notes.txt").write_text(f"use {token} here\n-----BEGIN PRIVATE KEY-----\nabc\n")
    files = Files(root)
    assert files.read_file(".env.example") == "1\tKEY="
    assert files.read_file("notes.txt") == "1\tuse [secret] here\n2\t[secret]"
    assert token not in files.search("use")


def test_what_is_long_is_cut_and_says_so(root):
    (root / "long.txt").write_text("x two\n" * 5000)
    for number in range(MOST_PATHS):
        (root / f"f{number}").write_text("")
    files = Files(root)
    assert files.read_file("long.txt").endswith(f"[{5000 - MOST_LINES} more lines]")
    assert len(files.search("two").splitlines()) == MOST_MATCHES + 1
    assert files.list_files().endswith("[3 more; name a folder]")
    (root / "wide.txt").write_text("y" * 100_000)
    assert files.read_file("wide.txt").endswith("[cut]")


def test_what_is_no_text_is_refused(root):
    (root / "image.bin").write_bytes(b"\xff\x00\xfe")
    (root / "huge.txt").write_text("z" * (3 << 20))
    os.mkfifo(root / "pipe")
    for name in ("image.bin", "huge.txt", "pipe", "src", "nowhere"):
        with pytest.raises(Refused):
            Files(root).read_file(name)
    with pytest.raises(Refused):
        Files(root).write_file("pipe", "text")
    assert "z" not in Files(root).search("zz")


def test_edits(root):
    files = Files(root)
    assert files.write_file("new/file.py", "x\r\n") == "new/file.py written"
    files.replace_text("src/app.py", "Two\n", "2\n")
    assert (root / "src" / "app.py").read_text() == "one\n2\nthree two\n"
    for old in ("nowhere", "o", ""):
        with pytest.raises(Refused, match="must occur once"):
            files.replace_text("src/app.py", old, "x")
    files.delete_file("README.md")
    assert not (root / "README.md").exists()


def test_line_ends_stay_as_they_are(root):
    (root / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    Files(root).replace_text("dos.txt", "two", "2")
    assert (root / "dos.txt").read_bytes() == b"one\r\n2\r\n"


def test_the_change_under_review_can_be_shown_by_file(root):
    files = Files(root, DIFF)
    assert files.show_change() == DIFF
    assert files.show_change("one.py").startswith("diff --git a/one.py")
    assert files.show_change("gone.py").endswith("-1\n")
    assert "rename from two.py" in files.show_change("three.py")
    with pytest.raises(Refused, match=r"it touches one\.py, three\.py, gone\.py"):
        files.show_change("not.py")
    assert [tool.__name__ for tool in Files(root).looking()] == ["list_files", "read_file", "search"]
