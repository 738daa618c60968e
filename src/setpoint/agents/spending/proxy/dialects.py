"""Read the token counts in a model's answer, in four dialects, streamed or whole."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_GEMINI_MODEL = re.compile(r"/models/([^/:]+):(?:streamG|g)enerateContent$")
_LONGEST = 32 * 1024 * 1024
"""Bytes of one line of a stream, or of a whole answer, that are read; longer ones are skipped."""
Json = Mapping[str, Any]


def api_of(path: str) -> str:
    """Name the dialect of a path, without its query; `other` where no model answers."""
    if path.endswith("/chat/completions"):
        return "openai-chat"
    if path.endswith("/responses"):
        return "openai-responses"
    if path.endswith("/messages"):
        return "anthropic"
    return "gemini" if _GEMINI_MODEL.search(path) else "other"


def model_asked(api: str, path: str, body: bytes) -> str:
    """Return the model that a request names; empty if it names none."""
    if api == "gemini":
        found = _GEMINI_MODEL.search(path)
        return found.group(1) if found else ""
    if api == "other":
        return ""
    asked = _object(body)
    return str(asked.get("model") or "")


def offers_tools(api: str, body: bytes) -> bool | None:
    """Return whether a request offers the model tools; none where no model answers."""
    asked = _object(body)
    return None if api == "other" else bool(asked.get("tools") or asked.get("functions"))


@dataclass(kw_only=True)
class Counts:
    """The figures in an answer."""

    model: str = ""
    read: int | None = None
    """Tokens of input, those of the caches included."""
    written: int | None = None
    cached: int | None = None
    cache_write: int | None = None

    def take(self, model: object, **figures: object) -> None:
        """Record the figures in a piece of the answer; later pieces replace earlier ones."""
        if isinstance(model, str) and model:
            self.model = model
        for name, figure in figures.items():
            if isinstance(figure, int) and not isinstance(figure, bool):
                setattr(self, name, figure)


class Reading:
    """Reads an answer while it passes, a piece at a time, and keeps no more of it than it needs."""

    def __init__(self, api: str, content_type: str, encoding: str) -> None:
        """Begin; `content_type` and `encoding` are the answer's headers."""
        self.counts = Counts()
        self._note = _NOTES.get(api)
        self._streams = content_type.startswith("text/event-stream")
        self._inflate = _inflater(encoding)
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        """Take the next piece as it came over the wire."""
        if self._note is None or self._inflate is None:
            return
        try:
            self._rest += self._inflate(piece)
        except zlib.error:
            self._inflate = None
            return
        if self._streams:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if line.startswith(b"data:"):
                    self._take(line[5:])
        if len(self._rest) > _LONGEST:
            self._note, self._rest = None, b""

    def end(self) -> Counts:
        """Read the rest; return the figures of the whole answer."""
        if self._streams and self._rest.startswith(b"data:"):
            self._take(self._rest[5:])
        elif not self._streams:
            self._take(self._rest)
        self._rest = b""
        return self.counts

    def _take(self, text: bytes) -> None:
        if self._note is not None:
            for piece in _objects(text):
                self._note(self.counts, piece)


def _chat(counts: Counts, piece: Json) -> None:
    usage = _at(piece, "usage")
    counts.take(
        piece.get("model"),
        read=usage.get("prompt_tokens"),
        written=usage.get("completion_tokens"),
        cached=_at(usage, "prompt_tokens_details").get("cached_tokens"),
    )


def _responses(counts: Counts, piece: Json) -> None:
    whole = _at(piece, "response") or piece
    usage = _at(whole, "usage")
    counts.take(
        whole.get("model"),
        read=usage.get("input_tokens"),
        written=usage.get("output_tokens"),
        cached=_at(usage, "input_tokens_details").get("cached_tokens"),
    )


def _anthropic(counts: Counts, piece: Json) -> None:
    whole = _at(piece, "message") or piece
    usage = _at(whole, "usage")
    read = usage.get("input_tokens")
    cached, cache_write = usage.get("cache_read_input_tokens"), usage.get("cache_creation_input_tokens")
    if isinstance(read, int):
        # Here the input is what came from no cache and went into none.
        read += (cached if isinstance(cached, int) else counts.cached or 0) + (
            cache_write if isinstance(cache_write, int) else counts.cache_write or 0
        )
    counts.take(
        whole.get("model"),
        read=read,
        written=usage.get("output_tokens"),
        cached=cached,
        cache_write=cache_write,
    )


def _gemini(counts: Counts, piece: Json) -> None:
    usage = _at(piece, "usageMetadata")
    read, written = usage.get("promptTokenCount"), usage.get("candidatesTokenCount")
    if isinstance(read, int):
        read += _number(usage, "toolUsePromptTokenCount")
        written = _number(usage, "candidatesTokenCount") + _number(usage, "thoughtsTokenCount")
    counts.take(
        piece.get("modelVersion"), read=read, written=written, cached=usage.get("cachedContentTokenCount")
    )


_NOTES: dict[str, Callable[[Counts, Json], None]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}


def _at(piece: Json, key: str) -> Json:
    found = piece.get(key)
    return found if isinstance(found, dict) else {}


def _number(usage: Json, key: str) -> int:
    found = usage.get(key)
    return found if isinstance(found, int) else 0


def _objects(text: bytes) -> Iterator[Json]:
    """Yield the objects in a piece of JSON: itself, or those of its list; nothing if it is not JSON."""
    try:
        found = json.loads(text)
    except ValueError:  # `[DONE]`, an HTML page, half an answer
        return
    for each in found if isinstance(found, list) else (found,):
        if isinstance(each, dict):
            yield each


def _object(text: bytes) -> Json:
    return next(_objects(text), {})


def _inflater(encoding: str) -> Callable[[bytes], bytes] | None:
    """Return the decoder of a content encoding; none if it is unknown."""
    match encoding.strip().lower():
        case "" | "identity":
            return lambda piece: piece
        case "gzip" | "x-gzip" | "deflate":
            return zlib.decompressobj(wbits=47).decompress
        case _:
            return None
