"""The packages of a repository for a person: what each depends on, and what is run there."""

from __future__ import annotations

from collections.abc import Collection

from setpoint.checks.discovery.layout import Layout
from setpoint.checks.discovery.workspaces import within


def package_rows(layout: Layout, chosen: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return each package below the root with its language, what it depends on and what tests it."""
    rows = []
    for package in layout.workspaces.packages:
        if not package.folder:
            continue
        needs = sorted(need or "the root" for need in package.needs)
        said = [package.language, f"depends on {', '.join(needs)}" if needs else ""]
        said.append(_tests(package.folder, package.language, layout, chosen))
        rows.append((package.folder, "; ".join(each for each in said if each)))
    return tuple(rows)


_RUNNERS = {
    "javascript": ("vitest", "jest", "node_test"),
    "go": ("go_test",),
    "rust": ("cargo_test",),
}


def _tests(folder: str, language: str, layout: Layout, chosen: Collection[str]) -> str:
    if language == "python":
        if any(root.folder == folder for root in layout.test_roots):
            return "pytest runs here"
        return "pytest runs at the root" if "pytest" in chosen and not layout.test_roots else ""
    for name in (each for each in _RUNNERS.get(language, ()) if each in chosen and each in layout.suites):
        for at in layout.suites[name].folders:
            if at == folder:
                return f"{name} runs here"
            if within(folder, at):
                return f"{name} runs in {at or 'the root'}"
    return ""
