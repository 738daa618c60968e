import pytest

from checks.suites.conftest import works
from setpoint.checks.proof.process.debug_only import left_out
from setpoint.model.proof import ObligationState

OLD = "pub fn fee(n: u64) -> u64 {\n    n + 1\n}\n"
NEW = 'pub fn fee(n: u64) -> u64 {\n    debug_assert!(n <= 9, "too much");\n    n + 1\n}\n'


def test_debug_assertions_are_left_out(tmp_path):
    found = left_out("a.rs", OLD.encode(), NEW.encode())
    made = found.sabotaged(NEW.encode(), found.sabotages["left out"], tmp_path).decode()
    assert 'if false { debug_assert!(n <= 9, "too much") };' in made
    assert left_out("a.rs", NEW.encode(), NEW.encode()) is None
    assert left_out("a.rs", None, f"#[cfg(test)]\nmod tests {{\n{NEW}}}\n".encode()) is None


BASE = {
    "Cargo.toml": '[package]\nname = "fees"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "fees"\nversion = "0.1.0"\n',
    "src/lib.rs": OLD,
    "tests/fee.rs": "#[test]\nfn adds() {\n    assert_eq!(fees::fee(1), 2);\n}\n",
}
TEST = (
    '#[test]\n#[should_panic(expected = "too much")]\nfn above() {\n    fees::fee(10);\n}\n\n'
    "#[test]\nfn at() {\n    assert_eq!(fees::fee(9), 10);\n}\n"
)


@pytest.mark.slow
@pytest.mark.skipif(not works("cargo", "--version"), reason="no cargo that works")
@pytest.mark.parametrize(("code", "objects"), [(NEW, True), (NEW.replace("debug_assert!", "assert!"), False)])
async def test_a_guard_that_release_builds_leave_out_is_not_proved(obligations, code, objects):
    made = await obligations(BASE, {"src/lib.rs": code, "tests/limit.rs": TEST}, "fee must panic above 9")
    found = made.get("in every build")
    assert (found is not None and found.state is ObligationState.NOT_MET) is objects
