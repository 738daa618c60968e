"""Judge whether generated code is changed together with what it is generated from."""

from __future__ import annotations

import re

from setpoint.checks.discovery.generated_files import generated_among
from setpoint.checks.integrity.paths.protected_paths import matches
from setpoint.checks.proof.kinds.sources.same_program import same_program
from setpoint.checks.proof.subject import Subject, listed
from setpoint.model.changes.work_kind import is_document, is_lock, is_program
from setpoint.model.proof import Obligation, ObligationState

_NAME = "generated code"
_ASKED = re.compile(r"\b(re-?generat\w+|re-?buil[dt]\w*)\b", re.IGNORECASE)
"""How a request asks for what a generator makes of sources that stay as they are."""


async def generated_source(subject: Subject) -> tuple[Obligation, ...]:
    """Object to generated code that changes alone: its generator would bring the old code back.

    Whatever else is changed counts as its source: code, a schema, a template or the version of a generator,
    but no test, document, lock file or comment.
    """
    story = subject.task.story
    # A header that the work takes away makes nothing hand-written, so the base alone is asked.
    held = {path: text.decode("utf-8", "replace") for path, text in subject.before.items()}
    now = {path: held.get(path, "") for path in subject.after}
    generated = await generated_among(subject.place.copy.path, subject.base.commit, held, now)
    alone = [
        path
        for path in subject.after
        if path in generated and is_program(path) and not matches(path, story.may_change)
    ]
    if not alone or _ASKED.search(story.wish):
        return ()
    if any(_may_be_source(subject, path, generated) for path in subject.paths):
        return ()
    reason = (
        f"only generated files are changed: {listed(alone)}; change what they are generated from, or release "
        f"them (--may-change {alone[0]})"
    )
    return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)


def _may_be_source(subject: Subject, path: str, generated: frozenset[str]) -> bool:
    if path in generated or path in subject.of_tests or is_lock(path):
        return False
    if is_document(path) and path not in subject.read:
        return False
    return not same_program(path, subject.before.get(path), subject.after.get(path))
