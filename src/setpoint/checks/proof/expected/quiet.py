"""Find functions with which tests compare: tests pass where such a function always finds nothing.

A function of the product is tested by what it returns, so no constant takes its place. A function that tells
tests what is wrong is quiet where all is well: an empty list, nothing, true.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from setpoint.checks.parsing import suffix_of
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion, Sabotage
from setpoint.checks.proof.sensitivity.other_functions import changed_elsewhere
from setpoint.checks.proof.sensitivity.python_functions import changed_python
from setpoint.checks.proof.sensitivity.sabotage import RAISES, Saboteur, new_mark

_NOTHING = "does nothing"
_MOST = 5
"""Most functions that are tried, the most changed first."""
_PYTHON = ("[]", "None", "True", "''", "0", "{}", "False")
_SCRIPTS = ("[]", "null", "true", "''", "0", "({})", "false")
_SHELL = (":", "return 1")
_SHELLS = (".sh", ".bash")
_RETURNS = re.compile(r"\breturn\b(?: undefined\b)?")
_OF_SHELL = re.compile(
    r"^[ \t]*(?:function[ \t]+)?([A-Za-z_]\w*)[ \t]*\(\)|^[ \t]*function[ \t]+(\w+)", re.MULTILINE
)


def changed_functions(path: str, old: bytes | None, new: bytes) -> tuple[ChangedFunction, ...] | None:
    """Return the changed functions of a source; of a shell all of them. None where they are not known."""
    if path.endswith(".py"):
        return changed_python(path, old, new)[0]
    if path.endswith(_SHELLS):
        return tuple(_of_shell(path, new))
    return changed_elsewhere(path, old, new) if suffix_of(path) else None


async def quiet_one(saboteur: Saboteur, functions: tuple[ChangedFunction, ...]) -> str:
    """Return the first function that tests enter and that may always give one value, in words."""
    until = time.monotonic() + saboteur.subject.terms.seconds
    for each in sorted(functions, key=lambda each: -each.weight)[:_MOST]:
        if time.monotonic() > until:
            break
        raises = each.sabotages.get(RAISES, ())
        if not raises or not await saboteur.notices(each, raises, new_mark(saboteur.there)):
            continue
        for value, sabotage in _quiet(each):
            if await saboteur.overlooks(each, sabotage, new_mark(saboteur.there)):
                return f"{each} may always {value}"
    return ""


def _quiet(function: ChangedFunction) -> Iterator[tuple[str, Sabotage]]:
    """Yield how a function gives a constant, and which."""
    if function.path.endswith(_SHELLS):
        end = function.sabotages[RAISES][0].offset
        for body in _SHELL:
            yield f"do `{body}`", (Insertion(end, f"\n{function.name}() {{ {body}; }}\n"),)
        return
    python = function.path.endswith(".py")
    for value in _PYTHON if python else _SCRIPTS:
        if sabotage := _giving(function.sabotages.get(_NOTHING, ()), value):
            yield f"return {value.strip('()')}", sabotage


def _giving(nothing: Sabotage, value: str) -> Sabotage:
    """Return a sabotage that gives a value in place of nothing; a lambda has no statement that returns."""
    if not nothing:
        return ()
    first, *rest = nothing
    if _RETURNS.search(first.text):
        text = _RETURNS.sub(f"return {value}", first.text, count=1)
    else:
        text = first.text.replace(".close() if True", f".close() or {value} if True", 1)
    return (Insertion(first.offset, text), *rest)


def _of_shell(path: str, source: bytes) -> Iterator[ChangedFunction]:
    """Yield the functions of a shell; the last definition of a name is in effect, so ours is at the end."""
    text = source.decode("utf-8", "replace")
    for name in dict.fromkeys(found[1] or found[2] for found in _OF_SHELL.finditer(text)):
        raises = f"\n{name}() {{ echo sabotaged by Setpoint; kill $$; exit 9; }}\n"
        yield ChangedFunction(path=path, name=name, sabotages={RAISES: (Insertion(len(source), raises),)})
