"""Kinds of values, by what code does with a parameter, what it is called and how it is annotated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

POOLS: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "3", "-1", "5", "7", "10", "100", "-3", "1000"),
    "float": ("0.0", "0.5", "1.5", "-2.5", "3.75", "100.0", "1e-05"),
    "str": (
        "''",
        "'a'",
        "'abc'",
        "'Hello World'",
        "'a b c'",
        "'a,b,c'",
        "'1'",
        "'12.5'",
        "'snake_case_name'",
        "'CamelCase'",
        "'x=1'",
        "'one\\ntwo'",
        "'  padded '",
        "'2020-01-02'",
        "'2020-01-02T03:04:05'",
        "'%s'",
    ),
    "bytes": ("b''", "b'abc'", "b'a b'", "b'\\xff\\x00'"),
    "bool": ("True", "False"),
    "none": ("None",),
    "list": (
        "[]",
        "[1]",
        "[1, 2, 3]",
        "[3, 1, 2]",
        "[1, 1, 2]",
        "['a', 'b', 'c']",
        "[0, None, 2]",
        "[(1, 'a'), (2, 'b')]",
        "[[1, 2], [3, 4]]",
        "[1, 2, 3, 4, 5, 6]",
        "[True, False]",
        "['b', 'a', 'b']",
        "[{'a': 1}, {'a': 2}]",
        "[[1, [2, 3]], 4]",
    ),
    "iterable": (
        "range(5)",
        "iter([1, 2, 3])",
        "'abc'",
        "(1, 2)",
        "(x for x in [1, 2, 3])",
        "{1, 2, 3}",
        "range(0)",
        "['x', 'y']",
        "[1, 2, 3]",
        "[]",
    ),
    "tuple": ("()", "(1,)", "(1, 2)", "(3, 1, 2)", "('a', 'b')"),
    "dict": ("{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{'a': {'b': 2}}", "{1: 'x'}", "{'a': [1, 2], 'b': []}"),
    "set": ("set()", "{1}", "{1, 2, 3}", "{'a', 'b'}", "frozenset({1, 2})"),
    "call": (
        "lambda x: x",
        "lambda x: x > 1",
        "len",
        "str",
        "int",
        "lambda *args: args",
        "lambda: 7",
        "lambda x, y: x + y",
        "lambda x: x % 2",
        "bool",
        "lambda x: [x]",
        "abs",
        "max",
        "list",
        "lambda **kwargs: kwargs",
    ),
    "type": ("int", "str", "list", "dict", "ValueError", "(int, str)", "object"),
    "date": (
        "datetime.datetime(2020, 1, 2, 3, 4, 5)",
        "datetime.date(2020, 2, 29)",
        "datetime.timedelta(days=2)",
        "datetime.timedelta(seconds=-90)",
        "datetime.datetime(2020, 12, 31, tzinfo=datetime.timezone.utc)",
        "datetime.timedelta(hours=5, minutes=3)",
        "datetime.date(1999, 12, 31)",
    ),
    "decimal": ("decimal.Decimal('1.50')", "decimal.Decimal('-3')", "fractions.Fraction(1, 3)"),
    "path": (
        "'a/b.txt'",
        "'/usr/lib/x.tar.gz'",
        "'name'",
        "pathlib.PurePosixPath('a/b.py')",
        "tmp_path",
        "tmp_path / 'new.txt'",
        "tmp_path / 'new' / 'new.txt'",
        "str(tmp_path / 'new.txt')",
        "file_with(tmp_path / 'one.txt', 'one\\ntwo\\n')",
        "str(file_with(tmp_path / 'one.txt', 'a=1\\nb = x y\\n'))",
        "file_with(tmp_path / 'one.txt', '')",
        "str(file_with(tmp_path / 'one.json', '{\"a\": [1, 2]}'))",
    ),
    "regex": ("'a+'", "'(\\\\w+)'", "re.compile('[a-z]')", "'^x'"),
    "error": ("ValueError('bad')", "KeyError('k')", "ValueError", "Exception('x')"),
    "stream": ("io.StringIO('one\\ntwo\\n')", "io.BytesIO(b'one\\ntwo')"),
    "slice": ("slice(0, 2)", "slice(None, None, -1)", "slice(1, None)"),
    "object": (
        "object()",
        "types.SimpleNamespace(a=1)",
        "collections.OrderedDict(a=1)",
        "collections.deque([1, 2])",
    ),
}
"""Expressions by kind."""
ANYTHING = (
    "int",
    "str",
    "list",
    "none",
    "dict",
    "float",
    "iterable",
    "bool",
    "tuple",
    "call",
    "bytes",
    "set",
    "type",
    "object",
    "date",
)
"""Kinds for parameters of which nothing is known."""
MODULES = (
    "asyncio",
    "collections",
    "datetime",
    "decimal",
    "fractions",
    "io",
    "itertools",
    "math",
    "operator",
    "pathlib",
    "re",
    "types",
)
"""Modules that expressions may name."""

_BY_ANNOTATION: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\bbool\b", ("bool",)),
    (r"\bint\b|\bSupportsIndex\b", ("int",)),
    (r"\bfloat\b|\bcomplex\b|\bNumber\b|\bReal\b", ("float", "int")),
    (r"\bstr\b|\bAnyStr\b|\bText\b|\bLiteralString\b", ("str",)),
    (r"\bbytes\b|\bbytearray\b|\bBuffer\b", ("bytes",)),
    (r"\b(list|List|Sequence|MutableSequence|Collection)\b", ("list",)),
    (r"\b(Iterable|Iterator|Generator|Iter\w*)\b", ("list", "iterable")),
    (r"\b(tuple|Tuple)\b", ("tuple",)),
    (r"\b(dict|Dict|Mapping|MutableMapping)\b", ("dict",)),
    (r"\b([sS]et|[fF]rozen[sS]et|AbstractSet|MutableSet)\b", ("set",)),
    (r"\bCallable\b", ("call",)),
    (r"\b([tT]ype)\b", ("type",)),
    (r"\b(datetime|date|timedelta|time|tzinfo)\b", ("date",)),
    (r"\bDecimal\b|\bFraction\b", ("decimal",)),
    (r"\bPath\w*\b|\bPurePath\b", ("path",)),
    (r"\bPattern\b", ("regex",)),
    (r"\bException\b|\bBaseException\b", ("error",)),
    (r"\b(IO|TextIO|BinaryIO|StringIO|BytesIO)\b", ("stream",)),
    (r"\bNone\b|\bOptional\b", ("none",)),
)
_BY_NAME: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        (
            r"(func|function|fn|f|key|pred|predicate|callback|callable|call|factory|method|op|binop|getter|decorator"
            r"|\w+_(func|function|fn|key|factory|callback))"
        ),
        ("call",),
    ),
    (
        (
            r"(n|num|number|count|size|length|index|idx|i|j|k|start|stop|end|step|width|depth|level|limit|maxsize|precision"
            r"|ndigits|days|year|month|day|base|window|chunk_size|max\w*|min\w*|lower|upper|x|y)"
        ),
        ("int", "float"),
    ),
    (
        (
            r"(s|text|string|str|name|word|sep|delimiter|prefix|suffix|line|title|message|msg|char|url|html|phrase|label"
            r"|template|fmt|format|sentence|\w+_(name|str|text|string))"
        ),
        ("str",),
    ),
    (
        (
            r"(seq|sequence|iterable|it|iterator|items|values|list|lst|l|xs|data|elements|args|lists|iterables|src|sequences"
            r"|seqs|colls|coll|collection|\w+_(list|iter|items))"
        ),
        ("list", "iterable"),
    ),
    (r"(d|dict|dicts|mapping|m|map|kwargs|options|config|params|context|kw|attrs|headers)", ("dict",)),
    (
        r"(date|dt|datetime|time|day|delta|timedelta|td|tz|now|when|timestamp|\w+_(date|time|dt))",
        ("date", "int"),
    ),
    (r"(path|filename|file_name|file|filepath|dirname|folder|\w+_path)", ("path",)),
    (r"(pattern|regex|regexp)", ("regex", "str")),
    (
        r"(is_\w+|has_\w+|strict|reverse|verbose|ignore\w*|allow\w*|inplace|\w*flag\w*|default_\w*ok)",
        ("bool",),
    ),
    (r"(cls|type|klass|types|exc_type|\w+_type)", ("type",)),
    (r"(exc|error|exception|err|e)", ("error",)),
    (r"(fileobj|file_obj|fp|stream|fh)", ("stream",)),
    (r"(bytes|data_bytes|buf|buffer|raw)", ("bytes",)),
    (r"(set|other|\w+_set)", ("set", "list")),
)
_METHODS: dict[str, tuple[str, ...]] = {
    "str": (
        "lower",
        "upper",
        "strip",
        "split",
        "startswith",
        "endswith",
        "replace",
        "title",
        "isdigit",
        "encode",
        "splitlines",
        "partition",
        "rpartition",
        "isalpha",
        "format",
        "rstrip",
        "lstrip",
        "isupper",
        "join",
    ),
    "list": ("append", "extend", "insert", "reverse", "sort", "pop"),
    "dict": ("items", "keys", "values", "get", "setdefault", "update"),
    "set": ("add", "union", "difference", "intersection", "issubset", "discard"),
    "date": (
        "year",
        "month",
        "day",
        "hour",
        "strftime",
        "isoformat",
        "days",
        "total_seconds",
        "seconds",
        "tzinfo",
    ),
    "stream": ("read", "readline", "write", "seek", "tell"),
    "bytes": ("decode", "hex"),
    "regex": ("match", "search", "finditer", "findall", "sub"),
}
_OF_METHOD = {method: kind for kind, methods in _METHODS.items() for method in methods}
_TAKES: dict[str, tuple[str, ...]] = {
    "len": ("list", "str"),
    "range": ("int",),
    "int": ("int", "str", "float"),
    "float": ("float", "int", "str"),
    "iter": ("list", "iterable"),
    "list": ("iterable", "list"),
    "tuple": ("iterable", "list"),
    "set": ("list",),
    "sorted": ("list",),
    "sum": ("list",),
    "enumerate": ("list",),
    "zip": ("list",),
    "dict": ("dict",),
    "map": ("list",),
    "filter": ("list",),
    "next": ("iterable",),
    "abs": ("int", "float"),
    "round": ("float",),
    "callable": ("call",),
    "isinstance": (),
    "str": ("int", "str"),
    "chr": ("int",),
    "ord": ("str",),
    "min": ("list", "int"),
    "max": ("list", "int"),
    "reversed": ("list",),
    "all": ("list",),
    "any": ("list",),
}


def annotated(text: str) -> tuple[str, ...]:
    """Return the kinds that an annotation names."""
    found = [kind for pattern, kinds in _BY_ANNOTATION if re.search(pattern, text) for kind in kinds]
    return tuple(dict.fromkeys(found))


def named(name: str) -> tuple[str, ...]:
    """Return the kinds that a parameter's name lets one expect."""
    return next((kinds for pattern, kinds in _BY_NAME if re.fullmatch(pattern, name)), ())


def used(name: str, function: ast.AST) -> tuple[str, ...]:
    """Return the kinds that fit what a function does with a parameter, the strongest hint first."""
    found: list[str] = []
    for node in ast.walk(function):
        found += _hint(name, node)
    return tuple(dict.fromkeys(found))


def _hint(name: str, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and _is(node.value, name):
        yield from filter(None, (_OF_METHOD.get(node.attr),))
    elif isinstance(node, ast.Call):
        yield from _called(name, node)
    elif isinstance(node, (ast.For, ast.comprehension)) and _is(node.iter, name):
        yield from ("list", "iterable")
    elif isinstance(node, ast.Subscript) and _is(node.value, name):
        yield from ("list", "dict", "str")
    elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.operand,)
        if any(_is(side, name) for side in sides) and not isinstance(getattr(node, "op", None), ast.Not):
            yield from ("int", "float")
    elif isinstance(node, ast.Compare):
        yield from _compared(name, node)


def _called(name: str, node: ast.Call) -> Iterator[str]:
    if _is(node.func, name):
        yield "call"
    if isinstance(node.func, ast.Name) and any(_is(each, name) for each in node.args):
        if node.func.id == "isinstance" and _is(node.args[0], name):
            yield from annotated(ast.unparse(node.args[1])) if len(node.args) > 1 else ()
        else:
            yield from _TAKES.get(node.func.id, ())
    if any(isinstance(each, ast.Starred) and _is(each.value, name) for each in node.args):
        yield "list"


def _compared(name: str, node: ast.Compare) -> Iterator[str]:
    sides = (node.left, *node.comparators)
    if not any(_is(side, name) for side in sides):
        return
    if isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        yield from ("int", "float")
    if isinstance(node.ops[0], (ast.In, ast.NotIn)) and _is(node.comparators[0], name):
        yield from ("list", "str", "dict")
    if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        yield "none"
    for side in sides:
        if isinstance(side, ast.Constant) and type(side.value).__name__ in POOLS:
            yield type(side.value).__name__


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def constants(function: ast.AST) -> Iterable[str]:
    """Return the constants of a function, and numbers next to them, as expressions."""
    found: dict[str, None] = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or node.value is None:
            continue
        if isinstance(node.value, (int, float, str, bytes)) and len(repr(node.value)) < 30:  # noqa: PLR2004 - no docstrings
            found[repr(node.value)] = None
            if isinstance(node.value, int) and abs(node.value) < 1 << 20:
                found.update({repr(node.value + 1): None, repr(node.value - 1): None})
    return found
