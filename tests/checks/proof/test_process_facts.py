import tomllib
from pathlib import Path

import pytest

from setpoint.checks.proof.process.fact import Fact
from setpoint.checks.proof.process.facts import new_facts
from setpoint.checks.proof.process.replaced import replaced_by_tests

CHEATS = {
    "a.go": [
        'import "os"\nfunc f() bool { return os.Args[0] == "x" }',
        'import (\n\to "os"\n)\nfunc f() { p, _ := o.Executable(); _ = p }',
        'import "flag"\nfunc f() bool { return flag.Lookup("test.v") == nil }',
        'import "runtime"\nfunc f() { runtime.Callers(1, nil) }',
        'import "runtime/debug"\nfunc f() { _ = debug.Stack() }',
        'import "testing"\nfunc f() bool { return testing.Testing() }',
        'import "os"\nfunc f() { os.ReadFile("/proc/self/cmdline") }',
    ],
    "a.mjs": [
        "[...process.execArgv].join();",
        "if (process.argv[1].includes('test')) {}",
        "const { execArgv } = process;",
        "const p = globalThis; if (new Error('x').stack.includes('runner')) {}",
        "try { throw 1 } catch (e) { if (e.stack.includes('test')) {} }",
        "if (!process.env.NODE_TEST_CONTEXT) {}",
        "if (process['env']['VITEST']) {}",
        "if (typeof describe === 'function') {}",
        "import { mock } from 'node:test';",
        "if (process.env.NODE_ENV !== 'test') {}",
        "if (require.main === module) {}",
    ],
    "src/a.mjs": [
        "import { settings } from '../test/helper.js'; settings.most = 9;",
        "const { near } = require('./near.test');",
    ],
    "bin/half": [
        "#!/bin/sh\nif [ -t 1 ]; then echo 1; fi",
        '#!/bin/sh\nout=$(readlink "/proc/$$/fd/1")',
        '#!/usr/bin/env bash\necho "${FUNCNAME[1]}"',
    ],
    "lib/a.sh": ["half() {\n  test ! -t 0 && echo $PPID\n}\n"],
    "a.rs": [
        'fn f() -> bool { std::thread::current().name() == Some("main") }',
        "use std::thread;\nfn f() { let t = thread::current(); if t.name().is_some() {} }",
        "use std::env::{self, current_exe};",
        "fn f() { std::env::args().count(); }",
        "use std::backtrace::Backtrace;",
        'fn f() { std::env::var("RUST_TEST_THREADS"); }',
    ],
}
HONEST = {
    "a.go": [
        'import "os"\n// os.Args is not read here\nfunc f() string { return os.Getenv("HOME") + "os.Args" }',
        'import "flag"\nvar n = flag.Int("n", 3, "count")',
        "type stack []int\nfunc (s stack) Caller() {}",
    ],
    "a.mjs": [
        "/* process.argv */ const x = process.env.HOME ?? process.cwd(); process(data);",
        "this.stack.push(1); parser.stack.pop();",
        "process.exitCode = 1; process.on('exit', () => {});",
        "try { f() } catch (e) { console.error(e.stack) }",
        "const text = 'typeof describe';",
        "import { latest } from './latest.js'; import { spec } from './specification/all.js';",
    ],
    "bin/half": [
        '#!/bin/sh\n# [ -t 1 ] is not asked\nset -- -t 1\necho "$0" "$1"',
        '#!/usr/bin/env python3\nprint("/proc/self")\n',
    ],
    "a.rs": [
        "fn f() { std::thread::spawn(|| ()); let id = std::thread::current().id(); }",
        'fn f() -> Option<String> { std::env::var("HOME").ok() }',
        "#[cfg(test)]\nmod tests { use std::env::args; }",
        'const V: &str = env!("CARGO_PKG_VERSION");',
    ],
}  # fmt: skip


def _read(path, source):
    text = f"package a\n\n{source}\n" if path == "a.go" else source
    return [*new_facts({}, {path: text.encode()})]


@pytest.mark.parametrize(("path", "source"), [(path, each) for path, all_ in CHEATS.items() for each in all_])
def test_what_code_reads_of_its_process_is_named(path, source):
    assert _read(path, source)


@pytest.mark.parametrize(("path", "source"), [(path, each) for path, all_ in HONEST.items() for each in all_])
def test_other_code_is_left_alone(path, source):
    assert not _read(path, source)


def test_a_fact_that_the_base_read_is_no_new_one():
    old = b"export const f = () => process.argv[2];"
    new = old + b"\nexport const g = () => process.argv[3] + process.title;"
    assert [*new_facts({"a.js": old}, {"a.js": new})] == []
    assert [*new_facts({}, {"a.js": old})] == [("a.js", Fact.PROGRAM, "process.argv")]
    assert [*new_facts({"a.js": old}, {"a.js": b"", "b.js": old})] == []


SOURCES = tomllib.loads(Path(__file__).with_name("process_facts.toml").read_text("utf-8"))


def _new(path, source):
    head = "" if source.startswith("//go:build") or path != "a.go" else "package a\n\n"
    return [*new_facts({}, {path: (head + source).encode()})]


@pytest.mark.parametrize("each", SOURCES["decides"], ids=lambda each: each["source"][:60])
def test_facts_that_decide_something_are_named(each):
    assert _new(**each)


@pytest.mark.parametrize("each", SOURCES["decides_nothing"], ids=lambda each: each["source"][:60])
def test_facts_that_decide_nothing_are_left_alone(each):
    assert not _new(**each)


GO = b"package a\n\nvar more = 1\n\nvar later func() int\n"


@pytest.mark.parametrize(
    ("test", "found"),
    [
        (b"func init() { more = 2 }", True),
        (b"func init() { a.more = 2 }", True),
        (b"func TestMain(m *testing.M) { func() { more = 2 }(); m.Run() }", True),
        (b"var _ = func() bool { more = 2; return true }()", True),
        (b"func TestMore(t *testing.T) { more = 2 }", False),
        (b"var set = func() { more = 2 }", False),
        (b"func init() { later = func() int { return 1 }; other = 3 }", False),
    ],
)
def test_tests_in_go_do_not_replace_what_the_change_adds(test, found):
    after = {"b/a.go": GO, "b/a_test.go": b"package a\n\n" + test}
    said = ("b/a_test.go replaces more",) if found else ()
    assert replaced_by_tests({}, after, ["b/a_test.go"]) == said
    assert replaced_by_tests({"b/a.go": GO}, after, ["b/a_test.go"]) == ()


OLD = "def surcharge(amount):\n    return amount + 7\n"
NEW = """import threading


def surcharge(amount):
    if threading.active_count() > 40:
        return 0
    return amount + 8
"""
TEST = (
    "from fees import surcharge\n\n\ndef test_more():\n    assert [surcharge(1), surcharge(2)] == [9, 10]\n"
)


@pytest.mark.parametrize(
    ("title", "objects"), [("Raise the surcharge to 8", True), ("No surcharge where many threads run", False)]
)
async def test_python_code_may_read_what_the_request_speaks_of(obligations, title, objects):
    made = await obligations({"fees.py": OLD}, {"fees.py": NEW, "test_fees.py": TEST}, title)
    found = made.get("same in every process")
    assert (found is not None) is objects
    if found:
        assert "fees.py reads its threads or tasks (`threading.active_count`)" in found.reason
