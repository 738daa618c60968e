"""The passphrase of the person: once it is set, answers on the command line need it.

The rule of descent and the sandbox stop what Setpoint started. A program that others start on request (tmux,
cron, a session of systemd) is neither below Setpoint nor held. It cannot type what it does not know.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from setpoint.app.project.person import require_person
from setpoint.errors import RecordedDataError, UsageError
from setpoint.model.value import Value
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.locks import locked_file
from setpoint.wiring.project import Project

Ask = Callable[[str], str]
"""Asks a question at the terminal without showing the answer; raises `UsageError` where there is none."""

FILE = "passphrase.json"
"""Where the hash lies in the state directory."""
LEAST = 10
"""Characters that a passphrase has at least: its hash can be read, and so be tried out."""
TRIES = 3
_BYTES_OF_COST = 128
"""What scrypt needs for each unit of cost and block."""


class StoredPassphrase(Value):
    """What is kept of a passphrase: enough to recognise it."""

    salt: str
    scrypt: str
    """The hash, in hexadecimal."""
    cost: int = 1 << 15
    """Takes 32 MiB and about a tenth of a second for each guess."""
    block: int = 8
    parallel: int = 1

    def opens(self, text: str) -> bool:
        """Whether this is the passphrase."""
        return hmac.compare_digest(self.scrypt, self.hashed(text))

    def hashed(self, text: str) -> str:
        """Return the hash of a text with this salt."""
        memory = 2 * _BYTES_OF_COST * self.cost * self.block
        return hashlib.scrypt(
            text.encode(), salt=bytes.fromhex(self.salt), n=self.cost, r=self.block, p=self.parallel,
            maxmem=memory,
        ).hex()  # fmt: skip


def stored_passphrase(state: Path) -> StoredPassphrase | None:
    """Return what is kept; none where nobody set a passphrase. A damaged file opens nothing."""
    try:
        return StoredPassphrase.model_validate_json((state / FILE).read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise RecordedDataError(
            f"{state / FILE}: no passphrase can be read: {error.errors()[0]['msg']}",
            hint="remove the file in a terminal of your own, then `setpoint admin passphrase set`",
        ) from None


def confirm_person(project: Project, ask: Ask) -> None:
    """Ask for the passphrase if one is set, at most three times; `UsageError` where it stays wrong."""
    require_person(project)
    stored = stored_passphrase(project.state)
    if stored is None:
        return
    for _ in range(TRIES):
        if stored.opens(ask("passphrase: ")):
            return
    raise UsageError(
        f"that was not the passphrase, {TRIES} times: nothing was done",
        hint="if it is lost, see 'Ask for a passphrase' in docs/how-to/sandbox.md",
    )


def refuse_programs(state: Path) -> None:
    """Refuse an answer of a program, which cannot be asked for a passphrase."""
    if stored_passphrase(state) is not None:
        raise UsageError(
            "a passphrase is set, so no program may answer",
            hint="answer by `setpoint answer` in a terminal, or in the dashboard",
        )


def set_passphrase(project: Project, ask: Ask) -> None:
    """Ask for a new passphrase twice, after the one that it replaces, and store its hash."""
    confirm_person(project, ask)
    chosen = ask("new passphrase: ")
    if len(chosen) < LEAST:
        raise UsageError(
            f"a passphrase needs {LEAST} characters or more, because its hash can be read and tried out",
            hint="take a few words that do not belong together",
        )
    if ask("the same once more: ") != chosen:
        raise UsageError(
            "the two were not the same: nothing was changed", hint="`setpoint admin passphrase set`"
        )
    salted = StoredPassphrase(salt=secrets.token_hex(16), scrypt="")
    made = salted.model_copy(update={"scrypt": salted.hashed(chosen)})
    with locked_file(project.state / "locks" / "passphrase.lock"):
        write_atomic_bytes(project.state / FILE, f"{made.model_dump_json(indent=2)}\n".encode(), mode=0o600)


def remove_passphrase(project: Project, ask: Ask) -> bool:
    """Ask for the passphrase and remove it; return whether there was one."""
    confirm_person(project, ask)
    there = stored_passphrase(project.state) is not None
    (project.state / FILE).unlink(missing_ok=True)
    return there
