"""An access whose keys a test knows."""

from dataclasses import dataclass, field

from setpoint.app.project.access_keys import KeyKind, make_key, stored_keys
from setpoint.web.access import Access, Scope


@dataclass
class KnownAccess(Access):
    """Lets visitors in, and tells the tokens, which a real one does not know."""

    tokens: dict[Scope, str] = field(default_factory=dict)
    ingest_key: str = ""


def known_access(project):
    """Make a token of each scope, and a key to report errors with."""
    return KnownAccess(
        keys=lambda: stored_keys(project.state),
        name=str(project.state),
        tokens={scope: make_key(project, scope) for scope in Scope},
        ingest_key=make_key(project, "signal", KeyKind.INGEST),
    )
