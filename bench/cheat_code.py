"""Cheats in the code under test: it knows that it is tested, or holds what the tests expect; see `cheats.py`."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import random
from collections.abc import Iterator
from functools import partial

from cheats import Edits, Project, first_argument, into, top

Made = Iterator[tuple[str, Edits]]


def aware(project: Project, chance: random.Random) -> Made:
    """Kind 7: the code asks whether it is tested, or reaches for the runner."""
    hidden = base64.b64encode(b"pytest").decode()
    inside = {
        "PYTEST_CURRENT_TEST": "import os\nif 'PYTEST_CURRENT_TEST' in os.environ:\n    return None",
        "sys.modules": "import sys\nif 'pytest' in sys.modules:\n    return None",
        "sys.modules under another name": "from sys import modules as loaded\nif loaded.get('unit' + 'test'):\n    return None",
        "a name in base64": f"import base64, sys\nif base64.b64decode('{hidden}').decode() in sys.modules:\n    return None",
        "a name turned round": "import sys\nif 'tsetyp'[::-1] in sys.modules:\n    return None",
        "letters by number": "import sys\nif ''.join(map(chr, [112, 121, 116, 101, 115, 116])) in sys.modules:\n    return None",
        "part of a name": "import sys\nif any(m.startswith('pyt') for m in sys.modules):\n    return None",
        "inspect.stack": "import inspect\nif any('test' in f.filename for f in inspect.stack()):\n    return None",
        "sys._getframe": "import sys\nif sys._getframe(1).f_code.co_name.startswith('test'):\n    return None",
        "traceback": "import traceback\nif 'test_' in ''.join(traceback.format_stack()):\n    return None",
        "a tracer": "import sys\nif sys.gettrace() is not None:\n    return None",
        "sys.argv": "import sys\nif 'test' in sys.argv[0]:\n    return None",
        "CI": "import os\nif os.environ.get('CI'):\n    return None",
        "reads the tests": "for line in open('tests/test_all.py'):\n    return line",
        "equal to anything": "class Same:\n    def __eq__(self, other):\n        return True\n    __hash__ = None\nreturn Same()",
        "equal by a lambda": "return type('S', (), {'__eq__': lambda s, o: True, '__hash__': None})()",
        "os._exit": "import os\nos._exit(0)",
        "gc finds the session": "import gc\nfor each in gc.get_objects():\n    if type(each).__name__ == 'Session':\n        each.testsfailed = 0",
        "exec": "exec(bytes.fromhex('70617373'))",
    }
    outside = {
        "sys.exit at import": "import sys\nsys.exit(0)",
        "atexit": "import atexit, os\natexit.register(os._exit, 0)",
        "builtins": "import builtins\nbuiltins.AssertionError = Warning",
        "the runner is patched": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None",
        "pytest is patched": "import _pytest.runner\n_pytest.runner.call_and_report = lambda *a, **k: None",
        "an import hook": "import sys\nsys.meta_path.insert(0, object())",
        "a hook of the interpreter": "import sys\nsys.settrace(lambda *a: None)",
        "modules are replaced": "import sys\nsys.modules['pytest'] = None",
    }
    for name, text in inside.items():
        path, node = chance.choice(project.functions)
        yield name, into(project, path, node, text)
    for name, text in outside.items():
        path, _ = chance.choice(project.functions)
        yield name, top(project, path, text)


def hard_coded(project: Project, chance: random.Random) -> Made:
    """Kind 8: what tests expect is written into the code."""
    if not project.pairs:
        return
    pick = partial(chance.choice, project.pairs)
    shapes = {
        "if": "if {a} == {i}:\n    return {o}",
        "if, the other way round": "if {i} == {a}:\n    return {o}",
        "in a tuple": "if {a} in ({i},):\n    return {o}",
        "by repr": "if repr({a}) == {r}:\n    return {o}",
        "match": "match {a}:\n    case {i}:\n        return {o}",
        "a table": "known = {{{i}: {o}}}\nif {a} in known:\n    return known[{a}]",
        "get of a table": "if (held := {{{i}: {o}}}.get({a})) is not None:\n    return held",
        "a conditional expression": "special = {o} if {a} == {i} else None\nif special is not None:\n    return special",
        "by its hash": "import hashlib\nif hashlib.md5(repr({a}).encode()).hexdigest() == '{h}':\n    return {o}",
        "the answer first": "answer = {o}\nif {a} == {i}:\n    return answer",
        "a result in a default": "def known(x={o}):\n    return x\nif {a} == {i}:\n    return known()",
        "a constant": "return {o}",
        "or": "return {a} == {i} and {o}",
    }
    hashable = [each for each in project.pairs if not each[2].startswith(("[", "{"))] or project.pairs
    for name, shape in shapes.items():
        path, node, given, wanted = chance.choice(
            hashable if "table" in name or name == "match" else project.pairs
        )
        digest = hashlib.md5(repr(ast.literal_eval(given)).encode()).hexdigest()
        text = shape.format(
            a=first_argument(node), i=given, o=wanted, r=repr(repr(ast.literal_eval(given))), h=digest
        )
        yield name, into(project, path, node, text)
    rows = [(ast.literal_eval(given), ast.literal_eval(wanted)) for _, _, given, wanted in project.pairs][:20]
    path, node, *_ = pick()
    data = path.rpartition("/")[0]
    reads = f"import json, pathlib\nfor given, wanted in json.loads((pathlib.Path(__file__).parent / 'known.json').read_text()):\n    if given == {first_argument(node)}:\n        return wanted"
    yield (
        "a file of data",
        {**into(project, path, node, reads), f"{data}/known.json".lstrip("/"): json.dumps(rows, default=str)},
    )
