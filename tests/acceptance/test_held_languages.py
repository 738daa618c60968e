"""Suites of each language run while they are held, and what they try outside their copy is refused."""

import json
import shutil

import pytest

GO = {
    "go.mod": "module example.com/calc\n\ngo 1.19\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int { return a + b }\n",
    "calc_test.go": """package calc

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHeld(t *testing.T) {
	home, _ := os.UserHomeDir()
	for _, place := range []string{filepath.Join(home, "x"), filepath.Join(os.TempDir(), "x"), "left"} {
		if err := os.WriteFile(place, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	caches, _ := filepath.Glob("ROOT/.setpoint/cache/tools/*/go")
	if len(caches) == 0 {
		t.Fatal("no build cache")
	}
	for _, folder := range append(caches, "ROOT") {
		if os.WriteFile(filepath.Join(folder, "planted"), nil, 0o600) == nil {
			t.Fatal("written in " + folder)
		}
	}
}
""",
}
RUST = {
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
    "src/lib.rs": """pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    #[test]
    fn held() {
        let home = std::path::PathBuf::from(std::env::var("HOME").unwrap());
        for place in [home.join("x"), std::env::temp_dir().join("x"), "left".into()] {
            std::fs::write(place, "x").unwrap();
        }
        assert!(std::fs::write("ROOT/planted", "x").is_err());
    }
}
""",
}
NODE = {
    "package.json": '{"name": "calc", "type": "module", "scripts": {"test": "node --test"}}\n',
    "calc.test.js": """import test from "node:test";
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";

test("held", () => {
  for (const place of [`${homedir()}/x`, `${tmpdir()}/x`, "left"]) writeFileSync(place, "x");
  assert.throws(() => writeFileSync("ROOT/planted", "x"), /EACCES|EROFS/);
});
""",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "check", "files"),
    [("go", "go_test", GO), ("cargo", "cargo_test", RUST), ("node", "node_test", NODE)],
)
def test_a_suite_passes_and_reaches_nothing_outside(repository, program, check, files, means):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    for path, text in files.items():
        repository.write(path, text.replace("ROOT", str(repository.root)))
    repository.commit("another language")

    done = repository.setpoint("check", "--json", timeout=300, SETPOINT_SANDBOX__CHECKS=means.value)

    (made,) = [each for each in json.loads(done.stdout)["evidence"] if each["check"] == check]
    assert (made["state"], made["counts"]["passed"], made["held"]) == ("pass", 1, means.value), made
    assert not list(repository.root.rglob("planted"))
