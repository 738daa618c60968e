"""An agent of the user wants to end its turn: remember its prompts, measure its work, answer it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.agents.hooks.formats import HookMessage, format_of
from setpoint.app.hooks.session_file import SessionFile
from setpoint.app.hooks.turn import TITLE, checked, known_answer, overrun, prompted
from setpoint.app.runs.work_copy import in_work_copy
from setpoint.model.hooks import Answer, CheckState, HookSession, TreeCheck
from setpoint.system.git.tree_signature import TreeLook, look

if TYPE_CHECKING:
    from setpoint.model.evaluation import Evaluation

Describe = Callable[["Evaluation"], str]
"""Writes a verdict as `setpoint check` does."""


def answer_to_stop(agent: str, raw: bytes, here: Path, described: Describe) -> str:
    """Answer an agent that wants to end its turn, in its own format.

    Never raises: whatever goes wrong in Setpoint, the agent may stop, and the answer says so.
    """
    try:
        message = format_of(agent).read(raw)
        return format_of(agent).written(_answer(agent, message, here, described))
    except Exception as error:  # noqa: BLE001 - the boundary of the hook: no fault of Setpoint holds an agent
        return _fault(agent, error)


def note_prompt(agent: str, raw: bytes, here: Path) -> str:
    """Remember the tree at a prompt of the user; the answer lets the agent begin, whatever goes wrong."""
    try:
        message = format_of(agent).read(raw)
        seen = look(Path(message.folder or here))
        if not in_work_copy(seen.root):
            file = SessionFile(seen.git_dir, agent, message.session)
            session = file.read()
            file.write(prompted(session, seen.signature, seen.head, message.prompt))
            return format_of(agent).written(Answer(text=overrun(session, time.time())))
    except Exception as error:  # noqa: BLE001 - as above
        return _fault(agent, error)
    return "{}"


def _answer(agent: str, message: HookMessage, here: Path, described: Describe) -> Answer:
    if not message.finished:  # the user interrupted it
        return Answer()
    seen = look(Path(message.folder or here))
    if in_work_copy(seen.root):  # Setpoint drives the agent, and measures when the attempt has ended
        return Answer()
    file = SessionFile(seen.git_dir, agent, message.session)
    session = file.read()
    known = known_answer(session, seen.signature, time.time())
    if known is None:
        file.forget_old()
        try:
            known = _measured(agent, message, seen, file, described)
        except Exception:
            file.write(session)  # the agent reads it now; the next prompt shows only a check that was killed
            raise
    answer, session = known
    file.write(session)
    return answer


def _measured(
    agent: str, message: HookMessage, seen: TreeLook, file: SessionFile, described: Describe
) -> tuple[Answer, HookSession]:
    # Loading what measures takes most of a second, which an unchanged tree does not have.
    from setpoint.app.hooks.measure import measure_change
    from setpoint.app.hooks.record import record
    from setpoint.model.events.hooks import TurnChecked
    from setpoint.model.ids import Commit
    from setpoint.wiring.project import open_project

    began_s, session = time.monotonic(), file.read()
    file.write(replace(session, begun_at=time.time()))  # whatever ends this process now, the user will see it
    project = open_project(seen.root)
    try:
        terms, base = project.settings.hooks, session.base or seen.head
        session = replace(session, base=base, max_blocks=terms.max_blocks, total_s=terms.total_s)
        event = TurnChecked(
            agent=agent,
            session=message.session,
            base=Commit(base),
            state=CheckState.BEGUN,
            blocked=False,
            blocks=session.blocks,
            took_s=0.0,
            text="",
        )
        record(project, event)
        found = measure_change(project, base, fast=True, limit_s=terms.limit_s)
        text = found.reason if found.evaluation is None else described(found.evaluation)
        check = TreeCheck(signature=seen.signature, state=found.state, text=text)
        answer, session = checked(session, check, time.time())
        became = {
            "state": check.state,
            "blocked": answer.block,
            "blocks": session.blocks,
            "took_s": round(time.monotonic() - began_s, 3),
            "text": check.text,
        }
        record(project, event.model_copy(update=became))
    finally:
        project.store.close()
    return answer, session


def _fault(agent: str, error: Exception) -> str:
    said = " ".join(str(error).split()) or type(error).__name__
    text = f"{TITLE}: not measured: {said[:600]}"
    try:
        return format_of(agent).written(Answer(text=text))
    except Exception:  # noqa: BLE001 - as above: an unknown agent, or a damaged installation
        return "{}"
