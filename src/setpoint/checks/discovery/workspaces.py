"""The packages of one repository, what each needs of the others, and which of them a change touches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

_DOCUMENTS = (".md", ".rst", ".adoc")
_NOT_CODE = frozenset({"LICENSE", "COPYING", "AUTHORS", "NOTICE", "CODEOWNERS", ".gitignore", ".mailmap"})
_DOCUMENT_FOLDERS = frozenset({"docs", "doc", ".github", ".gitlab", ".vscode", ".idea"})
MOST_NAMED = 6
WITHOUT_WORK = {"GOWORK": "off"}
"""With what a module is built and tested that the `go.work` above it leaves out."""


@dataclass(frozen=True, kw_only=True)
class Package:
    """One package of a repository."""

    folder: str
    """Empty for the root."""
    manifest: str
    """The file that makes it a package."""
    language: str
    """As in the presets: javascript, go, rust, python."""
    name: str = ""
    """What others call it; empty where its manifest does not say."""
    needs: frozenset[str] = frozenset()
    """Folders of the packages of the same repository that it depends on."""
    workspace: str | None = None
    """Folder of the workspace that it is a member of; none where it is alone."""
    unused: bool = False
    """Whether the nearest `go.work` above leaves it out, so that Go refuses it without `GOWORK=off`."""


@dataclass(frozen=True, kw_only=True)
class Touched:
    """The packages that a change can reach."""

    everything: str = ""
    """Why all of them; empty where it is not all."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Touched packages by folder, with the one by which a change reaches each; empty: it changed itself."""

    def holds(self, folder: str) -> bool:
        """Whether what is run in a folder is touched: by a package there or below it."""
        return bool(self.everything) or any(not folder or within(each, folder) for each in self.reasons)

    @property
    def words(self) -> str:
        """Name the packages for a person."""
        if self.everything:
            return f"all packages ({self.everything})"
        named = [f"{each or '.'}{f' (depends on {by})' if by else ''}" for each, by in self.reasons.items()]
        more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        return f"{', '.join(named[:MOST_NAMED])}{more}" if named else "no package"


@dataclass(frozen=True, kw_only=True)
class Workspaces:
    """All packages of a repository, those nearest to the root first."""

    packages: tuple[Package, ...] = ()

    @property
    def several(self) -> bool:
        """Whether there is more than one package below the root."""
        return len({each.folder for each in self.packages if each.folder}) > 1

    def touched(self, changed: Iterable[str]) -> Touched:
        """Say which packages a change of some files can reach, directly or by what they depend on."""
        found: dict[str, str] = {}
        for path in sorted(changed):
            owners = [each.folder for each in self.packages if each.folder and within(path, each.folder)]
            if not owners and not _document(path):
                return Touched(everything=f"{path} lies in none of them")
            found |= dict.fromkeys(owners, "")
        return Touched(reasons=dict(sorted(self._with_dependents(found).items())))

    def _with_dependents(self, found: dict[str, str]) -> dict[str, str]:
        waiting = sorted(found)
        while waiting:
            reached = waiting.pop(0)
            for each in self.packages:
                if reached in each.needs and each.folder not in found:
                    found[each.folder] = reached
                    waiting.append(each.folder)
        return found

    def members(self, workspace: str, language: str) -> tuple[Package, ...]:
        """Return the members of a workspace."""
        return tuple(
            each for each in self.packages if each.language == language and each.workspace == workspace
        )

    @property
    def unused(self) -> frozenset[str]:
        """Return the folders of the modules of Go that the `go.work` above them leaves out."""
        return frozenset(each.folder for each in self.packages if each.unused)

    def languages(self, touched: Touched) -> frozenset[str]:
        """Return the languages of the touched packages."""
        return frozenset(each.language for each in self.packages if each.folder in touched.reasons)


def within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def nearest(path: str, folders: Collection[str]) -> str | None:
    """Return the innermost of some folders that holds a path; none where none does."""
    holding = [each for each in folders if within(path, each)]
    return max(holding, key=len) if holding else None


def _document(path: str) -> bool:
    """Whether a file outside all packages is read by people alone."""
    folder, _, name = path.partition("/")
    if name:
        return folder in _DOCUMENT_FOLDERS
    return path.endswith(_DOCUMENTS) or path.partition(".")[0] in _NOT_CODE or path in _NOT_CODE
