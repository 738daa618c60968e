from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from setpoint.model import syntax

SOURCE = Path(ast.__file__).read_text("utf-8")


class _Ring:
    """Is cleared away by the garbage collector alone, which lets other threads run meanwhile."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


@pytest.fixture
def _restless() -> Iterator[None]:
    often, switch = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(20)
    sys.setswitchinterval(1e-6)
    yield
    gc.set_threshold(*often)
    sys.setswitchinterval(switch)


@pytest.mark.usefixtures("_restless")
def test_threads_may_parse_at_once():
    def parse(_: int) -> int:
        for _ in range(50):
            _Ring()
        return len(syntax.parse(SOURCE).body)

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(parse, range(24))) == {len(ast.parse(SOURCE).body)}


def test_what_does_not_parse_is_a_syntax_error():
    with pytest.raises(SyntaxError):
        syntax.parse("def f(:\n")
    assert syntax.literal("('a', 1)") == ("a", 1)
