"""Whether a request that names no kind of work is about settings alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from setpoint.checks.proof.kinds.manifests.asked_keys import speaks_of
from setpoint.checks.proof.kinds.manifests.keys import changed_keys
from setpoint.checks.proof.named.request_names import requested
from setpoint.model.changes.work_kind import is_document, is_lock
from setpoint.model.stories.story import Story


def speaks_of_settings(
    story: Story, told: Collection[str], before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> bool:
    """Whether a request clearly means each file of settings that is changed, and names no code.

    `told` are changed files that differ in more than comments.
    """
    changed = changed_keys(before, after)
    held = " ".join(" ".join((*each.key, each.before or "", each.after or "")) for each in changed)
    if any(name not in held for name in requested(story.title).names):
        return False
    files = [path for path in told if not (is_document(path) or is_lock(path))]
    return bool(files) and all(speaks_of(changed, path, story.title) for path in files)
