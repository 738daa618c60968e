"""Measure what the trust of a witness is worth: plausible wrong patches that the tests of the base pass.

    python bench/witness.py FOLDER [--most 100] [--seed 1] [--per-function 3] [--python PYTHON]

FOLDER holds unpacked source distributions, for example of inflection, toolz and boltons. Of a function that
tests name, the base has no body, and those tests are hidden. The right patch is the original; wrong patches
are mutants of it that give another result for some input. Each comes with the maker's own test, which asserts
what the patch gives for inputs of the hidden tests. The hidden tests play the sealed ones, and the person's
command. Prints how many of the wrong patches are not verified, and how many of the right ones are not.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from integrity import Bench, git, in_mode, opened, write
from witness_patches import mutants, without

from setpoint.model.evaluation import Stage
from setpoint.model.proof import ObligationState, Proof, ProofTerms, SealedTest, Vouched
from setpoint.model.stories.story import IntegrityMode
from setpoint.ports import Measured

_RECORDER = Path(__file__).with_name("data") / "record_calls.txt"
_CHECKS = dict.fromkeys(("bandit", "ruff", "mypy"), False)
_LEAST_CALLS = 2


@dataclass(frozen=True, kw_only=True)
class Work:
    """A function to be written: what the base lacks, and who can tell."""

    name: str
    module: str
    """Path of its file."""
    base: dict[str, str]
    """All files of the base."""
    source: str
    """Its file with the right patch."""
    hidden: str
    """A file with the tests that name it."""
    patches: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind (`right` or `wrong`), the file, and the maker's test that agrees with it."""


def works(folder: Path, python: str, chance: random.Random, per_function: int) -> Iterator[Work]:
    """Yield functions of the packages in a folder, in a random order."""
    found = []
    for root in sorted(path for path in folder.iterdir() if path.is_dir()):
        for test in sorted(root.rglob("test_*.py")):
            stem = test.stem.removeprefix("test_")
            for module in {path for path in root.rglob(f"{stem}.py") if "test" not in path.parts[-2]}:
                found += [(module, test, name) for name in _functions(module)]
    found = list(dict.fromkeys(found))
    chance.shuffle(found)
    for module, test, name in found:
        work = _work(module, test, name)
        if work is not None and _patched(work, python, chance, per_function):
            yield work


def _functions(module: Path) -> list[str]:
    tree = ast.parse(module.read_text("utf-8"))
    return [each.name for each in tree.body if isinstance(each, ast.FunctionDef) and each.name[0] != "_"]


def _work(module: Path, test: Path, name: str) -> Work | None:
    """Hide the tests of a function and empty its body; none where no test names it, or all do."""
    rest, hidden = without(test.read_text("utf-8"), name)
    if not hidden or not rest:
        return None
    source = module.read_text("utf-8")
    lines = source.splitlines()
    node = next(each for each in ast.parse(source).body if getattr(each, "name", "") == name)
    first = node.body[0]  # type: ignore[attr-defined]  # it is a function
    emptied = [*lines[: first.lineno - 1], "    raise NotImplementedError", *lines[node.end_lineno :]]
    package = module.parent if (module.parent / "__init__.py").is_file() else module
    kept = (
        [package]
        if package == module
        else [path for path in package.rglob("*.py") if "test" not in str(path.relative_to(package))]
    )
    at = package.parent
    files = {path.relative_to(at).as_posix(): path.read_text("utf-8") for path in kept}
    path = module.relative_to(at).as_posix()
    settings = "[pytest]\npythonpath = .\n"
    base = {**files, path: "\n".join(emptied) + "\n", f"tests/{test.name}": rest, "pytest.ini": settings}
    return Work(name=name, module=path, base=base, source=source, hidden=hidden)


def _patched(work: Work, python: str, chance: random.Random, per_function: int) -> bool:
    """Find patches of a work, and what each gives; false where too little of it can be recorded."""
    variants = mutants(work.source, work.name)
    chance.shuffle(variants)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, {**work.base, work.module: work.source, "tests/test_hidden.py": work.hidden})
        dotted = work.module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        asked = {"module": dotted, "name": work.name, "variants": variants[:40]}
        words = [python, str(_RECORDER), "tests/test_hidden.py"]
        done = subprocess.run(
            words, cwd=root, input=json.dumps(asked), capture_output=True, text=True, timeout=120, check=False
        )
    try:
        told = json.loads(done.stdout.rpartition("\n@@@")[2])
    except ValueError:
        return False
    right = _agreeing(dotted, work.name, told["right"])
    if len(told["right"]) < _LEAST_CALLS or not right:
        return False
    work.patches.append(("right", work.source, right))
    for number, given in told["wrong"]:
        test = _agreeing(dotted, work.name, given)
        if test and len(work.patches) <= per_function:
            work.patches.append(("wrong", variants[number], test))
    return len(work.patches) > 1


def _agreeing(module: str, name: str, given: list[list[str]]) -> str:
    """Write the test that asserts what a patch gives for some calls."""
    if not given:
        return ""
    lines = [f"        ({call}, {result})," for call, result in given[:4]]
    return (
        f"from itertools import islice\n\nfrom {module} import {name}\n\n\n"
        "def plain(value):\n    return list(islice(value, 50)) if hasattr(value, '__next__') else value\n\n\n"
        f"def test_{name}():\n    for (args, named), given in [\n" + "\n".join(lines) + "\n    ]:\n"
        f"        assert plain({name}(*args, **named)) == given\n"
    )


async def outcomes(bench: Bench, work: Work) -> list[tuple[str, bool, bool]]:
    """Judge the patches of a work: kind, whether it is verified with any witness, and with sealed ones."""
    await bench.evaluator.evaluate(
        bench.order, Measured(bench.copy, bench.order.base, bench.copy.base_tree, Stage.BASE)
    )
    artifacts = bench.evaluator._artifacts  # noqa: SLF001 - the sealed source is put where it is read
    sealed = SealedTest(
        path=f"tests/test_sealed_{work.name}.py", source=artifacts.keep(work.hidden), behaviour="as hidden"
    )
    trial = await bench.evaluator.try_sealed(bench.order, bench.copy, (sealed,))
    if not trial.kept:
        print(f"  {work.name}: {trial.dropped}", file=sys.stderr)
        return []
    order = in_mode(bench.order, integrity=IntegrityMode.APPEND_ONLY, title=f"add {work.name}")
    order = order.model_copy(update={"proof": ProofTerms()})
    told = []
    for kind, source, test in work.patches:
        files: dict[str, str | None] = {work.module: source, f"tests/test_own_{work.name}.py": test}
        evaluated = await bench.judged(files, order, Stage.TEST)
        green = not (evaluated.failures or evaluated.blocking or evaluated.broken)
        if not green and kind == "wrong":
            continue  # the tests of the base notice it
        measured = Measured(bench.copy, evaluated.commit, evaluated.tree, Stage.TEST)
        proof = await bench.evaluator.prove(order, measured, Vouched(sealed=trial.kept))
        held = [each for each in proof.missing if each.name != "sealed"]
        seen = any(each.name == "sealed" and each.state is ObligationState.MET for each in proof.obligations)
        told.append((kind, green and not held, green and not held and seen))
        print(f"  {work.name} {kind}: {'; '.join(_missing(proof)) or 'proved'}", file=sys.stderr, flush=True)
    return told


def _missing(proof: Proof) -> list[str]:
    return [f"{each.name}: {each.reason[:160]}" for each in proof.missing]


async def table(folder: Path, python: str, most: int, seed: int, per_function: int) -> None:
    """Judge patches until enough wrong ones are judged, and print the shares."""
    counts: Counter[tuple[str, str]] = Counter()
    for work in works(folder, python, random.Random(seed), per_function):
        if counts["wrong", "all"] >= most:
            break
        with tempfile.TemporaryDirectory(prefix="bench-") as place:
            root = Path(place) / "project"
            root.mkdir()
            write(root, {**work.base, ".gitignore": "__pycache__\n.setpoint\n"})
            for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
                git(root, *words)
            bench = await opened(root, git(root, "rev-parse", "HEAD"), python, _CHECKS)
            for kind, by_any, by_sealed in await outcomes(bench, work):
                counts[kind, "all"] += 1
                counts[kind, "any"] += by_any
                counts[kind, "sealed"] += by_sealed
        print(dict(counts), file=sys.stderr, flush=True)
    print("| patches | judged | not verified with `any` | not verified with `sealed` |\n|---|---|---|---|")
    for kind in ("wrong", "right"):
        every = counts[kind, "all"]
        shares = [f"{1 - counts[kind, level] / max(every, 1):.0%}" for level in ("any", "sealed")]
        print(f"| {kind} | {every} | {' | '.join(shares)} |")
    print("\nA person's command that runs the hidden tests judges as they do: see `sealed`.")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=100, help="wrong patches that are judged")
    parser.add_argument("--per-function", type=int, default=3, help="wrong patches of one function")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", default=sys.executable)
    asked = parser.parse_args()
    asyncio.run(table(asked.folder, asked.python, asked.most, asked.seed, asked.per_function))


if __name__ == "__main__":
    main()
