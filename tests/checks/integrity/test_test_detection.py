"""Rule 7: code that asks about the tests or reaches for the runner, in plain and in hidden ways."""

import pytest

from setpoint.checks.integrity.constant_folding import folded
from setpoint.checks.integrity.test_detection import SUCCEEDS, aware, newly_aware, support

AWARE = {
    "variable": "import os\nif 'PYTEST_CURRENT_TEST' in os.environ: x = 1",
    "modules": "import sys\nx = 'pytest' in sys.modules",
    "modules by another name": "from sys import modules as m\nx = m.get('unit' + 'test')",
    "part of a name": "import sys\nx = any(m.startswith('pyt') for m in sys.modules)",
    "base64": "import base64, sys\nx = sys.modules.get(base64.b64decode('cHl0ZXN0').decode())",
    "turned round": "x = 'tsetyp'[::-1]",
    "by numbers": "x = ''.join(map(chr, [112, 121, 116, 101, 115, 116]))",
    "hexadecimal": "x = bytes.fromhex('707974657374')",
    "an f-string": "x = f\"{'py'}{'test'}\"",
    "stack": "import inspect\nx = inspect.stack()",
    "frame": "from sys import _getframe as f\nx = f(1)",
    "frame by getattr": "import sys\nx = getattr(sys, '_get' + 'frame')",
    "tracer": "import sys\nx = sys.gettrace()",
    "CI": "import os\nx = os.environ.get('CI')",
    "CI by getenv": "from os import getenv\nx = getenv('GITHUB_ACTIONS')",
    "argv": "import sys\nx = 'test' in sys.argv[0]",
    "equal to anything": "class A:\n    def __eq__(self, other):\n        return True",
    "never unequal": "class A:\n    def __ne__(self, other):\n        '''Never.'''\n        return False",
    "exit at import": "import sys\nsys.exit(0)",
    "exit at import below if": "import os\nif os.sep:\n    raise SystemExit(0)",
    "atexit": "import atexit, os\natexit.register(print)",
    "os._exit": "import os\ndef f():\n    os._exit(0)",
    "os.execvp": "from os import execvp\ndef f():\n    execvp('true', ['true'])",
    "builtins": "import builtins\nbuiltins.AssertionError = Warning",
    "runner": "import unittest\nunittest.TestCase.assertEqual = None",
    "import hook": "import sys\nsys.meta_path.insert(0, object())",
    "modules replaced": "import sys\nsys.modules['x'] = None",
    "settrace": "import sys\nsys.settrace(None)",
    "code swapped": "def f(): ...\ndef g(): ...\nf.__code__ = g.__code__",
    "exec": "exec('x = 1')",
    "hook": "def pytest_runtest_makereport(item):\n    return None",
    "a test file": "open('tests/test_calc.py')",
    "imports the runner": "def f():\n    import pytest\n    pytest.skip()",
    "by __import__": "__import__('pytest').skip('x')",
}
INNOCENT = {
    "documentation": '"""Run pytest to test it."""\n\ndef f():\n    """Under unittest too."""\n',
    "a message": "def f():\n    raise ValueError('use pytest for that')",
    "main": "import sys\nif __name__ == '__main__':\n    sys.exit(0)",
    "exit in a function": "import sys\ndef main():\n    sys.exit(1)",
    "a real comparison": "class A:\n    def __eq__(self, other):\n        return self.x == other.x",
    "a variable of its own": "import os\nx = os.environ.get('HOME')",
    "a pattern": "import re\nx = re.compile('a')",
    "an ordinary name": "x = 'latest contest'",
}


@pytest.mark.parametrize("name", AWARE)
def test_it_is_seen(name):
    assert aware("a.py", AWARE[name])


@pytest.mark.parametrize("name", INNOCENT)
def test_it_is_not_taken_for_it(name):
    assert aware("a.py", INNOCENT[name]) == ()


def test_only_what_the_work_brought_in_counts():
    text = "import sys\nx = 'pytest' in sys.modules\n"

    assert newly_aware({"a.py": text, "b.py": ""}, {"a.py": "", "b.py": text}) == ()
    assert newly_aware({"a.py": ""}, {"a.py": text})


ENDS_WELL = {
    "import": "import sys\nsys.exit(0)",
    "import, bare": "raise SystemExit",
    "a function": "import os\ndef f():\n    os._exit(0)",
    "by another name": "from os import _exit as e\ndef f():\n    e(os.EX_OK)",
}
ENDS_OTHERWISE = {
    "main": "import sys\nif __name__ == '__main__':\n    sys.exit(0)",
    "the result of a script": "import sys\nsys.exit(main())",
    "a child": "import os\ndef f():\n    if os.fork() == 0:\n        os._exit(0)",
    "a failure": "import os\ndef f():\n    os._exit(3)",
    "a command": "import sys\ndef main():\n    sys.exit(0)",
}


@pytest.mark.parametrize("name", ENDS_WELL)
def test_an_end_with_success_is_told_apart(name):
    assert SUCCEEDS in {each.what for each in aware("a.py", ENDS_WELL[name])}


@pytest.mark.parametrize("name", ENDS_OTHERWISE)
def test_other_ends_are_none_with_success(name):
    assert SUCCEEDS not in {each.what for each in aware("a.py", ENDS_OTHERWISE[name])}


def test_a_program_may_end_with_a_failure_where_nobody_imports_it():
    failing, well = "import sys\nsys.exit(2)", "import sys\nsys.exit(0)"
    assert aware("half/__main__.py", failing) == ()
    assert aware("half/core.py", failing)
    assert aware("half/__main__.py", well)


def test_files_of_tests_may_use_the_runner_and_may_not_bend_the_code():
    fine = "import pytest\nimport sys\n\n@pytest.fixture\ndef f():\n    return 'pytest' in sys.modules\n"
    bent = "import calc\n\ncalc.add = lambda a, b: 5\n"
    by_call = "import calc\n\nsetattr(calc, 'add', None)\n"

    assert support({}, {"tests/test_a.py": fine}) == ()
    assert support({}, {"tests/test_a.py": bent})
    assert support({}, {"tests/test_a.py": by_call})
    assert support({"tests/test_a.py": bent}, {"tests/test_a.py": bent + "\n"}) == ()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("'a' + 'b'", "ab"),
        ("'-'.join(['a', 'b'])", "a-b"),
        ("'aXb'.replace('X', '')", "ab"),
        ("chr(97)", "a"),
        ("bytes([97, 98]).decode()", "ab"),
        ("codecs.decode('no', 'rot13')", "ab"),
        ("'PyTest'.lower()", "pytest"),
        ("''.join(chr(n) for n in (97, 98))", "ab"),
        ("a + 'b'", None),
        ("base64.b64decode('%%%')", None),
    ],
)
def test_texts_are_put_together_without_running_anything(code, text):
    import ast

    assert folded(ast.parse(code, mode="eval").body) == text
