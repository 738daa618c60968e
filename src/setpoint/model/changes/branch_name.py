"""Names of branches, by the rules of `git check-ref-format`, known before git is asked."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

_REFUSED = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/]|[/.]$|(?:^|/)\.|\.lock(?:/|$)")


def is_branch_name(name: str) -> bool:
    """Return whether a branch can be called so."""
    return bool(name) and name != "HEAD" and _REFUSED.search(name) is None


def _begins_a_branch(prefix: str) -> str:
    if not is_branch_name(f"{prefix}story"):
        raise ValueError(f"no branch can be called '{prefix}story', see `git check-ref-format`")
    return prefix


BranchPrefix = Annotated[str, AfterValidator(_begins_a_branch)]
"""What a branch's name begins with, before the name of a story."""
