"""A module run statement by statement is what it is when it is run as a whole."""

import ast
from textwrap import dedent
from types import FunctionType

import pytest

from setpoint.mutation.engine import pieces as module_under_test
from setpoint.mutation.engine.mutants import make
from setpoint.mutation.engine.pieces import NotInPieces, Pieces
from setpoint.mutation.engine.source import Source, Splice

TEXT = '''\
    """What it is."""
    from __future__ import annotations

    import functools

    LIMIT: int = 3
    """A text behind a value, which is no documentation."""


    @functools.lru_cache
    @functools.wraps(len)
    def size(of: Unknown) -> Missing:
        return len(of) + LIMIT


    class Shape:
        """A shape."""

        SIDES = (
            1,
            2,
        )
        "another text"

        def area(self):
            raise ValueError(self.SIDES)


    for NUMBER in range(LIMIT):
        if NUMBER > 1:
            break
    else:
        NUMBER = None
    try:
        import gone
    except ImportError:
        gone = None
'''


def source_of(text):
    return Source("/nowhere/shape.py", dedent(text).encode())


def run(codes):
    names = {"__name__": "shape"}
    for code in codes:
        exec(code, names)
    del names["__builtins__"], names["__name__"]
    return names


def plain(names):
    """Give names with what can be compared of their values: of functions their code with its lines."""
    found = {}
    for name, value in names.items():
        bare = getattr(value, "__wrapped__", value) if name == "size" else value
        if isinstance(value, type):
            found[name] = plain(vars(value))
        elif isinstance(bare, FunctionType):
            found[name] = (bare.__code__.co_code, bare.__code__.co_firstlineno, bare.__annotations__)
        else:
            found[name] = repr(value).partition(" at 0x")[0]
    return found


def test_the_pieces_make_what_the_whole_makes():
    source = source_of(TEXT)
    whole = run([compile(source.text, source.path, "exec", dont_inherit=True)])
    found = run(Pieces(source).edited(None, ()))
    assert plain(found) == plain(whole)
    assert found["__doc__"] == "What it is."
    assert found["NUMBER"] == 2
    with pytest.raises(ValueError, match="2") as raised:
        found["Shape"]().area()
    assert raised.traceback[-1].lineno + 1 == 1 + source.text.splitlines().index(
        "        raise ValueError(self.SIDES)"
    )


def test_each_mutant_is_what_the_whole_file_would_be():
    source = source_of(TEXT)
    outside = [each for each in make({source.path: source}, {}, 1).mutants if not each.unit.is_function]
    assert len(outside) > 5
    pieces = Pieces(source)
    for mutant in outside:
        text = source.edited(mutant.edits)
        try:
            whole = run([compile(text, source.path, "exec", dont_inherit=True)])
        except (NameError, TypeError) as error:
            with pytest.raises(type(error)):
                run(pieces.edited(mutant.unit.node, mutant.edits))
        else:
            assert plain(run(pieces.edited(mutant.unit.node, mutant.edits))) == plain(whole), text


def test_what_is_more_than_its_statements_is_refused(monkeypatch):
    with pytest.raises(NotInPieces, match="share a line"):
        Pieces(source_of("a = 1; b = 2\n"))
    monkeypatch.setattr(module_under_test.sys, "version_info", (3, 14, 0))
    with pytest.raises(NotInPieces, match="annotations"):
        Pieces(source_of("a: int = 1\n"))
    assert Pieces(source_of("a = 1\n")).edited(None, ())


def test_an_edit_that_does_not_fit_is_refused():
    source = source_of("a = 1\nb = 2\n")
    pieces = Pieces(source)
    with pytest.raises(NotInPieces):
        pieces.edited(source.tree.body[0], (Splice(0, 1, "1a"),))
    with pytest.raises(NotInPieces, match="beyond"):
        pieces.edited(source.tree.body[0], (Splice(6, 7, "c"),))
    with pytest.raises(NotInPieces, match="no statement"):
        pieces.edited(ast.parse("c = 3").body[0], (Splice(0, 1, "c"),))
    assert run(pieces.edited(source.tree.body[1], (Splice(6, 7, "c"),))) == {"a": 1, "c": 2}
