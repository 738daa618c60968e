"""What the recipes of a justfile run, with those that they depend on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from setpoint.checks.discovery.own_commands.command import OwnCommand, named_commands, with_variables

_RECIPE = re.compile(r"@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>(?:\s+[^:]*)?):(?!=)(?P<needs>.*)")
_ASSIGNMENT = re.compile(r"(?P<export>export\s+)?(?P<name>[A-Za-z_][\w-]*)\s*:=\s*(?P<value>.*)")
_PARAMETER = re.compile(r"(?P<many>[*+])?\$?(?P<name>[\w-]+)(?:=(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\"]+))?")
_STRING = re.compile(r"'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"")
_OR_DEFAULT = re.compile(
    r"env(?:_var_or_default)?\(\s*['\"][^'\"]+['\"]\s*,\s*(?P<value>'[^']*'|\"[^\"]*\")\s*\)"
)
_NEED = re.compile(r"\([^)]+\)|[A-Za-z_][\w-]*")
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|[^\s'\"]+")
_FOLDERS = ("justfile_directory()", "invocation_directory()")
_INSERTED = re.compile(r"\{\{\s*(?P<text>.*?)\s*\}\}")
_DEEPEST = 8


@dataclass
class _Recipe:
    parameters: dict[str, str | None]
    needs: list[list[str]]
    """What runs before: the name of a recipe, and the arguments that it gets."""
    after: list[list[str]]
    lines: list[str] = field(default_factory=list)


@dataclass
class Justfile:
    """The recipes and variables of a justfile."""

    text: str
    recipes: dict[str, _Recipe] = field(default_factory=dict)
    variables: dict[str, str | None] = field(default_factory=dict)
    """None: its value is not known."""
    exported: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read the text."""
        every, current = False, None
        for line in self.text.replace("\\\n", " ").splitlines():
            if line[:1] in (" ", "\t"):
                if current is not None and line.strip():
                    current.lines.append(line.strip())
                continue
            bare = line.strip()
            if not bare or bare.startswith(("#", "[")):
                continue
            if re.fullmatch(r"set\s+export(?:\s*:=\s*true)?", bare):
                every = True
            elif found := _ASSIGNMENT.fullmatch(bare):
                self.variables[found["name"]] = self._value(found["value"], {})
                self.exported += [found["name"]] if found["export"] else []
            elif found := _RECIPE.fullmatch(bare):
                current = self._recipe(found)
                self.recipes.setdefault(found["name"], current)
        if every:
            self.exported = list(self.variables)

    def _recipe(self, found: re.Match[str]) -> _Recipe:
        parameters = {
            each["name"]: _plain(each["value"]) if each["value"] else "" if each["many"] else None
            for each in _PARAMETER.finditer(found["parameters"])
        }
        before, _, after = found["needs"].partition("&&")
        return _Recipe(parameters, _calls(before), _calls(after))

    def _value(self, text: str, own: Mapping[str, str | None]) -> str | None:
        """Return the value of an expression; none where it has to be computed."""
        text = text.strip()
        for sign, between in ((" + ", ""), (" / ", "/")):
            if sign in text:
                values = [self._value(each, own) for each in text.split(sign)]
                return None if None in values else between.join(filter(None, values))
        if found := _STRING.fullmatch(text):
            return _plain(found[0])
        if found := _OR_DEFAULT.fullmatch(text):
            return _plain(found["value"])
        if text in _FOLDERS:
            return "$PWD"
        return own.get(text, self.variables.get(text))

    def script(self, name: str, seen: set[str], given: Sequence[str] = ()) -> tuple[str, bool]:
        """Write what a recipe and those around it run; false where it cannot be written so.

        `given` are the arguments that a recipe which needs it gives.
        """
        seen.add(name)
        recipe, known, lines = self.recipes[name], True, list[str]()
        values = zip(recipe.parameters, given, strict=False)
        own_values = {**recipe.parameters, **{each: self._value(text, {}) for each, text in values}}

        def value(found: re.Match[str]) -> str:
            nonlocal known
            text = self._value(found["text"], own_values)
            known = known and text is not None
            return text or ""

        def others(needs: list[list[str]]) -> None:
            nonlocal known
            for each, *arguments in needs:
                if each in self.recipes and (arguments or each not in seen):
                    text, sure = self.script(each, {*seen} if arguments else seen, arguments)
                    known = known and sure
                    lines.extend([text] if text else [])

        others(recipe.needs)
        own = [_INSERTED.sub(value, line.lstrip("@-")).strip() for line in recipe.lines]
        if own and own[0].startswith("#!"):
            known, own = False, own[1:]
        for number, text in enumerate(own):
            called = re.fullmatch(r"just (?P<name>[\w-]+)", text)
            if called and called["name"] in self.recipes:
                others([[called["name"]]])
            elif text and not text.startswith("#"):
                known = known and (number + 1 == len(own) or not text.startswith("cd "))
                lines.append(text)
        others(recipe.after)
        return " && ".join(lines), known


def _calls(needs: str) -> list[list[str]]:
    """Part what a recipe needs into names, each with its arguments."""
    return [_WORD.findall(each.strip("()")) for each in _NEED.findall(needs)]


def just_commands(file: str, text: str) -> Iterator[OwnCommand]:
    """Read the commands of a justfile."""
    made = Justfile(text)
    variables = {name: value for name in made.exported if (value := made.variables.get(name)) is not None}
    scripts, whole = dict[str, str](), set[str]()
    for name in made.recipes:
        script, known = made.script(name, set())
        scripts[name] = with_variables(script, variables)
        whole |= set() if known else {name}
    yield from named_commands("just ", file, scripts, whole)


def _plain(text: str) -> str:
    return text[1:-1] if text[:1] in ("'", '"') else text
