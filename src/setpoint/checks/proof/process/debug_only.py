"""Judge whether what tests of Rust witness is there in builds for release, without `debug_assert!`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import RUST, field_of, is_test, parser_of, text_of
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion
from setpoint.checks.proof.sensitivity.sabotage import new_mark
from setpoint.checks.proof.sensitivity.sensitivity import saboteur_of
from setpoint.checks.proof.subject import Subject, listed
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.proof import Obligation, ObligationState

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME = "in every build"
_DEBUG = re.compile(r"\bdebug(?!ging)\w*", re.IGNORECASE)


async def in_every_build(subject: Subject, witnesses: tuple[Witness, ...]) -> tuple[Obligation, ...]:
    """Leave new debug assertions out, as a build for release does: tests have to pass all the same."""
    paths = [path for path in subject.after if path.endswith(RUST) and path not in subject.of_tests]
    made = [
        found for path in paths if (found := left_out(path, subject.before.get(path), subject.after[path]))
    ]
    if not made or _DEBUG.search(subject.task.story.wish):
        return ()
    saboteur = await saboteur_of(subject, tuple(made), witnesses)
    wrong = [
        str(each)
        for each in made
        if await saboteur.notices(each, each.sabotages["left out"], new_mark(saboteur.there))
    ]
    if not wrong:
        return ()
    reason = (
        f"tests fail without {listed(wrong)}, which builds for release leave out: let the code do what is "
        "asked for in every build, for example by `assert!`"
    )
    return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)


def left_out(path: str, old: bytes | None, new: bytes) -> ChangedFunction | None:
    """Return how the debug assertions that a change adds to a file are left out; none without any."""
    parser = parser_of(RUST)
    if parser is None:
        return None
    known = {text_of(each) for each in _assertions(parser.parse(old or b"").root_node)}
    found = [each for each in _assertions(parser.parse(new).root_node) if text_of(each) not in known]
    around = tuple(
        insertion
        for each in found
        for insertion in (Insertion(each.start_byte, "if false { "), Insertion(each.end_byte, " }"))
    )
    return (
        ChangedFunction(path=path, name="debug_assert!", sabotages={"left out": around}) if around else None
    )


def _assertions(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if is_test(child):
            continue
        if child.type == "macro_invocation" and field_of(child, "macro").startswith("debug_assert"):
            yield child
        else:
            yield from _assertions(child)
