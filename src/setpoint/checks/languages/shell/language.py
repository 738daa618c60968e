"""Shell, as the rest of Setpoint asks of it."""

from __future__ import annotations

from itertools import compress

from setpoint.checks.languages.changed_function import changed, weighed
from setpoint.checks.languages.language import ChangedCode, Language
from setpoint.checks.languages.shell.functions import described, functions_in, outside


class Shell(Language):
    """Scripts that run from top to bottom; tests in any language start them."""

    name = "shell"
    runners = frozenset(("",))

    def owns(self, path: str) -> bool:
        """Whether a file is a script by its name."""
        return path.endswith((".sh", ".bash"))

    def changed(self, path: str, before: bytes | None, after: bytes) -> ChangedCode:
        """Return what of a script differs from the base; code outside functions cannot be broken."""
        old = before or b""
        then, now = list(functions_in(old)), list(functions_in(after))
        differs = changed([(each.name, each.text) for each in then], [(each.name, each.text) for each in now])
        found = tuple(weighed(described(path, each), old) for each in compress(now, differs))
        rest = [*outside(old, then)] != [*outside(after, now)]
        return ChangedCode(functions=found, unread=(path,) if rest else ())

    def same_program(self, before: bytes, after: bytes, path: str) -> bool:  # noqa: ARG002 -- all read alike
        """Whether two texts are the same; a comment cannot be distinguished from text without a parser."""
        return before == after
