"""Commands of agents that are plug-ins run the project's code, so they are held as checks are."""

from __future__ import annotations

from pathlib import Path

from setpoint.model.config.sandbox import Means
from setpoint.ports.toolkit import CommandRequest
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Hold
from setpoint.wiring.toolkit import HostToolkit


async def test_a_command_writes_to_its_folder_and_its_temporary_files_alone(
    tmp_path: Path, means: Means
) -> None:
    async def hold() -> Hold:
        return Hold(means=means)

    for name in ("work", "temp", "outside"):
        (tmp_path / name).mkdir()
    toolkit = HostToolkit(Artifacts(tmp_path / "artifacts"), tmp_path / "scratch", hold=hold)
    environment = toolkit.environment({"TMPDIR": str(tmp_path / "temp")})

    async def ok(script: str) -> bool:
        argv = ("sh", "-c", script)
        request = CommandRequest(argv=argv, cwd=tmp_path / "work", environment=environment, timeout_s=60)
        return (await toolkit.run_command(request)).exit_code == 0

    assert await ok("echo x > made && echo x > $TMPDIR/made && echo x > ~/made")
    assert not await ok("echo x > ../outside/made")
    assert [path.name for path in tmp_path.rglob("made")] == ["made", "made"]
