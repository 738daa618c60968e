"""A change of words in comments and docstrings is no change of the program."""

import pytest

from setpoint.checks.proof.kinds.sources.read_sources import read_sources
from setpoint.checks.proof.kinds.sources.same_program import same_program

OLD = b'"""Begining."""\n\n\ndef add(a, b):\n    """Ad."""\n    return a + b  # sum\n'


@pytest.mark.parametrize(
    ("new", "same"),
    [
        (
            OLD.replace(b"Begining", b"Beginning").replace(b"Ad.", b"Add.").replace(b"# sum", b"# the sum"),
            True,
        ),
        (OLD.replace(b"a + b", b"(a + b)"), True),
        (OLD.replace(b"a + b", b"b + a"), False),
        (OLD.replace(b'    """Ad."""\n', b""), True),
        (OLD.replace(b"Ad.", b">>> add(1, 2)"), False),
        (OLD.replace(b'"""Ad."""', b"print()"), False),
        (b"def (", False),
        (None, False),
    ],
)
def test_what_runs_decides(new, same):
    assert same_program("calc.py", OLD, new) is same


GO = b'// Fees.\npackage shop\n\n// Fee is cheap.\nfunc Fee() string { return "a  // b" }\n'
JS = b"/** Fees. */\nexport const fee = (n) => `a ${n} // b`; // cheap\n"
RS = (
    b"//! Fees.\n\n/// A fee.\n///\n/// ```\n/// assert!(true);\n/// ```\n#[derive(Debug)]\npub struct Fee;\n"
)


@pytest.mark.parametrize(
    ("path", "old", "new", "same"),
    [
        ("fee.go", GO, GO.replace(b"// Fees.", b"// Package shop sends."), True),
        ("fee.go", GO, GO.replace(b"// Fees.", b"//go:build linux\n"), False),
        ("fee.go", GO, GO.replace(b"a  //", b"a //"), False),
        ("fee.go", GO + b'import "C"\n', GO.replace(b"Fees", b"int f;") + b'import "C"\n', False),
        ("fee.js", JS, JS.replace(b"cheap", b"not cheap").replace(b"Fees.", b"@param n"), True),
        ("fee.js", JS, JS.replace(b"/** Fees. */", b"/* webpackIgnore: true */"), False),
        ("fee.js", JS, JS.replace(b"Fees.", b"@jsx h"), False),
        ("fee.js", JS, JS.replace(b"`a $", b"`a  $"), False),
        ("fee.ts", JS, JS.replace(b"=> `", b"=>\n  `"), True),
        ("fee.rs", RS, RS.replace(b"A fee.", b"The fee."), True),
        ("fee.rs", RS, RS.replace(b"true", b"false"), False),
        ("fee.rs", RS, RS.replace(b"Debug", b"Clone"), False),
        (
            "fee.rs",
            RS.replace(b"Debug", b"Parser"),
            RS.replace(b"Debug", b"Parser").replace(b"A f", b"F"),
            False,
        ),
        ("fee.css", b"/* a */", b"/* b */", False),
    ],
)
def test_comments_in_other_languages_say_nothing_to_the_machine(path, old, new, same):
    assert same_program(path, old, new) is same


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (
            b'def f():\n    """Ad.\n\n    >>> 1\n    1\n    """\n',
            b'def f():\n    """Add.\n\n    >>> 1\n    1\n    """\n',
            True,
        ),
        (b"#!/usr/bin/python\nx = 1\n", b"#!/bin/sh\nx = 1\n", False),
        (b"x = 1\n", b"# coding: latin-1\nx = 1\n", False),
    ],
)
def test_what_the_interpreter_reads_counts(old, new, same):
    assert same_program("a.py", old, new) is same


HELP = "def command(f):\n    {0}\n    return f\n"
USES = 'from shop.commands import command\n\n\n@command\ndef add():\n    """{0}."""\n'


@pytest.mark.parametrize(
    ("path", "old", "new", "others", "reader"),
    [
        ("shop/a.py", '"""A."""\nprint(__doc__)\n', '"""B."""\nprint(__doc__)\n', {}, "shop/a.py"),
        (
            "shop/a.py",
            USES.format("A"),
            USES.format("B"),
            {"shop/commands.py": HELP.format("f.help = f.__doc__")},
            "shop/commands.py",
        ),
        (
            "shop/a.py",
            USES.format("A"),
            USES.format("B"),
            {"shop/commands.py": HELP.format("f.__doc__ = f.__doc__")},
            None,
        ),
        (
            "shop/a.py",
            USES.format("A"),
            USES.format("B"),
            {"shop/other.py": HELP.format("f.help = f.__doc__")},
            None,
        ),
        (
            "shop/a.py",
            '"""A."""\n',
            '"""B."""\n',
            {"tool.py": "import shop.a\nprint(shop.a.__doc__)\n"},
            "tool.py",
        ),
        (
            "fee.go",
            "// a\npackage shop\n",
            "// b\npackage shop\n",
            {"gen/main.go": 'package main\n\nvar f = open("../fee.go")\n'},
            "gen/main.go",
        ),
    ],
)
async def test_words_that_code_reads_are_data(tmp_path, git_tree, path, old, new, others, reader):
    tree = git_tree({path: new, **others})
    before, after = {path: old.encode()}, {path: new.encode()}

    found = await read_sources(str(tmp_path), tree, before, after, [path])

    assert found.get(path) == reader
