"""What the targets of a Makefile run: recipes with those they need, and the variables that are exported."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from setpoint.checks.discovery.own_commands.command import OwnCommand, named_commands, with_variables
from setpoint.checks.discovery.own_commands.excluded import why_excluded

_ASSIGNMENT = re.compile(r"(?P<name>[\w.-]+)\s*(?P<how>[:?+!]|::|:::)?=\s*(?P<value>.*)")
_RULE = re.compile(r"(?P<names>[^:=#]+?)\s*::?(?!=)\s*(?P<rest>.*)")
_INCLUDE = re.compile(r"[-s]?include\s+(?P<files>.+)")
_DIRECTIVE = re.compile(r"(?:ifn?eq|ifn?def|else|endif|undefine|vpath|load)\b")
_NAME = re.compile(r"\$\((?P<round>[\w.-]+)\)|\$\{(?P<curly>[\w.-]+)\}|\$(?P<one>[\w@<^])")
_OTHER = re.compile(r"\$[({*?%+|]")
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
"""What make looks for, in its order."""
_DOLLAR = "\0"
_GIVEN = {"PYTHON": "python", "MAKE": "make", "GO": "go", "CURDIR": f"{_DOLLAR}PWD", "PWD": f"{_DOLLAR}PWD"}
"""What names mean where the Makefile does not define them."""
_DEEPEST = 8
"""Names within names, and files within files, that are followed."""


@dataclass
class _Rule:
    recipe: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    exported: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    """Variables that hold for this target alone."""


class Makefile:
    """The rules and variables of a Makefile and of the files it includes."""

    def __init__(self, file: str, texts: Mapping[str, str]) -> None:
        self.rules: dict[str, _Rule] = {}
        self.blocks: dict[str, str] = {}
        """What is defined over several lines, which only make puts together."""
        self._texts = texts
        self._defined: dict[str, str] = {}
        self._exported: dict[str, bool] = {}
        self._every = False
        self._prefix = "\t"
        self._read(file, 0)

    def _read(self, file: str, depth: int) -> None:
        current: list[_Rule] = []
        block = ""
        for line in self._texts[file].replace("\\\n", " ").splitlines():
            bare = line.strip()
            if block or bare.startswith("define "):
                block = block or bare.split()[1]
                self.blocks[block] = f"{self.blocks.get(block, '')}\n{bare}"
                block = "" if bare == "endef" else block
            elif line.startswith(self._prefix) and current:
                for rule in current:
                    rule.recipe.append(bare.removeprefix(self._prefix).strip())
            elif bare and not bare.startswith("#") and not _DIRECTIVE.match(bare):
                current = self._statement(bare.partition(" #")[0].strip(), file, depth)

    def _statement(self, line: str, file: str, depth: int) -> list[_Rule]:
        """Read a line outside a recipe; return the rules to which the next recipe belongs."""
        if found := _INCLUDE.fullmatch(line):
            for name in self.filled(found["files"])[0].split():
                path = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
                for each in sorted(fnmatch.filter(self._texts, path)) if depth < _DEEPEST else ():
                    self._read(each, depth + 1)
        elif self._assign(line, self._defined, self._exported):
            pass
        elif found := _RULE.fullmatch(line):
            return self._rule(self.filled(found["names"])[0].split(), found["rest"])
        return []

    def _rule(self, names: list[str], rest: str) -> list[_Rule]:
        rules = [self.rules.setdefault(name, _Rule()) for name in names]
        exported: dict[str, bool] = {}
        values: dict[str, str] = {}
        if self._assign(rest, values, exported):
            for rule in rules:
                rule.own |= values
                rule.exported |= {name: values[name] for name in exported if name in values}
            return []
        needs, _, first = rest.partition(";")
        for rule in rules:
            rule.needs += [each for each in self.filled(needs)[0].split() if each != "|"]
            rule.recipe += [first.strip()] if first.strip() else []
        return rules

    def _assign(self, line: str, values: dict[str, str], exported: dict[str, bool]) -> bool:
        """Read a line that sets or exports variables; false where it does neither."""
        modifiers, rest = set[str](), line
        while rest.partition(" ")[0] in ("export", "unexport", "override", "private"):
            modifier, _, rest = (part.strip() for part in rest.partition(" "))
            modifiers.add(modifier)
        found = _ASSIGNMENT.fullmatch(rest)
        if found is None:
            if "export" in modifiers or "unexport" in modifiers:
                exported |= dict.fromkeys(rest.split(), "export" in modifiers)
                self._every = self._every or not rest
            return bool(modifiers)
        name, value = found["name"], found["value"].strip()
        if name == ".RECIPEPREFIX":
            self._prefix = value[:1] or "\t"
        if found["how"] == "!":
            value = f"$(shell {value})"
        elif found["how"] in (":", "::", ":::"):
            value = self._once(value)
        if found["how"] == "+":
            values[name] = f"{values.get(name, self._defined.get(name, ''))} {value}".strip()
        elif found["how"] != "?" or name not in values:
            values[name] = value
        if "export" in modifiers:
            exported[name] = True
        return True

    def _once(self, value: str) -> str:
        text, known = self.filled(value)
        return text.replace("$", "$$") if known else value

    def filled(self, text: str, own: Mapping[str, str] | None = None) -> tuple[str, bool]:
        """Put values in the place of names; the second is false where something stays unknown."""
        names = {**_GIVEN, **self._defined, **(own or {})}
        text = text.replace("$$", _DOLLAR).replace("$(shell pwd)", f"{_DOLLAR}PWD")

        def value(found: re.Match[str]) -> str:
            name = found["round"] or found["curly"] or found["one"]
            return names.get(name, "").replace("$$", _DOLLAR).replace("$(shell pwd)", f"{_DOLLAR}PWD")

        known = True
        for _ in range(_DEEPEST):
            used = {found["round"] or found["curly"] for found in _NAME.finditer(text)}
            known = known and self.blocks.keys().isdisjoint(used)
            text = _NAME.sub(value, text)
        known = known and not _OTHER.search(text)
        return text.replace(_DOLLAR, "$"), known

    def script(self, name: str, files: Collection[str], seen: set[str]) -> tuple[str, bool]:
        """Write what a target and those that it needs run; false where it cannot be written so."""
        seen.add(name)
        rule = self.rules[name]
        lines, known = list[str](), True
        for need in rule.needs:
            if need in self.rules and need not in seen and need not in files:
                text, sure = self.script(need, files, seen)
                lines += [text] if text else []
                known = known and sure
            elif need not in seen and need not in files:
                known = known and not self._made_by_pattern(need)
        for number, line in enumerate(rule.recipe):
            own = {**rule.own, "@": name, "<": " ".join(rule.needs[:1]), "^": " ".join(rule.needs)}
            text, sure = self.filled(line, own)
            text = text.lstrip("@-+ ").strip()
            called = re.fullmatch(r"make (?:--no-print-directory )?(?P<name>[\w.-]+)", text)
            if called and called["name"] in self.rules and called["name"] not in seen:
                text, more = self.script(called["name"], files, seen)
                sure = sure and more
            last = number + 1 == len(rule.recipe)
            known = known and sure and (last or not text.startswith("cd "))
            lines += [text] if text and not text.startswith("#") else []
        return with_variables(" && ".join(lines), self._plain(rule.exported, rule.own)), known

    def _made_by_pattern(self, name: str) -> bool:
        return any("%" in each and fnmatch.fnmatchcase(name, each.replace("%", "*")) for each in self.rules)

    @property
    def unread(self) -> str:
        """Return what a command may run that only make puts together."""
        patterns = (rule.recipe for name, rule in self.rules.items() if "%" in name)
        return "\n".join((*self.blocks.values(), *(line for recipe in patterns for line in recipe)))

    def variables(self) -> dict[str, str]:
        """Return what is exported to every recipe, as far as it is known."""
        wanted = [name for name, whether in self._exported.items() if whether]
        if self._every:
            wanted = [
                each for each in self._defined if self._exported.get(each, True) and each.isidentifier()
            ]
        return self._plain({name: self._defined[name] for name in wanted if name in self._defined}, {})

    def _plain(self, variables: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
        found = {name: self.filled(value, own) for name, value in variables.items()}
        return {name: text for name, (text, known) in found.items() if known}


def make_commands(file: str, texts: Mapping[str, str], files: Collection[str]) -> Iterator[OwnCommand]:
    """Read the commands of a Makefile; `files` are those of the project, which no recipe has to make."""
    made = Makefile(file, texts)
    scripts, whole, variables = dict[str, str](), set[str](), made.variables()
    for name, rule in made.rules.items():
        if not rule.recipe and not rule.needs:
            continue
        text, known = made.script(name, files, set())
        if text:
            scripts[name] = with_variables(text, variables)
            whole |= set() if known else {name}
    for each in named_commands("make ", file, scripts, whole):
        more = why_excluded(made.unread) if each.whole else ""
        yield replace(each, excluded=each.excluded or more)
