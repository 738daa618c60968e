"""The agent's shell runs what the checks run, and finds no credential of a forge."""

import subprocess
import sys

from acceptance.conftest import RIGHT

FIX = {"write": "calc.py", "text": RIGHT}


def environment_at(folder):
    """Make a virtual environment that holds pytest, as projects have one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "theirs.pth").write_text("\n".join(each for each in sys.path if "site-packages" in each))
    script = folder / "bin" / "pytest"
    script.write_text(
        f"#!{folder}/bin/python\nimport sys\nfrom pytest import console_main\nsys.exit(console_main())\n"
    )
    script.chmod(0o755)
    return folder


COMMAND = "sed -n 's/^Run tests with `\\([^`]*\\)`.*/\\1/p'"
"""Reads the command from the prompt, which the scripted agent puts on standard input."""


def test_commands_of_the_prompt_run_the_code_of_the_work_copy_with_the_checks_python(repository, tmp_path):
    """The package is installed from the user's own tree, which the agent must not be shown instead."""
    venv = environment_at(tmp_path / "venv")
    repository.write("src/calc.py", (repository.root / "calc.py").read_text())
    repository.git("rm", "-q", "calc.py")
    repository.write("pyproject.toml", "[project]\nname = 'calc'\nversion = '1'\n")
    repository.commit("a package")
    (next(venv.glob("lib/python*/site-packages")) / "calc.pth").write_text(f"{repository.root}/src\n")
    told = tmp_path / "played"
    look = "import sys, calc; print(sys.prefix, calc.__file__)"
    asks = [
        {"write": "src/calc.py", "text": RIGHT},
        {"shell": f"python -c '{look}' > {told}/plain"},
        {"shell": f"bash -lc \"python3 -c '{look}'\" > {told}/login"},
        {"shell": f'command=$({COMMAND}); echo "$command" > {told}/tests; sh -c "$command" >> {told}/tests'},
        {"shell": f"git status --porcelain > {told}/status"},
    ]
    told.mkdir()
    repository.agent(asks)

    code, outcome = repository.run("--agent", "actor", SETPOINT_CHECKS__PYTHON=f"{venv}/bin/python")

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    for name in ("plain", "login"):
        prefix, file = (told / name).read_text().split(maxsplit=1)
        assert (prefix, "/trees/work/" in file) == (str(venv), True), (name, file)
    command, *said = (told / "tests").read_text().splitlines()
    assert command.startswith("python -m pytest -q ")
    assert said[-1].startswith("2 passed"), said
    assert (told / "status").read_text().split() == ["M", "src/calc.py"]


def test_an_agent_gets_no_credential_of_a_forge_unless_a_setting_gives_it(repository, tmp_path):
    home, told = tmp_path / "home", tmp_path / "played"
    (home / ".config" / "gh").mkdir(parents=True)
    told.mkdir()
    (home / ".git-credentials").write_text("https://me:secret-1@localhost\n")
    (home / ".netrc").write_text("machine localhost login me password secret-2\n")
    (home / ".config" / "gh" / "hosts.yml").write_text("github.com:\n  oauth_token: secret-3\n")
    (home / ".gitconfig").write_text(
        '[credential]\n\thelper = store\n[credential "https://localhost"]\n\thelper = store\n'
        '[http]\n\textraHeader = "Authorization: secret-4"\n[user]\n\tname = Me\n[alias]\n\tst = status\n'
    )
    ask = "printf 'protocol=https\\nhost=localhost\\n\\n' | git credential fill"
    asks = [
        FIX,
        {"shell": f"{ask} > {told}/git 2>&1; git config --list >> {told}/git 2>&1"},
        {"shell": f"bash -lc '{ask}' > {told}/login 2>&1"},
        {"shell": f"env > {told}/env; cat $GH_CONFIG_DIR/* >> {told}/env 2>&1; echo ~ > {told}/home"},
        {"shell": f"git st --short > {told}/local; git log --oneline | wc -l >> {told}/local"},
    ]
    repository.agent(asks, asks)
    secrets = {"GH_TOKEN": "secret-5", "GITLAB_TOKEN": "secret-6", "SSH_AUTH_SOCK": "/secret-7"}
    kept = {"HOME": str(home), **secrets}

    code, outcome = repository.run("--agent", "actor", **kept)

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    for name in ("git", "login", "env"):
        assert "secret-" not in (told / name).read_text(), (name, (told / name).read_text())
    assert (told / "home").read_text().strip() == str(home)
    assert "M calc.py" in (told / "local").read_text()

    code, outcome = repository.run("--agent", "actor", SETPOINT_SANDBOX__FORGE_CREDENTIALS="true", **kept)

    assert code == 0, outcome
    assert "password=secret-1" in (told / "git").read_text()
    assert all(secret in (told / "env").read_text() for secret in secrets.values())


NAMED = """
import os, re, sys
found = re.findall(r"(?<![\\w:/.-])((?:/|\\.setpoint/|[\\w.-]+/)[\\w./-]*\\w)", sys.stdin.read())
for name in sorted(set(found)):
    if name[0] in "/." or name.endswith((".py", ".txt")):
        print("open" if os.access(name, os.R_OK) else "CLOSED", name, sep="\\t")
"""
SCRIPT = "import calc\nassert calc.add(2, 2) == 5, __file__\n"


def test_every_path_of_a_prompt_lies_in_the_work_copy_and_can_be_opened(repository, tmp_path):
    told, reader = tmp_path / "played", tmp_path / "reader.py"
    told.mkdir()
    reader.write_text(NAMED)
    repository.write("script.py", SCRIPT)
    look = {"shell": f"python {reader} > {told}/names-$N; cp -r .setpoint/evidence {told}/shown-$N"}
    steps = [
        [{"shell": look["shell"].replace("$N", "1")}, {"write": "calc.py", "text": RIGHT}],
        [{"shell": look["shell"].replace("$N", "2")}, {"write": "script.py", "text": "import calc\n"}],
    ]
    spoil = "rm -rf .setpoint; ln -s ~ .setpoint"
    steps[0].append({"shell": spoil})
    repository.agent(*steps)

    _, outcome = repository.run("--agent", "actor", "--accept", "python script.py")

    assert outcome["iterations"] == 2, outcome
    for number in ("1", "2"):
        names = dict(line.split("\t")[::-1] for line in (told / f"names-{number}").read_text().splitlines())
        assert f".setpoint/evidence/problems-{number}.txt" in names
        assert set(names.values()) == {"open"}, names
        assert not [name for name in names if name.startswith("/")], names
    assert "script.py" in (told / "shown-2" / "problems-2.txt").read_text()
    assert "Iteration 1" in (told / "shown-2" / "history.txt").read_text()
    assert repository.git("diff", "--name-only", "main", outcome["branch"]).split() == [
        "calc.py",
        "script.py",
    ]
