"""Deliver one notice to one receiver."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import httpx2

from setpoint.errors import UsageError
from setpoint.history.notices.formats import Post, post_of, signed
from setpoint.history.notices.notice import Notice
from setpoint.history.notices.public_address import Place, place_of
from setpoint.model.config.notice_target import NoticeForm, NoticeTarget
from setpoint.system.processes import Command, run

TIMEOUT_S = 10.0
COMMAND_S = 30.0
PAUSES_S = (1.0, 3.0)
"""Between the tries; there is one more try than pauses."""
_AGAIN = (408, 425, 429, 500, 502, 503, 504)
_MOST_SAID = 200
_HINT = "try it with: setpoint admin notify"

Pause = Callable[[float], None]


async def send(
    target: NoticeTarget,
    notice: Notice,
    variables: Mapping[str, str],
    folder: Path,
    *,
    pause: Pause = time.sleep,
) -> None:
    """Deliver a notice; `UsageError` says why it could not be delivered.

    `variables` are those of Setpoint's own environment. A receiver that is overloaded or cannot be reached is
    tried three times; redirections are not followed. A command runs in `folder`.
    """
    if target.form is NoticeForm.COMMAND:
        await _told(target, notice, variables, folder)
        return
    url = target.url or _variable(target.url_variable, variables)
    secret = _variable(target.secret_variable, variables) if target.secret_variable else ""
    post = post_of(target.form, url, notice)
    place = place_of(post.url, private=target.private)
    # No proxy of the environment: it would resolve the name again, and nobody would look at the address.
    with httpx2.Client(timeout=TIMEOUT_S, follow_redirects=False, trust_env=False) as client:
        for wait in (*PAUSES_S, None):
            ready = signed(post, notice, secret, datetime.now(UTC)) if secret else post
            refusal = _tried(client, place, ready)
            if refusal is None:
                return
            if wait is None or not refusal.again:
                raise UsageError(f"{place.name}: {refusal.why}", hint=_HINT)
            pause(wait)


class _Refusal(NamedTuple):
    """Why a receiver did not take a notice."""

    why: str
    again: bool
    """Whether another try may help."""


def _tried(client: httpx2.Client, place: Place, post: Post) -> _Refusal | None:
    """Send a request; none where the receiver took it."""
    headers = {**post.headers, "host": place.host, "user-agent": "setpoint"}
    extensions = {"sni_hostname": place.name}
    try:
        answer = client.post(place.url, content=post.body, headers=headers, extensions=extensions)
    except (httpx2.TransportError, httpx2.InvalidURL) as error:
        return _Refusal(f"it cannot be reached: {str(error) or type(error).__name__}", again=True)
    if answer.is_success:
        return None
    why = f"it refuses: {answer.status_code} {' '.join(answer.text.split())[:_MOST_SAID]}".rstrip()
    return _Refusal(why, again=answer.status_code in _AGAIN)


async def _told(target: NoticeTarget, notice: Notice, variables: Mapping[str, str], folder: Path) -> None:
    argv = tuple(word.replace("{title}", notice.title) for word in target.command)
    text = f"{notice.title}\n\n{notice.text}\n".encode()
    done = await run(Command(argv=argv, cwd=folder, environment=variables, timeout_s=COMMAND_S, stdin=text))
    if done.exit_code != 0:
        said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())[:_MOST_SAID]
        state = done.fault or f"exit code {done.exit_code}"
        raise UsageError(f"{argv[0]}: {state} {said}".rstrip(), hint=_HINT)


def _variable(name: str, variables: Mapping[str, str]) -> str:
    if not variables.get(name):
        raise UsageError(f"the variable {name} is not set", hint=f"export {name}=...")
    return variables[name]
