"""Spans that are open and closed as a run is followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from setpoint.model.reports.span import Attribute, Note, Span
from setpoint.model.value import Instant


@dataclass(kw_only=True)
class _Open:
    parent: str | None
    name: str
    began: Instant
    attributes: dict[str, Attribute]
    client: bool
    reached: Instant
    ended: Instant | None = None
    failed: str | None = None
    notes: list[Note] = field(default_factory=list)


class SpanTree:
    """Spans by their path; a parent lasts at least as long as its children."""

    def __init__(self) -> None:
        """Begin without any."""
        self._spans: dict[str, _Open] = {}

    def open(
        self,
        path: str,
        parent: str | None,
        name: str,
        at: Instant,
        attributes: Mapping[str, Attribute],
        *,
        client: bool = False,
    ) -> None:
        """Begin a span; one that exists continues unchanged."""
        if path not in self._spans:
            self._spans[path] = _Open(
                parent=parent, name=name, began=at, attributes=dict(attributes), client=client, reached=at
            )

    def close(
        self,
        path: str,
        at: Instant,
        failed: str | None = None,
        attributes: Mapping[str, Attribute] | None = None,
    ) -> None:
        """End a span, with what is known only now."""
        span = self._spans[path]
        span.ended = at
        span.failed = failed
        span.attributes |= attributes or {}
        self.reach(path, at)

    def end(self, path: str) -> None:
        """End a span with what last happened in it."""
        self._spans[path].ended = self._spans[path].reached

    def reach(self, path: str, at: Instant) -> None:
        """Say that a span, and all that it is part of, lasted until a time at least."""
        where: str | None = path
        while where is not None:
            span = self._spans[where]
            span.reached = max(span.reached, at)
            where = span.parent

    def set(self, path: str, attributes: Mapping[str, Attribute]) -> None:
        """Say more about a span."""
        self._spans[path].attributes |= attributes

    def note(self, path: str, note: Note) -> None:
        """Say what happened in a span."""
        self._spans[path].notes.append(note)
        self.reach(path, note.at)

    def began(self, path: str) -> Instant:
        """Return the beginning of a span."""
        return self._spans[path].began

    def over(self, path: str) -> bool:
        """Whether a span has ended."""
        return self._spans[path].ended is not None

    def knows(self, path: str) -> bool:
        """Whether there is such a span."""
        return path in self._spans

    def has_children(self, path: str) -> bool:
        """Whether a span has parts."""
        return any(span.parent == path for span in self._spans.values())

    def free(self, path: str) -> str:
        """Return a path that no span has yet: the path itself, or with a number behind it."""
        number, free = 1, path
        while free in self._spans:
            number += 1
            free = f"{path}-{number}"
        return free

    def closed(self, at: Instant) -> tuple[Span, ...]:
        """Return all spans, parents first; what is open, such as an attempt under way, lasts until `at`."""
        for path, span in self._spans.items():
            if span.ended is None:
                self.reach(path, at)
        made = []
        for path, span in self._spans.items():
            made.append(
                Span(
                    path=path,
                    parent=span.parent,
                    name=span.name,
                    kind="client" if span.client else "internal",
                    started_at=min(span.began, span.reached),
                    ended_at=span.reached,
                    attributes=span.attributes,
                    notes=tuple(span.notes),
                    failed=span.failed,
                )
            )
        return tuple(made)
