"""Whether an agent of the user may end its turn: pure functions of what is remembered of its session."""

from __future__ import annotations

from dataclasses import replace

from setpoint.model.hooks import Answer, CheckState, HookSession, TreeCheck

TITLE = "Setpoint check"
"""With this every reason begins, so that a reason is never taken for a prompt of the user."""
_MOST_TEXT = 8_000


def prompted(session: HookSession, signature: str, head: str, prompt: str) -> HookSession:
    """Return the session after a prompt; the user's prompt ends the counting, a reason of ours does not."""
    base = session.base or head
    if TITLE in prompt and session.blocks:  # some agents report the reason as a prompt
        return replace(session, base=base)
    measured = session.last is not None and session.last.state is not CheckState.NOT_MEASURED
    last = session.last if measured else None
    return replace(session, base=base, prompt=signature, blocks=0, blocked_at=0.0, last=last, begun_at=0.0)


def overrun(session: HookSession, now_s: float) -> str:
    """Say at a prompt of the user that the work of the turn before was not checked; empty where it was."""
    if session.begun_at:
        since_s = now_s - session.begun_at
        why = f"its check began {since_s:.0f} s ago and has not ended (ended by the agent, or still running)"
    elif session.last is not None and session.last.state is CheckState.NOT_MEASURED:
        why = session.last.text
    else:
        return ""
    return f"{TITLE}: the work of the last turn is not checked: {why}; hint: setpoint check"


def known_answer(session: HookSession, signature: str, now_s: float) -> tuple[Answer, HookSession] | None:
    """Return the answer that needs no measuring, with the session after it; none where the tree is new."""
    if session.prompt and session.prompt == signature:
        return Answer(), session
    if session.last is None or session.last.signature != signature:
        return None
    return _answered(session, session.last, now_s, again=True)


def checked(session: HookSession, check: TreeCheck, now_s: float) -> tuple[Answer, HookSession]:
    """Return the answer to a tree that was measured now, with the session after it."""
    return _answered(replace(session, last=check, begun_at=0.0), check, now_s, again=False)


def _answered(
    session: HookSession, check: TreeCheck, now_s: float, *, again: bool
) -> tuple[Answer, HookSession]:
    if check.state is CheckState.PASSED:
        note = "" if again else f"{TITLE}: nothing is wrong that the base does not have"
        return Answer(text=note), replace(session, blocks=0, blocked_at=0.0)
    if check.state is CheckState.NOT_MEASURED:
        return Answer(text=f"{TITLE}: not measured: {check.text}"), session
    if refusal := _lets_stop(session, now_s):
        return Answer(text=f"{TITLE}: still wrong, and {refusal}\n{_cut(check.text)}"), session
    count = session.blocks + 1
    again_text = "Nothing was changed since the last check. " if again else ""
    text = (
        f"{TITLE} ({count} of {session.max_blocks}): the work is not done. {again_text}\n{_cut(check.text)}\n"
        "Fix what is listed and end your turn; Setpoint checks again. If something must stay as it is, "
        "say so and why."
    )
    return Answer(block=True, text=text), replace(
        session, blocks=count, blocked_at=session.blocked_at or now_s
    )


def _lets_stop(session: HookSession, now_s: float) -> str:
    """Say why the agent may stop though something is wrong; empty where it has to continue."""
    if session.blocks >= session.max_blocks:
        return f"the agent was sent back {session.blocks} times (hooks.max_blocks): it may stop"
    since_s = now_s - session.blocked_at
    if session.blocked_at and since_s >= session.total_s:
        return f"the agent was sent back first {since_s:.0f} s ago (hooks.total_s): it may stop"
    return ""


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}\n[... cut; hint: setpoint check]"
