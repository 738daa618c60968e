"""Who gets a notice when a run asks, is verified or has stopped."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, model_validator

from setpoint.model.value import Value


class NoticeKind(StrEnum):
    """What a notice is about."""

    ASKS = "asks"
    """A run waits for the answer of a person."""
    VERIFIED = "verified"
    """A run has ended as verified."""
    STOPPED = "stopped"
    """A run has ended in any other way."""
    REPORT = "report"
    """A shift of `setpoint work` is over in which stories were worked on."""


class NoticeForm(StrEnum):
    """How a notice is written."""

    WEBHOOK = "webhook"
    """JSON, signed by the rules of Standard Webhooks where there is a secret."""
    SLACK = "slack"
    """What incoming webhooks of Slack take, and those of Mattermost and Rocket.Chat."""
    NTFY = "ntfy"
    """What a server of ntfy takes; the last part of the URL is the topic."""
    COMMAND = "command"
    """A command that reads the text, for example one that sends mail."""


class NoticeTarget(Value):
    """Somebody who gets notices of runs."""

    form: NoticeForm = NoticeForm.WEBHOOK
    """How notices are written: webhook, slack, ntfy or command."""
    url: str = ""
    """Where notices go; if it holds a secret, name the variable that holds it instead."""
    url_variable: str = ""
    """A variable of the environment that holds the URL."""
    command: tuple[str, ...] = ()
    """The command that reads the text from its standard input; `{title}` in an argument is the first line."""
    on: tuple[NoticeKind, ...] = Field(default=tuple(NoticeKind), min_length=1)
    """Which notices it gets: asks, verified, stopped, report."""
    secret_variable: str = ""
    """A variable of the environment with the secret that signs a webhook (`whsec_` and base64)."""
    private: bool = False
    """Whether the URL may lead to this machine or a private network, and may do without TLS."""

    @model_validator(mode="after")
    def _one_way(self) -> NoticeTarget:
        ways = [bool(self.url), bool(self.url_variable), bool(self.command)]
        if sum(ways) != 1:
            raise ValueError("give one of url, url_variable and command")
        if bool(self.command) != (self.form is NoticeForm.COMMAND):
            raise ValueError('a command goes with form = "command", and a URL with the other forms')
        if self.secret_variable and self.form is not NoticeForm.WEBHOOK:
            raise ValueError('a secret signs form = "webhook" alone')
        return self
