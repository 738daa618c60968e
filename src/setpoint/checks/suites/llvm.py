"""The tools of LLVM that read what instrumented Rust wrote: only those of the compiler's own version can."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.suites.runner import Start

# They join those of .cargo/config.toml; names stay plain, as some builds of LLVM cannot unpack them.
INSTRUMENTED = (
    "--config",
    'build.rustflags=["-Cinstrument-coverage","-Cllvm-args=-enable-name-compression=false"]',
)
"""Arguments of cargo that have rustc count what runs."""
_VERSION = re.compile(r"LLVM version:? (\d+)")
_HOST = re.compile(r"^host: (\S+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class LlvmTools:
    """Two programs of one version."""

    profdata: str
    cov: str


async def find_llvm(run: Start) -> LlvmTools | str:
    """Find the tools in the toolchain, then on PATH; says what to do where there are none."""
    about = await run.call(("rustc", "-vV"))
    root = await run.call(("rustc", "--print", "sysroot"))
    version, host = _VERSION.search(about.text), _HOST.search(about.text)
    if version is None or host is None or not root.ok:
        return f"rustc does not say its version of LLVM: {about.ending}"
    own = Path(root.text.strip()) / "lib" / "rustlib" / host[1] / "bin"
    places = (own, *map(Path, run.variables.get("PATH", "").split(":")))
    others: set[str] = set()
    for place in places:
        for ending in ("", f"-{version[1]}"):
            profdata, cov = (place / f"{name}{ending}" for name in ("llvm-profdata", "llvm-cov"))
            if not (shutil.which(profdata) and shutil.which(cov)):
                continue
            said = _VERSION.search((await run.call((str(cov), "--version"))).text)
            if said is not None and said[1] == version[1]:
                return LlvmTools(profdata=str(profdata), cov=str(cov))
            others.add(said[1] if said else "unknown")
    there = f"only those of version {', '.join(sorted(others))} are" if others else "none is"
    return (
        f"rustc writes profiles of LLVM {version[1]}, and llvm-profdata and llvm-cov of that "
        f"version are needed; {there} installed: rustup component add llvm-tools"
    )
