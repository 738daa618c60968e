"""Number the statements of a file of tests: each can say that it is reached, and one can be made to fail.

Python is read by `ast`, JavaScript and TypeScript by tree-sitter (extra `languages`). Other files have none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks.parsing import is_typed, suffix_of
from setpoint.checks.proof.instrument.given import Given

ENDS = re.compile(r"^(?:process\.|sys\.|os\.|Deno\.)?_?(?:exit|quit)$")
"""Names of what ends a process."""
_NAME = "_setpoint_step"
_SAID = "Setpoint tries whether this is noticed"
_PYTHON = (
    "{name} = (lambda os: (lambda log: lambda number: log >= 0 and os.write(log, b'%d\\n' % number) and "
    "number == {fails} and ({how}))("
    "os.open({log}, os.O_CREAT | os.O_APPEND | os.O_WRONLY) "
    "if os.path.realpath(os.getcwd()).startswith({tree}) else -1))(__import__('os'))\n"
)
_SCRIPT = (
    "const {name} = ((fs) => {{ const log = fs.realpathSync(process.cwd()).startsWith({tree}) "
    "? fs.openSync({log}, 'a') : -1; return (number) => {{ if (log < 0) return; "
    "fs.writeSync(log, number + '\\n'); if (number === {fails}) {how}; }}; }})"
    "(process.getBuiltinModule?.('fs') ?? require('fs'));\n"
)
_TYPED = (
    _SCRIPT.replace("process.", "(globalThis as any).process.")
    .replace("(fs)", "(fs: any)")
    .replace("(number)", "(number: number)")
)


_THROWN = f"throw new Error({json.dumps(_SAID)})"
_RAISED = f"(_ for _ in ()).throw(AssertionError({json.dumps(_SAID)}))"
_PYTHON_ENDS = re.compile(r"\bSystemExit\b|\bexit\(")
_SCRIPT_ENDS = re.compile(r"\bprocess\.exit\(")


@dataclass(frozen=True, kw_only=True)
class Step:
    """One statement, or the expression that is the whole body of a function."""

    start: int
    """Where it begins, as an offset in the text."""
    end: int
    line: int
    block: tuple[int, int]
    """Where the block begins and ends that holds it."""
    function: int = -1
    """Where the function around it begins; -1 outside of functions."""
    depends: bool = False
    """Whether an honest run may leave it out: it is in a branch, or a statement before it can leave."""
    guarded: bool = False
    """Whether it is the last of a block whose failures other code sees first."""
    expression: bool = False
    settled: bool = False
    """Whether its function is what a promise calls with its value."""
    waits: bool = False
    """Whether the next statement has to follow, in a function that can wait for something."""
    callbacks: tuple[int, ...] = ()
    """Where the functions begin of which the promise in it has to call one."""

    @property
    def is_end(self) -> bool:
        """Whether it marks the end of a function that can wait."""
        return self.start == self.end


@dataclass(frozen=True, kw_only=True)
class Stepped:
    """A file of tests with its steps."""

    path: str
    text: str
    begin: int
    """Where the first statement of the file begins."""
    steps: tuple[Step, ...]
    """In the order of the text."""
    given: tuple[Given, ...] = ()
    """Functions that other code is to call."""

    def marked(self, log: Path, tree: Path, fails: int = -1, like: str = "") -> str:
        """Return the text in which each step writes its number to a file before it begins, and one fails.

        It fails as the statement `like` does: by what is raised, or by the end of the process. Processes that
        do not run in `tree` write nothing.
        """
        python = self.path.endswith(".py")
        head = _PYTHON if python else _TYPED if is_typed(suffix_of(self.path)) else _SCRIPT
        words = {"log": json.dumps(str(log)), "tree": json.dumps(str(tree)), "how": _how(like, python=python)}
        added = [(self.begin, 0, head.format(name=_NAME, fails=fails, **words))]
        for number, step in enumerate(self.steps):
            call = f"{_NAME}({number})"
            if step.is_end:
                ends = f"}} finally {{ {call}; }}"
                begins = (
                    (step.block[0], 1, "{ try { return (")
                    if step.expression
                    else (step.block[0] + 1, 0, "try {")
                )
                added += [begins, (step.end, 3, f"); {ends} }}" if step.expression else ends)]
            elif step.expression:
                added += [(step.start, 2, f"({call}, "), (step.end, 1, ")[1]" if python else ")")]
            elif python:
                indent = self.text[self.text.rfind("\n", 0, step.start) + 1 : step.start]
                added.append((step.start, 2, f"{call}\n{indent}"))
            else:
                added.append((step.start, 2, f"{call};"))
        written, last = list[str](), 0
        for place, _, more in sorted(added, key=lambda each: each[:2]):
            written += (self.text[last:place], more)
            last = place
        return "".join((*written, self.text[last:]))

    def without(self, step: Step) -> str:
        """Return the text without what a step does."""
        nothing = "(0)" if step.expression else "pass" if self.path.endswith(".py") else ";"
        return f"{self.text[: step.start]}{nothing}{self.text[step.end :]}"

    def shown(self, step: Step) -> str:
        """Return the first line of a step."""
        where = step.block if step.is_end else (step.start, step.end)
        return self.text[slice(*where)].strip().splitlines()[0][:80]

    def own_text(self, number: int) -> str:
        """Return what a step says outside of the steps in it."""
        step = self.steps[number]
        written, last = list[str](), step.start
        for other in self.steps[number + 1 :]:
            if step.start <= other.start < step.end and other.start >= last:
                written.append(self.text[last : other.start])
                last = other.end
        return " ".join((*written, self.text[last : step.end]))


def guarded(steps: Sequence[Step], given: Collection[Given]) -> tuple[Step, ...]:
    """Mark the last step of each function that is given away: other code sees its failures first."""
    last = {step.function: step for step in steps if not (step.depends or step.is_end)}
    marked = {last[each.start] for each in given if each.start in last}
    return tuple(replace(step, guarded=True) if step in marked else step for step in steps)


def _how(like: str, *, python: bool) -> str:
    """Return what fails as a statement does."""
    if python:
        return _RAISED.replace("AssertionError", "SystemExit") if _PYTHON_ENDS.search(like) else _RAISED
    return "process.exit(1)" if _SCRIPT_ENDS.search(like) else _THROWN
