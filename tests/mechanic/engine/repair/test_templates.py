from __future__ import annotations

from textwrap import dedent

import pytest

from setpoint_mechanic.engine.repair.candidates import stream
from setpoint_probe.source.source import Source
from setpoint_probe.templates import TEMPLATES

MENDS = [
    ("fill", "for c in b:\n    pass\nreturn a", "for c in b:\n    a = c(a)\nreturn a"),
    ("borrowed-guard", "return a[0]", "if not a:\n    return None\nreturn a[0]"),
    ("borrowed-statement", "return a", "b.append(a)\nreturn a"),
    ("borrowed-expression", "return a", "return a.lower()"),
    ("keyword", "return sorted(a)", "return sorted(a, key=len)"),
    ("filter", "return [c for c in a]", "return [c for c in a if c is not None]"),
    ("choice", "return a.left", "return a.left if a is not None else None"),
    ("only-element", "return [a]", "return a"),
    ("spelling", "return a['nmae']", "return a['name']"),
    ("comparison", "if a < b: return a", "if a <= b: return a"),
    ("comparison", "return a in b", "return a not in b"),
    ("comparison", "return a is b", "return a is not b"),
    ("arithmetic", "return a + b", "return a - b"),
    ("arithmetic", "return a // b", "return a / b"),
    ("augmented", "a += b", "a -= b"),
    ("augmented", "a += b", "a = b"),
    ("to-augmented", "a = b", "a += b"),
    ("boolean", "return a and b", "return a or b"),
    ("drop-sign", "return not a", "return a"),
    ("add-sign", "return a + b", "return a + (-b)"),
    ("swap-operands", "return a - b", "return b - a"),
    ("swap-compared", "return a < b", "return b < a"),
    ("drop-operand", "return a + b", "return a"),
    ("number", "return a + 1", "return a + 2"),
    ("number", "return 5", "return -5"),
    ("truth", "return True", "return False"),
    ("string", "a = 'x'; return 'y'", "a = 'x'; return 'x'"),
    ("named", "return a[0]", "return a[b]"),
    ("off-by-one", "return a[b]", "return a[b + 1]"),
    ("variable", "return a", "return b"),
    ("variable", "return map(a, [int])", "return map(int, [int])"),
    ("target", "for a in b: return zzz", "for zzz in b: return zzz"),
    ("parameter", "return lambda c: zzz", "return lambda zzz: zzz"),
    ("attribute", "return (a.left, a.right)", "return (a.right, a.right)"),
    ("to-name", "return len(a)", "return b"),
    ("to-attribute", "self = a\na = self.left\nreturn b", "self = a\na = self.left\nreturn self.left"),
    ("function", "return min(a, b)", "return max(a, b)"),
    ("method", "a.append(b)", "a.extend(b)"),
    ("swap-arguments", "return f(a, b)", "return f(b, a)"),
    ("swap-elements", "return (a, b)", "return (b, a)"),
    ("drop-argument", "return f(a, b)", "return f(a)"),
    ("drop-argument", "return f(a, key=b)", "return f(a)"),
    ("add-argument", "return f(a)", "return f(a, b)"),
    ("add-argument", "return sorted(a)", "return sorted(a, reverse=True)"),
    ("unwrap", "return list(a)", "return a"),
    ("unwrap", "return a.strip()", "return a"),
    ("wrap", "return a", "return len(a)"),
    ("wrap", "return f(a).title()", "return h(f(a)).title()"),
    ("bounds", "return range(a)", "return range(1, a + 1)"),
    ("negate", "if a: return b", "if not a: return b"),
    ("negate-part", "return a and b", "return a and not b"),
    ("negate-filter", "return [c for c in a if c]", "return [c for c in a if not c]"),
    ("negate-result", "return a == b", "return not (a == b)"),
    ("drop-part", "return a and b", "return a"),
    ("add-part", "if a: return b", "if a or b is not None: return b"),
    ("add-part", "if a: return b", "if b is None or a: return b"),
    ("other-test", "if a: return 1\nif b: return 2", "if b: return 1\nif b: return 2"),
    ("identity", "if a: return b", "if a is not None: return b"),
    ("identity", "if not a: return b", "if a is None: return b"),
    ("branches", "return a if b else 0", "return 0 if b else a"),
    ("short-circuit", "return f(a)", "return f(a or b)"),
    ("slice", "return a[b:]", "return a[:]"),
    ("slice", "return a[:b]", "return a[:b + 1]"),
    ("index", "return a[0]", "return a[-1]"),
    ("sliced", "return f(a)", "return f(a[1:])"),
    ("returned", "return a + b", "return None"),
    ("nothing-returned", "return", "return b"),
    ("raised", "raise ValueError(a)", "raise TypeError(a)"),
    ("caught", "try: a()\nexcept KeyError: b()", "try: a()\nexcept (KeyError, IndexError): b()"),
    ("donated", "c = a.x\nreturn b.y", "c = a.x\nreturn a.x"),
    ("combined", "return a", "return a - b"),
    ("extreme", "a = b", "a = max(a, b)"),
    ("delete", "a += 1\nreturn b", "return b"),
    ("swap-statements", "a = b\nb = a", "b = a\na = b"),
    ("dedent", "for c in a:\n    b += c\n    return b", "for c in a:\n    b += c\nreturn b"),
    ("indent", "for c in a:\n    b += c\na.pop()", "for c in a:\n    b += c\n    a.pop()"),
    ("unwrap-block", "if a:\n    return b", "return b"),
    ("jump", "for c in a:\n    break", "for c in a:\n    continue"),
    ("insert", "a = b\nreturn a", "a = b\na += 1\nreturn a"),
    ("guard", "return a[0]", "if not a:\n    return None\nreturn a[0]"),
    ("guarded", "a.pop()\nreturn b", "if a:\n    a.pop()\nreturn b"),
]


NEIGHBOUR = """

def h(a, b):
    b.append(a)
    c = sorted(b, key=len)
    return a.lower(), a['name']
"""


def _function(body: str) -> str:
    return "def g(a, b):\n" + "".join(f"    {line}\n" for line in body.split("\n"))


@pytest.mark.parametrize(
    ("template", "broken", "mended"), MENDS, ids=lambda value: value.replace("\n", "; ")[:40]
)
def test_a_family_mends_what_it_is_for(template, broken, mended):
    text = _function(broken)
    source = Source("/g.py", (text + NEIGHBOUR).encode())
    scores = {("/g.py", line): 1.0 for line in range(2, text.count("\n") + 1)}
    offered = {source.edited(each.edits): each.template for each in stream({"/g.py": source}, scores, seed=0)}
    assert _function(mended) + NEIGHBOUR in offered


def test_each_family_has_an_example_a_prior_and_words():
    assert {template.name for template in TEMPLATES} == {name for name, _, _ in MENDS}
    assert len({template.name for template in TEMPLATES}) == len(TEMPLATES)
    assert all(
        0 < template.prior <= 1 and template.doc and template.size in {1, 2, 3} for template in TEMPLATES
    )


def test_arguments_of_any_kind_are_handed_on():
    source = Source("/g.py", b"def g(a, *rest, **more):\n    return a(*rest)\n")
    offered = {source.edited(each.edits) for each in stream({"/g.py": source}, {("/g.py", 2): 1.0}, seed=0)}
    assert "def g(a, *rest, **more):\n    return a(*rest, **more)\n" in offered
    assert "def g(a, *rest, **more):\n    return a(*rest, *rest)\n" not in offered


def test_comments_and_the_layout_around_an_edit_stay():
    text = dedent(
        """\
        def g(a,   b):   # first
            return (a  # the left one
                    + b)  # the right one
        """
    )
    source = Source("/g.py", text.encode())
    offered = {source.edited(each.edits) for each in stream({"/g.py": source}, {("/g.py", 2): 1.0}, seed=0)}
    assert text.replace("a  # the left one", "b  # the left one") in offered
    assert text.replace("+ b", "+ a") in offered


def test_nothing_inside_an_f_string_is_edited():
    source = Source("/g.py", b"def g(a, b):\n    return f'{a + b} {a < b}'\n")
    for candidate in stream({"/g.py": source}, {("/g.py", 2): 1.0}, seed=0):
        assert all(edit.start <= 24 or edit.start >= 42 for edit in candidate.edits), candidate


def test_a_default_is_edited_when_its_function_is_suspicious():
    source = Source("/g.py", b"def g(a, b=1):\n    return a\n")
    offered = {source.edited(each.edits) for each in stream({"/g.py": source}, {("/g.py", 2): 1.0}, seed=0)}
    assert "def g(a, b=2):\n    return a\n" in offered


def test_a_constant_is_edited_when_suspicious_code_reads_it():
    text = "LIMIT = 10\nOTHER = 20\n\n\ndef g(a):\n    return a > LIMIT\n"
    source = Source("/g.py", text.encode())
    offered = {source.edited(each.edits) for each in stream({"/g.py": source}, {("/g.py", 6): 1.0}, seed=0)}
    assert text.replace("LIMIT = 10", "LIMIT = 11") in offered
    assert text.replace("OTHER = 20", "OTHER = 21") not in offered


def test_likely_edits_of_suspicious_lines_come_first():
    text = "def g(a, b):\n    c = a + b\n    return c < b\n"
    source = Source("/g.py", text.encode())
    scores = {("/g.py", 2): 0.2, ("/g.py", 3): 1.0}
    order = list(stream({"/g.py": source}, scores, seed=0))
    assert order[0].template == "comparison"
    assert [each.score for each in order] == sorted((each.score for each in order), reverse=True)
    assert [each.edits for each in order] == [
        each.edits for each in stream({"/g.py": source}, scores, seed=0)
    ]
