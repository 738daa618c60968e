"""Names of branches are refused where git itself refuses them."""

import subprocess

import pytest
from pydantic import ValidationError

from setpoint.model.changes.branch_name import is_branch_name
from setpoint.settings import Settings

GOOD = ("story", "setpoint/story", "a.b/c-d", "me@work/x", "{x}", "@/x", "a/-b", "фикс/story", "a/b.c")
BAD = (
    "", "-x", "/x", "x/", "a//b", "a..b", "a b", "a\tb", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b",
    "a@{b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "HEAD", "a\x7fb",
)  # fmt: skip


@pytest.mark.parametrize("name", [*GOOD, *BAD])
def test_it_is_a_name_where_git_takes_it(name):
    words = ["git", "check-ref-format", "--branch", name]
    taken = subprocess.run(words, capture_output=True, check=False).returncode == 0
    assert is_branch_name(name) is taken is (name in GOOD)


@pytest.mark.parametrize("prefix", ["setpoint/", "", "me-", "team/me/"])
def test_what_a_branch_can_begin_with_is_taken(prefix):
    assert Settings(branch_prefix=prefix).branch_prefix == prefix


@pytest.mark.parametrize("prefix", ["a..b/ ", "-", "/", "my work/", "x.lock/"])
def test_what_no_branch_can_begin_with_is_said_at_once(prefix):
    with pytest.raises(ValidationError, match="no branch can be called"):
        Settings(branch_prefix=prefix)
