"""What a command runs by the files of other folders: `make -C infra`, `cd web && npm run build`."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping

from setpoint.checks.discovery.own_commands.makefile import MAKEFILES, Makefile
from setpoint.checks.discovery.own_commands.package_scripts import manifest_of, scripts_of, steps_of
from setpoint.checks.discovery.own_commands.steps import joined
from setpoint.model.shell import calls

_FOLDER = ("-C", "--directory", "--prefix", "--cwd", "--dir")
_MANAGERS = ("npm", "yarn", "pnpm", "bun")


def files_elsewhere(script: str, files: Collection[str]) -> Iterator[str]:
    """Yield the Makefiles and manifests of other folders that a command uses."""
    for folder, words in _moved(script):
        names = MAKEFILES if words[0] in ("make", "gmake") else ("package.json",)
        yield from [path for name in names if (path := posixpath.join(folder, name)) in files][:1]


def scripts_elsewhere(script: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what runs there, with the file that names it; `texts` holds those files."""
    for folder, words in _moved(script):
        named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        if words[0] in ("make", "gmake"):
            found = next((path for name in MAKEFILES if (path := posixpath.join(folder, name)) in texts), "")
            made = Makefile(found, texts) if found else None
            for target in (named or [*made.rules][:1]) if made else ():
                if made and target in made.rules:
                    yield found, f"{made.script(target, (), set())[0]}\n{made.unread}"
        elif (path := posixpath.join(folder, "package.json")) in texts:
            scripts = scripts_of(manifest_of(texts[path]))
            for name in named:
                if name in scripts:
                    yield path, joined(steps_of(name, scripts))


def _moved(script: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the calls of make and of package managers in another folder, without the words that name it."""
    at = ""
    for call in calls(script):
        words, left, folder = [*call.words], list[str](), ""
        if words[0] == "cd" and len(words) > 1:
            at = posixpath.normpath(posixpath.join(at, words[1]))
            continue
        while words:
            word = words.pop(0)
            name, _, value = word.partition("=")
            if name in _FOLDER and (value or words):
                folder = value or words.pop(0)
            else:
                left.append(word)
        where = posixpath.normpath(posixpath.join(at, folder)).removeprefix("./")
        if where not in ("", ".") and left and left[0] in ("make", "gmake", *_MANAGERS):
            yield where, left
