"""A change of words in comments and docstrings is no change of the program."""

import pytest

from setpoint.checks.languages.all import language_of

PY = b'"""Begining."""\n\n\ndef add(a, b):\n    """Ad."""\n    return a + b  # sum\n'
GO = b'// Fees.\npackage shop\n\n// Fee is cheap.\nfunc Fee() string { return "a  // b" }\n'
JS = b"/** Fees. */\nexport const fee = (n) => `a ${n} // b`; // cheap\n"
RS = (
    b"//! Fees.\n\n/// A fee.\n///\n/// ```\n/// assert!(true);\n/// ```\n#[derive(Debug)]\npub struct Fee;\n"
)


@pytest.mark.parametrize(
    ("path", "old", "new", "same"),
    [
        ("a.py", PY, PY.replace(b"Begining", b"Beginning").replace(b"# sum", b"# the sum"), True),
        ("a.py", PY, PY.replace(b"a + b", b"(a + b)"), True),
        ("a.py", PY, PY.replace(b"a + b", b"b + a"), False),
        ("a.py", PY, PY.replace(b'    """Ad."""\n', b""), True),
        ("a.py", PY, PY.replace(b"Ad.", b">>> add(1, 2)"), False),
        ("a.py", PY.replace(b"Ad.", b"Ad.\n\n    >>> 1\n    1\n"), PY.replace(b"Ad.", b"Add.\n\n    >>> 1\n    1\n"),
         True),
        ("a.py", PY, PY.replace(b'"""Ad."""', b"print()"), False),
        ("a.py", PY, b"def (", False),
        ("a.py", b"#!/usr/bin/python\nx = 1\n", b"#!/bin/sh\nx = 1\n", False),
        ("a.py", b"x = 1\n", b"# coding: latin-1\nx = 1\n", False),
        ("fee.go", GO, GO.replace(b"// Fees.", b"// Package shop sends."), True),
        ("fee.go", GO, GO.replace(b"// Fees.", b"//go:build linux\n"), False),
        ("fee.go", GO, GO.replace(b"a  //", b"a //"), False),
        ("fee.go", GO + b'import "C"\n', GO.replace(b"Fees", b"int f;") + b'import "C"\n', False),
        ("fee.js", JS, JS.replace(b"cheap", b"not cheap").replace(b"Fees.", b"@param n"), True),
        ("fee.js", JS, JS.replace(b"/** Fees. */", b"/* webpackIgnore: true */"), False),
        ("fee.js", JS, JS.replace(b"Fees.", b"@jsx h"), False),
        ("fee.js", JS, JS.replace(b"`a $", b"`a  $"), False),
        ("fee.js", JS, JS + b"}", False),
        ("fee.ts", JS, JS.replace(b"=> `", b"=>\n  `"), True),
        ("fee.rs", RS, RS.replace(b"A fee.", b"The fee."), True),
        ("fee.rs", RS, RS.replace(b"true", b"false"), False),
        ("fee.rs", RS, RS.replace(b"Debug", b"Clone"), False),
        ("fee.sh", b"a # b\n", b"a # c\n", False),
        ("fee.sh", b"a # b\n", b"a # b\n", True),
    ],
)  # fmt: skip
def test_what_runs_decides(path, old, new, same):
    assert language_of(path).same_program(old, new, path) is same


def test_a_long_expression_is_read():
    old = b"x = " + b"1 + " * 3000 + b"1\n"
    assert language_of("a.js").same_program(old, old.replace(b" + ", b"  +  "), "a.js")
