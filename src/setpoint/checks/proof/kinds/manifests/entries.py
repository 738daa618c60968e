"""Judge what a change lets run elsewhere: at an install, a build or by a new command, where no test looks."""

from __future__ import annotations

import re
from pathlib import Path

from setpoint.checks.integrity.paths.protected_paths import matches
from setpoint.checks.proof.kinds.manifests.entry_points import BACKEND, Entry, all_entries
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.model.proof import Obligation, ObligationState

_NAME = "entries"
_HOOK_WORDS = re.compile(
    r"\b(hooks?|(pre|post)?-?install\w*|lifecycle|prepare|prepublish\w*|build (script|step|backend|system)s?"
    r"|build\.rs|setup\.py|code generat\w+|go:?generate|generated?|husky|native|bindings?|ffi|devcontainers?"
    r"|vs ?code|npmrc|registry|npm|yarn|pnpm|editors?"
    r"|packaging|c extensions?|macros?|pre-commit|direnv)\b",
    re.IGNORECASE,
)
_COMMAND_WORDS = re.compile(
    r"\b(commands?|scripts?|cli|console|entry[ -]?points?|executables?|programs?|plug-?ins?|bin|verbs?"
    r"|tools?)\b",
    re.IGNORECASE,
)
_BUILT = re.compile(r"(\./)?(dist|build|lib|out)/")
"""Where programs are built, so that the tree does not have them."""
_TARGET = re.compile(r"\s*([\w.]+)\s*(?::\s*([\w.]+))?\s*(?:\[.*\])?\s*")


def entries(subject: Subject) -> tuple[Obligation, ...]:
    """Object to what runs elsewhere and the request does not name, and to commands that lead nowhere."""
    before = set(all_entries(subject.before))
    added = [each for each in all_entries(subject.after) if each not in before]
    added = [each for each in added if not matches(each.path, subject.task.story.may_change)]
    if not added:
        return ()
    wish = subject.task.story.wish
    unasked = [f"{each.path}: `{each.name}`" for each in added if not _asked(each, wish)]
    lost = [nowhere for each in added if not each.by_itself and (nowhere := _leads_nowhere(subject, each))]
    said: list[str] = []
    if unasked:
        said.append(
            f"{listed(unasked)} may run where the project is installed, built or used; the request does not "
            "speak of it and no test runs it: do without it, or write a line `REQUEST <path>: <why>`"
        )
    if lost:
        said.append(f"{listed(lost)}: let it name code that is there")
    names = tuple(f"{each.path}: {each.name}" for each in added)[:MOST_NAMED]
    if said:
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason="; ".join(said)),)
    reason = f"the request speaks of what else may run: {listed(names)}"
    return (Obligation(name=_NAME, state=ObligationState.MET, reason=reason, evidence=names),)


def _asked(entry: Entry, wish: str) -> bool:
    names = [entry.name, *(re.findall(r"\w{4,}", entry.runs) if entry.name == BACKEND else ())]
    if any(re.search(rf"(?<![\w-]){re.escape(each)}(?![\w-])", wish) for each in names if each):
        return True
    return (_HOOK_WORDS if entry.by_itself else _COMMAND_WORDS).search(wish) is not None


def _leads_nowhere(subject: Subject, entry: Entry) -> str:
    """Say that a command names a module, function or file which the tree does not have."""
    tree = Path(subject.place.copy.path)
    folder = (tree / entry.path).parent
    said = f"`{entry.name}` in {entry.path} names {entry.runs}, which is not there"
    if entry.path.endswith("package.json"):
        built = _BUILT.match(entry.runs) is not None
        return "" if built or (folder / entry.runs).exists() else said
    found = _TARGET.fullmatch(entry.runs)
    if found is None:
        return said
    module, name = found[1].split("."), (found[2] or "").partition(".")[0]
    roots = [each for each in (folder, folder / "src", folder / "lib") if _module(each, module[:1])]
    files = [file for each in roots if (file := _module(each, module))]
    texts = [file.read_text("utf-8", "replace") for file in files if file.is_file()]
    there = any(not name or re.search(rf"\b{re.escape(name)}\b", text) for text in texts)
    return "" if there or not roots else said


def _module(folder: Path, parts: list[str]) -> Path | None:
    """Return the file, or the folder without one, of a module below a folder."""
    place = folder.joinpath(*parts)
    found = (place.with_name(f"{place.name}.py"), place / "__init__.py", place)
    return next((each for each in found if each.exists()), None)
